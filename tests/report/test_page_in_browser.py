"""A report's page in a real browser: a file without network, whose boards play and whose tables can be saved."""

import io
import os
import re
from collections.abc import Iterator
from pathlib import Path

import chess
import chess.pgn
import pytest
from playwright.sync_api import Browser, Locator, Page, expect

from tbgen.core.material import parse
from tbgen.report.document import Document, Line, Table, lines
from tbgen.report.document import tables as tables_of
from tbgen.report.lines import pgn
from tbgen.report.make import ALL, Request, make
from tbgen.report.write import write
from tests.support.browsing import MILLISECONDS, NEEDS_BROWSER, SCREENS, assert_for_everybody, launched

pytestmark = NEEDS_BROWSER
PAWN = "KPvK-G0.0"
"""The key of a line with a promotion: the pawn's longest mate."""


@pytest.fixture(scope="module")
def document(small_tables: Path) -> Document:
    names = ("KvK", "KQvK", "KRvK", "KBvK", "KNvK", "KPvK")
    return make(ALL, Request(small_tables, ("r", "wg"), tuple(map(parse, names))))


@pytest.fixture(scope="module")
def file(document: Document, tmp_path_factory: pytest.TempPathFactory) -> Path:
    path = tmp_path_factory.mktemp("page") / "report.html"
    path.write_text(write(document, "html"), encoding="utf-8")
    return path


@pytest.fixture(scope="module")
def browser() -> Iterator[Browser]:
    with launched() as found:
        yield found


@pytest.fixture
def page(browser: Browser, file: Path) -> Iterator[Page]:
    """No word on the console, and no request for anything but the file, whatever is done."""
    context = browser.new_context(viewport={"width": 1280, "height": 900}, reduced_motion="reduce")
    found = context.new_page()
    wrong: list[str] = []
    found.on("console", lambda message: wrong.append(message.text))
    found.on("pageerror", lambda error: wrong.append(str(error)))
    found.on("request", lambda asked: asked.url.startswith((file.as_uri(), "blob:")) or wrong.append(asked.url))
    found.set_default_timeout(MILLISECONDS)
    found.goto(file.as_uri())
    yield found
    context.close()
    assert not wrong


def test_an_address_that_is_mistyped_leads_nowhere(page: Page, file: Path) -> None:
    for words in ("#%", "#line-%", "#%E0%A4"):
        page.goto(f"{file.as_uri()}{words}")
        page.reload()
        expect(player_of(page).first).to_be_visible()


def line_of(document: Document, key: str) -> Line:
    return next(line for line in lines(document) if line.key == key)


def player_of(page: Page, section: str = "records") -> Locator:
    return page.locator(f"#{section} .player").filter(has=page.locator(".inner"))


def play(page: Page, key: str) -> Locator:
    """Choose a line by the link in a table."""
    page.locator(f'#table-overall a[href="#line-{key}"]').click()
    return player_of(page)


def fen(player: Locator) -> str:
    return player.get_by_label("FEN", exact=True).input_value()


def shown(player: Locator) -> dict[str, str]:
    """The men that the board shows, by square, from where they are drawn."""
    found = {}
    for name, style in player.locator("svg g use").evaluate_all(
        "men => men.map(man => [man.getAttribute('href'), man.style.transform])"
    ):
        x, y = map(float, re.findall(r"[0-9.]+", style))
        found["abcdefgh"[int(x - 15) // 45] + str(8 - int(y - 15) // 45)] = name.removeprefix("#")
    return found


def men(board: chess.Board) -> dict[str, str]:
    return {
        chess.square_name(square): f"{chess.COLOR_NAMES[man.color]}-{chess.PIECE_NAMES[man.piece_type]}"
        for square, man in board.piece_map().items()
    }


def test_arrow_keys_play_a_line_to_its_end(page: Page, document: Document) -> None:
    """Every position, its FEN, G-score and record are those of python-chess and the tables."""
    line = line_of(document, PAWN)
    player = play(page, PAWN)
    expect(player.locator("h3")).to_have_text(line.title)
    expect(player.locator(".told")).to_contain_text("White forces G0.0: Black mated")
    board = chess.Board(line.fen)
    for step in line.steps:
        assert fen(player) == board.fen()
        assert shown(player) == men(board)
        told = player.get_by_role("status").inner_text()
        assert f"{'White' if board.turn else 'Black'} to move" in told
        score = f"{'-' if board.turn else ''}G{board.legal_moves.count()}.{0 if board.is_check() else 5}"
        assert f"G-score {score}:" in told
        page.keyboard.press("ArrowRight")
        board.push_san(step.san)
    assert fen(player) == board.fen()
    assert shown(player) == men(board)
    assert "white-queen" in men(board).values()
    expect(player.get_by_role("status")).to_contain_text("Mate, ply 56 of 56")
    expect(player.get_by_role("button", name="A ply on")).to_be_disabled()
    page.keyboard.press("Home")
    assert fen(player) == line.fen


def test_buttons_moves_and_the_slider(page: Page, document: Document) -> None:
    player = play(page, PAWN)
    line = line_of(document, PAWN)
    player.get_by_role("button", name="To the end").click()
    player.get_by_role("button", name="A ply back").click()
    expect(player.get_by_role("status")).to_contain_text("ply 55 of 56")
    player.locator(".list button").nth(2).click()
    expect(player.get_by_role("status")).to_contain_text(f"ply 3 of 56, after {line.steps[2].san}")
    expect(player.locator(".list [aria-current]")).to_have_text(line.steps[2].san)
    player.get_by_role("slider", name="Ply").press("ArrowRight")
    expect(player.get_by_role("status")).to_contain_text("ply 4 of 56")
    player.get_by_role("button", name="Copy FEN").click()
    expect(player.get_by_role("button", name="Copied")).to_be_visible()


def test_keys_work_without_a_click_and_for_the_board_in_sight(page: Page) -> None:
    player_of(page).scroll_into_view_if_needed()
    page.keyboard.press("ArrowRight")
    expect(player_of(page).get_by_role("status")).to_contain_text("ply 1 of")
    expect(player_of(page, "compare").get_by_role("status")).to_contain_text("ply 0 of")


def test_a_row_and_an_address_choose_a_line(page: Page, file: Path) -> None:
    player = player_of(page)
    page.get_by_text("The longest by material").click()
    row = page.locator("#table-records tr", has=page.locator('a[href="#line-KBvK-G1.5"]'))
    row.locator("td").nth(3).click()
    expect(player.locator("h3")).to_have_text("KBvK: G1.5 in 46 plies")
    expect(row).to_have_attribute("aria-current", "true")
    assert page.url.endswith("#line-KBvK-G1.5")
    page.goto("about:blank")
    page.goto(f"{file.as_uri()}#line-{PAWN}")
    expect(player.locator("h3")).to_have_text("KPvK: G0.0 in 56 plies")
    expect(player.locator("svg")).to_be_in_viewport()


def saved(page: Page, button: Locator) -> str:
    page.wait_for_timeout(150)  # chromium drops the eleventh download within a second
    with page.expect_download() as download:
        button.click()
    return Path(download.value.path()).read_text(encoding="utf-8")


def test_lines_are_saved_as_tbgen_writes_them(page: Page, document: Document) -> None:
    player = play(page, PAWN)
    text = saved(page, player.get_by_role("button", name="Save this line as PGN"))
    ours = chess.pgn.read_game(io.StringIO(text))
    theirs = chess.pgn.read_game(io.StringIO(pgn(line_of(document, PAWN))))
    assert ours is not None
    assert theirs is not None
    assert not ours.errors
    assert str(ours) == str(theirs)
    everything = io.StringIO(saved(page, player.get_by_role("button", name="PGN of all")))
    keys = {line.key for line in lines(document) if "-r" not in line.key and "-wg" not in line.key}
    for _ in keys:
        game = chess.pgn.read_game(everything)
        assert game is not None
        assert not game.errors
    assert chess.pgn.read_game(everything) is None
    compared = player_of(page, "compare")
    page.locator('#table-largest a[href$="-wg"]').last.click()
    assert "whole-game mobility" in saved(page, compared.get_by_role("button", name="Save this line as PGN"))


def test_tables_are_saved_as_tbgen_writes_them(page: Page, document: Document) -> None:
    page.evaluate("for (const one of document.querySelectorAll('details')) one.open = true")
    for table in tables_of(document):
        if table.rows and table.on_page:
            button = page.get_by_role("button", name=f"Save as CSV: {table.title}", exact=True)
            assert rows_of(saved(page, button)) == rows_of(write(document, "csv", table=table.key)), table.key


def rows_of(text: str) -> list[str]:
    return text.splitlines()


def test_tables_are_sorted_and_filtered(page: Page, document: Document) -> None:
    summary: Table = next(table for table in tables_of(document) if table.key == "summary")
    at = [column.key for column in summary.columns].index("mean_dtg")
    page.locator("#table-summary").get_by_role("button", name="mean DTG").click()
    seen = page.locator("#table-summary tbody td:first-child").all_inner_texts()
    assert seen == [row[0] for row in sorted(summary.rows, key=lambda row: -float(row[at] or 0))]
    page.get_by_text("Every outcome of every table").click()
    page.get_by_label("Filter: Every outcome of every table").fill("kbvk g1.5 black")
    expect(page.locator("#table-outcomes tbody tr:visible")).to_have_count(2)


def test_one_view_of_the_heat_map_at_a_time(page: Page) -> None:
    for place, name in enumerate(("either side’s", "White’s", "Black’s")):
        page.get_by_label(name, exact=True).check()
        expect(page.locator("#chart-gscores table:visible")).to_have_count(1)
        expect(page.locator(f"#chart-gscores .view{place}")).to_be_visible()


def test_all_of_it_can_be_read_without_scripts(browser: Browser, file: Path, document: Document) -> None:
    context = browser.new_context(java_script_enabled=False)
    page = context.new_page()
    page.goto(file.as_uri())
    expect(page.locator(".findings p")).to_have_count(len(document.findings))
    expect(page.locator("#chart-gscores table:visible")).to_have_count(1)
    expect(page.locator(".player:visible")).to_have_count(0)
    page.locator(f'#table-overall a[href="#line-{PAWN}"]').click()
    article = page.locator(f"#line-{PAWN.replace('.', chr(92) + '.')}")
    expect(article).to_be_in_viewport()
    expect(article.locator("svg.board")).to_have_count(2)
    expect(article.locator(".moves")).to_contain_text("28.")
    context.close()


@pytest.mark.parametrize("scheme", ["light", "dark"])
@pytest.mark.parametrize(("width", "height"), SCREENS)
def test_nothing_for_axe_to_find(browser: Browser, file: Path, width: int, height: int, scheme: str) -> None:
    """At three widths, light and dark; with `TBGEN_SCREENSHOTS=DIR` there is a picture of each."""
    context = browser.new_context(
        viewport={"width": width, "height": height}, color_scheme=scheme, reduced_motion="reduce"
    )
    page = context.new_page()
    page.goto(file.as_uri())
    page.evaluate("for (const one of document.querySelectorAll('details')) one.open = true")
    assert_for_everybody(page, f"the report at {width}, {scheme}")
    for chart in page.locator(".chart").all():
        box = chart.bounding_box()
        assert box is not None
        assert box["x"] + box["width"] <= width, "no chart is cut"
    if "TBGEN_SCREENSHOTS" in os.environ:
        page.screenshot(path=Path(os.environ["TBGEN_SCREENSHOTS"]) / f"report-{width}-{scheme}.png", full_page=True)
    context.close()
