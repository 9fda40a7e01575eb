"""Machine code is kept for as long as nothing has changed that it depends on, and no shorter."""

import ast
from pathlib import Path
from typing import NamedTuple
from unittest.mock import Mock

import numpy as np
import pytest
from numba.core.caching import NullCache
from numpy.typing import NDArray

from tbgen.board.moves import list_moves
from tbgen.compiler import code_cache, jit
from tbgen.compiler.jit import SOLVER, STORE, VERIFIER, group_of, inlined, kernel
from tbgen.compiler.references import Reference
from tbgen.index.kernels import locate
from tbgen.retro.sweep.levels import sweep
from tbgen.store.write.kernels import find_kinds
from tbgen.system import locations
from tbgen.verify.compare import check_all
from tests.support.runs import tbgen

ROOT = Path(jit.__file__).parents[1]


def room_of(path: Path) -> str:
    return path.relative_to(ROOT).parts[0].removesuffix(".py")


def modules_with_kernels() -> list[Path]:
    return [
        path
        for path in sorted(ROOT.rglob("*.py"))
        if "tbgen.compiler.jit" in imported(path) and path.name != "__init__.py"
    ]


def imported(path: Path) -> set[str]:
    """The modules of the package that it imports names from."""
    nodes = [node for node in ast.walk(ast.parse(path.read_text())) if isinstance(node, ast.ImportFrom)]
    return {str(node.module) for node in nodes if str(node.module).startswith("tbgen")}


def files_of(module: str) -> set[Path]:
    """Return the file of a module, or the files of a package with its own names."""
    path = ROOT.joinpath(*module.split(".")[1:])
    return {path.with_suffix(".py"), path / "__init__.py"}


def test_solver_verifier_and_files_have_a_digest_each() -> None:
    solver, verifier, store = ({room_of(path) for path in group.files} for group in (SOLVER, VERIFIER, STORE))
    assert solver - verifier == solver - store == {"retro"}
    assert verifier - solver == {"verify"}
    assert store - solver == {"store"}
    assert {"compiler", "core", "board", "index"} <= solver & verifier & store
    assert len({SOLVER.digest, VERIFIER.digest, STORE.digest}) == 3


def test_an_edit_changes_the_digests_of_what_is_built_on_it(tmp_path: Path) -> None:
    before = tmp_path / "kernels.py"
    before.write_text("A = 1\n")
    digest = jit._digest([before])
    before.write_text("A = 2\n")
    assert jit._digest([before]) != digest


@pytest.mark.parametrize("path", modules_with_kernels(), ids=lambda path: str(path.relative_to(ROOT)))
def test_all_that_kernels_take_constants_from_is_in_their_digest(path: Path) -> None:
    """Constants are part of the machine code, wherever they are defined."""
    module = ".".join(["tbgen", *path.relative_to(ROOT).with_suffix("").parts])
    if not any(path in group.files for group in (SOLVER, VERIFIER, STORE, group_of("research.clock"))):
        assert module.startswith("tbgen.generate.")  # which has none, and asks for digests and places
        return
    files = set(group_of(module).files)
    assert not [name for name in imported(path) if not files.intersection(files_of(name))]


def test_machine_code_lies_with_its_group() -> None:
    def place(compiled: object) -> Path:
        return Path(compiled._cache.cache_path)  # type: ignore[attr-defined]

    assert place(sweep) == SOLVER.cache
    assert place(check_all) == VERIFIER.cache
    assert place(find_kinds) == STORE.cache
    common = {place(kernel(lambda: 1)), place(list_moves), place(locate)}
    assert len(common) == 1
    assert not common & {SOLVER.cache, VERIFIER.cache, STORE.cache}


def test_a_kernel_goes_into_its_callers_where_it_says_so(monkeypatch: pytest.MonkeyPatch) -> None:
    """Not where one that calls it does; and once for all numbers of a kind, constants among them."""
    monkeypatch.setattr(
        code_cache, "CodeCache", lambda place, function: NullCache()
    )  # what is kept is not compiled again

    @kernel
    def next_of(number):
        return number + 1

    @inlined
    def twice_next(number):
        return next_of(number) + next_of(7)

    @kernel
    def sum_of_both(number):
        return twice_next(number) + twice_next(2)

    assert sum_of_both(5) == (5 + 1 + 8) + (2 + 1 + 8)
    for called, goes_in in ((next_of, False), (twice_next, True)):
        (translated,) = called._for_kernels.overloads.values()  # type: ignore[attr-defined]
        assert translated.fndesc.inline is goes_in


class _Inner(NamedTuple):
    numbers: NDArray[np.int64]
    first: int


class _Outer(NamedTuple):
    inner: _Inner
    rows: tuple[NDArray[np.int64], NDArray[np.int64]]
    worth: float


class _Pair(NamedTuple):
    low: int
    high: int


def test_a_bundle_of_arrays_is_passed_by_reference(monkeypatch: pytest.MonkeyPatch) -> None:
    """Whether it comes from Python, lies in another one or is made by a kernel; one of numbers is passed by value."""
    monkeypatch.setattr(code_cache, "CodeCache", lambda place, function: NullCache())

    @kernel
    def first_of(inner):
        numbers, first = inner
        return numbers[first]

    @kernel
    def turned(pair):
        return _Pair(pair.high, pair[0])

    @kernel
    def add_up(outer, pair):
        made = _Inner(outer.rows[1], 0)
        outer.rows[0][0] = first_of(outer.inner) + first_of(made)
        both = turned(pair)
        return 10 * both.low + both.high + outer.worth

    outer = _Outer(_Inner(np.arange(5, 9), 2), (np.zeros(1, np.int64), np.array([40])), 0.5)
    for worth in (0.5, 1.5):
        assert add_up(outer._replace(worth=worth), _Pair(1, 2)) == 21 + worth
        assert outer.rows[0][0] == 47
    for called, by_reference in ((first_of, True), (turned, False)):
        ((given,),) = called._for_kernels.overloads  # type: ignore[attr-defined]
        assert isinstance(given, Reference) is by_reference
    ((whole, pair),) = add_up.overloads  # type: ignore[attr-defined]
    assert isinstance(whole, Reference)
    assert not isinstance(pair, Reference)


def test_an_index_counts_from_the_start(monkeypatch: pytest.MonkeyPatch) -> None:
    """One before a part of an array is what lies there, not the last of the part."""
    monkeypatch.setattr(code_cache, "CodeCache", lambda place, function: NullCache())

    @kernel
    def move(numbers, index, to):
        numbers[to] = numbers[index]

    @kernel
    def move_in_row(rows, index, to):
        rows[1, to] = rows[1, index]

    numbers = np.arange(10)
    move(numbers[4:8], -1, -2)
    assert numbers.tolist() == [0, 1, 3, 3, 4, 5, 6, 7, 8, 9]
    rows = np.arange(6).reshape(2, 3)
    move_in_row(rows, -1, -2)
    assert rows.tolist() == [[0, 2, 2], [3, 4, 5]]


@pytest.mark.full
def test_no_kernel_reads_or_writes_beside_its_arrays(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("NUMBA_BOUNDSCHECK", "1")
    monkeypatch.setenv("TBGEN_CACHE", str(tmp_path / "cache"))
    tables, packed = tmp_path / "tables", tmp_path / "packed"
    packed.mkdir()

    def run(*words: str | Path) -> None:
        found = tbgen(*words, "--tables", tables)
        assert found.returncode == 0, found.stderr

    for rules in ("r", "wg"):
        run("build", "--all", "3", "KPvKP", "--rules", rules, "--quiet")
        run("verify", "--rules", rules)
        run("pack", "KQvK", "KPvK", "--rules", rules, "--quiet", "-o", packed)
    run("report", "all", "KQvK", "KPvK")
    run("report", "compare", "--rules", "r", "wg")
    run("unpack", "--check", "--quiet", *sorted(packed.iterdir()))


def test_a_user_whom_the_system_does_not_know(monkeypatch: pytest.MonkeyPatch) -> None:
    for name in ("XDG_CONFIG_HOME", "XDG_CACHE_HOME", "TBGEN_CACHE"):
        monkeypatch.delenv(name, raising=False)
    monkeypatch.setattr(Path, "home", Mock(side_effect=RuntimeError("Could not determine home directory.")))
    assert locations.hosts_file() == Path("/.config/tbgen/from")
    assert jit.cache_home() == Path("/.cache/tbgen")
