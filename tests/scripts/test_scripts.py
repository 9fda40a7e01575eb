"""The scripts say what they do when asked, and do nothing at arguments that they do not know."""

import os
import shutil
import subprocess
import sys
from pathlib import Path

import pytest

from tests.support.places import ROOT

SAID = {
    "programs": "a browser, engines, compilers",
    "bundle": "Make the package's own tables anew",
    "site": "scripts/site [DIR]",
    "test": "scripts/test --full",
}
"""By scripts without a parser, of themselves."""


@pytest.fixture
def scripts(tmp_path: Path) -> Path:
    """They stand alone: nothing can be set up or made here, and chromium need not be installed."""
    place = tmp_path / "scripts"
    place.mkdir()
    for name in (*SAID, "environment.sh", "help.sh"):
        shutil.copy(ROOT / "scripts" / name, place)
    (tmp_path / "bin").mkdir()
    (tmp_path / "bin" / "chromium").write_text("#!/bin/sh\n")
    (tmp_path / "bin" / "chromium").chmod(0o755)
    return place


def run(script: Path, *words: str) -> tuple[int, str, str]:
    environment = {"PYTHON": "/nowhere", "PATH": f"{script.parent.parent / 'bin'}:{os.environ['PATH']}"}
    done = subprocess.run(
        ["bash", script, *words], cwd=script.parent, env=environment, capture_output=True, text=True, check=False
    )
    return done.returncode, done.stdout, done.stderr


@pytest.mark.parametrize("name", SAID)
@pytest.mark.parametrize("word", ["-h", "--help"])
def test_help_is_the_comment_at_the_head(scripts: Path, name: str, word: str) -> None:
    code, said, error = run(scripts / name, word)
    assert (code, error) == (0, "")
    assert SAID[name] in said
    assert "#" not in said
    assert "set -e" not in said


@pytest.mark.parametrize(
    ("name", "words"),
    [
        ("programs", "all"),
        ("bundle", "--force"),
        ("site", "--force"),
        ("site", "a b"),
    ],
)
def test_unknown_arguments_are_refused(scripts: Path, name: str, words: str) -> None:
    path = scripts / name
    assert run(path, *words.split()) == (
        2,
        "",
        f"tbgen: {path} does not take: {words} ({path} --help says what it does)\n",
    )


def test_one_word_is_where_the_site_is_made(scripts: Path) -> None:
    assert "PYTHON=/nowhere" in run(scripts / "site", "there")[2]


def test_what_writes_manuals_takes_no_other_options() -> None:
    pytest.importorskip("argparse_manpage")
    command = [sys.executable, ROOT / "scripts" / "man.py"]
    assert subprocess.run([*command, "--help"], capture_output=True, check=True).stdout.startswith(b"usage: scripts/m")
    assert subprocess.run([*command, "--force"], capture_output=True, check=False).returncode == 2
