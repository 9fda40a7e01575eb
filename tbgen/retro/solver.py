"""Solving one material: its slices in order, on all threads, with the tables that its resets lead to."""

from collections import deque
from collections.abc import Callable, Mapping
from concurrent.futures import Future, ThreadPoolExecutor, wait
from dataclasses import dataclass, field
from threading import Lock
from typing import Final

import numpy as np
from numpy.typing import NDArray

from tbgen.errors import OutOfRoom
from tbgen.index.atlas import Atlas, make_atlas
from tbgen.index.exits import Exits, Reached
from tbgen.index.layout import Layout, layout_of
from tbgen.material import Material
from tbgen.retro.checkpoint import Checkpoint, Counts, InMemory
from tbgen.retro.graph.slice import SliceGraph, make_buffers, make_graph
from tbgen.retro.survey.en_passant import Finished
from tbgen.retro.survey.resets import Routes, make_routes
from tbgen.retro.survey.survey import (
    ILLEGAL_LEVEL,
    Survey,
    count_levels,
    make_survey,
    make_survey_buffers,
    survey_together,
)
from tbgen.retro.sweep.levels import Schedule, left_open, make_schedule, sweep
from tbgen.retro.sweep.log import Log, make_log
from tbgen.retro.sweep.state import Each, gathered, is_complete, make_state
from tbgen.retro.sweep.worker import Worker
from tbgen.retro.threads.ahead import AS_USUAL, BY_PAGES, read_by
from tbgen.retro.threads.counters import (
    CONTRADICTIONS,
    LEVEL,
    LINKS_FULL,
    POSITIONS_ESCAPED,
    POSITIONS_SETTLED,
    SURVEYED,
    make_tally,
    reviewed,
)
from tbgen.retro.threads.sets import BITS, PositionSets, make_sets
from tbgen.retro.threads.team import ABORT, Team, make_team
from tbgen.retro.values.staircase import Links
from tbgen.sizes import TEAM_FROM, links_for
from tbgen.table_rules import TableRules
from tbgen.turns import pieces

_SURVEY_SHARE: Final = 0.2
"""The survey's part of the time that a slice takes, roughly."""
_REACHED_AGAIN: Final = 3
"""How often a position is still to be reached that is open, roughly, where records matter: once to be settled, and by
escapes at each level that computes these from scratch."""
_SHORT: Final = 1 << 31
"""Numbers of a slice whose positions 32 bits can name."""
_GLANCE: Final = 0.1
"""Seconds between two reports of progress."""
_STAND_IN: Final = Material("Q", "")
"""The least material whose two sides to move are numbered apart."""


class _Stopped(Exception):
    """Another slice has failed, or the caller has asked for an end: no other is begun."""


@dataclass
class Solved:
    """A finished table in the arrays that it was solved in."""

    layout: Layout
    rules: TableRules
    entries: NDArray[np.int32]
    staircases: NDArray[np.int32]
    links: Links
    counts: Counts = field(default_factory=Counts)


@dataclass
class _Job:
    """What all slices of a table share."""

    solved: Solved
    tables: list[Reached]
    """The table itself, then those that its resets lead to: `routes` has the addresses of their entries."""
    atlas: Atlas
    routes: Routes
    finished: Finished
    checkpoint: Checkpoint
    report: Callable[[int], None]
    teams: dict[int, Team] = field(default_factory=dict)
    """The teams at work, by slice."""
    stopped: bool = False
    lock: Lock = field(default_factory=Lock)


def solve_table(
    exits: Exits,
    *,
    rules: TableRules = TableRules.RESET,
    threads: int = 1,
    report: Callable[[int], None] = lambda numbers: None,
    checkpoint: Checkpoint | None = None,
) -> Solved:
    """Solve a table, given the entries of all tables that its resets lead to.

    `report` is called with how many numbers are done since its last call, those of the checkpoint first."""
    layout, checkpoint = exits.layout, checkpoint or InMemory()
    arrays, done = checkpoint.open(layout.size, links_for(layout.size))
    solved = Solved(layout, rules, arrays.entries, arrays.staircases, Links(arrays.links))
    _solve_slices(_make_job(solved, exits, checkpoint, report), done, threads)
    return solved


def _make_job(solved: Solved, exits: Exits, checkpoint: Checkpoint, report: Callable[[int], None]) -> _Job:
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
    return _Job(solved, tables, atlas, routes, finished, checkpoint, report)


def _stand_in(unknown: tuple[int, int]) -> Reached:
    """A table in which a position's entry depends on nothing but the side to move."""
    layout = layout_of(_STAND_IN)
    return Reached(layout, np.repeat(np.array(unknown, np.int32), int(layout.half_size[0])))


def _solve_slices(job: _Job, done: Mapping[int, Counts], threads: int) -> None:
    layout = job.solved.layout
    for slice_, counts in done.items():
        job.solved.counts = job.solved.counts.plus(counts)
        job.report(int(layout.start[slice_ + 1] - layout.start[slice_]))
    with ThreadPoolExecutor(threads) as pool:
        try:
            for batch in _batches(layout):
                todo = [slice_ for slice_ in batch if slice_ not in done]
                if layout.start[batch[0] + 1] - layout.start[batch[0]] >= TEAM_FROM:
                    for slice_ in todo:
                        _solve_slice(job, slice_, pool, threads)
                else:
                    list(pool.map(lambda slice_: _solve_beside_others(job, slice_), todo))
        except BaseException:
            job.stopped = True
            for team in list(job.teams.values()):
                team.shared[ABORT] = 1
            raise


def _solve_beside_others(job: _Job, slice_: int) -> None:
    try:
        _solve_slice(job, slice_, None, 1)
    except _Stopped:
        pass  # what the other has raised is for the caller to see
    except BaseException:
        job.stopped = True  # at once, so that this thread begins no other
        raise


def _batches(layout: Layout) -> list[list[int]]:
    """Slices that do not depend on each other, in the order in which they can be solved."""
    batches: dict[int, list[int]] = {}
    for slice_, to_go in enumerate(layout.pawns.to_go.tolist()):
        batches.setdefault(to_go, []).append(slice_)
    return [batches[to_go] for to_go in sorted(batches)]


def _solve_slice(job: _Job, slice_: int, pool: ThreadPoolExecutor | None, threads: int) -> None:
    if job.stopped:
        raise _Stopped
    layout = job.solved.layout
    start, end = int(layout.start[slice_]), int(layout.start[slice_ + 1])
    team = make_team(threads)
    job.teams[slice_] = team
    tally = make_tally()
    progress = _Progress(job.report if pool else None, end - start)
    graph = _graph_of(job, slice_)
    # these first: what else is in memory must leave them room
    sets, log = make_sets(BITS, end - start, job.checkpoint.work), make_log(end - start, team.size, job.checkpoint.work)
    survey = _survey(job, team, graph, end - start, pool, progress, tally)
    counts = _sweep(job, team, graph, survey, sets, log, range(start, end), pool, progress, tally)
    del job.teams[slice_]
    job.checkpoint.solved(slice_, counts)
    with job.lock:
        job.solved.counts = job.solved.counts.plus(counts)
    job.report(end - start - progress.told)


def _graph_of(job: _Job, slice_: int) -> SliceGraph:
    layout = job.solved.layout
    return make_graph(
        job.atlas,
        int(layout.family[slice_]),
        int(layout.flip[slice_]),
        int(layout.half_size[slice_]),
        layout.pawns.squares[slice_].tolist(),
        layout.material.fairy,
    )


def _survey(
    job: _Job,
    team: Team,
    graph: SliceGraph,
    numbers: int,
    pool: ThreadPoolExecutor | None,
    progress: "_Progress",
    tally: NDArray[np.int64],
) -> Survey:
    survey = make_survey(numbers, job.checkpoint.work)
    progress.follow(
        _together(
            pool, team.size,
            lambda me: survey_together(team, me, graph, job.routes, job.finished, survey, make_survey_buffers(), tally),
        ),
        lambda: _SURVEY_SHARE * min(1.0, tally[SURVEYED] / numbers),
    )  # fmt: skip
    if team.shared[ABORT]:
        raise _Stopped
    return survey


def _sweep(
    job: _Job,
    team: Team,
    graph: SliceGraph,
    survey: Survey,
    sets: PositionSets,
    log: Log,
    numbers: range,
    pool: ThreadPoolExecutor | None,
    progress: "_Progress",
    tally: NDArray[np.int64],
) -> Counts:
    """Settle all positions of a slice and put their entries into the table."""
    solved = job.solved
    each: Each = pool.map if pool else map
    legal, top = _span(survey, each)
    entries = solved.entries[numbers.start : numbers.stop]
    work = job.checkpoint.work
    state = make_state(survey, solved.staircases[numbers.start : numbers.stop], sets, work, each)
    items = entries if len(numbers) <= _SHORT else work(len(numbers), np.int64)
    if state.on_disk:
        read_by(BY_PAGES, items, solved.links.keys)
    schedule = make_schedule(items, team.size, solved.rules == TableRules.RESET, top, legal)
    buffers = [make_buffers(len(numbers)) for _ in range(team.size)]

    def sweep_on(me: int) -> None:
        sweep(Worker(team, me, graph, buffers[me], state, sets, log), solved.links, schedule, tally)

    while schedule.counts[LEVEL] <= top and not team.shared[ABORT]:
        if schedule.counts[LEVEL]:
            state = gathered(state, sets, bool(schedule.with_record), work, each)
        progress.follow(
            _together(pool, team.size, sweep_on),
            lambda: _SURVEY_SHARE + (1 - _SURVEY_SHARE) * _share_reached(schedule),
        )
    if team.shared[ABORT]:
        raise _Stopped
    if tally[LINKS_FULL]:
        raise OutOfRoom(f"{solved.layout.material} has more staircases than there is room for")
    if tally[CONTRADICTIONS] or not is_complete(state, sets, each):
        raise AssertionError(f"{solved.layout.material}, {numbers}: {tally[CONTRADICTIONS]} contradictions")

    read_by(AS_USUAL, state.worth, state.link, entries)

    def write(here: slice) -> None:
        entries[here] = state.keys[state.worth[here]]

    deque(each(write, pieces(len(numbers))), maxlen=0)
    attractions = int(schedule.counts[POSITIONS_SETTLED] + schedule.counts[POSITIONS_ESCAPED])
    return Counts(legal, attractions, reviewed(schedule.counts))


def _span(survey: Survey, each: Each) -> tuple[int, int]:
    """How many positions are legal, and their highest level."""

    def count(here: slice) -> NDArray[np.int64]:
        counts = np.zeros(ILLEGAL_LEVEL + 1, np.int64)
        count_levels(survey.level, here.start, here.stop, counts)
        return counts

    counts: NDArray[np.int64] = sum(each(count, pieces(len(survey.level))), np.zeros(ILLEGAL_LEVEL + 1, np.int64))
    legal = counts[:ILLEGAL_LEVEL]
    return int(legal.sum()), int(np.flatnonzero(legal).max(initial=0))


def _share_reached(schedule: Schedule) -> float:
    """How far the sweep is: the positions that it has reached, as a share of those that it will reach."""
    reached = int(schedule.counts[POSITIONS_SETTLED] + schedule.counts[POSITIONS_ESCAPED])
    left = left_open(schedule) * (_REACHED_AGAIN if schedule.with_record else 1)
    return reached / max(1, reached + left)


class _Progress:
    """Reports how far a slice is while threads work on it; silent if slices are solved side by side."""

    def __init__(self, report: Callable[[int], None] | None, numbers: int) -> None:
        self._report = report
        self._numbers = numbers
        self.told = 0

    def follow(self, running: list[Future[None]], share: Callable[[], float]) -> None:
        while self._report and wait(running, timeout=_GLANCE).not_done:
            now = int(self._numbers * share())
            self._report(now - self.told)
            self.told = now
        for one in running:
            one.result()


def _together(pool: ThreadPoolExecutor | None, threads: int, work: Callable[[int], None]) -> list[Future[None]]:
    """Run `work(me)` on all threads of a team at the same time; in this thread where it is the only one."""
    if pool is None:
        work(0)
        return []
    return [pool.submit(work, me) for me in range(threads)]
