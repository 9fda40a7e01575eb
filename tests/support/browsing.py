"""A real browser, where there is one, and a hand that presses and drags in it."""

import re
import shutil
from collections.abc import Iterator
from contextlib import contextmanager
from typing import Final, NamedTuple

import pytest
from axe_playwright_python.sync_playwright import Axe
from playwright.sync_api import Browser, Locator, Page, expect, sync_playwright

from tests.support.patience import PATIENCE

CHROMIUM: Final = shutil.which("chromium")
MILLISECONDS: Final = PATIENCE * 1000
"""That a page may take to do what is expected of it."""
SCREENS: Final = [(1280, 900), (1920, 1080), (360, 740)]
NEEDS_BROWSER: Final = [
    pytest.mark.full,
    pytest.mark.skipif(CHROMIUM is None, reason="no chromium here: scripts/programs installs it"),
]


class Device(NamedTuple):
    width: int
    height: int
    by_touch: bool


DESKTOP: Final = Device(1280, 900, by_touch=False)
PHONE: Final = Device(390, 844, by_touch=True)
BOTH: Final = pytest.mark.parametrize("device", [DESKTOP, PHONE], ids=["desktop", "phone"], indirect=True)
"""For tests of what is pressed and dragged: by mouse, and by touch."""


_SETTLED: Final = "() => new Promise(done => requestAnimationFrame(() => requestAnimationFrame(done)))"
"""Chromium drops a tap while the page still moves."""


class Hand:
    def __init__(self, page: Page, *, by_touch: bool) -> None:
        self._page = page
        self._by_touch = by_touch

    def press(self, where: Locator | str) -> None:
        """A square, or whatever else there is."""
        if isinstance(where, str):
            self.press_at(*self.middle(where))
        elif self._by_touch:
            where.scroll_into_view_if_needed()
            where.evaluate(_SETTLED)
            where.tap()
        else:
            where.click()

    def press_at(self, x: float, y: float) -> None:
        (self._page.touchscreen.tap if self._by_touch else self._page.mouse.click)(x, y)

    def drag(self, start: Locator | str, end: str) -> None:
        """To a square; to `off`, which is beside the board."""
        first, last = self.middle(start), self.middle(end)
        way = [first, ((first[0] + last[0]) / 2, (first[1] + last[1]) / 2), last]
        if self._by_touch:
            self._drag_by_touch(way)
            return
        self._page.mouse.move(*first)
        self._page.mouse.down()
        for place in way[1:]:
            self._page.mouse.move(*place)
        self._page.mouse.up()

    def _drag_by_touch(self, way: list[tuple[float, float]]) -> None:
        session = self._page.context.new_cdp_session(self._page)
        for kind, (x, y) in zip(("touchStart", "touchMove", "touchMove"), way, strict=True):
            session.send("Input.dispatchTouchEvent", {"type": kind, "touchPoints": [{"x": x, "y": y}]})
        session.send("Input.dispatchTouchEvent", {"type": "touchEnd", "touchPoints": []})
        session.detach()

    def middle(self, where: Locator | str) -> tuple[float, float]:
        """Where it is on the screen; the board is White's side down."""
        box = (self._page.locator("cg-board") if isinstance(where, str) else where).bounding_box()
        assert box is not None
        if not isinstance(where, str):
            return box["x"] + box["width"] / 2, box["y"] + box["height"] / 2
        if where == "off":
            return box["x"] + box["width"] / 2, box["y"] - 30
        file, rank = "abcdefgh".index(where[0]), int(where[1]) - 1
        side = box["width"] / 8
        return box["x"] + side * (file + 0.5), box["y"] + side * (7.5 - rank)


def go(page: Page, fen: str) -> None:
    """To the explorer."""
    page.goto(f"?fen={fen.replace(' ', '_')}")
    expect(page.locator("cg-board")).to_be_visible()


def await_fen(page: Page, start: str) -> None:
    """What the explorer is to show."""
    expect(page.locator("#panel")).to_have_attribute("data-fen", re.compile("^" + re.escape(start)))


@contextmanager
def launched() -> Iterator[Browser]:
    expect.set_options(timeout=MILLISECONDS)
    with sync_playwright() as playwright:
        found = playwright.chromium.launch(executable_path=CHROMIUM, args=["--no-sandbox"])
        yield found
        found.close()


def assert_for_everybody(page: Page, name: str) -> None:
    """Nothing for axe-core to find, and nothing wider than the screen."""
    found = Axe().run(page)
    assert not found.violations_count, f"{name}: {found.generate_report()}"
    assert page.evaluate("document.documentElement.scrollWidth <= innerWidth"), f"{name} is too wide"
