"""What README.md and docs/ tell a reader to type works, what they link to is there, and what they draw is true."""

import json
import os
import re
import shlex
import subprocess
import sys
from copy import deepcopy
from pathlib import Path
from typing import Any

import chess
import pytest
from notebooks import run

from tbgen import open_tablebase
from tbgen._version import __version__
from tbgen.cli.main import COMMANDS, main
from tbgen.core.outcome import held_by_black, held_by_white, text
from tbgen.core.position import level
from tbgen.store.format.head import FORMAT
from tests.support.places import ROOT

PAGES = sorted([*ROOT.glob("*.md"), *(ROOT / "docs").glob("*.md"), *(ROOT / "research").rglob("README.md")])


def blocks(page: Path, language: str) -> list[str]:
    """The fenced blocks of a page in a language ("" for none)."""
    return re.findall(rf"^```{language}\n(.*?)^```", page.read_text(), re.MULTILINE | re.DOTALL)


@pytest.fixture
def tables(small_tables: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    directory = small_tables
    monkeypatch.setenv("TBGEN_TABLES", str(directory))
    return directory


def test_the_first_command_answers_at_once(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    monkeypatch.delenv("TBGEN_TABLES", raising=False)
    monkeypatch.chdir(tmp_path)
    (command, _), answer = (block.splitlines() for block in blocks(ROOT / "README.md", "")[:2])
    name, *words = shlex.split(command)
    assert name == "scripts/tbgen"
    assert main(words) == 0
    assert capsys.readouterr().out.splitlines() == answer


@pytest.mark.skipif(not (ROOT / ".ci").exists(), reason="a source distribution has no CI")
def test_the_second_command_is_what_ci_runs() -> None:
    _, command = blocks(ROOT / "README.md", "")[0].splitlines()
    assert os.access(ROOT / command, os.X_OK)
    assert f'\n{command} "$@"\n' in (ROOT / ".ci" / "run").read_text()


def test_the_example_in_python(tables: Path, capsys: pytest.CaptureFixture[str]) -> None:
    (code,) = blocks(ROOT / "README.md", "python")
    exec(code.replace('"data"', repr(str(tables))), {})
    gscore, dtg, *_ = capsys.readouterr().out.split()
    assert (gscore, dtg) == ("G1.5", "4")


def test_the_example_in_python_has_the_right_types(tmp_path: Path) -> None:
    (code,) = blocks(ROOT / "README.md", "python")
    (tmp_path / "example.py").write_text(code)
    words = [tmp_path / "example.py"]  # with the cache of the check of the whole
    run = subprocess.run([sys.executable, "-m", "mypy", *words], cwd=ROOT, capture_output=True, text=True, check=False)
    assert run.returncode == 0, run.stdout


@pytest.mark.parametrize("notebook", sorted((ROOT / "docs" / "examples").glob("*.ipynb")), ids=lambda path: path.name)
def test_a_notebook_shows_what_its_cells_come_to(notebook: Path, tables: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """All but plots, which another matplotlib draws with other bytes."""
    monkeypatch.setenv("MPLBACKEND", "agg")
    kept = json.loads(notebook.read_text())
    again = deepcopy(kept)
    for cell in again["cells"]:
        cell["source"] = [line.replace('"data"', repr(str(tables))) for line in cell["source"]]
    run(again)
    assert [_comparable(cell) for cell in again["cells"]] == [_comparable(cell) for cell in kept["cells"]]
    kinds = {kind for cell in kept["cells"] for output in cell.get("outputs", ()) for kind in output.get("data", ())}
    assert kinds == {"text/plain", "text/html", "image/svg+xml"}


def _comparable(cell: dict[str, Any]) -> list[Any]:
    outputs = cell.get("outputs", ())
    return [output["output_type"] if output["output_type"] == "display_data" else output for output in outputs]


def test_solving_in_python(capsys: pytest.CaptureFixture[str]) -> None:
    (code,) = blocks(ROOT / "docs" / "beyond.md", "python")
    exec(code, {})
    assert capsys.readouterr().out == "-G3.0 -G3.0 True 0\n"


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


def drawing(fen: str, directory: Path) -> list[str]:
    """A staircase as docs/theory.md draws it: a column for each record, a row for each outcome."""
    board = chess.Board(fen)
    levels = range(2, level(board) + 1)
    records = [text(held_by_white(h)) for h in levels] + [text(held_by_black(h)) for h in reversed(levels)]
    with open_tablebase(directory) as tablebase:
        found = [tablebase.probe(board, record) for record in records]

    def cell(row: str, column: int) -> str:
        if found[column].gscore == row:
            return str(found[column].dtg)
        return "." if records[column] == row else ""

    lines = [f"{'record':<8}" + "".join(f"{record.strip('-G'):>4}" for record in records)]
    lines += [f"{row:<8}" + "".join(f"{cell(row, at):>4}" for at in range(len(records))) for row in records]
    return [line.rstrip() for line in lines]


def test_the_staircase_that_theory_draws(tables: Path) -> None:
    page = ROOT / "docs" / "theory.md"
    (block,) = blocks(page, "staircase")
    (fen,) = re.findall(r"`(\S+ [wb] - - 0 1)`", page.read_text())
    assert block.splitlines()[1:] == drawing(fen, tables)


@pytest.mark.parametrize("page", PAGES, ids=lambda page: str(page.relative_to(ROOT)))
def test_probes_within_the_text(page: Path, tables: Path, capsys: pytest.CaptureFixture[str]) -> None:
    for command in re.findall(r'`tbgen (probe "[^`]+)`', page.read_text()):
        assert main(shlex.split(command)) == 0, command


def local_links(page: Path) -> set[Path]:
    targets = re.findall(r"\]\(([^)#]+)", page.read_text())
    return {(page.parent / target).resolve() for target in targets if "://" not in target}


@pytest.mark.parametrize("page", PAGES, ids=lambda page: str(page.relative_to(ROOT)))
def test_links_lead_somewhere(page: Path) -> None:
    for target in local_links(page):
        assert target.exists(), target


def test_every_page_can_be_reached_from_the_readme() -> None:
    reached, todo = set[Path](), [ROOT / "README.md"]
    while todo:
        page = todo.pop()
        reached.add(page)
        todo += [target for target in local_links(page) if target in PAGES and target not in reached]
    assert reached >= set(PAGES)


@pytest.mark.parametrize("page", PAGES, ids=lambda page: str(page.relative_to(ROOT)))
def test_scripts_and_tests_that_pages_name_exist(page: Path) -> None:
    for name in re.findall(r"`(scripts/\w[\w.-]*|(?:tests|research)/[\w/]+\.py\b)", page.read_text()):
        assert (ROOT / name).exists(), name


MAP = ROOT / "docs" / "architecture.md"


def test_modules_and_functions_on_the_way_exist() -> None:
    steps = re.findall(r"^\| .* \| `(\w+/[\w/]+\.py)` \| `(\w+)` \|$", MAP.read_text(), re.MULTILINE)
    assert len(steps) > 30
    for name, thing in steps:
        source = (ROOT / "tbgen" / name.removeprefix("tbgen/")).read_text()
        assert re.search(rf"^ *(?:(?:async )?def|class) {thing}\b", source, re.MULTILINE), f"{name}: {thing}"


def test_modules_that_the_map_names_exist() -> None:
    for name in re.findall(r"`(\w+/[\w/]+\.py)`", MAP.read_text()):
        assert (ROOT / name).exists() or (ROOT / "tbgen" / name).exists(), name


def test_the_build_that_the_map_follows_has_as_many_tables(tmp_path: Path) -> None:
    from tbgen.core.material import parse
    from tbgen.generate.plan import make_plan

    assert len(make_plan([parse("KRvKP")], tmp_path, "r").todo) == 11
    assert "the eleven tables that KRvKP needs" in MAP.read_text()


def test_versions_have_a_history() -> None:
    assert re.findall(r"^## (\S+)", (ROOT / "CHANGELOG.md").read_text(), re.MULTILINE)[0] == __version__
    history = (ROOT / "docs" / "format.md").read_text().partition("## History")[2]
    assert "| {}.{} |".format(*FORMAT) in history


@pytest.mark.parametrize("page", PAGES, ids=lambda page: str(page.relative_to(ROOT)))
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
