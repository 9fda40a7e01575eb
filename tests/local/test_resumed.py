"""Solving that was stopped goes on where it was, and two processes do not solve the same part."""

from contextlib import ExitStack
from functools import partial
from pathlib import Path
from typing import Any

import chess
import pytest

from tbgen.beyond.local import attempt as attempts
from tbgen.beyond.local import solve as solving
from tbgen.beyond.local.attempt import Means, attempt
from tbgen.beyond.local.choose import Part, make_plan
from tbgen.beyond.local.complete import CompleteTables
from tbgen.beyond.local.files import Shelf
from tbgen.beyond.local.solve import solve_plan
from tbgen.beyond.local.stages import Cost
from tbgen.cli.main import main
from tbgen.core.position import goal
from tbgen.errors import OutOfRoom
from tbgen.generate import workspace as workspaces
from tbgen.generate.workspace import STARTS_OVER, Workspace
from tbgen.index.exits import Exits
from tbgen.probe import open_tablebase
from tbgen.retro.checkpoint import Counts
from tbgen.retro.job import Solved
from tbgen.store import building, list_tables
from tbgen.store.leftovers import find_leftovers, tidy
from tbgen.store.local import list_local
from tbgen.system import thresholds
from tests.support.local_tables import ALL, BOTH_RACE, MEMORY, links, parts_of
from tests.support.stopped import Enough

pytestmark = pytest.mark.usefixtures("no_bundle")


def plan_of(place: Path) -> list[Part]:
    """Two parts: the position's own, and KPvK."""
    return make_plan(chess.Board(BOTH_RACE), [material for _, material, _ in list_tables(place)], 100_000)


@pytest.fixture
def place(small_tables: Path, tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    """A directory of tables; every slice is made safe at once."""
    links(small_tables, tmp_path, ALL)
    monkeypatch.setattr(thresholds, "KEPT_FROM", 0)
    monkeypatch.setattr(workspaces, "_WAIT", -1.0)
    monkeypatch.setattr(attempts, "plans", lambda board, means: iter([(plan_of(means.directory), Cost(0, 0, 0))]))
    return tmp_path


@pytest.fixture
def solved(monkeypatch: pytest.MonkeyPatch) -> list[int]:
    """The slices that are solved, of whatever part."""
    found = list[int]()
    call = Workspace.solved

    def noted(workspace: Workspace, part: int, counts: Counts) -> None:
        found.append(part)
        call(workspace, part, counts)

    monkeypatch.setattr(Workspace, "solved", noted)
    return found


def solve(place: Path, stop_after: int = 0, *, resumes: bool = True) -> None:
    """Solve and keep the parts of a position; stop after so many reports of numbers that were solved."""
    told = 0

    def report(numbers: int) -> None:
        nonlocal told
        told += numbers > 0
        if told == stop_after > 0:
            raise Enough

    board, means = chess.Board(BOTH_RACE), Means(place, MEMORY, 3600, 1, keeps=True, resumes=resumes)
    with open_tablebase(place) as tables:
        attempt(board, goal(board), tables, means, report=report)


def files(place: Path) -> dict[str, bytes]:
    return {one.path.name: one.path.read_bytes() for one in list_local(place)}


def test_what_is_of_no_use_is_said(place: Path, solved: list[int], monkeypatch: pytest.MonkeyPatch) -> None:
    said = list[str]()
    with pytest.raises(Enough):
        solve(place, 21)
    half = len(solved)
    monkeypatch.setattr(workspaces, "__version__", "another")
    with open_tablebase(place) as tables:
        board, means = chess.Board(BOTH_RACE), Means(place, MEMORY, 3600, 1, keeps=True, resumes=True)
        attempt(board, goal(board), tables, means, remark=said.append)
    assert said == [f"KPvKP: {STARTS_OVER}"]
    assert len(solved) > 2 * half


@pytest.mark.parametrize("stop_after", [1, 7, 21, 30])
def test_it_goes_on(
    stop_after: int,
    place: Path,
    tmp_path_factory: pytest.TempPathFactory,
    small_tables: Path,
    solved: list[int],
    capsys: pytest.CaptureFixture[str],
) -> None:
    elsewhere = tmp_path_factory.mktemp("elsewhere")
    links(small_tables, elsewhere, ALL)
    solve(elsewhere)
    whole = len(solved)
    solved.clear()
    with pytest.raises(Enough):
        solve(place, stop_after)
    before = len(solved)
    assert 0 < before < whole
    assert [one.resumable for one in find_leftovers(place)] == [True] * len(find_leftovers(place))
    if find_leftovers(place):
        assert main(["info", "--tables", str(place)]) == 0
        assert "the same tbgen solve --keep goes on with it; if nobody wants it, remove " in capsys.readouterr().out
    solve(place)
    assert whole <= len(solved) <= whole + 1, "the last slice may not have been made safe"
    assert files(place) == files(elsewhere)
    assert not find_leftovers(place)


def test_it_begins_anew_where_a_complete_table_is_another(
    place: Path, solved: list[int], monkeypatch: pytest.MonkeyPatch
) -> None:
    with pytest.raises(Enough):
        solve(place, 7)
    for one in list_local(place):
        one.path.unlink()
    before = len(solved)
    monkeypatch.setattr(CompleteTables, "sha256_of", lambda tables, material: "0" * 64)
    solve(place)
    again = len(solved) - before
    solved.clear()
    for one in list_local(place):
        one.path.unlink()
    solve(place)
    assert again == len(solved)


def test_nothing_stays_that_nobody_goes_on_with(place: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    with pytest.raises(Enough):
        solve(place, 7, resumes=False)
    assert not find_leftovers(place)
    with pytest.raises(Enough):
        solve(place, 7)
    assert find_leftovers(place)
    tidy(place)
    assert find_leftovers(place), "it may be gone on with"

    def cramped(*words: object, **options: object) -> Solved:
        raise OutOfRoom("there is no room")

    monkeypatch.setattr(solving, "solve_table", cramped)
    with pytest.raises(OutOfRoom):
        solve(place)
    assert not [one for one in find_leftovers(place) if one.resumable]


def test_what_nobody_needs_any_more_is_removed(place: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """A process may be killed between the last table and the end of its workspace."""
    put = Shelf.put

    def last(shelf: Shelf, *words: Any) -> None:
        put(shelf, *words)
        raise Enough

    with monkeypatch.context() as killed:
        killed.setattr(Shelf, "put", last)
        while True:
            try:
                solve(place)
            except Enough:
                continue
            break
    assert find_leftovers(place)
    assert main(["solve", "--keep", "-q", "--tables", str(place), BOTH_RACE]) == 0
    assert not find_leftovers(place)


def test_a_part_that_another_process_solves_is_waited_for(place: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    plan = plan_of(place)
    assert len(plan) > 1
    solve_plan(plan, partial(parts_of, place), shelf=Shelf(place, writes=True))
    whole = files(place)
    others = [one.path for one in list_local(place, plan[0].material.normal)]
    for name in whole:
        (place / "local" / name).unlink()
    materials = list[str]()
    call = solving.solve_table

    def noted(exits: Exits, **options: Any) -> Solved:
        materials.append(str(exits.layout.material))
        return call(exits, **options)

    monkeypatch.setattr(solving, "solve_table", noted)
    with ExitStack() as other:
        for path in others:
            other.enter_context(building(path))
        told = list[int]()

        def report(numbers: int) -> None:
            told.append(numbers)
            if told == [0, 0]:
                for path in others:
                    path.write_bytes(whole[path.name])
                other.close()

        solve_plan(plan, partial(parts_of, place), shelf=Shelf(place, writes=True), report=report)
    assert told[:2] == [0, 0]
    assert str(plan[0].material.normal) not in materials
    assert materials
    assert files(place) == whole
    with building(others[0]):

        def impatient(numbers: int) -> None:
            raise Enough

        others[0].unlink()
        with pytest.raises(Enough):
            solve_plan(plan, partial(parts_of, place), shelf=Shelf(place, writes=True), report=impatient)
