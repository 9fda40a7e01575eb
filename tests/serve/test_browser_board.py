"""The explorer in a real browser: what it says, moves by mouse, by touch and by keyboard, and the way back."""

import re
from pathlib import Path

import pytest
from playwright.sync_api import Browser, Page, expect

from tests.support.browsing import BOTH, NEEDS_BROWSER, Hand, await_fen, go

BISHOP = "8/8/8/4KBk1/8/8/8/8 b - - 7 30 G2.5"
AFTER = ["8/8/8/4KBk1/8/8/8/8 b", "8/8/8/4KB1k/8/8/8/8 w", "8/8/8/5B1k/5K2/8/8/8 b", "8/8/7k/5B2/5K2/8/8/8 w"]
"""What the best moves from there lead to."""
PAWN = "8/2P5/8/8/8/1k6/8/K7 w - - 0 1"

pytestmark = NEEDS_BROWSER


@pytest.fixture(scope="session")
def home(either_home: str) -> str:
    """Of a server, and of a folder: the same page, told by others."""
    return either_home


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
    expect(page.locator("a.move", has_text="Kxd4").locator(".badge")).to_have_text("new record")


def test_what_is_no_position(page: Page) -> None:
    go(page, "8/8/8/8/8/8/8/K1k1QQ2 w - - 0 1")
    expect(page.locator(".hint")).to_contain_text("not to move is in check")
    go(page, "8/8/8/4K1k1/8/8/8/QR6 w - - 0 1")
    expect(page.locator(".hint")).to_contain_text("tbgen build KQRvK")
    page.keyboard.press("Space")
    expect(page.locator("#panel")).to_have_attribute("data-fen", re.compile(" w "))  # no unknown move is the best
    page.locator("a.move", has_text="Ra1").or_(page.locator("a.move")).first.click()
    expect(page.locator("#panel")).to_have_attribute("data-fen", re.compile(" b "))


@BOTH
def test_coordinates_can_be_read(page: Page) -> None:
    """By the contrast that WCAG asks of text, on the colours of chessground's board."""
    go(page, BISHOP)
    for side in ("white", "black"):
        expect(page.locator(f".orientation-{side}")).to_be_visible()
        inks = page.locator("cg-container coords coord").evaluate_all(
            "all => all.map(one => getComputedStyle(one).color)"
        )
        assert len(inks) == 16
        for ink in set(inks):
            assert min(_contrast(_rgb(ink), square) for square in ((240, 217, 181), (192, 174, 145))) >= 4.5, ink
        page.get_by_role("button", name="Flip").click()


def _rgb(text: str) -> tuple[int, ...]:
    assert text.startswith("rgb("), "nothing shines through"
    return tuple(map(int, re.findall(r"\d+", text)))


def _contrast(one: tuple[int, ...], other: tuple[int, ...]) -> float:
    """By WCAG 2.2."""

    def luminance(colour: tuple[int, ...]) -> float:
        parts = [part / 255 for part in colour]
        linear = [part / 12.92 if part <= 0.04045 else ((part + 0.055) / 1.055) ** 2.4 for part in parts]
        return 0.2126 * linear[0] + 0.7152 * linear[1] + 0.0722 * linear[2]

    dark, light = sorted((luminance(one), luminance(other)))
    return (light + 0.05) / (dark + 0.05)


# Moves


@BOTH
def test_a_move_by_its_name_by_dragging_and_by_two_squares(page: Page, hand: Hand) -> None:
    go(page, BISHOP)
    hand.press(page.locator("a.move", has_text="Kh5"))
    await_fen(page, "8/8/8/4KB1k/8/8/8/8 w - - 8 31 G2.5")
    page.locator("cg-board").scroll_into_view_if_needed()
    hand.drag("e5", "f4")
    await_fen(page, "8/8/8/5B1k/5K2/8/8/8 b - - 9 31 G2.5")
    hand.press("h5")
    hand.press("h6")
    await_fen(page, "8/8/7k/5B2/5K2/8/8/8 w - - 10 32")


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


@BOTH
def test_a_pawn_becomes_what_one_wants(page: Page, hand: Hand) -> None:
    go(page, PAWN)
    hand.drag("c7", "c8")
    dialog = page.get_by_role("dialog")
    expect(dialog.get_by_role("button")).to_have_count(4)
    hand.press_at(5, 5)
    expect(dialog).to_be_hidden()
    hand.drag("c7", "c8")
    hand.press(dialog.get_by_role("button", name="c8=N"))
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
    await_fen(page, AFTER[2])
    page.keyboard.press("ArrowLeft")
    await_fen(page, AFTER[1])
    page.wait_for_timeout(1000)  # the tables take half a second
    await_fen(page, AFTER[1])
    page.reload()
    page.wait_for_timeout(1000)
    await_fen(page, AFTER[1])
    expect(page.get_by_label("Play against the tables")).to_have_value("white")
    expect(page.locator("coords.files.black")).to_have_count(1)
    page.get_by_role("button", name="Set up").click()
    expect(page.get_by_label("Play against the tables")).to_have_value("")
    page.reload()
    expect(page.locator(".palette")).to_be_visible()


@BOTH
def test_nothing_to_press_where_no_move_is_the_best(page: Page, hand: Hand) -> None:
    go(page, "8/8/8/4K1k1/8/8/8/QR6 w - - 0 1")
    expect(page.locator("[data-tool=best]")).to_be_disabled()
    expect(page.locator("[data-tool=forward]")).to_be_disabled()
    go(page, BISHOP)
    hand.press(page.locator("[data-tool=best]"))
    await_fen(page, AFTER[1])


# The way back


def play_best(page: Page, hand: Hand) -> None:
    go(page, BISHOP)
    for fen in AFTER[1:]:
        hand.press(page.locator("[data-tool=forward]"))
        await_fen(page, fen)


@BOTH
def test_a_reload_keeps_what_was_played_and_taken_back(page: Page, hand: Hand) -> None:
    play_best(page, hand)
    hand.press(page.locator("[data-tool=back]"))
    await_fen(page, AFTER[2])
    page.reload()
    await_fen(page, AFTER[2])
    expect(page.locator("square.last-move")).to_have_count(2)
    hand.press(page.locator("[data-tool=back]"))
    await_fen(page, AFTER[1])
    for fen in AFTER[2:]:
        hand.press(page.locator("[data-tool=forward]"))
        await_fen(page, fen)


@BOTH
def test_back_leads_to_what_was_before_with_its_moves(page: Page, hand: Hand) -> None:
    """As on other analysis boards: moves are no steps of the browser's, a new position is one."""
    play_best(page, hand)
    hand.press(page.get_by_role("link", name="Materials"))
    expect(page.get_by_role("heading", level=1)).to_be_visible()
    page.go_back()
    await_fen(page, AFTER[3])
    page.get_by_label("FEN").fill(PAWN)
    hand.press(page.get_by_role("button", name="Ask"))
    await_fen(page, PAWN)
    page.go_back()
    await_fen(page, AFTER[3])
    hand.press(page.locator("[data-tool=back]"))
    await_fen(page, AFTER[2])
    page.go_forward()
    await_fen(page, PAWN)


def test_the_address_holds_the_moves(page: Page, hand: Hand, browser: Browser, home: str) -> None:
    """Whoever gets it can take them back."""
    play_best(page, hand)
    assert page.url.endswith("&moves=g5h5,e5f4,h5h6&rules=r")
    other = browser.new_page(base_url=home)
    other.goto(page.url)
    await_fen(other, AFTER[3])
    other.keyboard.press("ArrowLeft")
    await_fen(other, AFTER[2])
    other.close()


def test_a_move_of_the_line_brings_those_before_it(page: Page) -> None:
    go(page, BISHOP)
    page.get_by_text("Show the line").click()
    page.locator("ol.line a", has_text="Kh6").click()
    await_fen(page, AFTER[3])
    expect(page.locator("#played ol")).to_contain_text("30... Kh5 31. Kf4 Kh6 32. Kg4")
    page.keyboard.press("ArrowRight")
    await_fen(page, "8/8/7k/5B2/6K1/8/8/8 b")
    page.keyboard.press("ArrowRight")  # the goal is there
    expect(page.locator("[data-tool=forward]")).to_be_disabled()
    await_fen(page, "8/8/7k/5B2/6K1/8/8/8 b")
    page.keyboard.press("ArrowLeft")
    page.keyboard.press("ArrowLeft")
    await_fen(page, AFTER[2])


def test_presses_that_do_not_wait_for_the_answers(page: Page, hand: Hand) -> None:
    play_best(page, hand)
    page.evaluate("for (const _ of [1, 2, 3]) document.querySelector('[data-tool=back]').click()")
    await_fen(page, AFTER[0])
    page.evaluate("for (const _ of [1, 2, 3]) document.querySelector('[data-tool=forward]').click()")
    await_fen(page, AFTER[3])


def test_other_rules_keep_the_moves(page: Page, hand: Hand) -> None:
    play_best(page, hand)
    page.locator("#rules").select_option("wg")
    expect(page.locator("#panel")).to_have_attribute("data-rules", "wg")
    await_fen(page, AFTER[3])
    page.keyboard.press("ArrowLeft")
    await_fen(page, AFTER[2])
    page.reload()
    expect(page.locator("#panel")).to_have_attribute("data-rules", "wg")
    await_fen(page, AFTER[2])
    page.go_back()
    expect(page.locator("#panel")).to_have_attribute("data-rules", "r")


def test_the_fen_field(page: Page) -> None:
    go(page, BISHOP)
    assert page.title() == "KBvK, Black to move"
    page.get_by_label("FEN").fill("8/8/8/8/8/1k6/8/K6R w - - 3 9 -G2.5")
    page.get_by_label("FEN").press("Enter")
    await_fen(page, "8/8/8/8/8/1k6/8/K6R w - - 3 9 -G2.5")
    assert page.title() == "KRvK, White to move"


def test_what_cannot_be_read_stays_in_its_field(page: Page) -> None:
    go(page, BISHOP)
    for typed in ("8/8/8/4KBk1 b", "8/8/8/4KBk1/8/8/8/8 b - - 7 30 H2.5"):
        page.get_by_label("FEN").fill(typed)
        page.get_by_label("FEN").press("Enter")
        expect(page.get_by_role("alert")).to_contain_text("Not a position")
        expect(page.get_by_label("FEN")).to_have_value(typed)


def test_the_50_move_rule_may_come_first(page: Page) -> None:
    words = "The 50-move rule may come first: the halfmove clock is at 97 of 100, and the goal is 4 plies away."
    go(page, "8/8/8/4KBk1/8/8/8/8 b - - 97 90 G2.5")
    expect(page.locator(".verdict")).to_contain_text(words)
    go(page, "8/8/8/4KBk1/8/8/8/8 b - - 96 90 G2.5")
    expect(page.locator(".verdict")).not_to_contain_text("50-move")


def test_what_a_score_is_to_those_who_know_chess(page: Page) -> None:
    go(page, "8/8/8/4KBk1/8/8/8/8 b - - 0 30")
    expect(page.locator(".verdict")).to_contain_text("White is ahead:")
    expect(page.locator(".verdict")).to_contain_text("worth 0.563 points, where mate is worth 1 and a draw 0.5")
    expect(page.locator(".verdict")).to_contain_text("In ordinary chess this is a draw.")
    expect(page.locator(".verdict")).to_contain_text("The record begins with this position’s own G3.5")
    go(page, "8/8/8/8/8/1k6/8/K6R w - - 3 9 -G2.5")
    expect(page.locator(".verdict")).not_to_contain_text("draw")
    expect(page.locator(".verdict")).to_contain_text("The record so far is -G2.5")


def test_a_record_that_does_not_count(page: Page) -> None:
    go(page, "8/8/8/4KBk1/8/8/8/8 b - - 0 90 G2.5")
    expect(page.locator(".verdict")).to_contain_text("The record G2.5 does not count: the halfmove clock is 0.")
