"""The page of a running match in a real browser, from a plain web host and as a file."""

import re
import subprocess
import sys
from collections.abc import Iterator
from pathlib import Path
from typing import NamedTuple

import pytest
from playwright.sync_api import Browser, Locator, Page, Route, expect

from tests.support.browsing import MILLISECONDS, NEEDS_BROWSER, SCREENS, assert_for_everybody, launched
from tests.support.matches import fake
from tests.support.serving import wait_for
from tests.support.web_hosts import python

pytestmark = NEEDS_BROWSER
NAME = '<img src=x onerror="document.title=1">'


class Match(NamedTuple):
    file: Path
    url: str


@pytest.fixture(scope="module")
def browser() -> Iterator[Browser]:
    with launched() as found:
        yield found


@pytest.fixture(scope="module")
def match(tmp_path_factory: pytest.TempPathFactory) -> Iterator[Match]:
    """Games of thirty moves, three at a time, for longer than the tests take."""
    root = tmp_path_factory.mktemp("watched")
    file = root / "m.html"
    words = [*fake(NAME, "--pace", "0.3", "--seed", "1"), *fake("Other", "--pace", "0.3"), "--each", "tc=600"]
    words += ["--max-moves", "30", "--games", "1000", "--concurrency", "3", "--page", str(file)]
    command = [sys.executable, "-m", "tbgen", "match", *words]
    with subprocess.Popen(command, stdout=subprocess.DEVNULL, stderr=subprocess.DEVNULL) as process:
        try:
            wait_for(lambda: file.exists() and '"file":' in file.read_text())
            with python(root, root) as url:
                yield Match(file, f"{url}/m.html")
        finally:
            process.terminate()


@pytest.fixture
def page(browser: Browser, match: Match) -> Iterator[Page]:
    found = browser.new_page()
    faults: list[str] = []
    found.on("pageerror", lambda error: faults.append(str(error)))
    found.goto(match.url)
    expect(found.locator("#board piece").first).to_be_visible()
    yield found
    assert not faults
    found.close()


def moves(page: Page) -> Locator:
    return page.locator("#moves tr")


def await_more(page: Page, than: int) -> None:
    page.wait_for_function(f"document.querySelectorAll('#moves tr').length > {than}", timeout=MILLISECONDS)


def test_it_goes_on_without_loading_the_page_again(page: Page) -> None:
    page.evaluate("window.mark = 1")
    page.locator(".card").nth(1).click()
    expect(page.locator(".card").nth(1)).to_have_attribute("aria-pressed", "true")
    before = moves(page).count()
    await_more(page, before + 1)
    expect(page.locator("#moves tr[aria-current]")).to_have_count(1)
    expect(page.locator("#curve .curve").first).to_be_attached()
    assert page.evaluate("window.mark") == 1
    clock = page.locator(".player.turn .clock").first
    shown = clock.inner_text()
    assert re.fullmatch(r"9:\d\d|10:00", shown)


def test_an_address_that_is_mistyped_chooses_nothing(page: Page, match: Match) -> None:
    for words in ("#%", "#%/3", "#%E0%A4"):
        page.goto(f"{match.url}{words}")
        page.reload()
        expect(page.locator("#board piece").first).to_be_visible()
        await_more(page, 0)


def test_a_game_stays_on_the_board_when_it_is_over(page: Page) -> None:
    title = page.locator("#title")
    round_ = page.locator(".card").last.evaluate("card => { card.click(); return card.round; }")  # at once: games end
    expect(title).to_have_text(re.compile(rf"Round {re.escape(round_)}: -?G\d"), timeout=MILLISECONDS)
    expect(page.locator("#said")).to_contain_text("move limit")
    expect(moves(page)).to_have_count(60)
    page.keyboard.press("Home")
    expect(page.locator("#said")).to_contain_text("Start")
    expect(page.locator("#board piece")).to_have_count(32)
    page.keyboard.press("ArrowRight")
    expect(page.locator("#moves tr[aria-current]")).to_contain_text("1.")
    page.reload()
    expect(title).to_have_text(re.compile(rf"Round {re.escape(round_)}: -?G\d"))
    expect(page.locator("#moves tr[aria-current]")).to_contain_text("1.")


def test_a_game_that_ends_stays_for_a_last_look(page: Page) -> None:
    title, live = page.locator("#title"), page.locator("#live")
    expect(title).to_have_text(re.compile(r"^Round [\d.]+$"), timeout=MILLISECONDS)
    shown = title.inner_text()

    def without_it(route: Route) -> None:
        state = route.fetch().json()
        for one in [one for one in state["running"] if f"Round {one['round']}" == shown]:
            state["running"].remove(one)
            state["games"].insert(0, {**one, "result": "G1.5", "points": "1", "end": "mate"})
            del state["games"][0]["plies"]
        route.fulfill(json=state)

    page.route("**/live.json", without_it)
    expect(title).to_have_text(re.compile(rf"^{re.escape(shown)}: G1\.5"))
    live.click()
    expect(title).not_to_contain_text(shown)
    page.unroute("**/live.json")


def test_whoever_looks_back_is_left_alone(page: Page) -> None:
    page.wait_for_function(
        "(n => 4 < n && n < 40)(document.querySelectorAll('#moves tr').length)", timeout=MILLISECONDS
    )
    page.locator("[data-key=Home]").click()
    page.locator("[data-key=ArrowRight]").click()
    known = moves(page).count()
    await_more(page, known)
    expect(page.locator("#moves tr[aria-current]")).to_contain_text("1. ")
    page.locator("[data-key=End]").click()
    expect(page.locator("#moves tr").last).to_have_attribute("aria-current", "true")


def test_what_engines_are_called_is_text(page: Page) -> None:
    expect(page.locator(".card").first).to_contain_text(NAME)
    expect(page).to_have_title("tbgen match")
    assert page.locator("img").count() == 0


@pytest.mark.parametrize("scheme", ["light", "dark"])
def test_it_is_for_everybody(page: Page, scheme: str) -> None:
    page.emulate_media(color_scheme="dark" if scheme == "dark" else "light")
    page.locator("#games tr").first.wait_for(timeout=MILLISECONDS)
    for width, height in SCREENS:
        page.set_viewport_size({"width": width, "height": height})
        assert_for_everybody(page, f"match {width} {scheme}")


def test_a_page_left_open_does_not_grow(page: Page) -> None:
    count = "document.querySelectorAll('*').length"
    await_more(page, 2)
    listed = "document.querySelectorAll('#games *, #moves *, cg-board *').length"
    before = page.evaluate(f"{count} - {listed}")
    page.wait_for_timeout(5000)
    assert abs(page.evaluate(f"{count} - {listed}") - before) <= 50


def test_it_says_when_the_match_does_not_answer(page: Page) -> None:
    page.route("**/live.json", lambda route: route.abort())
    expect(page.locator("#problem")).to_contain_text("does not answer")
    page.unroute("**/live.json")
    expect(page.locator("#problem")).to_be_hidden()


def test_as_a_file_it_loads_itself_again(browser: Browser, match: Match) -> None:
    page = browser.new_page()
    page.goto(match.file.as_uri())
    expect(page.locator("#problem")).to_contain_text("loads itself again every 5 seconds")
    expect(page.locator("#board piece").first).to_be_visible()
    page.evaluate("window.mark = 1")
    page.wait_for_function("window.mark !== 1", timeout=MILLISECONDS)
    expect(page.locator("#moves tr").first).to_be_visible()
    page.close()
