"""A server of the small tables that all tests ask."""

from collections.abc import Iterator
from pathlib import Path
from typing import Any

import httpx
import pytest

from tests.support.serving import Server, serving


@pytest.fixture(scope="session")
def server(small_tables: Path) -> Iterator[Server]:
    with serving(small_tables, "--per-client", "0") as found:
        yield found


@pytest.fixture(scope="session")
def client(server: Server) -> Iterator[httpx.Client]:
    with httpx.Client(base_url=server.url, timeout=60) as found:
        yield found


@pytest.fixture(scope="session")
def document(client: httpx.Client) -> dict[str, Any]:
    found: dict[str, Any] = client.get("/v1/openapi.json").json()
    return found
