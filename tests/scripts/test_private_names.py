"""Private names of other packages: they are there, and one module of a package takes them."""

import ast
import re
import tomllib
from pathlib import Path

import chess.engine
import private_names
import pytest
from private_names import TAKEN, Taken

from tests.support.places import ROOT

MODULES = sorted((ROOT / "tbgen").rglob("*.py"))
MANUAL = {
    "numba", "numba.extending", "numba.types", "numba.core", "numba.core.cgutils", "numba.core.compiler",
    "numba.core.compiler_machinery", "numba.core.event", "numba.core.typed_passes", "chess", "chess.engine",
    "chess.pgn", "chess.polyglot", "chess.svg", "chess.syzygy", "chess.variant", "argparse",
}  # fmt: skip
"""Modules that the manuals have."""


def test_all_are_there() -> None:
    for line in private_names.missing():
        pytest.fail(line, pytrace=False)


def test_one_that_is_missing_is_named(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.delattr(chess.engine, "_parse_uci_info")
    (line,) = private_names.missing()
    assert line.endswith(" has no chess.engine._parse_uci_info, which tbgen/referee/match/figures.py takes")


@pytest.mark.parametrize(
    "name",
    [
        "numba.core.codegen:JITCodeLibrary._no_such_module",
        "numba.core.codegen:NoLibrary._final_module",
        "numba.core.no_such:dumps",
        "numba.core.types:Type._no_code",
    ],
)
def test_what_no_version_has_is_missing(name: str) -> None:
    assert not private_names.is_there(name)


def is_private(name: str) -> bool:
    return name.startswith("_") and not name.endswith("__")


def takes(path: Path, package: str, attributes: frozenset[str]) -> bool:
    """Whether a module imports or looks up private names of a package, or one of these attributes of its objects."""
    for node in ast.walk(ast.parse(path.read_text(encoding="utf-8"))):
        if isinstance(node, ast.ImportFrom) and (node.module or "").partition(".")[0] == package:
            if node.module not in MANUAL or any(is_private(name.name) for name in node.names):
                return True
        elif isinstance(node, ast.Attribute) and is_private(node.attr) and isinstance(node.value, ast.Name):
            if node.value.id == package or (node.attr in attributes and node.value.id != "self"):
                return True
    return False


@pytest.mark.parametrize("taken", TAKEN, ids=lambda taken: taken.package)
def test_one_module_takes_them(taken: Taken) -> None:
    package = "argparse" if taken.package == "python" else taken.package
    last = [re.split("[.:]", name)[-1] for name in taken.names]
    attributes = frozenset(filter(is_private, last))
    assert [path for path in MODULES if takes(path, package, attributes)] in ([ROOT / taken.module], [])
    text = (ROOT / taken.module).read_text(encoding="utf-8")
    assert not [name for name in last if name not in text], "what is listed is taken"


@pytest.mark.parametrize("package", [taken.package for taken in TAKEN if taken.package != "python"])
def test_a_package_whose_private_names_are_taken_ends_at_a_minor_version(package: str) -> None:
    dependencies = tomllib.loads((ROOT / "pyproject.toml").read_text(encoding="utf-8"))["project"]["dependencies"]
    (bounds,) = [line for line in dependencies if line.startswith(f"{package}>")]
    assert re.search(r",<\d+\.\d+$", bounds), bounds
