"""Certificates that are changed."""

import json


def changed(line: str, **fields: object) -> str:
    """The line of a claim with other fields."""
    return json.dumps(json.loads(line) | fields)


def counted(lines: list[str]) -> list[str]:
    """A claim that says as many replies as there are: what is missing then is for the checker to find."""
    return [changed(lines[0], replies=sum(" " in line for line in lines[1:])), *lines[1:]]
