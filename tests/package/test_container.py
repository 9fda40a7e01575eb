"""The container file. Its commands are run here without a container: directories stand for those of the image."""

import json
import os
import re
import shutil
import subprocess
import sys
from collections.abc import Iterator
from pathlib import Path

import pytest

from tests.support.places import ROOT
from tests.support.runs import BISHOP

FILE = ROOT / "Containerfile"
IGNORED = ROOT / ".dockerignore"
LINTER = Path(sys.executable).with_name("hadolint")


def instructions(name: str) -> list[str]:
    """What follows each of these instructions, on one line."""
    text = FILE.read_text().replace("\\\n", " ")
    return [" ".join(line.split()) for line in re.findall(rf"^{name} (.*)$", text, re.MULTILINE)]


def for_pip() -> Iterator[str]:
    """The commands that pip runs; the others make the user and the directories of the image."""
    for line in instructions("RUN"):
        for command in line.split(" && "):
            if command.startswith("pip "):
                yield command
            else:
                assert command.split()[0] in ("useradd", "install")


def context() -> list[str]:
    """What the image's context has."""
    return [line[2:] for line in IGNORED.read_text().splitlines() if line.startswith("!/")]


def test_the_linter_has_nothing_to_say() -> None:
    run = subprocess.run([LINTER, FILE], capture_output=True, text=True, check=False)
    assert (run.returncode, run.stdout) == (0, "")


def test_what_is_copied_is_there() -> None:
    """The context has what the package is made of, and no environment, tables or history."""
    assert "*" in IGNORED.read_text().splitlines()
    assert context() == [
        "LICENSE",
        "LICENSE-DATA",
        "README.md",
        "pyproject.toml",
        "tbgen",
        "clients/js/rmtb.js",
        "docs/man",
    ]
    assert instructions("COPY") == [". /src", "--from=wheel /wheel /wheel"]
    assert len(list(for_pip())) == 2


@pytest.mark.full
def test_its_commands_give_a_program_that_answers_and_builds(tmp_path: Path) -> None:
    """The wheel is made from the context, and installed into a fresh environment. Needs the network."""
    for name in context():
        place = tmp_path / "src" / name
        if (ROOT / name).is_dir():
            shutil.copytree(ROOT / name, place, ignore=shutil.ignore_patterns("__pycache__"))
        else:
            place.parent.mkdir(parents=True, exist_ok=True)
            shutil.copy(ROOT / name, place)
    subprocess.run([sys.executable, "-m", "venv", tmp_path / "env"], check=True)
    variables = dict(line.split("=") for words in instructions("ENV") for line in words.split())
    assert set(variables) == {"TBGEN_TABLES", "TBGEN_CACHE"}
    kept = {name: value for name, value in os.environ.items() if not name.startswith(("PYTHON", "TBGEN"))}
    environment = {**kept, **{name: f"{tmp_path}{place}" for name, place in variables.items()}}
    environment["PATH"] = f"{tmp_path / 'env' / 'bin'}:{environment['PATH']}"

    def run(command: str) -> str:
        done = subprocess.run(
            ["bash", "-c", command],
            cwd=tmp_path,
            env=environment,
            capture_output=True,
            text=True,
            timeout=900,
            check=False,
        )
        assert done.returncode == 0, done.stdout + done.stderr
        return done.stdout

    for command in for_pip():
        run(re.sub(r"(?<![\w.])(/src|/wheel)\b", rf"{tmp_path}\1", command))
    shutil.rmtree(tmp_path / "src")
    (entry,) = map(json.loads, instructions("ENTRYPOINT"))
    assert entry == ["tbgen"]
    assert run("command -v tbgen") == f"{tmp_path}/env/bin/tbgen\n"
    assert "G1.5" in run(f"tbgen probe -q '{BISHOP}'")
    assert not (tmp_path / "tables").exists()
    run("tbgen build KvK -q")
    assert (tmp_path / "tables" / "KvK.r.h5").exists()
    assert list((tmp_path / "cache").glob("kernels-*"))
    rows = [json.loads(line) for line in run("tbgen info --json").splitlines()]
    assert [row["bundled"] for row in rows] == [False] + [True] * 11
    assert "KvK (r): says the same" in run(f"tbgen verify --digests {ROOT / 'docs' / 'digests.txt'}")
    assert "COMMAND" in run("tbgen --help")
    run("python -c 'import starlette, distributed'")
