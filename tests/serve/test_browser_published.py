"""The explorer of a folder: it tells what the server tells, costs what its host makes it cost, and asks nobody else."""

import random
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import chess
import httpx
import pytest
from playwright.sync_api import Browser, Page, expect

from tbgen.cli.main import main
from tests.support.browsing import BOTH, NEEDS_BROWSER, SCREENS, Hand, assert_for_everybody, await_fen, go
from tests.support.web_hosts import python

BISHOP = "8/8/8/4KBk1/8/8/8/8 b - - 7 30 G2.5"
ODD = (
    ("8/8/8/4KBk1/8/8/8/8 b - - 0 30 G2.5", ""),  # a record that does not count
    ("8/8/8/4KBk1/8/8/8/8_b_-_-_0_30", "g5h5,e5f4"),
    ("8/8/8/4KBk1/8/8/8/8 b - - 0 30", "g5h5,h5g5"),
    ("8/8/8/4KBk1/8/8/8/8 b - - 7 30 G2.5", ",".join(["g5h5", "f5e4", "h5g5", "e4f5"] * 101)),
    ("8/8/8/4K1k1/8/8/8/QR6 w - - 0 1", ""),  # no table; some moves lead to one
    ("8/8/8/8/1p6/k7/P7/K7 w - - 3 9 -G2.5", ""),
    ("7k/5Q2/6K1/8/8/8/8/8 b - - 0 1", ""),
    ("8/8/8/8/8/8/8/K7 w - - 0 1", ""),
    ("8/8/8/8/8/8/8/K1k1QQ2 w - - 0 1", ""),
    ("r3k2r/p7/8/8/8/8/8/R3K2R w - - 0 1", ""),
    ("rnbqkbnr/pppppppp/8/8/8/8/PPPPPPPP/RNBQKBNR w - - 0 1", ""),
    ("8/2P5/8/8/8/1k6/8/K7 w - - 0 1", "c7c8n"),
)
ASK = """async (questions) => {
  const {board} = await import("./pages/static/tables.js"), {open} = await import("./pages/static/rmtb.js");
  const tables = await open(new URL("./", location.href));
  return Promise.all(questions.map(([fen, moves, rules]) =>
    board(tables, {fen, moves: moves ? moves.split(",") : [], rules, line: true})));
}"""
AS_PGN = """async ([told, program]) => (await import("./pages/static/pgn.js")).lineAsPgn(told, program)"""

pytestmark = NEEDS_BROWSER


@pytest.fixture(scope="session")
def home(published: str) -> str:
    return published


def positions() -> Iterator[tuple[str, str]]:
    """Placements of all small materials, half of them with records."""
    drawn = random.Random(41)
    while True:
        board = chess.Board(None)
        board.turn = drawn.random() < 0.5
        men = drawn.choice(["KQk", "KRk", "KBk", "KNk", "KPk", "Kk", "kqK", "kpK", "KNNk"])
        for square, man in zip(drawn.sample(chess.SQUARES, len(men)), men, strict=True):
            board.set_piece_at(square, chess.Piece.from_symbol(man))
        if not board.is_valid():
            continue
        board.halfmove_clock = drawn.choice([0, 5, 97])
        record = f" {drawn.choice('+-')}G{drawn.randint(2, 12) / 2}".replace("+", "") if drawn.random() < 0.5 else ""
        yield board.fen() + record, ""


def plain(told: Any) -> Any:
    """Without what only one of both says, or in words of its own."""
    left_out = {"outcome", "missing", "hint"}
    if isinstance(told, dict):
        if told.get("code") in ("unsupported_position", "bad_input"):
            return told["code"]
        return {name: plain(value) for name, value in told.items() if name not in left_out}
    return [plain(one) for one in told] if isinstance(told, list) else told


def test_it_tells_what_the_server_tells(page: Page, client: httpx.Client) -> None:
    drawn = positions()
    asked = [(*question, rules) for rules in ("r", "wg") for question in (*ODD, *(next(drawn) for _ in range(150)))]
    page.goto("index.html")
    found = page.evaluate(ASK, asked)
    with_line = 0
    for (fen, moves, rules), told in zip(asked, found, strict=True):
        query = {"fen": fen, "moves": moves, "rules": rules, "line": "1"}
        served = client.get("/v1/board", params={name: value for name, value in query.items() if value}).json()
        assert plain(told) == plain(served), (fen, moves, rules)
        if "line" in told and not moves:
            with_line += 1
            game = client.get("/v1/line", params={"fen": fen, "rules": rules, "format": "pgn"}).text
            program = game.partition('[Site "')[2].partition('"')[0]
            assert page.evaluate(AS_PGN, [told, program]) == game
    assert with_line > 100


def test_the_first_answer_waits_for_no_script(browser: Browser, home: str) -> None:
    """It is in the page, and hidden where the address has another position."""
    page = browser.new_page(base_url=home)
    page.route("**/*.js", lambda route: route.abort())
    page.goto("index.html")
    expect(page.locator(".verdict")).to_contain_text("White forces G1.5")
    expect(page.locator("#board svg")).to_be_visible()
    page.goto("index.html?fen=8/8/8/8/8/1k6/8/K6R_w_-_-_0_1")
    expect(page.locator(".verdict")).to_be_hidden()
    expect(page.locator("#board svg")).to_be_hidden()
    page.close()


def test_its_pages(page: Page) -> None:
    go(page, BISHOP)
    page.locator(".verdict a").click()
    expect(page.get_by_role("heading", level=1)).to_have_text("KBvK")
    expect(page.locator("svg.histogram").first).to_be_visible()
    page.locator("ul.plain a").first.click()
    expect(page.locator("ol.line li")).to_have_count(17)
    page.get_by_role("link", name="Materials").click()
    page.get_by_role("link", name="no resets").click()
    page.get_by_role("link", name="KNNvK").or_(page.get_by_role("link", name="KPvK")).first.click()
    expect(page.locator("[aria-current=true]")).to_have_text("no resets (whole game)")
    page.get_by_role("link", name="Files").click()
    expect(page.locator("#here")).to_have_text(page.url.removesuffix("pages/files.html"))
    with page.expect_download() as download:
        page.locator("tbody a").first.click()
    assert Path(download.value.path()).stat().st_size > 4096


@BOTH
def test_a_host_without_parts_of_files(browser: Browser, small_tables: Path, tmp_path: Path, hand: Hand) -> None:
    """It works, and says what it costs."""
    assert main(["publish", str(small_tables), str(tmp_path), "-q"]) == 0
    with python(tmp_path, tmp_path) as url:
        page = browser.new_page(base_url=f"{url}/")
        go(page, BISHOP)
        expect(page.locator(".verdict h2")).to_have_text("White forces G1.5 in 4 plies")
        size = -(-(tmp_path / "KBvK.r.h5").stat().st_size // 1000)
        told = page.locator(".note", has_text="no parts of files")
        expect(told).to_have_text(f"This host gives no parts of files: each table comes whole, {size:,} kB so far.")
        page.locator("a.move", has_text="Kh5").click()
        await_fen(page, "8/8/8/4KB1k/8/8/8/8 w")
        expect(told).to_contain_text(f"{size:,} kB so far")
        page.close()


def test_a_table_that_has_changed(browser: Browser, small_tables: Path, tmp_path: Path) -> None:
    assert main(["publish", str(small_tables), str(tmp_path), "-q"]) == 0
    data = bytearray((tmp_path / "KBvK.r.h5").read_bytes())
    data[5000:] = bytes(len(data) - 5000)
    (tmp_path / "KBvK.r.h5").unlink()
    (tmp_path / "KBvK.r.h5").write_bytes(data)
    with python(tmp_path, tmp_path) as url:
        page = browser.new_page(base_url=f"{url}/")
        go(page, BISHOP)
        expect(page.get_by_role("alert")).to_contain_text("No answer.")
        page.close()


@pytest.mark.parametrize("scheme", ["light", "dark"])
@pytest.mark.parametrize(("width", "height"), SCREENS)
def test_nothing_for_axe_to_find(browser: Browser, home: str, width: int, height: int, scheme: str) -> None:
    context = browser.new_context(
        base_url=home, viewport={"width": width, "height": height}, color_scheme=scheme, reduced_motion="reduce"
    )  # type: ignore[arg-type]
    page = context.new_page()
    for place in ("", "pages/materials.r.html", "pages/KBvK.r.html", "pages/files.html"):
        page.goto(place)
        page.wait_for_load_state("networkidle")
        assert_for_everybody(page, place)
    context.close()
