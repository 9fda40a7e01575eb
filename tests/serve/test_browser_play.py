"""What there is to do on the board in a real browser: challenges, examples, random positions, play."""

import gzip
import re
from pathlib import Path

import pytest
from playwright.sync_api import Browser, BrowserContext, FloatRect, Page, Response, expect

from tbgen.core import outcome
from tbgen.probe import open_tablebase
from tbgen.probe.numbering import material_of
from tbgen.rules.fen import read_fen
from tbgen.web.pages.modules import STATIC
from tests.support.browsing import BOTH, NEEDS_BROWSER, Device, Hand, assert_for_everybody, await_fen, go

BISHOP = "8/8/8/4KBk1/8/8/8/8 b - - 7 30 G2.5"
FIRST = "8/8/8/8/4K3/2B5/2k5/8 w"
"""The first challenge."""
LIGHT = 200_000
"""Bytes before the first answer."""

pytestmark = NEEDS_BROWSER


@pytest.fixture(scope="session")
def home(either_home: str) -> str:
    """Of a server, and of a folder: the same page, told by others."""
    return either_home


def begin_challenge(page: Page, hand: Hand) -> None:
    go(page, BISHOP)
    hand.press(page.locator("[data-tool=challenge]"))
    await_fen(page, FIRST)
    expect(page.locator(".card")).to_contain_text("Challenge 1 of")


def play(page: Page, move: str) -> None:
    """A move that the page does not show meanwhile."""
    press_hidden(page, f"a.move[data-uci={move}]")


def play_best(page: Page) -> None:
    press_hidden(page, "a.move[data-known]")


def press_hidden(page: Page, link: str) -> None:
    expect(page.locator("#panel:not([aria-busy])")).to_be_attached()
    page.evaluate("link => document.querySelector(link).click()", link)


# Challenges


@BOTH
def test_a_challenge_that_is_met(page: Page, hand: Hand) -> None:
    begin_challenge(page, hand)
    expect(page.locator("a.move").first).to_be_hidden()
    expect(page.locator("[data-tool=best]")).to_be_disabled()
    page.keyboard.press("Space")
    await_fen(page, FIRST)
    expect(page.locator(".card")).to_contain_text("Your 4th move can do it.")
    for left in ("3 moves", "2 moves", "1 move"):
        play_best(page)
        expect(page.locator(".card .kept")).to_contain_text(f"is the shortest way: {left} to go. The tables answer")
    play_best(page)
    expect(page.locator(".card.done")).to_contain_text("Solved in 4 moves, the shortest way.")
    expect(page.locator(".verdict h2")).to_have_text("The record stands: G1.5")
    expect(page.locator("#played")).to_contain_text("White: 4 moves, nothing given away.")
    page.wait_for_timeout(1000)  # the tables would take half a second
    expect(page.locator("#played [data-step]")).to_have_count(8)
    assert_for_everybody(page, "a challenge that is met")
    hand.press(page.get_by_role("button", name="Next challenge"))
    expect(page.locator(".card")).to_contain_text("Challenge 2 of")
    solved = page.get_by_role("button", name="Challenge 1: drive Black’s king to one move, solved")
    page.reload()
    expect(solved).to_have_text("1 ✓")
    hand.press(page.get_by_role("button", name="Challenge 4: mate with the rook"))
    expect(page.locator(".card")).to_contain_text("Challenge 4 of 7: mate with the rook")
    hand.press(page.get_by_role("button", name="Leave", exact=True))
    expect(page.locator(".verdict")).to_be_visible()
    assert "challenge" not in page.url


@BOTH
def test_a_challenge_that_is_lost_and_taken_back(page: Page, hand: Hand) -> None:
    begin_challenge(page, hand)
    play(page, "c3b2")
    expect(page.locator(".card.lost")).to_contain_text(
        "Bb2 gave it away: now G5.5 is the most that can be forced. The tables answer Kxb2."
    )
    assert_for_everybody(page, "a challenge that is lost")
    page.reload()
    expect(page.locator(".card.lost")).to_contain_text("Bb2 gave it away")
    hand.press(page.get_by_role("button", name="Take back", exact=True))
    await_fen(page, FIRST)
    expect(page.locator("#played")).to_be_empty()
    expect(page.locator("a.move").first).to_be_hidden()


@BOTH
def test_the_answer_to_a_challenge_is_played_on_the_board(page: Page, hand: Hand) -> None:
    begin_challenge(page, hand)
    play(page, "c3b2")
    expect(page.locator(".card.lost")).to_be_visible()
    hand.press(page.get_by_role("button", name="Show the answer"))
    await_fen(page, FIRST)
    expect(page.locator("#played ol")).to_contain_text("1. Kd4 Kb1 2. Kd3")
    expect(page.locator(".cg-shapes line")).to_have_count(1)
    for move in ("Kd4", "Kb1", "Kd3", "Kc1", "Bd4", "Kb1", "Kd2"):
        expect(page.locator(".verdict")).to_be_hidden()
        hand.press(page.get_by_role("button", name=f"Play {move}", exact=True))
    expect(page.locator(".card")).to_contain_text("That was the answer.")
    expect(page.get_by_role("button", name=re.compile("Challenge 1.*solved"))).to_have_count(0)
    hand.press(page.get_by_role("button", name="Try it yourself"))
    await_fen(page, FIRST)
    expect(page.locator("#played")).to_be_empty()


def test_a_hint_shows_which_man_moves(page: Page, hand: Hand) -> None:
    begin_challenge(page, hand)
    hand.press(page.get_by_role("button", name="Hint"))
    expect(page.locator(".cg-shapes circle")).to_have_count(1)
    expect(page.locator(".cg-shapes line")).to_have_count(0)


def test_a_link_to_a_challenge_begins_it(page: Page, hand: Hand, browser: Browser) -> None:
    begin_challenge(page, hand)
    text = page.request.get(page.url).text()
    assert '<div id="panel"><noscript>' in text or 'classList.add("elsewhere")' in text, (
        "nothing is told before scripts come"
    )
    other = browser.new_page()
    other.goto(page.url)
    expect(other.locator(".card")).to_contain_text("Challenge 1 of")
    expect(other.locator("a.move").first).to_be_hidden()
    other.close()


def test_a_challenge_that_takes_longer(page: Page, hand: Hand) -> None:
    begin_challenge(page, hand)
    play(page, "c3a1")
    expect(page.locator(".card .kept")).to_contain_text(
        "Ba1 still forces it, but takes 5 moves more than the shortest way"
    )
    expect(page.get_by_role("button", name="Take back", exact=True)).to_be_visible()


def test_a_challenge_has_rules_of_its_own(page: Page, hand: Hand) -> None:
    page.goto(f"?fen={BISHOP.replace(' ', '_')}&rules=wg")
    expect(page.locator("#rules")).to_have_value("wg")
    hand.press(page.locator("[data-tool=challenge]"))
    await_fen(page, FIRST)
    expect(page.locator("#rules")).to_have_value("r")


def test_the_way_back_out_of_a_challenge(page: Page, hand: Hand) -> None:
    begin_challenge(page, hand)
    page.go_back()
    await_fen(page, "8/8/8/4KBk1/8/8/8/8 b")
    expect(page.locator(".card")).to_have_count(0)
    expect(page.locator(".verdict")).to_be_visible()


# Ways in


@BOTH
def test_examples(page: Page, hand: Hand) -> None:
    go(page, BISHOP)
    hand.press(page.get_by_text("Examples"))
    hand.press(page.get_by_role("link", name="A rook mates"))
    expect(page.locator(".verdict h2")).to_have_text("White forces G0.0 in 27 plies: mate in 14")


@BOTH
def test_a_random_position_of_a_material(page: Page, hand: Hand) -> None:
    go(page, BISHOP)
    draw = page.get_by_role("button", name="Random position")
    hand.press(draw)
    choice = page.get_by_label("Material of random positions")
    expect(choice).to_be_visible()
    choice.select_option("KRvK")
    expect(page.locator(".verdict .note")).to_contain_text("KRvK")
    seen = set()
    for _ in range(4):
        before = page.locator("#fen").input_value()
        hand.press(draw)
        expect(page.locator("#fen")).not_to_have_value(before)
        expect(page.locator(".verdict .note")).to_contain_text("KRvK")
        seen.add(page.locator("#fen").input_value())
    assert len(seen) > 1
    page.go_back()
    expect(page.locator(".verdict .note")).to_contain_text("KRvK")


# Play


def test_each_move_is_told_and_listed(page: Page) -> None:
    go(page, BISHOP)
    page.locator("a.move", has_text="Kh5").click()
    expect(page.locator("#tale")).to_have_text("Kh5 is best: G1.5 in 3 plies.")
    play(page, "f5g4")
    expect(page.locator("#tale")).to_have_text("Bg4+ gave away G1.5: now G5.5.")
    expect(page.locator("#played ol")).to_contain_text("30... Kh5 31. Bg4+ ? G5.5")
    page.reload()
    expect(page.locator("#played ol")).to_contain_text("30... Kh5 31. Bg4+ ? G5.5")
    page.locator("#played a", has_text="Start").click()
    await_fen(page, BISHOP)
    expect(page.locator("#played a[aria-current]")).to_have_text("Start")
    expect(page.locator("#played a")).to_have_count(3)
    page.locator("a.move", has_text="Kh4").click()
    expect(page.locator("#tale")).to_have_text("Kh4 lets G1.5 come 2 plies sooner than the best.")


def test_a_link_with_moves_lists_them(page: Page) -> None:
    page.goto(f"?fen={BISHOP.replace(' ', '_')}&moves=g5h5,e5f4&rules=r")
    expect(page.locator("#played ol")).to_contain_text("30... Kh5 31. Kf4")


def test_moves_of_a_link_are_judged(page: Page) -> None:
    page.goto(f"?fen={BISHOP.replace(' ', '_')}&moves=g5h5,f5g4,h5g4&rules=r")
    expect(page.locator("#played ol")).to_contain_text("30... Kh5 31. Bg4+ ? G5.5")


def test_a_game_against_the_tables_ends_with_a_summary(page: Page) -> None:
    go(page, BISHOP)
    page.get_by_label("Play against the tables").select_option("white")
    page.locator("a.move", has_text="Kh4").click()
    expect(page.locator("#played")).to_contain_text("It is decided: G1.5 for White, after 2 plies; best play takes 4.")
    expect(page.locator("#played")).to_contain_text("White: 1 move, nothing given away.")
    assert_for_everybody(page, "a game that is decided")


def test_a_link_is_copied(page: Page, context: BrowserContext) -> None:
    context.grant_permissions(["clipboard-read", "clipboard-write"])
    go(page, BISHOP)
    page.locator("a.move", has_text="Kh5").click()
    await_fen(page, "8/8/8/4KB1k/8/8/8/8 w")
    page.get_by_role("button", name="Copy a link").click()
    expect(page.locator("[data-tool=link]")).to_have_text("Link copied")
    assert page.evaluate("navigator.clipboard.readText()") == page.url
    page.evaluate("() => { navigator.clipboard.writeText = () => Promise.reject(new Error()); }")
    told: list[str] = []
    page.on("dialog", lambda dialog: (told.append(dialog.default_value), dialog.dismiss()))
    page.get_by_role("button", name="Copy a link").click()
    assert told == [page.url]


# What is seen


def box(page: Page, name: str) -> FloatRect:
    found = page.locator(name).bounding_box()
    assert found
    return found


@BOTH
def test_the_verdict_stands_beside_the_board_or_directly_below_it(page: Page, device: Device) -> None:
    go(page, BISHOP)
    board, verdict, tools, fen = (box(page, name) for name in ("cg-board", ".verdict", ".tools", ".ask"))
    if device.by_touch:
        assert 0 <= verdict["y"] - board["y"] - board["height"] < 40
        assert verdict["y"] < tools["y"] < fen["y"]
    else:
        assert verdict["x"] > board["x"] + board["width"]


@BOTH
def test_a_step_of_the_staircase_tells(page: Page, device: Device, hand: Hand) -> None:
    go(page, BISHOP)
    tells = page.locator(".tells")
    expect(tells).to_have_text("Under the record G2.5: G1.5 in 4 plies")
    first = page.locator(".step").first
    hand.press(first) if device.by_touch else first.hover()
    expect(tells).to_have_text("Under the record G1.0: it stands")
    slider = page.get_by_label("Record", exact=True)
    slider.focus()
    page.keyboard.press("ArrowRight")
    expect(tells).to_have_text("Under the record G1.5: it stands")
    expect(slider).to_have_attribute("aria-valuetext", "Under the record G1.5: it stands")
    await_fen(page, "8/8/8/4KBk1/8/8/8/8 b")


@BOTH
def test_men_to_choose_from_are_seen_with_the_board(page: Page, device: Device, hand: Hand) -> None:
    go(page, BISHOP)
    page.mouse.wheel(0, 400)
    hand.press(page.get_by_role("button", name="Set up"))
    for name in ("cg-board", ".palette"):
        found = box(page, name)
        assert found["y"] > -1
        assert found["y"] + found["height"] < device.height
    hand.press(page.get_by_role("button", name="Done"))
    expect(page.locator(".palette")).to_be_hidden()


def test_little_is_loaded_before_the_first_answer(page: Page) -> None:
    """As it is sent: the server and the usual hosts compress text."""
    sizes: dict[str, int] = {}

    def count(answer: Response) -> None:
        body, is_text = answer.body(), "/static/" in answer.url or "/pages/" in answer.url
        sizes[answer.url] = len(gzip.compress(body) if is_text else body)

    page.on("response", count)
    go(page, BISHOP)
    expect(page.locator(".verdict")).to_be_visible()
    page.wait_for_load_state("networkidle")
    assert sum(sizes.values()) <= LIGHT, sizes


# Without a browser


def test_challenges_are_what_tables_say(small_tables: Path) -> None:
    found = re.findall(r'goal: "(.*?)", fen: "(.*?)"', (STATIC / "challenge.js").read_text())
    assert len(found) >= 6
    judged = 0
    with open_tablebase(small_tables) as tables:
        for goal, fen in found:
            board = read_fen(fen).board
            if (small_tables / f"{material_of(board)}.r.h5").exists():
                assert outcome.text(tables.probe(board).outcome) == goal
                judged += 1
    assert judged >= 5
