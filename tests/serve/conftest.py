"""A server of the small tables that all tests ask, and a browser that looks at it."""

from collections.abc import Iterator
from pathlib import Path
from typing import Any

import httpx
import pytest
from playwright.sync_api import Browser, BrowserContext, Page

from tbgen.cli.main import main
from tests.support.browsing import DESKTOP, MILLISECONDS, Device, Hand, launched
from tests.support.patience import PATIENCE
from tests.support.serving import Server, serving
from tests.support.web_hosts import NGINX, nginx, python


@pytest.fixture(scope="session")
def server(small_tables: Path) -> Iterator[Server]:
    with serving(small_tables, "--per-client", "0") as found:
        yield found


@pytest.fixture(scope="session")
def client(server: Server) -> Iterator[httpx.Client]:
    with httpx.Client(base_url=server.url, timeout=PATIENCE) as found:
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


@pytest.fixture(scope="session")
def published(small_tables: Path, tmp_path_factory: pytest.TempPathFactory) -> Iterator[str]:
    """The address of the same tables in a folder of a web host, below others."""
    root, place = tmp_path_factory.mktemp("root"), tmp_path_factory.mktemp("place")
    assert main(["publish", str(small_tables), str(root / "below" / "any path"), "-q"]) == 0
    with (nginx() if NGINX else python)(root, place) as url:
        yield f"{url}/below/any%20path/"


@pytest.fixture(scope="session")
def home(server: Server) -> str:
    """The address of the explorer, with its slash. Modules whose tests hold for a folder, too, have their own."""
    return f"{server.url}/"


@pytest.fixture(scope="session", params=["served", "published"])
def either_home(request: pytest.FixtureRequest) -> str:
    return str(request.getfixturevalue("home" if request.param == "served" else "published"))


@pytest.fixture
def context(browser: Browser, home: str, device: Device) -> Iterator[BrowserContext]:
    found = browser.new_context(
        base_url=home,
        viewport={"width": device.width, "height": device.height},
        has_touch=device.by_touch,
        is_mobile=device.by_touch,
        reduced_motion="reduce",
    )
    found.set_default_timeout(MILLISECONDS)
    yield found
    assert found.storage_state() == {"cookies": [], "origins": []}, "the page stores nothing"
    found.close()


@pytest.fixture
def page(context: BrowserContext, home: str) -> Iterator[Page]:
    """No word on the console, and no request to another site, whatever is done."""
    found = context.new_page()
    wrong: list[str] = []
    found.on("console", lambda message: wrong.append(message.text))
    found.on("pageerror", lambda error: wrong.append(str(error)))
    found.on("request", lambda asked: asked.url.startswith((home, "data:", "blob:")) or wrong.append(asked.url))
    yield found
    assert not wrong


@pytest.fixture
def hand(page: Page, device: Device) -> Hand:
    return Hand(page, by_touch=device.by_touch)
