"""Materials and games in a real browser, what is there without scripts, and axe-core without a finding."""

import os
import re
from pathlib import Path

import pytest
from playwright.sync_api import Browser, BrowserContext, Page, expect

from tests.support.browsing import BOTH, NEEDS_BROWSER, SCREENS, Device, Hand, assert_for_everybody, go
from tests.support.serving import Server, serving

BISHOP = "8/8/8/4KBk1/8/8/8/8 b - - 7 30 G2.5"
GAME = """[White "Ann"]
[Black "Bob"]
[Result "1/2-1/2"]
[FEN "8/8/8/4KBk1/8/8/8/8 b - - 7 30 G2.5"]

30... Kh5 31. Kf4 Kh6 32. Bg6 Kxg6 1/2-1/2
"""
UNREADABLE = "1. e4 e5 2. Ke3 *"

pytestmark = NEEDS_BROWSER


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


def test_materials_fill_by_themselves(browser: Browser, small_tables: Path) -> None:
    """Without a reload, and without another look once all are counted."""
    with serving(small_tables, "--per-client", "0") as fresh:
        page = browser.new_page(base_url=fresh.url)
        page.goto("/materials")
        expect(page.get_by_role("status")).to_contain_text(re.compile(r"Counting: \d+ tables? to go"))
        expect(page.get_by_role("status")).to_have_count(0)
        expect(page.locator("svg.bar").first).to_be_visible()
        expect(page.get_by_text("not counted yet")).to_have_count(0)
        asked: list[str] = []
        page.on("request", lambda request: asked.append(request.url))
        page.wait_for_timeout(2500)
        assert not asked
        page.close()


# Games


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
    expect(page.get_by_role("status")).to_have_text(
        "30... Kh5: G-score -G18.5, record G2.5. With best play: G1.5 in 3 plies."
    )
    page.get_by_role("button", name="To the next move").click()
    expect(rows.nth(3)).to_have_attribute("aria-current", "true")
    expect(page.get_by_role("status")).to_have_text("Gave away G1.5 with 32. Bg6? (better: Kg4); then G5.5 in 2 plies.")
    expect(page.get_by_role("button", name="To the next move")).to_be_disabled()
    expect(page.locator(".game")).to_contain_text("Ann gave away G1.5 with 32. Bg6? (better: Kg4)")
    expect(page.locator(".game")).to_contain_text("At the end the record is -G6.5: Bob is ahead by it.")
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
    expect(page.locator(".game h2")).to_contain_text("Eve")
    page.get_by_text("Paste or open").click()
    page.get_by_label("Games as PGN").fill("1. e4 e5 2. Ke3 *")
    page.get_by_role("button", name="Show").click()
    expect(page.get_by_role("alert")).to_contain_text("illegal move")


def show(page: Page, hand: Hand, pgn: str) -> None:
    page.goto("/game")
    page.get_by_label("Games as PGN").fill(pgn)
    hand.press(page.get_by_role("button", name="Show"))


@BOTH
def test_a_game_that_cannot_be_read_stays_with_its_error(page: Page, hand: Hand) -> None:
    show(page, hand, UNREADABLE)
    expect(page.locator("form").get_by_role("alert")).to_contain_text("Line 1: game 1: illegal move: Ke3")
    expect(page.get_by_label("Games as PGN")).to_be_visible()
    page.reload()
    expect(page.locator("form").get_by_role("alert")).to_contain_text("illegal move")
    expect(page.get_by_label("Games as PGN")).to_have_value(UNREADABLE)
    page.get_by_label("Games as PGN").fill(f"{GAME}\n{UNREADABLE}")
    hand.press(page.get_by_role("button", name="Show"))
    expect(page.locator("table.plies tbody tr")).to_have_count(5)
    expect(page.locator("form").get_by_role("alert")).to_contain_text("Line 8: game 2: illegal move")
    expect(page.get_by_label("Games as PGN")).to_be_visible()


@BOTH
@pytest.mark.parametrize("button", ["Show", "Download annotated"])
def test_what_is_refused_leaves_the_page(context: BrowserContext, device: Device, button: str) -> None:
    page = context.new_page()  # its console may speak of refusals
    hand = Hand(page, by_touch=device.by_touch)
    games = "1. e4 *\n\n" * 51
    show(page, hand, GAME)
    expect(page.locator("table.plies")).to_be_visible()
    hand.press(page.get_by_text("Paste or open"))
    page.get_by_label("Games as PGN").fill(games)
    hand.press(page.get_by_role("button", name=button))
    expect(page.locator("form").get_by_role("alert")).to_contain_text("more than 50 games")
    expect(page.get_by_label("Games as PGN")).to_have_value(games)
    assert page.url.endswith("/game")


def test_too_much_for_one_request_leaves_the_page(context: BrowserContext) -> None:
    page = context.new_page()
    page.goto("/game")
    page.locator("summary").click()  # so much text need not be drawn
    page.locator("#pgn").evaluate("field => { field.value = '{' + 'x'.repeat(5e6); field.form.requestSubmit(); }")
    expect(page.locator("#wrong")).to_contain_text("4,194,304 bytes")


@BOTH
def test_a_reload_and_the_way_back_find_the_game_where_it_was(page: Page, hand: Hand) -> None:
    show(page, hand, GAME)
    hand.press(page.locator("[data-tool=forward]"))
    hand.press(page.locator("[data-tool=forward]"))
    hand.press(page.locator("[data-tool=turn]"))
    page.reload()
    row = page.locator("table.plies tbody tr").nth(1)
    expect(row).to_have_attribute("aria-current", "true")
    expect(page.locator("coords.files.black")).to_have_count(1)
    hand.press(page.get_by_role("link", name="Explore this position"))
    expect(page.locator(".verdict")).to_be_visible()
    page.go_back()
    expect(row).to_have_attribute("aria-current", "true")


def test_a_reload_keeps_what_is_typed(page: Page) -> None:
    page.goto("/game")
    page.get_by_label("Games as PGN").fill("1. e4 {so far}")
    page.reload()
    expect(page.get_by_label("Games as PGN")).to_have_value("1. e4 {so far}")


# What the server refuses


def test_a_refusal_without_words_is_told(browser: Browser, server: Server) -> None:
    """The head of such a request is too long to be read."""
    page = browser.new_page(base_url=server.url)
    go(page, BISHOP)
    page.get_by_label("FEN").fill("8" * 20_000)
    page.get_by_label("FEN").press("Enter")
    expect(page.get_by_role("alert")).to_contain_text("No answer: 431")
    page.close()


# For everybody


def test_without_javascript(browser: Browser, server: Server) -> None:
    context = browser.new_context(base_url=server.url, java_script_enabled=False)
    page = context.new_page()
    page.goto(f"/?fen={BISHOP.replace(' ', '_')}")
    words = page.locator("#panel p")
    expect(words).to_contain_text("White forces G1.5 (Black left with one move, not in check) in 4 plies")
    expect(page.locator("#board svg")).to_be_visible()
    fills = [
        page.locator(f"#board .square.{name}").evaluate("one => getComputedStyle(one).fill") for name in ("b1", "d1")
    ]
    assert fills[0] == fills[1], "the square b1 has no colour of an outcome"
    moves = page.locator("#panel li")
    expect(moves).to_have_text(["Kh5 G1.5 in 4 plies", "Kh4 G1.5 in 2 plies", "Kh6 G1.5 in 2 plies"])
    moves.first.get_by_role("link").click()
    expect(words).to_contain_text("in 3 plies")
    page.get_by_label("FEN").fill("8/8/8/8/8/1k6/8/K6R w - - 0 1")
    page.get_by_role("button", name="Ask").click()
    expect(words).to_contain_text("White forces G0.0")
    page.goto("/game")
    page.get_by_role("button", name="Try an example").click()
    expect(page.locator("table.plies tbody tr")).to_have_count(5)
    page.goto("/game")
    for pgn, told in ((UNREADABLE, "illegal move"), ("1. e4 *\n\n" * 51, "more than 50 games")):
        page.get_by_label("Games as PGN").fill(pgn)
        page.get_by_role("button", name="Show").click()
        expect(page.locator("form").get_by_role("alert")).to_contain_text(told)
        expect(page.get_by_label("Games as PGN")).to_have_value(pgn)
    context.close()


@pytest.mark.parametrize("scheme", ["light", "dark"])
@pytest.mark.parametrize(("width", "height"), SCREENS)
def test_nothing_for_axe_to_find(browser: Browser, server: Server, width: int, height: int, scheme: str) -> None:
    """At three widths, light and dark; with `TBGEN_SCREENSHOTS=DIR` there is a picture of each."""
    context = browser.new_context(
        base_url=server.url, viewport={"width": width, "height": height}, color_scheme=scheme, reduced_motion="reduce"
    )  # type: ignore[arg-type]
    places = {
        "explorer": f"/?fen={BISHOP.replace(' ', '_')}&line=1",
        "editor": f"/?fen={BISHOP.replace(' ', '_')}",
        "empty": "/?fen=8/8/8/8/8/8/8/8_w_-_-_0_1",
        "missing": "/?fen=8/8/8/4K1k1/8/8/8/QR6_w_-_-_0_1",
        "materials": "/materials",
        "material": "/materials/KBvK",
        "paste": "/game",
        "game": "/game",
        "unreadable": "/game",
    }
    for name, place in places.items():
        page = context.new_page()
        page.goto(place)
        if name == "editor":
            page.get_by_role("button", name="Set up").click()
        if name == "unreadable":
            page.get_by_label("Games as PGN").fill(UNREADABLE)
            page.get_by_role("button", name="Show").click()
            expect(page.get_by_role("alert")).to_be_visible()
        if name == "game":
            page.get_by_role("button", name="Try an example").click()
            page.keyboard.press("ArrowRight")
        page.wait_for_load_state("networkidle")
        assert_for_everybody(page, name)
        if "TBGEN_SCREENSHOTS" in os.environ:
            target = Path(os.environ["TBGEN_SCREENSHOTS"]) / f"{name}-{width}-{scheme}.png"
            page.screenshot(path=target, full_page=True)
        page.close()
    context.close()
