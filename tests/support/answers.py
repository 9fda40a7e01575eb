"""Answers of the server, compared with the document that promises their shape."""

from typing import Any

import httpx
import jsonschema  # type: ignore[import-untyped]


def check(document: dict[str, Any], found: Any, schema: str) -> None:
    jsonschema.Draft202012Validator({"$ref": f"#/components/schemas/{schema}", **document}).validate(found)


def answered(client: httpx.Client, document: dict[str, Any], path: str, schema: str, **query: str) -> dict[str, Any]:
    answer = client.get(path, params=query)
    assert answer.status_code == 200, answer.text
    found: dict[str, Any] = answer.json()
    check(document, found, schema)
    return found
