"""Solving one material: its slices in order, on all threads, with the tables that its resets lead to."""

from collections.abc import Callable, Mapping
from concurrent.futures import Future, ThreadPoolExecutor, wait
from dataclasses import dataclass, field
from threading import Lock
from typing import Final

import numpy as np
from numpy.typing import NDArray

from tbgen.index.atlas import Atlas, make_atlas
from tbgen.index.layout import Layout, layout_of
from tbgen.jit import kernel
from tbgen.material import Material
from tbgen.retro.atomics import add, current
from tbgen.retro.field import OPEN, make_field, make_position_lists
from tbgen.retro.ground import Ground, make_desk, make_ground
from tbgen.retro.inside import LOOKS
from tbgen.retro.passant import Finished
from tbgen.retro.resets import Routes, make_routes
from tbgen.retro.staircase import Links, make_links
from tbgen.retro.survey import ILLEGAL_LEVEL, Bench, Survey, make_bench, make_survey, survey_nodes
from tbgen.retro.sweep import ESCAPED, SETTLED, make_schedule, sweep
from tbgen.retro.team import ABORT, Team, arrive, claim, make_team

_SURVEY_CHUNK: Final = 4096
_TEAM_FROM: Final = 1 << 21
"""Slices of this many numbers and more are solved by all threads together; smaller ones side by side."""


_SURVEY_SHARE: Final = 0.4
"""Of the time that a slice takes, roughly."""
_GLANCE: Final = 0.1
"""Seconds between two looks at how far the threads are."""
SURVEYED: Final = 2
"""Beside the errors that kernels count: how many numbers have been surveyed."""


class Stopped(Exception):
    """The caller asked for an end before the table was done."""


@dataclass
class Solved:
    """A finished table in memory."""

    layout: Layout
    whole_game: bool
    entries: NDArray[np.int32]
    """Patient keys by number; 0 where there is no legal position."""
    staircases: NDArray[np.int32]
    """The last link of each position's staircase; 0 where no record matters inside."""
    links: Links
    legal: int = 0
    attractions: int = 0
    looks: int = 0


@dataclass
class _Job:
    """What all slices of a table share."""

    solved: Solved
    atlas: Atlas
    routes: Routes
    finished: Finished
    report: Callable[[int], None]
    teams: dict[int, Team] = field(default_factory=dict)
    """At work, by slice."""
    stopped: bool = False
    lock: Lock = field(default_factory=Lock)


def solve(
    material: Material,
    answers: Mapping[Material, NDArray[np.int32]],
    *,
    whole_game: bool = False,
    threads: int = 1,
    report: Callable[[int], None] = lambda numbers: None,
    make_array: Callable[[int], NDArray[np.int32]] = lambda numbers: np.zeros(numbers, np.int32),
) -> Solved:
    """Solve a normal material. `answers` holds the entries of all its successors, `report` hears of numbers done;
    `make_array` makes the zeroed arrays that hold the whole table."""
    layout = layout_of(material)
    capacity = 1 << 18 if layout.size < 1 << 20 else 1 << 21
    while True:
        # a single slice becomes the table as it is, without a copy
        room = layout.size if layout.slices > 1 else 0
        solved = Solved(layout, whole_game, make_array(room), make_array(room), make_links(capacity))
        if _solve_slices(_make_job(solved, answers, report), threads):
            return solved
        capacity *= 8


def _make_job(solved: Solved, answers: Mapping[Material, NDArray[np.int32]], report: Callable[[int], None]) -> _Job:
    material = solved.layout.material
    tables = [material, *material.successors()]
    entries = [solved.entries, *(answers[table] for table in tables[1:])]
    atlas = make_atlas([layout_of(table) for table in tables])
    routes = make_routes(solved.layout, tables, [part.ctypes.data for part in entries])
    finished = Finished(solved.staircases, solved.links, int(solved.whole_game))
    return _Job(solved, atlas, routes, finished, report)


def _solve_slices(job: _Job, threads: int) -> bool:
    """False when the staircases did not fit."""
    layout = job.solved.layout
    with ThreadPoolExecutor(threads) as pool:
        try:
            for batch in _batches(layout):
                if layout.start[batch[0] + 1] - layout.start[batch[0]] >= _TEAM_FROM:
                    done = [_solve_slice(job, part, pool, threads) for part in batch]
                else:
                    done = list(pool.map(lambda part: _solve_slice(job, part, None, 1), batch))
                if not all(done):
                    return False
        except BaseException:
            job.stopped = True
            for team in list(job.teams.values()):
                team.shared[ABORT] = 1
            raise
    return True


def _batches(layout: Layout) -> list[list[int]]:
    """Slices that do not depend on each other, in the order in which they can be solved."""
    batches: dict[int, list[int]] = {}
    for part, to_go in enumerate(layout.placements.to_go.tolist()):
        batches.setdefault(to_go, []).append(part)
    return [batches[to_go] for to_go in sorted(batches)]


def _solve_slice(job: _Job, part: int, pool: ThreadPoolExecutor | None, threads: int) -> bool:
    if job.stopped:
        raise Stopped
    layout, solved = job.solved.layout, job.solved
    start, end = int(layout.start[part]), int(layout.start[part + 1])
    ground = make_ground(
        job.atlas,
        int(layout.family[part]),
        int(layout.flip[part]),
        int(layout.half_size[part]),
        layout.placements.pawns[part].tolist(),
    )
    team = make_team(threads)
    job.teams[part] = team
    errors = np.zeros(3, np.int64)

    survey = make_survey(end - start)
    progress = _Progress(job.report if pool else None, end - start)
    progress.follow(
        _together(
            pool, threads,
            lambda me: survey_together(team, me, ground, job.routes, job.finished, survey, make_bench(), errors),
        ),
        lambda: _SURVEY_SHARE * min(1.0, errors[SURVEYED] / (end - start)),
    )  # fmt: skip
    if team.shared[ABORT]:
        raise Stopped
    legal = int((survey.level != ILLEGAL_LEVEL).sum())
    top = int(survey.level[survey.level != ILLEGAL_LEVEL].max(initial=0))
    slice_field = make_field(survey)
    lists = make_position_lists(team, end - start)
    schedule = make_schedule(end - start, threads, not solved.whole_game, top)
    progress.follow(
        _together(
            pool, threads,
            lambda me: sweep(team, me, ground, make_desk(), slice_field, lists, solved.links, schedule, errors),
        ),
        lambda: _SURVEY_SHARE + (1 - _SURVEY_SHARE) * schedule.counts[SETTLED] / max(1, legal),
    )  # fmt: skip
    if team.shared[ABORT]:
        raise Stopped
    if errors[0] or (slice_field.state == OPEN).any():
        raise AssertionError(f"{layout.material}, slice {part}: {errors[0]} contradictions")
    del job.teams[part]
    if layout.slices == 1:
        solved.entries, solved.staircases = slice_field.ours, slice_field.link
    else:
        solved.entries[start:end] = slice_field.ours
        solved.staircases[start:end] = slice_field.link
    with job.lock:
        solved.legal += legal
        solved.attractions += int(schedule.counts[SETTLED] + schedule.counts[ESCAPED])
        solved.looks += int(schedule.counts[LOOKS::8].sum())
    job.report(end - start - progress.told)
    return not errors[1]


class _Progress:
    """Tells how far a slice is while threads are at work on it; silent where slices are solved side by side."""

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


@kernel
def survey_together(
    team: Team,
    me: int,
    ground: Ground,
    routes: Routes,
    finished: Finished,
    survey: Survey,
    bench: Bench,
    errors: NDArray[np.int64],
) -> None:
    nodes = len(survey.level)
    arrive(team, me)
    while True:
        start = claim(team, me, _SURVEY_CHUNK)
        if start >= nodes:
            break
        if current(team.shared, ABORT):
            break
        end = min(start + _SURVEY_CHUNK, nodes)
        survey_nodes(ground, routes, finished, survey, bench, start, end, errors)
        add(errors, SURVEYED, end - start)
    arrive(team, me)
