"""What README.md and docs/ tell a reader to type works, and what they link to is there."""

import re
import shlex
from pathlib import Path

import pytest
from small_tables import small_tables

from tbgen.cli.main import COMMANDS, main

ROOT = Path(__file__).parent.parent
PAGES = sorted([ROOT / "README.md", *(ROOT / "docs").glob("*.md")])


def blocks(page: Path, language: str) -> list[str]:
    """The fenced blocks of a page in a language ("" for none)."""
    return re.findall(rf"^```{language}\n(.*?)^```", page.read_text(), re.MULTILINE | re.DOTALL)


@pytest.fixture
def tables(tmp_path_factory: pytest.TempPathFactory, monkeypatch: pytest.MonkeyPatch) -> Path:
    directory = small_tables(tmp_path_factory)
    monkeypatch.setenv("TBGEN_TABLES", str(directory))
    return directory


def test_the_first_two_commands(tables: Path, capsys: pytest.CaptureFixture[str]) -> None:
    commands = blocks(ROOT / "README.md", "")[0].splitlines()
    assert [command.split()[0] for command in commands] == ["scripts/tbgen"] * 2
    for command in commands:
        assert main(shlex.split(command)[1:]) == 0
    assert re.search(r"G1\.5\b.*\b4 plies", capsys.readouterr().out, re.DOTALL)


def test_the_example_in_python(tables: Path, capsys: pytest.CaptureFixture[str]) -> None:
    (code,) = blocks(ROOT / "README.md", "python")
    exec(code.replace('"data"', repr(str(tables))), {})
    gscore, dtg, *_ = capsys.readouterr().out.split()
    assert (gscore, dtg) == ("G1.5", "4")


def test_the_game_in_python(capsys: pytest.CaptureFixture[str]) -> None:
    (code,) = blocks(ROOT / "docs" / "rules.md", "python")
    exec(code, {})
    assert capsys.readouterr().out.splitlines() == [
        "Kh5 G3.5 None 9/16",
        "Kf4 G2.5 None 7/12",
        "Kh6 G2.5 None 7/12",
        "Kg4 G1.5 None 5/8",
        "8/8/7k/5B2/6K1/8/8/8 b - - 11 32 G1.5",
    ]


@pytest.mark.parametrize("page", PAGES, ids=lambda page: page.name)
def test_links_lead_somewhere(page: Path) -> None:
    for target in re.findall(r"\]\(([^)#]+)", page.read_text()):
        if "://" not in target:
            assert (page.parent / target).exists(), target


@pytest.mark.parametrize("page", PAGES, ids=lambda page: page.name)
def test_commands_that_pages_name_exist(page: Path) -> None:
    named = set(re.findall(r"`(?:scripts/)?tbgen ([a-z]+)", page.read_text()))
    assert named <= set(COMMANDS)


@pytest.mark.parametrize("name", COMMANDS)
def test_every_command_teaches_by_example(name: str, capsys: pytest.CaptureFixture[str]) -> None:
    assert main([name, "--help"]) == 0
    words = capsys.readouterr().out
    assert f"tbgen {name}" in words
    assert "example" in words


@pytest.mark.parametrize("name", [name for name in COMMANDS if COMMANDS[name][1]])
def test_the_readme_tours_every_command(name: str) -> None:
    assert f"`tbgen {name}" in (ROOT / "README.md").read_text()
