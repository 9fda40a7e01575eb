"""Setting up a position in a real browser, by mouse and by touch."""

import pytest
from playwright.sync_api import Page, expect

from tests.support.browsing import BOTH, NEEDS_BROWSER, Hand, await_fen, go

pytestmark = NEEDS_BROWSER


@pytest.fixture(scope="session")
def home(either_home: str) -> str:
    """Of a server, and of a folder: the same page, told by others."""
    return either_home


def edit(page: Page, hand: Hand, fen: str) -> None:
    go(page, fen)
    hand.press(page.get_by_role("button", name="Set up"))
    expect(page.locator(".palette")).to_be_visible()


@BOTH
def test_men_are_dragged_put_and_taken_away(page: Page, hand: Hand) -> None:
    edit(page, hand, "8/8/8/4K1k1/8/8/8/8 w - - 0 1")
    rook = page.get_by_role("button", name="White rook")
    assert "data:image" in str(rook.locator("piece").evaluate("piece => getComputedStyle(piece).backgroundImage"))
    hand.drag(rook, "a1")
    await_fen(page, "8/8/8/4K1k1/8/8/8/R7 w - - 0 1")
    expect(page.locator(".verdict h2")).to_contain_text("G0.0")
    expect(rook).to_have_attribute("aria-pressed", "false")
    hand.drag("a1", "b1")
    await_fen(page, "8/8/8/4K1k1/8/8/8/1R6 w")
    hand.drag("b1", "off")
    await_fen(page, "8/8/8/4K1k1/8/8/8/8 w")
    hand.press(page.get_by_text("Mirror, shift"))
    page.get_by_label("Put a man by").fill("pa7")
    hand.press(page.get_by_role("button", name="Put", exact=True))
    await_fen(page, "8/p7/8/4K1k1/8/8/8/8 w")
    page.get_by_label("Put a man by").fill("zz")
    hand.press(page.get_by_role("button", name="Put", exact=True))
    expect(page.get_by_label("Put a man by")).to_have_attribute("aria-invalid", "true")
    expect(page.get_by_label("Put a man by")).to_have_value("zz")


@BOTH
def test_a_man_is_pressed_and_then_squares(page: Page, hand: Hand) -> None:
    edit(page, hand, "8/8/8/4K1k1/8/8/8/8 w - - 0 1")
    bishop = page.get_by_role("button", name="White bishop")
    hand.press(bishop)
    expect(bishop).to_have_attribute("aria-pressed", "true")
    hand.press("f5")
    await_fen(page, "8/8/8/4KBk1/8/8/8/8 w")
    hand.press("a1")
    hand.press("h1")  # without a wait for the answer
    await_fen(page, "8/8/8/4KBk1/8/8/8/B6B w")
    hand.press(bishop)
    expect(bishop).to_have_attribute("aria-pressed", "false")
    hand.press(page.get_by_role("button", name="Take men away"))
    for square in ("f5", "a1", "h1"):
        hand.press(square)
    await_fen(page, "8/8/8/4K1k1/8/8/8/8 w")


@BOTH
def test_a_king_that_is_set_again_leaves_its_square(page: Page, hand: Hand) -> None:
    edit(page, hand, "8/8/8/4K1k1/8/8/8/8 w - - 0 1")
    hand.drag(page.get_by_role("button", name="Black king"), "a8")
    await_fen(page, "k7/8/8/4K3/8/8/8/8 w")
    king = page.get_by_role("button", name="White king")
    hand.press(king)
    hand.press("c3")
    await_fen(page, "k7/8/8/8/8/2K5/8/8 w")
    hand.press(page.get_by_role("button", name="Done"))
    hand.press(page.get_by_role("button", name="Set up"))
    expect(king).to_have_attribute("aria-pressed", "false")


def test_a_man_is_chosen_by_keyboard(page: Page, hand: Hand) -> None:
    edit(page, hand, "8/8/8/4K1k1/8/8/8/8 w - - 0 1")
    page.get_by_role("button", name="White bishop").press("Enter")
    expect(page.get_by_role("button", name="White bishop")).to_have_attribute("aria-pressed", "true")
    hand.press("f5")
    await_fen(page, "8/8/8/4KBk1/8/8/8/8 w")


@BOTH
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
        ("white", "8/8/8/4KBk1/8/8/8/8 w"),
        ("clear", "8/8/8/8/8/8/8/8 b"),
    ],
)
def test_a_whole_board_is_changed(page: Page, hand: Hand, tool: str, fen: str) -> None:
    edit(page, hand, "8/8/8/4KBk1/8/8/8/8 b - - 0 1")
    hand.press(page.get_by_text("Mirror, shift"))
    hand.press(page.locator(f"[data-tool={tool}]"))
    await_fen(page, fen)


@BOTH
def test_men_on_their_way_to_a_position_are_no_alarm(page: Page, hand: Hand) -> None:
    edit(page, hand, "8/8/8/4KBk1/8/8/8/8 b - - 0 1")
    hand.press(page.locator("[data-tool=clear]"))
    expect(page.locator("#panel .hint")).to_contain_text("Not a position yet: the board is empty.")
    hand.press(page.get_by_role("button", name="White king"))
    hand.press("e4")
    expect(page.locator("#panel .hint")).to_contain_text("Black has no king")
    expect(page.get_by_role("alert")).to_have_count(0)
    page.go_back()
    page.go_back()
    await_fen(page, "8/8/8/4KBk1/8/8/8/8 b")
    expect(page.locator(".verdict")).to_be_visible()
