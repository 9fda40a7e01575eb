"""Set-up on a fresh clone, and the packages made from it. Needs git and the network."""

import os
import shutil
import subprocess
import sys
from pathlib import Path

import pytest

import tbgen
from tests.support.places import ROOT

pytestmark = [
    pytest.mark.full,
    pytest.mark.skipif(not (ROOT / ".git").exists(), reason="not a git checkout"),
]


def run(*command: str | Path, cwd: Path, **environment: str) -> subprocess.CompletedProcess[str]:
    return subprocess.run(
        [str(word) for word in command],
        cwd=cwd,
        env=os.environ | environment,
        capture_output=True,
        text=True,
        timeout=600,
        check=False,
    )


@pytest.fixture
def clone(tmp_path: Path) -> Path:
    """A clone of the last commit, at a place with a space in its name."""
    place = tmp_path / "a clone"
    done = run("git", "clone", "--quiet", ROOT, place, cwd=tmp_path)
    assert done.returncode == 0, done.stderr
    return place


def test_first_call_sets_up_once(clone: Path, tmp_path: Path) -> None:
    command = clone / "scripts" / "tbgen"
    first = run(command, "--version", cwd=tmp_path, PYTHON=sys.executable)
    assert first.returncode == 0, first.stderr
    assert tbgen.__version__ in first.stdout
    assert first.stderr.count("\n") == 1, first.stderr
    assert "setting up" in first.stderr

    link = tmp_path / "link"
    link.symlink_to(command)
    second = run(link, "--version", cwd=tmp_path)
    assert (second.returncode, second.stdout, second.stderr) == (0, first.stdout, "")

    with (clone / "pyproject.toml").open("a") as project:
        project.write("\n# changed\n")
    third = run(command, "--version", cwd=tmp_path)
    assert third.returncode == 0, third.stderr
    assert "bringing .venv up to date" in third.stderr
    assert run(command, "--version", cwd=tmp_path).stderr == ""


def test_the_program_has_no_packages_of_development_until_a_script_needs_them(clone: Path) -> None:
    assert run("scripts/tbgen", "--version", cwd=clone, PYTHON=sys.executable).returncode == 0
    has_pytest = (".venv/bin/python", "-c", "import pytest, uvicorn, distributed")
    assert run(*has_pytest, cwd=clone).returncode == 1
    added = run("scripts/man", "--help", cwd=clone)
    assert added.returncode == 0, added.stderr
    assert added.stderr == "tbgen: adding the packages for dev to .venv, once ...\n"
    assert run(*has_pytest, cwd=clone).returncode == 0
    assert run("scripts/tbgen", "--version", cwd=clone).stderr == ""


def test_the_server_brings_what_it_needs(clone: Path) -> None:
    served = run("scripts/tbgen", "serve", "--port", "x", cwd=clone, PYTHON=sys.executable)
    assert served.returncode == 2, served.stderr
    assert run(".venv/bin/python", "-c", "import tbgen.web.server.run", cwd=clone).returncode == 0


def test_half_made_environment_is_made_again(clone: Path) -> None:
    leftover = clone / ".venv" / "leftover"
    leftover.parent.mkdir()
    leftover.touch()
    done = run("scripts/tbgen", "--version", cwd=clone, PYTHON=sys.executable)
    assert done.returncode == 0, done.stderr
    assert not leftover.exists()


def test_two_first_calls_at_once(clone: Path) -> None:
    command = [str(clone / "scripts" / "tbgen"), "--version"]
    environment = os.environ | {"PYTHON": sys.executable}
    calls = [
        subprocess.Popen(command, env=environment, stdout=subprocess.PIPE, stderr=subprocess.PIPE, text=True)
        for _ in range(2)
    ]
    outputs = [call.communicate(timeout=600) for call in calls]
    assert [call.returncode for call in calls] == [0, 0], outputs
    assert sum("setting up .venv, once" in error for _, error in outputs) == 1, outputs


@pytest.mark.parametrize(
    ("variables", "advice"),
    [
        ({"PYTHON": "/nonexistent/python"}, "unset it"),
        ({"PYTHON": sys.executable, "PIP_INDEX_URL": "http://127.0.0.1:9/"}, "network"),
    ],
    ids=["interpreter", "network"],
)
def test_failure_is_one_line_with_advice(clone: Path, variables: dict[str, str], advice: str) -> None:
    offline = {
        "PIP_NO_CACHE_DIR": "1",
        "PIP_CONFIG_FILE": os.devnull,
        "PIP_FIND_LINKS": "",
        "PIP_EXTRA_INDEX_URL": "",
        "PIP_RETRIES": "0",
    }
    done = run("scripts/tbgen", "--version", cwd=clone, **offline, **variables)
    assert done.returncode == 1
    assert done.stdout == ""
    lines = [line for line in done.stderr.splitlines() if "setting up" not in line]
    assert len(lines) == 1, done.stderr
    assert advice in lines[0]


def test_the_wheel_gives_the_command(clone: Path, tmp_path: Path) -> None:
    """Made in an environment of its own, installed into a fresh one; it answers without compiling, builds, and needs no
    clone."""
    out, place, elsewhere = tmp_path / "dist", tmp_path / "installed", tmp_path / "elsewhere"
    done = run(sys.executable, "-m", "build", "--wheel", "--outdir", out, cwd=clone)
    assert done.returncode == 0, done.stdout + done.stderr
    made = run(sys.executable, "-m", "venv", place, cwd=tmp_path)
    assert made.returncode == 0, made.stderr
    done = run(place / "bin" / "pip", "install", "--quiet", *out.glob("*.whl"), cwd=tmp_path)
    assert done.returncode == 0, done.stderr
    shutil.rmtree(clone)
    elsewhere.mkdir()
    command = place / "bin" / "tbgen"
    fresh = {"TBGEN_TABLES": "", "TBGEN_CACHE": str(tmp_path / "cache")}
    assert tbgen.__version__ in run(command, "--version", cwd=elsewhere).stdout
    assert run(command, "probe", "-q", "8/8/8/4KBk1/8/8/8/8 b - - 0 1", cwd=elsewhere, **fresh).stdout == "G1.5 4\n"
    assert not (tmp_path / "cache").exists()
    assert not list(elsewhere.iterdir())
    built = run(command, "build", "KvK", "-q", cwd=elsewhere, TBGEN_TABLES="")
    assert built.returncode == 0, built.stderr
    assert (elsewhere / "data" / "KvK.r.h5").exists()
