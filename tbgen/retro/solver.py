"""Solving one material: its slices in order, on all threads, with the tables that its resets lead to."""

from collections.abc import Callable, Container, Iterable, Iterator, Mapping
from concurrent.futures import ThreadPoolExecutor
from typing import Final

import numpy as np

from tbgen.core.material import Material
from tbgen.core.table_rules import TableRules
from tbgen.index.atlas import make_atlas
from tbgen.index.exits import Exits, Reached
from tbgen.index.layout import Layout, layout_of
from tbgen.retro.checkpoint import Checkpoint, Counts, InMemory
from tbgen.retro.job import Job, Solved, Stopped
from tbgen.retro.slice_solver import SliceSolver
from tbgen.retro.survey.en_passant import Finished
from tbgen.retro.survey.resets import make_routes
from tbgen.retro.threads.team import ABORT
from tbgen.system.thresholds import AT_WORK, TEAM_FROM, TURNED_TO, is_long, links_for

_STAND_IN: Final = Material("Q", "")
"""The least material whose two sides to move are numbered apart."""


def solve_table(
    exits: Exits,
    *,
    rules: TableRules = TableRules.RESET,
    threads: int = 1,
    report: Callable[[int], None] = lambda numbers: None,
    found: Callable[[int], None] | None = None,
    tell_round: Callable[[int, int], None] = lambda level, distance: None,
    checkpoint: Checkpoint | None = None,
) -> Solved:
    """Solve a table, given the entries of all tables that its resets lead to.

    `report` is called with how many numbers are done since its last call, `found` (else `report`) with those of the
    checkpoint, `tell_round` with the level, and the round there, that a slice has come to on which all threads are at
    work."""
    layout, checkpoint = exits.layout, checkpoint or InMemory()
    arrays, done = checkpoint.open(layout, links_for(layout.size, with_record=rules == TableRules.RESET))
    solved = Solved(layout, rules, *arrays)
    job = _make_job(solved, exits, checkpoint, report, found or report, tell_round)
    _solve_slices(job, exits.fetch, done, threads)
    return solved


def _make_job(
    solved: Solved,
    exits: Exits,
    checkpoint: Checkpoint,
    report: Callable[[int], None],
    found: Callable[[int], None],
    tell_round: Callable[[int, int], None],
) -> Job:
    for one in exits.reached:
        if one.entries is None:
            raise KeyError(f"{one.layout.material} has no entries")
    tables = [Reached(solved.layout, solved.entries, swapped=False), *exits.reached]
    stand_in = -1
    if any(exits.unknown):
        stand_in = len(tables)
        tables.append(_stand_in(exits.unknown))
    atlas = make_atlas([one.layout for one in tables])
    finished = Finished(solved.staircases, solved.links, int(solved.rules == TableRules.WHOLE_GAME))
    routes = make_routes(solved.layout, tables, stand_in)
    return Job(solved, tables, atlas, routes, finished, checkpoint, report, found, tell_round)


def _stand_in(unknown: tuple[int, int]) -> Reached:
    """A table in which a position's entry depends on nothing but the side to move."""
    layout = layout_of(_STAND_IN)
    return Reached(layout, np.repeat(np.array(unknown, np.int32), int(layout.half_size[0])))


def _solve_slices(job: Job, fetch: Callable[[Iterable[int]], None], done: Mapping[int, Counts], threads: int) -> None:
    layout = job.solved.layout
    for slice_, counts in done.items():
        job.solved.counts = job.solved.counts.plus(counts)
        job.found(len(layout.numbers_in(slice_)))

    def turn_to(slices: list[int]) -> None:
        fetch(slices)
        job.checkpoint.turn_to(slices)

    with ThreadPoolExecutor(threads) as pool:
        try:
            for todo in _groups(layout, done):
                turn_to(todo)
                numbers = len(layout.numbers_in(todo[0]))
                if numbers < TEAM_FROM:
                    _solve_side_by_side(job, todo, threads, None, 1)
                    continue
                teams = _teams(numbers, len(todo), threads, job.checkpoint.arrays.work_room())
                if teams > 1:
                    _solve_side_by_side(job, todo, teams, pool, threads // teams)
                    continue
                for slice_ in todo:
                    SliceSolver(job, slice_, pool, threads, job.tell_round).solve()
        except BaseException:
            _end(job)
            raise


def _end(job: Job) -> None:
    """Have all slices at work end."""
    job.stopped = True
    for team in list(job.teams.values()):
        team.shared[ABORT] = 1


def _teams(numbers: int, slices: int, threads: int, room: float) -> int:
    """How many of these slices, which have so many numbers each, are to be solved at a time, each by a team of threads.

    A single thread never waits for others, so there are as many teams as keep all threads at work, and have their
    arrays in memory. Slices of which snapshots are kept are solved one after the other, as a kill costs less then."""
    if is_long(numbers):
        return 1
    most = max(1, min(threads, slices, int(min(room / (AT_WORK * numbers), threads))))
    return min(range(most, 0, -1), key=lambda teams: -(-slices // teams) / (threads // teams))


def _solve_side_by_side(
    job: Job, slices: Iterable[int], at_once: int, pool: ThreadPoolExecutor | None, threads: int
) -> None:
    """Solve some slices, so many at once, each by so many threads of the pool; or by one, without a pool."""
    with ThreadPoolExecutor(at_once) as callers:
        try:
            list(callers.map(lambda slice_: _solve_beside_others(job, slice_, pool, threads), slices))
        except BaseException:
            _end(job)  # before the pool waits for them
            raise


def _solve_beside_others(job: Job, slice_: int, pool: ThreadPoolExecutor | None, threads: int) -> None:
    try:
        SliceSolver(job, slice_, pool, threads).solve()
    except Stopped:
        pass  # what the other has raised is for the caller to see
    except BaseException:
        job.stopped = True  # at once, so that this thread begins no other
        raise


def _groups(layout: Layout, done: Container[int]) -> Iterator[list[int]]:
    """Slices that are turned to together, in the order in which they can be solved: they do not depend on each other,
    and have not too many numbers. Those that are done are left out."""
    batches: dict[int, list[int]] = {}
    for slice_, to_go in enumerate(layout.pawns.to_go.tolist()):
        if slice_ not in done:
            batches.setdefault(to_go, []).append(slice_)
    for to_go in sorted(batches):
        group, numbers = list[int](), 0
        for slice_ in batches[to_go]:
            more = len(layout.numbers_in(slice_))
            if group and numbers + more > TURNED_TO:
                yield group
                group, numbers = [], 0
            group.append(slice_)
            numbers += more
        yield group
