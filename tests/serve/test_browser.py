"""The explorer in a real browser: every feature, by pointer and by keyboard, and axe-core without a finding."""

import os
import re
from collections.abc import Iterator
from pathlib import Path

import pytest
from playwright.sync_api import Browser, BrowserContext, Page, expect

from tests.support.browsing import NEEDS_BROWSER, SCREENS, assert_for_everybody, launched
from tests.support.serving import Server

BISHOP = "8/8/8/4KBk1/8/8/8/8 b - - 7 30 G2.5"
PAWN = "8/2P5/8/8/8/1k6/8/K7 w - - 0 1"
GAME = """[White "Ann"]
[Black "Bob"]
[Result "1/2-1/2"]
[FEN "8/8/8/4KBk1/8/8/8/8 b - - 7 30 G2.5"]

30... Kh5 31. Kf4 Kh6 32. Bg6 Kxg6 1/2-1/2
"""

pytestmark = NEEDS_BROWSER


@pytest.fixture(scope="module")
def browser() -> Iterator[Browser]:
    with launched() as found:
        yield found


@pytest.fixture
def context(browser: Browser, server: Server) -> Iterator[BrowserContext]:
    found = browser.new_context(base_url=server.url, viewport={"width": 1280, "height": 900}, reduced_motion="reduce")
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
    found.on("request", lambda asked: asked.url.startswith((server.url, "data:")) or wrong.append(asked.url))
    found.set_default_timeout(15_000)
    yield found
    assert not wrong


def go(page: Page, fen: str, more: str = "") -> None:
    page.goto(f"/?fen={fen.replace(' ', '_')}{more}")
    expect(page.locator("cg-board")).to_be_visible()


def shown(page: Page) -> str:
    return page.locator("#position").get_attribute("data-fen") or ""


def await_fen(page: Page, start: str) -> None:
    expect(page.locator("#position")).to_have_attribute("data-fen", re.compile("^" + re.escape(start)))


def middle(page: Page, square: str) -> tuple[float, float]:
    box = page.locator("cg-board").bounding_box()
    assert box is not None
    file, rank = "abcdefgh".index(square[0]), int(square[1]) - 1
    side = box["width"] / 8
    return box["x"] + side * (file + 0.5), box["y"] + side * (7.5 - rank)


def drag(page: Page, start: tuple[float, float], end: tuple[float, float]) -> None:
    page.mouse.move(*start)
    page.mouse.down()
    page.mouse.move((start[0] + end[0]) / 2, (start[1] + end[1]) / 2)
    page.mouse.move(*end)
    page.mouse.up()


# The answer


def test_the_answer_in_words_and_notation(page: Page) -> None:
    go(page, BISHOP)
    expect(page.locator(".verdict h2")).to_have_text("White forces G1.5 in 4 plies")
    expect(page.locator(".verdict")).to_contain_text("Black then faces 1 legal move, not in check")
    expect(page.locator(".verdict")).to_contain_text("G2.5")
    assert page.locator("a.move").all_inner_texts() == ["Kh5\n4 plies", "Kh4\n2 plies", "Kh6\n2 plies"]
    expect(page.locator("cg-board piece")).to_have_count(3)
    expect(page.locator("svg.picture .now")).to_have_count(1)
    assert "record G2.5: G1.5" in re.sub(
        r"records G\S+ to \S+: G1.5", "record G2.5: G1.5", page.locator("svg.picture").get_attribute("aria-label") or ""
    )


def test_moves_by_outcome_with_badges(page: Page) -> None:
    go(page, "8/8/8/8/2kB4/8/8/K7 b - - 5 9")
    headings = page.locator(".group h3 .badge").all_inner_texts()
    assert len(headings) == len(set(headings)) > 1
    expect(page.locator("a.move", has_text="Kxd4").locator(".badge")).to_have_text("reset")


def test_what_is_no_position(page: Page) -> None:
    go(page, "8/8/8/8/8/8/8/K1k1QQ2 w - - 0 1")
    expect(page.get_by_role("alert")).to_contain_text("not to move is in check")
    go(page, "8/8/8/4K1k1/8/8/8/QR6 w - - 0 1")
    expect(page.get_by_role("alert")).to_contain_text("tbgen build KQRvK")
    page.keyboard.press("Space")
    expect(page.locator("#position")).to_have_attribute("data-turn", "white")  # no unknown move is the best
    page.locator("a.move", has_text="Ra1").or_(page.locator("a.move")).first.click()
    expect(page.locator("#position")).to_have_attribute("data-turn", "black")


def test_without_javascript(browser: Browser, server: Server) -> None:
    context = browser.new_context(base_url=server.url, java_script_enabled=False)
    page = context.new_page()
    page.goto(f"/?fen={BISHOP.replace(' ', '_')}")
    expect(page.locator(".verdict h2")).to_have_text("White forces G1.5 in 4 plies")
    expect(page.locator("#board svg")).to_be_visible()
    fills = [
        page.locator(f"#board .square.{name}").evaluate("one => getComputedStyle(one).fill") for name in ("b1", "d1")
    ]
    assert fills[0] == fills[1], "the square b1 has no colour of an outcome"
    page.locator("a.move").first.click()
    expect(page.locator(".verdict h2")).to_have_text("White forces G1.5 in 3 plies")
    page.get_by_label("FEN").fill("8/8/8/8/8/1k6/8/K6R w - - 0 1")
    page.get_by_role("button", name="Ask").click()
    expect(page.locator(".verdict h2")).to_contain_text("White forces G0.0")
    page.get_by_text("Show the line").click()
    expect(page.locator("ol.line li").first).to_be_visible()
    page.goto("/game")
    page.get_by_role("button", name="Show").click()
    expect(page.locator("table.plies tbody tr")).to_have_count(5)
    context.close()


# Moves


def test_a_move_by_click_by_drag_and_by_two_clicks(page: Page) -> None:
    go(page, BISHOP)
    page.locator("a.move", has_text="Kh5").click()
    await_fen(page, "8/8/8/4KB1k/8/8/8/8 w - - 8 31 G2.5")
    assert "8/8/8/4KB1k" in page.url
    drag(page, middle(page, "e5"), middle(page, "f4"))
    await_fen(page, "8/8/8/5B1k/5K2/8/8/8 b - - 9 31 G2.5")
    page.mouse.click(*middle(page, "h5"))
    page.mouse.click(*middle(page, "h6"))
    await_fen(page, "8/8/7k/5B2/5K2/8/8/8 w - - 10 32")
    page.go_back()
    await_fen(page, "8/8/8/5B1k/5K2/8/8/8 b")


def test_a_move_that_is_pointed_at_is_shown(page: Page) -> None:
    go(page, BISHOP)
    expect(page.locator(".cg-shapes line")).to_have_count(0)
    page.locator("a.move", has_text="Kh5").hover()
    expect(page.locator(".cg-shapes line")).to_have_count(1)
    page.mouse.move(5, 5)
    expect(page.locator(".cg-shapes line")).to_have_count(0)


def test_by_keyboard(page: Page) -> None:
    go(page, BISHOP)
    page.keyboard.press("Space")
    await_fen(page, "8/8/8/4KB1k/8/8/8/8 w")
    page.keyboard.press("ArrowRight")
    await_fen(page, "8/8/8/5B1k/5K2/8/8/8 b")
    page.keyboard.press("ArrowLeft")
    await_fen(page, "8/8/8/4KB1k/8/8/8/8 w")
    page.keyboard.press("ArrowLeft")
    await_fen(page, "8/8/8/4KBk1/8/8/8/8 b")
    page.locator("a.move", has_text="Kh6").focus()
    page.keyboard.press("Enter")
    await_fen(page, "8/8/7k/4KB2/8/8/8/8 w")
    expect(page.locator("coords.files.black")).to_have_count(0)
    page.keyboard.press("f")
    expect(page.locator("coords.files.black")).to_have_count(1)
    page.get_by_label("FEN").press("Space")
    await_fen(page, "8/8/7k/4KB2/8/8/8/8 w")


def test_the_line(page: Page) -> None:
    go(page, BISHOP)
    page.get_by_text("Show the line").click()
    expect(page.locator("ol.line li")).to_have_count(4)
    assert "line=1" in page.url
    assert page.locator("ol.line a").all_inner_texts() == ["Kh5", "Kf4", "Kh6", "Kg4"]
    with page.expect_download() as download:
        page.get_by_text("As PGN").click()
    assert (
        "1... Kh5" in Path(download.value.path()).read_text() or "30... Kh5" in Path(download.value.path()).read_text()
    )
    page.locator("ol.line a", has_text="Kh6").click()
    await_fen(page, "8/8/7k/5B2/5K2/8/8/8 w")


def test_a_pawn_becomes_what_one_wants(page: Page) -> None:
    go(page, PAWN)
    drag(page, middle(page, "c7"), middle(page, "c8"))
    dialog = page.get_by_role("dialog")
    expect(dialog.get_by_role("button")).to_have_count(4)
    dialog.get_by_role("button", name="c8=N").click()
    await_fen(page, "2N5/8/8/8/8/1k6/8/K7 b")


def test_the_tables_answer(page: Page) -> None:
    go(page, BISHOP)
    page.get_by_label("Play against the tables").select_option("white")
    expect(page.locator("coords.files.black")).to_have_count(1)
    page.locator("a.move", has_text="Kh5").click()
    await_fen(page, "8/8/8/5B1k/5K2/8/8/8 b")


def test_what_is_taken_back_from_the_tables_stays_taken_back(page: Page) -> None:
    go(page, BISHOP)
    page.get_by_label("Play against the tables").select_option("white")
    page.locator("a.move", has_text="Kh5").click()
    await_fen(page, "8/8/8/5B1k/5K2/8/8/8 b")
    page.keyboard.press("ArrowLeft")
    await_fen(page, "8/8/8/4KB1k/8/8/8/8 w")
    page.wait_for_timeout(1000)  # the tables take half a second
    await_fen(page, "8/8/8/4KB1k/8/8/8/8 w")
    page.keyboard.press("ArrowLeft")
    await_fen(page, "8/8/8/4KBk1/8/8/8/8 b")
    page.go_back()
    page.wait_for_timeout(1000)
    await_fen(page, "8/8/8/4KB1k/8/8/8/8 w")
    page.get_by_role("button", name="Set up").click()
    expect(page.get_by_label("Play against the tables")).to_have_value("")


# Setting up


def edit(page: Page, fen: str) -> None:
    go(page, fen)
    page.get_by_role("button", name="Set up").click()
    expect(page.locator(".palette")).to_be_visible()


def test_men_are_dragged_put_and_taken_away(page: Page) -> None:
    edit(page, "8/8/8/4K1k1/8/8/8/8 w - - 0 1")
    rook = page.get_by_role("button", name="White rook")
    assert "data:image" in str(rook.locator("piece").evaluate("piece => getComputedStyle(piece).backgroundImage"))
    box = rook.bounding_box()
    assert box is not None
    drag(page, (box["x"] + 10, box["y"] + 10), middle(page, "a1"))
    await_fen(page, "8/8/8/4K1k1/8/8/8/R7 w - - 0 1")
    expect(page.locator(".verdict h2")).to_contain_text("G0.0")
    drag(page, middle(page, "a1"), middle(page, "b1"))
    await_fen(page, "8/8/8/4K1k1/8/8/8/1R6 w")
    x, y = middle(page, "h8")
    drag(page, middle(page, "b1"), (x + 120, y))
    await_fen(page, "8/8/8/4K1k1/8/8/8/8 w")
    page.get_by_label("Put a man").fill("pa7")
    page.get_by_role("button", name="Put", exact=True).click()
    await_fen(page, "8/p7/8/4K1k1/8/8/8/8 w")
    page.get_by_label("Put a man").fill("zz")
    page.get_by_role("button", name="Put", exact=True).click()
    expect(page.get_by_label("Put a man")).to_have_attribute("aria-invalid", "true")


def test_a_man_is_chosen_and_squares_pressed(page: Page) -> None:
    edit(page, "8/8/8/4K1k1/8/8/8/8 w - - 0 1")
    page.get_by_role("button", name="White bishop").press("Enter")
    expect(page.get_by_role("button", name="White bishop")).to_have_attribute("aria-pressed", "true")
    page.mouse.click(*middle(page, "f5"))
    await_fen(page, "8/8/8/4KBk1/8/8/8/8 w")
    page.get_by_role("button", name="Take men away").press("Enter")
    page.mouse.click(*middle(page, "f5"))
    await_fen(page, "8/8/8/4K1k1/8/8/8/8 w")


@pytest.mark.parametrize(
    ("tool", "fen"),
    [
        ("mirror", "8/8/8/1kBK4/8/8/8/8 b"),
        ("flip", "8/8/8/8/4KBk1/8/8/8 b"),
        ("left", "8/8/8/3KBk2/8/8/8/8 b"),
        ("right", "8/8/8/5KBk/8/8/8/8 b"),
        ("up", "8/8/4KBk1/8/8/8/8/8 b"),
        ("down", "8/8/8/8/4KBk1/8/8/8 b"),
        ("swap", "8/8/8/8/4kbK1/8/8/8 w"),
        ("side", "8/8/8/4KBk1/8/8/8/8 w"),
        ("clear", "8/8/8/8/8/8/8/8 b"),
    ],
)
def test_a_whole_board_is_changed(page: Page, tool: str, fen: str) -> None:
    edit(page, "8/8/8/4KBk1/8/8/8/8 b - - 0 1")
    page.locator(f"[data-tool={tool}]").click()
    await_fen(page, fen)


def test_the_fen_field_and_the_rules(page: Page) -> None:
    go(page, BISHOP)
    assert page.title() == "KBvK, Black to move"
    page.get_by_label("FEN").fill("8/8/8/8/8/1k6/8/K6R w - - 3 9 -G2.5")
    page.get_by_label("FEN").press("Enter")
    await_fen(page, "8/8/8/8/8/1k6/8/K6R w - - 3 9 -G2.5")
    assert page.title() == "KRvK, White to move"
    page.locator("#rules").select_option("wg")
    expect(page.locator("#position")).to_have_attribute("data-rules", "wg")
    assert "rules=wg" in page.url
    page.reload()
    expect(page.locator("#position")).to_have_attribute("data-rules", "wg")


def test_by_touch(browser: Browser, server: Server) -> None:
    context = browser.new_context(base_url=server.url, viewport={"width": 390, "height": 844}, has_touch=True)
    page = context.new_page()
    go(page, BISHOP)
    page.touchscreen.tap(*middle(page, "g5"))
    page.touchscreen.tap(*middle(page, "h5"))
    await_fen(page, "8/8/8/4KB1k/8/8/8/8 w")
    context.close()


# Materials and games


def test_materials(page: Page) -> None:
    page.goto("/materials")
    page.get_by_role("link", name="KBvK").click()
    expect(page.get_by_role("heading", level=1)).to_have_text("KBvK")
    expect(page.locator("svg.histogram").first).to_be_visible()
    expect(page.locator("main > svg.bar rect").first).to_be_attached()
    page.goto("/materials")
    expect(page.locator("svg.bar").first).to_be_visible()
    page.goto("/materials/KBvK")
    page.locator("ul.plain a").first.click()
    expect(page.locator("ol.line li")).to_have_count(17)
    page.goto("/materials")
    page.get_by_role("link", name="no resets").click()
    expect(page.get_by_role("link", name="KBvK")).to_be_visible()


def test_a_game(page: Page, tmp_path: Path) -> None:
    page.goto("/game")
    page.get_by_label("Games as PGN").fill(GAME)
    page.get_by_role("button", name="Show").click()
    rows = page.locator("table.plies tbody tr")
    expect(rows).to_have_count(5)
    expect(rows.nth(3)).to_contain_text("G1.5: Kg4")
    expect(rows.nth(3).locator(".bad")).to_have_text("?")
    page.keyboard.press("ArrowRight")
    expect(rows.nth(0)).to_have_attribute("aria-current", "true")
    expect(page.get_by_role("status")).to_have_text("30... Kh5, -G18.5, G2.5, G1.5 in 3 plies")
    page.get_by_role("button", name="To the next move").click()
    expect(rows.nth(3)).to_have_attribute("aria-current", "true")
    expect(page.locator("cg-board piece.bishop")).to_have_count(1)
    page.keyboard.press("End")
    expect(page.locator("cg-board piece.bishop")).to_have_count(0)
    page.keyboard.press("Home")
    rows.nth(1).get_by_role("link").click()
    expect(rows.nth(1)).to_have_attribute("aria-current", "true")
    page.get_by_text("Paste or open").click()
    with page.expect_download() as download:
        page.get_by_role("button", name="Download annotated").click()
    assert "32. Bg6 $2 {G2.5, record G2.5, table G5.5" in Path(download.value.path()).read_text()
    (tmp_path / "x.pgn").write_text(GAME.replace("Ann", "Eve"))
    page.locator("#open").set_input_files(tmp_path / "x.pgn")
    expect(page.get_by_label("Games as PGN")).to_have_value(re.compile("Eve"))
    page.get_by_label("Games as PGN").fill("1. e4 e5 2. Ke3 *")
    page.get_by_role("button", name="Show").click()
    expect(page.get_by_role("alert")).to_contain_text("illegal move")


def test_the_way_back_to_a_game(page: Page) -> None:
    """What a form has sent is not asked for again."""
    page.goto("/game")
    page.get_by_label("Games as PGN").fill(GAME)
    page.get_by_role("button", name="Show").click()
    page.keyboard.press("End")
    page.get_by_role("link", name="On the board").click()
    expect(page.locator(".verdict")).to_be_visible()
    page.go_back()
    expect(page.locator("table.plies tbody tr")).to_have_count(5)


# For everybody


@pytest.mark.parametrize("scheme", ["light", "dark"])
@pytest.mark.parametrize(("width", "height"), SCREENS)
def test_nothing_for_axe_to_find(browser: Browser, server: Server, width: int, height: int, scheme: str) -> None:
    """At three widths, light and dark; with `TBGEN_SCREENSHOTS=DIR` there is a picture of each."""
    context = browser.new_context(
        base_url=server.url, viewport={"width": width, "height": height}, color_scheme=scheme, reduced_motion="reduce"
    )  # type: ignore[arg-type]
    page = context.new_page()
    places = {
        "explorer": f"/?fen={BISHOP.replace(' ', '_')}&line=1",
        "editor": f"/?fen={PAWN.replace(' ', '_')}",
        "missing": "/?fen=8/8/8/4K1k1/8/8/8/QR6_w_-_-_0_1",
        "materials": "/materials",
        "material": "/materials/KBvK",
        "paste": "/game",
        "game": "/game",
    }
    for name, place in places.items():
        page.goto(place)
        if name == "editor":
            page.get_by_role("button", name="Set up").click()
        if name == "game":
            page.get_by_role("button", name="Show").click()
            page.keyboard.press("ArrowRight")
        page.wait_for_load_state("networkidle")
        assert_for_everybody(page, name)
        if "TBGEN_SCREENSHOTS" in os.environ:
            target = Path(os.environ["TBGEN_SCREENSHOTS"]) / f"{name}-{width}-{scheme}.png"
            page.screenshot(path=target, full_page=True)
    context.close()
