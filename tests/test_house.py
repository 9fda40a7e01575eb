"""What import-linter does not see of the house: circles of modules, long files, and tests that lean on each other.

The layers themselves stand in pyproject.toml; `lint-imports` compares them.
"""

import ast
import subprocess
import sys
from collections.abc import Iterator
from graphlib import CycleError, TopologicalSorter
from pathlib import Path

import pytest

from tests.support.heaviest import HEAVIEST
from tests.support.places import ROOT

PACKAGE = ROOT / "tbgen"
MODULES = sorted(PACKAGE.rglob("*.py"))
TESTS = sorted([*(ROOT / "tests").rglob("*.py"), *(ROOT / "research").rglob("tests/*.py")])
SUPPORT = ROOT / "tests" / "support"
JUDGES = [*sorted((SUPPORT / "slow_twin").glob("*.py")), SUPPORT / "plain_referee.py", SUPPORT / "placements.py"]
LONGEST_MODULE = 400


def imports(tree: ast.AST) -> Iterator[str]:
    """Yield the full dotted names of everything that is imported."""
    for node in ast.walk(tree):
        match node:
            case ast.Import(names=names):
                yield from (alias.name for alias in names)
            case ast.ImportFrom(module=str(module), names=names, level=0):
                yield from (f"{module}.{alias.name}" for alias in names)


def parsed(path: Path) -> ast.Module:
    return ast.parse(path.read_text(encoding="utf-8"), str(path))


def without_functions(tree: ast.Module) -> ast.Module:
    """Return a module without what its functions do: their imports come later."""
    for node in ast.walk(tree):
        if isinstance(node, ast.FunctionDef | ast.AsyncFunctionDef):
            node.body = [ast.Pass()]
    return tree


def module_of(dotted: str, modules: dict[str, Path]) -> str:
    """Return the module that a dotted name belongs to: itself, or the longest part of it that is one."""
    while dotted not in modules:
        dotted = dotted.rpartition(".")[0]
    return dotted


def test_no_modules_import_each_other() -> None:
    """Nor do several in a circle, within a folder either. What a function imports when it is called is left out."""
    modules = {
        ".".join(path.relative_to(ROOT).with_suffix("").parts).removesuffix(".__init__"): path for path in MODULES
    }
    imported = {
        name: {
            module_of(other, modules)
            for other in imports(without_functions(parsed(path)))
            if other.startswith("tbgen.")
        }
        - {name}
        for name, path in modules.items()
    }
    try:
        TopologicalSorter(imported).prepare()
    except CycleError as error:
        pytest.fail(" imports ".join(reversed(error.args[1])))


def test_modules_are_not_too_long() -> None:
    lengths = {path: len(path.read_text(encoding="utf-8").splitlines()) for path in MODULES}
    assert not {str(path): length for path, length in lengths.items() if length > LONGEST_MODULE}


def test_no_test_imports_another() -> None:
    """What several tests need lies in tests/support."""
    assert not [
        (path, name)
        for path in TESTS
        for name in imports(parsed(path))
        if any(part.startswith("test_") for part in name.split(".")[:-1])
    ]


def test_the_heaviest_tests_are_there() -> None:
    assert not [name for name in HEAVIEST if ROOT / "tests" / name not in TESTS]


def test_a_judge_shares_no_code_with_what_it_judges() -> None:
    assert not [(path, name) for path in JUDGES for name in imports(parsed(path)) if name.startswith("tbgen")]


def test_a_probe_does_not_import_the_compiler() -> None:
    code = """
import sys
import tbgen.cli.main, tbgen.cli.probe, tbgen.probe
heavy = {"numba", "llvmlite", "distributed"} & sys.modules.keys()
assert not heavy, f"imported: {heavy}"
"""
    run = subprocess.run([sys.executable, "-c", code], capture_output=True, text=True, check=False)
    assert run.returncode == 0, run.stderr
