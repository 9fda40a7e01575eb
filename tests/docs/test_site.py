"""The documentation site: it is made without a warning, every link within it leads somewhere, and it needs no other."""

import re
import subprocess
from collections.abc import Iterator
from html.parser import HTMLParser
from pathlib import Path
from urllib.parse import unquote, urlsplit

import pytest

import tbgen
from tests.support.browsing import CHROMIUM, assert_for_everybody, launched
from tests.support.places import ROOT

OWN_PAGES = ("genindex.html", "search.html")
"""What the generator adds. Its search page is filled by a script."""
BOARDS = sorted((ROOT / "research").glob("*/boards.html"))
"""Pages that are on the site as they are."""


class Page(HTMLParser):
    """What a page links to, loads and has anchors for."""

    def __init__(self, path: Path) -> None:
        super().__init__()
        self.links: list[str] = []
        self.loads: list[str] = []
        self.anchors: set[str] = set()
        self.feed(path.read_text(encoding="utf-8"))

    def handle_starttag(self, tag: str, attrs: list[tuple[str, str | None]]) -> None:
        given = {name: value or "" for name, value in attrs}
        if "id" in given:
            self.anchors.add(given["id"])
        if tag == "a" and "href" in given:
            self.links.append(given["href"])
        if tag == "link" and "stylesheet" in given.get("rel", ""):
            self.loads.append(given["href"])
        if "src" in given:
            self.loads.append(given["src"])


@pytest.fixture(scope="module")
def site(tmp_path_factory: pytest.TempPathFactory) -> Path:
    place = tmp_path_factory.mktemp("site")
    # A set-up that has to be brought up to date says so on standard error: not in the run that is watched.
    subprocess.run([ROOT / "scripts" / "tbgen", "--version"], capture_output=True, check=True)
    run = subprocess.run([ROOT / "scripts" / "site", place], capture_output=True, text=True, check=False)
    assert (run.returncode, run.stderr) == (0, "")
    return place


@pytest.fixture(scope="module")
def pages(site: Path) -> dict[Path, Page]:
    return {path: Page(path) for path in site.rglob("*.html")}


def _local(page: Path, links: list[str]) -> Iterator[tuple[str, Path, str]]:
    """Link, file and anchor."""
    for link in links:
        parts = urlsplit(link)
        if not parts.scheme:
            yield link, (page.parent / unquote(parts.path)).resolve() if parts.path else page, unquote(parts.fragment)


def test_every_page_of_the_documentation_is_there(site: Path) -> None:
    expected = {path.stem for path in (ROOT / "docs").glob("*.md")} | {"index", "CONTRIBUTING", "CHANGELOG", "python"}
    expected |= {f"client-{path.parent.name}" for path in ROOT.glob("clients/*/README.md")}
    expected |= {path.stem for path in (ROOT / "docs" / "examples").glob("*.ipynb")}
    expected |= {Path(name).stem for name in OWN_PAGES}
    studies = {path.relative_to(ROOT).with_suffix("") for path in (ROOT / "research").rglob("README.md")}
    boards = {path.relative_to(ROOT).with_suffix("") for path in BOARDS}
    made = {path.relative_to(site).with_suffix("") for path in site.rglob("*.html")}
    assert made == {Path(name) for name in expected} | studies | boards
    assert len(boards) == 3
    for path in BOARDS:
        assert (site / path.relative_to(ROOT)).read_bytes() == path.read_bytes()


def test_links_within_lead_somewhere(pages: dict[Path, Page]) -> None:
    for path, page in pages.items():
        for link, target, anchor in _local(path, page.links):
            assert target.is_file(), f"{path.name}: {link}"
            if anchor and target in pages:
                assert anchor in pages[target].anchors, f"{path.name}: {link}"


def test_every_page_can_be_reached_from_the_first(site: Path, pages: dict[Path, Page]) -> None:
    first = {target for _, target, _ in _local(site / "index.html", pages[site / "index.html"].links)}
    assert first >= {path for path in pages if path.name not in OWN_PAGES}


def test_nothing_is_fetched_from_elsewhere(site: Path, pages: dict[Path, Page]) -> None:
    for path, page in pages.items():
        if path.stem != "boards":  # they have all within themselves, and tests of their own
            assert all(target.is_file() for _, target, _ in _local(path, page.loads))
        assert not [load for load in page.loads if re.match(r"(https?:)?//", load)], path.name
    for sheet in site.glob("_static/**/*.css"):
        assert not re.search(r"(url\(|@import)\s*[\"']?(https?:)?//", sheet.read_text(encoding="utf-8")), sheet.name


def test_the_notebook_is_shown_with_its_boards_and_plots(site: Path) -> None:
    page = (site / "first_steps.html").read_text(encoding="utf-8")
    assert page.count("<div class='shown'>") == 4
    assert 'aria-label="G1.0 to' in page, "the staircase"


def test_the_page_about_python_has_every_public_name(site: Path) -> None:
    page = (site / "python.html").read_text(encoding="utf-8")
    assert [name for name in tbgen.__all__ if f'id="tbgen.{name}"' not in page] == ["__version__", "rules"]
    assert 'id="tbgen.rules.Game"' in page


def test_words_can_be_found(site: Path) -> None:
    assert '"staircas"' in (site / "searchindex.js").read_text(encoding="utf-8").replace("staircas:", '"staircas"')


@pytest.mark.full
@pytest.mark.skipif(CHROMIUM is None, reason="no chromium here: scripts/programs installs it")
def test_nothing_for_axe_to_find(site: Path) -> None:
    with launched() as browser:
        page = browser.new_page()
        for width in (1280, 360):
            page.set_viewport_size({"width": width, "height": 800})
            for path in sorted(site.rglob("*.html")):
                if path.name != "boards.html":  # which has tests of its own
                    page.goto(path.as_uri())
                    assert_for_everybody(page, f"{path.name} {width}")
