"""The server with men beyond chess."""

from pathlib import Path

import httpx
import pytest

from tests.support.browsing import NEEDS_BROWSER, launched
from tests.support.patience import PATIENCE
from tests.support.serving import serving

COMMONER = "8/8/8/4KC1k/8/8/8/8 w - - 0 1"
WIZARD = "8/8/8/3XK1k1/8/8/8/8 w - - 0 1"


def test_positions_moves_and_pages(fairy_tables: Path) -> None:
    with (
        serving(fairy_tables, "--men", "X=WDN Wizard") as server,
        httpx.Client(base_url=server.url, timeout=PATIENCE) as client,
    ):
        found = client.get("/v1/moves", params={"fen": COMMONER}).json()
        assert (found["material"], found["gscore"], len(found["moves"])) == ("KCvK", "G0.0", 14)
        wizard = client.get("/v1/probe", params={"fen": WIZARD}).json()
        assert wizard["material"] == "KXvK"
        unknown = client.get("/v1/probe", params={"fen": WIZARD.replace("X", "Y")})
        assert (unknown.status_code, "no man has the letter Y" in unknown.text) == (400, True)
        many = client.post("/v1/batch", json={"fens": [COMMONER, WIZARD]}).text
        assert '"KCvK"' in many
        assert '"KXvK"' in many
        page = client.get("/", params={"fen": WIZARD}).text
        assert "White forces" in page
        assert client.get("/v1/board", params={"fen": WIZARD}).json()["men"] == {"X": "Wizard"}
        assert "<circle" in page


@pytest.mark.parametrize("fen", [pytest.param(COMMONER, marks=NEEDS_BROWSER)])
def test_a_browser_shows_a_letter_and_plays(fairy_tables: Path, fen: str) -> None:
    with serving(fairy_tables, "--men", "X=WDN") as server, launched() as browser:
        page = browser.new_page(base_url=server.url)
        page.goto(f"/?fen={fen.replace(' ', '_')}")
        page.locator("#board piece.white.man-c").wait_for()
        page.get_by_role("button", name="Best move").click()
        page.wait_for_function("document.querySelector('#fen').value.includes(' b ')")
        assert page.locator("#board piece.white.man-c").count() == 1
