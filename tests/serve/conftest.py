"""A server of the small tables that all tests ask, and a browser that looks at it."""

from collections.abc import Iterator
from pathlib import Path
from typing import Any

import httpx
import pytest
from playwright.sync_api import Browser, BrowserContext, Page

from tests.support.browsing import DESKTOP, Device, Hand, launched
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


@pytest.fixture(scope="module")
def browser() -> Iterator[Browser]:
    with launched() as found:
        yield found


@pytest.fixture
def device(request: pytest.FixtureRequest) -> Device:
    found: Device = getattr(request, "param", DESKTOP)
    return found


@pytest.fixture
def context(browser: Browser, server: Server, device: Device) -> Iterator[BrowserContext]:
    found = browser.new_context(
        base_url=server.url,
        viewport={"width": device.width, "height": device.height},
        has_touch=device.by_touch,
        is_mobile=device.by_touch,
        reduced_motion="reduce",
    )
    found.set_default_timeout(15_000)
    yield found
    assert found.storage_state() == {"cookies": [], "origins": []}, "the page stores nothing"
    found.close()


@pytest.fixture
def page(context: BrowserContext, server: Server) -> Iterator[Page]:
    """No word on the console, and no request to another site, whatever is done."""
    found = context.new_page()
    wrong: list[str] = []
    found.on("console", lambda message: wrong.append(message.text))
    found.on("pageerror", lambda error: wrong.append(str(error)))
    found.on("request", lambda asked: asked.url.startswith((server.url, "data:", "blob:")) or wrong.append(asked.url))
    yield found
    assert not wrong


@pytest.fixture
def hand(page: Page, device: Device) -> Hand:
    return Hand(page, by_touch=device.by_touch)
