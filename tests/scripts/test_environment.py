"""When `.venv` is made, added to and made again: with an interpreter that only notes what pip is asked for."""

import os
import shutil
import subprocess
from pathlib import Path

import pytest

from tests.support.places import ROOT

INTERPRETER = """#!/bin/sh
case $* in
    *sys.version_info*) echo "$0" ;;
    *'import pip, venv'*) ;;
    '-m venv '*) mkdir -p "$4/bin" && ln -s "$0" "$4/bin/python" ;;
    *'-m pip '*)
        for project; do :; done
        echo "${project##*/}" >>"$INSTALLED"
        eval "${PIP_DOES:-}"
        printf '#!/bin/sh\necho "the program: $*"\n' >"${4%/python}/tbgen"
        chmod +x "${4%/python}/tbgen"
        ;;
    *-m*compileall*) ;;
    *) echo "a script" ;;
esac
"""


class Checkout:
    def __init__(self, root: Path) -> None:
        self.root = root
        (root / "scripts").mkdir(parents=True)
        for name in ("environment.sh", "tbgen", "bench"):
            shutil.copy(ROOT / "scripts" / name, root / "scripts")
        (root / "pyproject.toml").write_text("[project]\n")
        self._bin = root.parent / "bin"
        self._bin.mkdir()
        (self._bin / "python3").write_text(INTERPRETER)
        (self._bin / "python3").chmod(0o755)
        self._installed = root.parent / "installed"

    def call(self, words: str, pip_does: str = "") -> subprocess.CompletedProcess[str]:
        environment = {
            "PATH": f"{self._bin}:{os.environ['PATH']}", "INSTALLED": str(self._installed), "PIP_DOES": pip_does,
        }  # fmt: skip
        name, *rest = words.split()
        return subprocess.run(
            [self.root / "scripts" / name, *rest], env=environment, capture_output=True, text=True, check=False
        )

    def installs(self, words: str) -> list[str]:
        """What pip is asked for by a call that goes well, without the checkout's name."""
        before = self._lines()
        done = self.call(words)
        assert done.returncode == 0, done.stderr
        assert done.stdout == ("the program: " + words[6:] + "\n" if words.startswith("tbgen ") else "a script\n")
        asked = [line.removeprefix(self.root.name) for line in self._lines()[len(before) :]]
        said = [
            line for line in done.stderr.splitlines() if "waiting" not in line
        ]  # for a pip that outlived its script
        assert len(said) == len(asked), done.stderr
        return asked

    def _lines(self) -> list[str]:
        return self._installed.read_text().splitlines() if self._installed.exists() else []


@pytest.fixture
def checkout(tmp_path: Path) -> Checkout:
    return Checkout(tmp_path / "a checkout")


def test_the_program_first_and_what_development_takes_later(checkout: Checkout) -> None:
    assert checkout.installs("tbgen probe x") == [""]
    assert checkout.installs("tbgen build KvK") == []
    assert checkout.installs("bench warm") == ["[dev]"]
    assert checkout.installs("tbgen serve") == checkout.installs("tbgen build --workers 2") == []


def test_development_at_once(checkout: Checkout) -> None:
    assert checkout.installs("bench warm") == ["[dev]"]
    assert checkout.installs("tbgen probe x") == checkout.installs("tbgen serve") == []


@pytest.mark.parametrize(
    ("words", "extra"),
    [
        ("serve", "[serve]"),
        ("serve --port 0", "[serve]"),
        ("build KvK --workers 2", "[cluster]"),
        ("build --workers=2 KvK", "[cluster]"),
        ("build KvK --scheduler tcp://host:8786", "[cluster]"),
        ("solve --keep --workers 2 FEN", "[cluster]"),
        ("solve --keep --scheduler=tcp://host:8786 FEN", "[cluster]"),
        ("serve --help", ""),
        ("build -h", ""),
        ("plan --all 6 --workers 16", ""),
        ("probe serve", ""),
    ],
)
def test_a_command_brings_what_it_needs(checkout: Checkout, words: str, extra: str) -> None:
    assert checkout.installs(f"tbgen {words}") == [extra]
    assert checkout.installs(f"tbgen {words}") == []


def test_extras_add_up_and_stay_when_the_project_changes(checkout: Checkout) -> None:
    assert checkout.installs("tbgen serve") == ["[serve]"]
    assert checkout.installs("tbgen build KvK --workers 2") == ["[serve,cluster]"]
    with (checkout.root / "pyproject.toml").open("a") as project:
        project.write("# changed\n")
    assert checkout.installs("tbgen probe x") == ["[serve,cluster]"]
    assert checkout.installs("tbgen serve") == []


def test_without_the_network_what_is_there_goes_on(checkout: Checkout) -> None:
    assert checkout.installs("tbgen probe x") == [""]
    failed = checkout.call("bench warm", "echo 'ERROR: no index'; exit 1")
    assert (failed.returncode, failed.stdout) == (1, "")
    adding, advice = failed.stderr.splitlines()
    assert adding == "tbgen: adding the packages for dev to .venv, once ..."
    assert advice.startswith("tbgen: set-up failed: no index; check the network")
    assert checkout.installs("tbgen probe x") == []
    assert checkout.installs("bench warm") == ["[dev]"]


@pytest.mark.parametrize("begun", ["tbgen probe x", "tbgen serve"])
def test_what_was_killed_half_way_is_made_again(checkout: Checkout, begun: str) -> None:
    assert checkout.installs(begun)
    leftover = checkout.root / ".venv" / "leftover"
    leftover.touch()
    assert checkout.call("bench warm", "kill -KILL $PPID $$").returncode < 0
    assert checkout.installs("tbgen probe x") == [""]
    assert not leftover.exists()


def test_a_stamp_from_before_there_were_extras(checkout: Checkout) -> None:
    """All were installed then: nothing is thrown away."""
    assert checkout.installs("bench warm") == ["[dev]"]
    stamp = checkout.root / ".venv" / "tbgen.stamp"
    place, interpreter, extras, project = stamp.read_text().split("\n", 3)
    assert extras == "dev"
    stamp.write_text("\n".join([place, interpreter, project]))
    (checkout.root / ".venv" / "leftover").touch()
    assert checkout.installs("tbgen probe x") == ["[dev]"]
    assert (checkout.root / ".venv" / "leftover").exists()
