"""The page on five men in a real browser, as it lies there: a file without network."""

import os
from collections.abc import Iterator
from pathlib import Path

import pytest
from playwright.sync_api import Browser, Page, expect

from tests.support.browsing import NEEDS_BROWSER, SCREENS, assert_for_everybody, launched
from tests.support.places import ROOT

pytestmark = NEEDS_BROWSER
FILE = ROOT / "research" / "five_men" / "boards.html"
ENDS = SCREENS[::2]
"""A desktop and a phone."""


@pytest.fixture(scope="module")
def browser() -> Iterator[Browser]:
    with launched() as found:
        yield found


@pytest.fixture(params=ENDS, ids=str)
def page(browser: Browser, request: pytest.FixtureRequest) -> Iterator[Page]:
    """No word on the console, and no request for anything but the file, whatever is done."""
    width, height = request.param
    context = browser.new_context(viewport={"width": width, "height": height}, reduced_motion="reduce")
    found = context.new_page()
    wrong: list[str] = []
    found.on("console", lambda message: wrong.append(message.text))
    found.on("pageerror", lambda error: wrong.append(str(error)))
    found.on("request", lambda asked: asked.url.startswith(FILE.as_uri()) or wrong.append(asked.url))
    found.goto(FILE.as_uri())
    yield found
    context.close()
    assert not wrong


def test_findings_come_first(page: Page) -> None:
    """And no part of the page is wider than the screen."""
    expect(page.locator(".findings p").first).to_be_in_viewport()
    sections = page.locator("main > section").evaluate_all("all => all.map(one => one.id)")
    assert sections == ["surprising", "stats", "records", "compare", "checks"]
    assert page.evaluate("document.documentElement.scrollWidth <= innerWidth")


def test_the_longest_line_plays_to_its_end(page: Page) -> None:
    """From its card: all 553 plies."""
    card = page.locator(".exhibit", has_text="Queens take their time")
    player = page.locator("#surprising .player")
    card.get_by_role("link").click()
    expect(card).to_have_attribute("aria-current", "true")
    expect(page.locator(".exhibit[aria-current]")).to_have_count(1)
    expect(player.locator("h3")).to_have_text("KQPvKQ: G4.5 in 553 plies")
    expect(player.locator("svg.board")).to_be_in_viewport()
    page.keyboard.press("ArrowRight")
    expect(player.get_by_role("status")).to_contain_text("ply 1 of 553")
    page.keyboard.press("End")
    expect(player.get_by_role("status")).to_contain_text("ply 553 of 553")
    expect(player.get_by_role("status")).to_contain_text("G-score G4.5: 4 legal moves, not in check")


def test_a_line_of_another_section_is_played_where_it_was_chosen(page: Page) -> None:
    page.get_by_text("The longest by material", exact=True).click()
    page.get_by_label("Filter: The longest by material").fill("KRBvKR G1.0 250")
    page.locator("#table-records tbody tr:visible a").click()
    expect(page.locator("#records .player h3")).to_have_text("KRBvKR: G1.0 in 250 plies")


def test_charts_are_filtered_by_material_and_tables_sorted(page: Page) -> None:
    for chart, row in (("holders", ".stack > li"), ("gscores", ".view0 tbody tr"), ("longest", "tbody tr")):
        part = page.locator(f"#chart-{chart}")
        expect(part.locator(f"{row}:visible")).to_have_count(111)
        part.get_by_role("searchbox").fill("knnv")
        expect(part.locator(f"{row}:visible")).to_have_count(5)
        part.get_by_role("searchbox").fill("")
        expect(part.locator(f"{row}:visible")).to_have_count(111)
    table = page.locator("#table-summary")
    table.get_by_role("button", name="longest").click()
    expect(table.locator("tbody td").first).to_have_text("KQPvKQ")


@pytest.mark.parametrize("scheme", ["light", "dark"])
@pytest.mark.parametrize(("width", "height"), ENDS)
def test_nothing_for_axe_to_find(browser: Browser, width: int, height: int, scheme: str) -> None:
    """Of rows and lines that are alike it sees the first. With `TBGEN_SCREENSHOTS=DIR` there is a picture of each."""
    context = browser.new_context(
        viewport={"width": width, "height": height}, color_scheme=scheme, reduced_motion="reduce"
    )
    page = context.new_page()
    page.goto(FILE.as_uri())
    if "TBGEN_SCREENSHOTS" in os.environ:
        page.screenshot(path=Path(os.environ["TBGEN_SCREENSHOTS"]) / f"five-men-{width}-{scheme}.png", full_page=True)
    page.evaluate(
        "for (const one of document.querySelectorAll(':is(tr, li, article, .list span):nth-child(n + 9)')) one.remove()"
    )
    assert_for_everybody(page, f"the page on five men at {width}, {scheme}")
    context.close()
