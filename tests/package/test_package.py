"""What a package index and an installer get: the wheel, the source distribution, and what they say of themselves."""

import re
import subprocess
import sys
import tarfile
import zipfile
from email.message import Message
from email.parser import Parser
from pathlib import Path
from typing import NamedTuple

import pytest

import tbgen
from tbgen.store import BUNDLED
from tests.support.places import ROOT


class Packages(NamedTuple):
    wheel: Path
    source: Path

    def in_wheel(self) -> list[str]:
        with zipfile.ZipFile(self.wheel) as archive:
            return archive.namelist()

    def in_source(self) -> list[str]:
        """Without the directory that holds all."""
        with tarfile.open(self.source) as archive:
            return [name.partition("/")[2] for name in archive.getnames()]

    def metadata(self) -> Message:
        with zipfile.ZipFile(self.wheel) as archive:
            (name,) = (name for name in archive.namelist() if name.endswith(".dist-info/METADATA"))
            return Parser().parsestr(archive.read(name).decode())


@pytest.fixture(scope="module")
def packages(tmp_path_factory: pytest.TempPathFactory) -> Packages:
    """The wheel is made from the source distribution, as an installer makes it that finds no wheel."""
    place = tmp_path_factory.mktemp("dist")
    command = [sys.executable, "-m", "build", "--no-isolation", "--outdir", place, ROOT]
    run = subprocess.run(command, capture_output=True, text=True, check=False)
    assert run.returncode == 0, run.stdout + run.stderr
    return Packages(next(place.glob("*.whl")), next(place.glob("*.tar.gz")))


def test_a_package_index_can_show_them(packages: Packages) -> None:
    run = subprocess.run(
        [sys.executable, "-m", "twine", "check", "--strict", *packages], capture_output=True, text=True, check=False
    )
    assert run.returncode == 0, run.stdout
    assert run.stdout.count("PASSED") == 2


def test_the_page_stands_alone(packages: Packages) -> None:
    """README.md begins in a clone; on an index the program is installed first, and links lead out or nowhere."""
    page = packages.metadata().get_payload()
    assert isinstance(page, str)
    install, probe = re.findall(r"^```\n(.*?)^```", page, re.MULTILINE | re.DOTALL)[0].splitlines()
    assert (install, probe.split()[:2]) == ("pip install tbgen", ["tbgen", "probe"])
    links = re.findall(r"\]\(([^)]+)\)", page)
    assert links
    assert all(re.match("https?://", link) for link in links)
    assert "](" not in re.sub(r"\]\(https?://[^)]+\)", "", page)
    assert "## A tour" in page
    assert page.count("## More") == 1


def test_what_it_says_of_itself(packages: Packages) -> None:
    said = packages.metadata()
    assert (said["Name"], said["Version"]) == ("tbgen", tbgen.__version__)
    assert said["License-Expression"] == "GPL-3.0-or-later"
    assert said["Description-Content-Type"] == "text/markdown"
    assert said.get_all("Project-URL")
    versions = {line.rpartition(" ")[2] for line in said.get_all("Classifier") or () if ":: 3." in line}
    assert versions == {"3.11", "3.12", "3.13", "3.14"}


def test_the_wheel_has_the_package_and_nothing_else(packages: Packages) -> None:
    files = (path for path in (ROOT / "tbgen").rglob("*") if path.is_file() and path.suffix != ".pyc")
    names = packages.in_wheel()
    information = f"tbgen-{tbgen.__version__}.dist-info"
    pages = {
        f"tbgen-{tbgen.__version__}.data/data/share/man/man1/{page.name}" for page in (ROOT / "docs" / "man").iterdir()
    }
    assert {name for name in names if not name.startswith(information)} == pages | {
        "tbgen/web/pages/static/rmtb.js",
        *(str(path.relative_to(ROOT)) for path in files),
    }
    assert {name.partition("/")[2] for name in names if name.startswith(information)} == {
        "METADATA", "RECORD", "WHEEL", "entry_points.txt", "licenses/LICENSE", "licenses/LICENSE-DATA",
        "licenses/tbgen/web/pages/static/chessground/LICENSE",
    }  # fmt: skip
    assert {"tbgen/py.typed", "tbgen/generate/__init__.py"} <= set(names)
    assert {f"tbgen/bundled/{path.name}" for path in BUNDLED.iterdir()} <= set(names)


def test_the_source_distribution_has_what_it_takes_to_work_on_it(packages: Packages) -> None:
    rooms = {name.split("/")[0] for name in packages.in_source()}
    assert rooms >= {
        ".dockerignore", ".gitignore", "CHANGELOG.md", "CITATION.cff", "CONTRIBUTING.md", "Containerfile", "LICENSE",
        "LICENSE-DATA", "PKG-INFO",
        "README.md", "docs", "pyproject.toml", "scripts", "tbgen", "tests",
    }  # fmt: skip
    assert not rooms & {".ci", ".git", ".gitattributes", ".venv", "build", "dist", "site"}
    assert {name for name in packages.in_source() if name.startswith("data/")} == {"data/.gitkeep"}
