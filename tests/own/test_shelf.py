"""Which own tables stand in for what a plan would solve, and which are removed when better ones are there."""

from collections.abc import Sequence
from functools import partial
from pathlib import Path

import chess
import numpy as np
import pytest

from tbgen.material import Material, parse
from tbgen.own.plan import PlannedPart, make_plan
from tbgen.own.shelf import Shelf
from tbgen.own.solve import solve_plan
from tbgen.store import TableFile, open_table
from tbgen.store.own import list_own
from tests.support.own_tables import ALL, BLOCKED, keep_all, links, parts_of

pytestmark = pytest.mark.usefixtures("no_bundle")

NEAR = chess.Board("8/8/P2k4/8/8/3K3p/8/8 w - - 4 60")
"""Both pawns may promote where nothing is known, and be taken where KPvK is."""
SMALL = 100_000
"""Numbers: KPvK is solved, what a promotion leads to is not."""


def solve(directory: Path, plan: list[PlannedPart]) -> None:
    solve_plan(plan, partial(parts_of, directory), shelf=Shelf(directory, writes=True))


def is_served(directory: Path, plan: Sequence[PlannedPart]) -> bool:
    """Whether the position's own part is."""
    return plan[-1].name in Shelf(directory, writes=False).look_up(plan)


def materials(names: str) -> list[Material]:
    return [*map(parse, names.split())]


def test_what_was_solved_with_less_does_not_serve(small_tables: Path, tmp_path: Path) -> None:
    """Nor does it if only what it was solved with was solved with less."""
    weak, strong = make_plan(NEAR, [], SMALL), make_plan(NEAR, materials(ALL), SMALL)
    alone = make_plan(NEAR, materials(ALL), 0)
    assert (weak[-1].complete, weak[-1].known) == (strong[-1].complete, strong[-1].known)
    links(small_tables, tmp_path, ALL)
    solve(tmp_path, weak)
    assert is_served(tmp_path, weak)
    assert not is_served(tmp_path, strong)
    solve(tmp_path, strong)
    for plan in (weak, alone, strong):
        assert is_served(tmp_path, plan)


def test_placements_are_hashed_only_where_a_table_may_be_told_by_it(
    small_tables: Path, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    """There may be very many."""
    links(small_tables, tmp_path, ALL)
    solve(tmp_path, make_plan(chess.Board("8/8/P2k4/8/8/3K4/8/8 w - - 4 60"), materials(ALL), SMALL))
    monkeypatch.setattr("tbgen.own.search.notes_for", None)
    plan = make_plan(NEAR, materials(ALL), SMALL)
    assert [name.material.name for name in Shelf(tmp_path, writes=False).look_up(plan)] == ["KPvK"] * 2


def test_a_part_that_became_a_complete_table_serves(small_tables: Path, tmp_path: Path) -> None:
    links(small_tables, tmp_path, f"{ALL} KPvK")
    solve(tmp_path, make_plan(NEAR, materials(f"{ALL} KPvK"), SMALL))
    assert is_served(tmp_path, make_plan(NEAR, materials(ALL), SMALL))


def test_what_others_were_solved_with_is_not_forgotten(small_tables: Path, tmp_path: Path) -> None:
    links(small_tables, tmp_path, ALL)
    keep_all(tmp_path, BLOCKED)
    files = [one.path for one in list_own(tmp_path)]
    (small,) = (one.path for one in list_own(tmp_path, parse("KPvK")))
    shelf = Shelf(tmp_path, writes=True)
    shelf.forget([small])
    assert [one.path for one in list_own(tmp_path)] == files
    shelf.forget(files)
    assert not [*list_own(tmp_path)]


def test_who_forgets_opens_no_table_that_cannot_depend_on_what_is_spare(
    small_tables: Path, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    """A collection may have thousands."""
    links(small_tables, tmp_path, ALL)
    keep_all(tmp_path, BLOCKED)
    (large,), (small,) = (list_own(tmp_path, parse(name)) for name in ("KPvKP", "KPvK"))
    opened: list[Path] = []

    def noted(path: Path) -> TableFile:
        opened.append(path)
        return open_table(path)

    monkeypatch.setattr("tbgen.own.shelf.open_table", noted)
    Shelf(tmp_path, writes=True).forget([small.path])
    assert opened == [large.path]
    Shelf(tmp_path, writes=True).forget([large.path])
    assert opened == [large.path]
    assert [*list_own(tmp_path)] == [small]


def test_a_table_that_is_gone_does_not_serve(
    small_tables: Path, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    """Another process may remove one between a look at the directory and one at the file."""
    links(small_tables, tmp_path, ALL)
    plan = make_plan(NEAR, materials(ALL), SMALL)
    solve(tmp_path, plan)
    listed = [*list_own(tmp_path)]
    monkeypatch.setattr("tbgen.own.shelf.list_own", lambda tables: listed)
    for one in list_own(tmp_path, plan[-1].name.material):
        one.path.unlink()
    assert not is_served(tmp_path, plan)


def test_a_table_that_goes_before_it_is_read_is_solved(small_tables: Path, tmp_path: Path) -> None:
    """A part is read when its turn comes, which may be hours after the directory was looked at."""
    links(small_tables, tmp_path, ALL)
    keep_all(tmp_path, BLOCKED)
    plan = make_plan(chess.Board(BLOCKED), materials(ALL), 1 << 40)
    there = Shelf(tmp_path, writes=False).look_up(plan)
    (small,) = list_own(tmp_path, parse("KPvK"))
    wanted = solve_plan(plan, partial(parts_of, tmp_path), there=there).contents[plan[-1].name]
    small.path.unlink()
    found = solve_plan(plan, partial(parts_of, tmp_path), there=there).contents[plan[-1].name]
    assert found.keys() == wanted.keys()
    for bound, contents in found.items():
        assert np.array_equal(contents.entries, wanted[bound].entries)


def test_a_table_behind_another_that_is_gone_is_not_asked(
    small_tables: Path, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    """A table knew more than the plan of what promotions lead to; what it knew that from has just been removed."""
    links(small_tables, tmp_path, "KvK KNvK")
    keep_all(tmp_path, NEAR.fen())
    listed = [*list_own(tmp_path)]
    monkeypatch.setattr("tbgen.own.shelf.list_own", lambda tables: listed)
    plan = make_plan(NEAR, materials("KvK KNvK"), SMALL)
    needed = {part.name.material for part in plan}
    for one in listed:
        if one.material not in needed:
            one.path.unlink()
    assert is_served(tmp_path, plan)


def test_what_cannot_be_read_does_not_stop_it(small_tables: Path, tmp_path: Path) -> None:
    links(small_tables, tmp_path, ALL)
    keep_all(tmp_path, BLOCKED)
    large, small = (next(list_own(tmp_path, parse(name))).path for name in ("KPvKP", "KPvK"))
    large.write_bytes(b"")
    Shelf(tmp_path, writes=True).forget([small])
    assert [one.path for one in list_own(tmp_path)] == [large]
