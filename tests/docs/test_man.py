"""The manual pages are what the commands say today, and are fit to print."""

import importlib.util
import shutil
import subprocess
from pathlib import Path
from types import ModuleType

import pytest

from tbgen.cli.main import COMMANDS
from tests.support.places import ROOT

PLACE = ROOT / "docs" / "man"
PAGES = sorted(PLACE.glob("*.1"))


@pytest.fixture(scope="module")
def man() -> ModuleType:
    pytest.importorskip("argparse_manpage")
    spec = importlib.util.spec_from_file_location("man", ROOT / "scripts" / "man.py")
    assert spec
    assert spec.loader
    module = importlib.util.module_from_spec(spec)
    spec.loader.exec_module(module)
    return module


def test_every_command_has_a_page() -> None:
    assert {page.name for page in PAGES} == {"tbgen.1", *(f"tbgen-{name}.1" for name in COMMANDS)}


def test_they_are_up_to_date(man: ModuleType) -> None:
    """If not: scripts/man"""
    assert {page.name: page.read_text() for page in PAGES} == man.pages()


@pytest.mark.parametrize("between", [[], [""]])
def test_where_a_list_ends_there_is_one_request(man: ModuleType, between: list[str]) -> None:
    """An empty line beside it would be printed as well."""
    epilog = ["1. one", "   more", "2. two", *between, "Then text.", "", "  as it is"]
    items = [".IP 1. 3", "one", "more", ".IP 2. 3", "two"]
    assert [*man._laid_out(epilog)] == [*items, ".PP", "Then text.", "", ".nf", "  as it is", ".fi"]


@pytest.mark.parametrize("page", PAGES, ids=lambda page: page.name)
def test_a_page_can_be_printed(page: Path) -> None:
    if shutil.which("groff") is None:
        pytest.skip("no groff here")
    words = ["groff", "-man", "-Tutf8", "-ww", "-rLL=78n", page]
    run = subprocess.run(words, capture_output=True, text=True, check=False)
    assert (run.returncode, run.stderr) == (0, "")
    assert "NAME" in run.stdout.replace("\b", "").replace("NNAAMMEE", "NAME")
