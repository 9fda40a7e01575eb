"""A real browser, where there is one."""

import shutil
from collections.abc import Iterator
from contextlib import contextmanager
from typing import Final

import pytest
from axe_playwright_python.sync_playwright import Axe
from playwright.sync_api import Browser, Page, sync_playwright

CHROMIUM: Final = shutil.which("chromium")
SCREENS: Final = [(1280, 900), (1920, 1080), (360, 740)]
NEEDS_BROWSER: Final = [
    pytest.mark.full,
    pytest.mark.skipif(CHROMIUM is None, reason="no chromium here: scripts/browser installs it"),
]


@contextmanager
def launched() -> Iterator[Browser]:
    with sync_playwright() as playwright:
        found = playwright.chromium.launch(executable_path=CHROMIUM, args=["--no-sandbox"])
        yield found
        found.close()


def assert_for_everybody(page: Page, name: str) -> None:
    """Nothing for axe-core to find, and nothing wider than the screen."""
    found = Axe().run(page)
    assert not found.violations_count, f"{name}: {found.generate_report()}"
    assert page.evaluate("document.documentElement.scrollWidth <= innerWidth"), f"{name} is too wide"
