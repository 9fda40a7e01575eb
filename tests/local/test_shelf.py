"""Which local tables stand in for what a plan would solve, and which are removed when better ones are there."""

from collections.abc import Container, Sequence, Set
from functools import partial
from pathlib import Path

import chess
import numpy as np
import pytest

from tbgen.beyond.local import files
from tbgen.beyond.local.choose import Part, make_plan
from tbgen.beyond.local.files import Shelf
from tbgen.beyond.local.solve import solve_plan
from tbgen.beyond.local.walks import Pawns
from tbgen.core.material import Material, parse
from tbgen.store import TableFile, open_table
from tbgen.store.local import list_local
from tests.support.local_tables import ALL, BLOCKED, keep_all, links, parts_of

pytestmark = pytest.mark.usefixtures("no_bundle")

NEAR = chess.Board("8/8/P2k4/8/8/3K3p/8/8 w - - 4 60")
"""Both pawns may promote where nothing is known, and be taken where KPvK is."""
SMALL = 100_000
"""Numbers: KPvK is solved, what a promotion leads to is not."""


def solve(directory: Path, plan: list[Part]) -> None:
    solve_plan(plan, partial(parts_of, directory), shelf=Shelf(directory, writes=True))


def is_served(directory: Path, plan: Sequence[Part]) -> bool:
    """Whether the position's own part is."""
    return plan[-1].material in Shelf(directory, writes=False).look_up(plan)


def materials(names: str) -> list[Material]:
    return [*map(parse, names.split())]


def test_what_was_solved_with_less_does_not_serve(small_tables: Path, tmp_path: Path) -> None:
    """Nor does it if only what it was solved with was solved with less; and what knows more has another key too."""
    weak, strong = make_plan(NEAR, [], SMALL), make_plan(NEAR, materials(ALL), SMALL)
    alone = make_plan(NEAR, materials(ALL), 0)
    assert (weak[-1].complete, weak[-1].known) == (strong[-1].complete, strong[-1].known)
    links(small_tables, tmp_path, ALL)
    solve(tmp_path, weak)
    assert is_served(tmp_path, weak)
    assert not is_served(tmp_path, strong)
    solve(tmp_path, strong)
    assert is_served(tmp_path, strong)
    assert not is_served(tmp_path, alone)


def test_slices_are_listed_only_where_a_file_has_the_key(
    small_tables: Path, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    """There may be very many."""
    links(small_tables, tmp_path, ALL)
    solve(tmp_path, make_plan(chess.Board("8/8/P2k4/8/8/3K4/8/8 w - - 4 60"), materials(ALL), SMALL))
    plan = make_plan(NEAR, materials(ALL), SMALL)
    asked = list[Material]()
    has_all = files._has_all

    def noted(rows: Container[files.Row], slices: Set[Pawns], **options: bool) -> bool:
        asked.extend(part.material for part in plan if part.slices is slices)
        return has_all(rows, slices, **options)

    monkeypatch.setattr(files, "_has_all", noted)
    found = [*Shelf(tmp_path, writes=False).look_up(plan)]
    assert {*map(str, found)} == {*map(str, asked)} == {"KPvK", "KvKP"}


def test_an_exact_table_serves_whatever_it_was_solved_with(small_tables: Path, tmp_path: Path) -> None:
    links(small_tables, tmp_path, f"{ALL} KPvK")
    solve(tmp_path, make_plan(chess.Board(BLOCKED), materials(f"{ALL} KPvK"), 1 << 40))
    assert is_served(tmp_path, make_plan(chess.Board(BLOCKED), materials(ALL), 1 << 40))


def test_what_others_were_solved_with_is_not_forgotten(small_tables: Path, tmp_path: Path) -> None:
    links(small_tables, tmp_path, ALL)
    keep_all(tmp_path, BLOCKED)
    files = [one.path for one in list_local(tmp_path)]
    (small,) = (one.path for one in list_local(tmp_path, parse("KPvK")))
    shelf = Shelf(tmp_path, writes=True)
    shelf.forget([small])
    assert [one.path for one in list_local(tmp_path)] == files
    shelf.forget(files)
    assert not [*list_local(tmp_path)]


def test_who_forgets_opens_no_table_that_cannot_depend_on_what_is_spare(
    small_tables: Path, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    """A collection may have thousands."""
    links(small_tables, tmp_path, ALL)
    keep_all(tmp_path, BLOCKED)
    (large,), (small,) = (list_local(tmp_path, parse(name)) for name in ("KPvKP", "KPvK"))
    opened: list[Path] = []

    def noted(path: Path) -> TableFile:
        opened.append(path)
        return open_table(path)

    monkeypatch.setattr("tbgen.beyond.local.files.open_table", noted)
    Shelf(tmp_path, writes=True).forget([small.path])
    assert opened == [large.path]
    Shelf(tmp_path, writes=True).forget([large.path])
    assert opened == [large.path]
    assert [*list_local(tmp_path)] == [small]


def test_a_table_that_is_gone_does_not_serve(
    small_tables: Path, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    """Another process may remove one between a look at the directory and one at the file."""
    links(small_tables, tmp_path, ALL)
    plan = make_plan(NEAR, materials(ALL), SMALL)
    solve(tmp_path, plan)
    listed = [*list_local(tmp_path)]
    monkeypatch.setattr("tbgen.beyond.local.files.list_local", lambda tables: listed)
    for one in list_local(tmp_path, plan[-1].material.normal):
        one.path.unlink()
    assert not is_served(tmp_path, plan)


def test_a_table_that_goes_before_it_is_read_is_solved(small_tables: Path, tmp_path: Path) -> None:
    """A part is read when its turn comes, which may be hours after the directory was looked at."""
    links(small_tables, tmp_path, ALL)
    keep_all(tmp_path, BLOCKED)
    plan = make_plan(chess.Board(BLOCKED), materials(ALL), 1 << 40)
    there = Shelf(tmp_path, writes=False).look_up(plan)
    (small,) = list_local(tmp_path, parse("KPvK"))
    wanted = solve_plan(plan, partial(parts_of, tmp_path), there=there).contents[plan[-1].material]
    small.path.unlink()
    found = solve_plan(plan, partial(parts_of, tmp_path), there=there).contents[plan[-1].material]
    assert found.keys() == wanted.keys()
    for bound, contents in found.items():
        assert np.array_equal(contents.entries, wanted[bound].entries)


def test_what_cannot_be_read_does_not_stop_it(small_tables: Path, tmp_path: Path) -> None:
    links(small_tables, tmp_path, ALL)
    keep_all(tmp_path, BLOCKED)
    large, small = (next(list_local(tmp_path, parse(name))).path for name in ("KPvKP", "KPvK"))
    large.write_bytes(b"")
    Shelf(tmp_path, writes=True).forget([small])
    assert [one.path for one in list_local(tmp_path)] == [large]


def test_a_position_and_its_mirror_image_take_locks_in_the_same_order(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    """Else two processes that solve them may wait for each other."""
    taken = list[Path]()
    monkeypatch.setattr(files, "_hold", lambda stack, path, waiting: taken.append(path))
    more = chess.Board("4k3/p7/8/8/8/8/PP6/4K3 w - - 0 1")
    for board in (more, more.mirror()):
        with Shelf(tmp_path, writes=True).solving(make_plan(board, [], 0)[-1], {}, lambda: None):
            pass
    assert taken[:2] == taken[2:]
    assert len({*taken}) == 2
