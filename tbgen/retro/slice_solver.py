"""Solving one slice: its positions are surveyed, then settled level by level; a snapshot is kept now and then."""

import time
from collections import deque
from collections.abc import Callable
from concurrent.futures import ThreadPoolExecutor
from functools import partial
from queue import Empty, SimpleQueue
from typing import Final

import numpy as np
from numpy.typing import NDArray

from tbgen.core.table_rules import TableRules
from tbgen.errors import OutOfRoom
from tbgen.retro import snapshot
from tbgen.retro.checkpoint import Counts
from tbgen.retro.graph.slice import make_buffers, make_graph
from tbgen.retro.job import Job, Stopped
from tbgen.retro.survey.survey import (
    ILLEGAL_LEVEL,
    Survey,
    count_levels,
    make_survey,
    make_survey_buffers,
    survey_together,
)
from tbgen.retro.sweep.levels import Schedule, is_to_gather, left_open, make_schedule, sweep
from tbgen.retro.sweep.log import make_log
from tbgen.retro.sweep.state import Each, begun, gathering, is_settled, make_state, put_staircases, read_by_pages
from tbgen.retro.sweep.worker import Worker
from tbgen.retro.threads.ahead import AS_USUAL, BY_PAGES, read_by
from tbgen.retro.threads.counters import (
    CONTRADICTIONS,
    DISTANCE,
    LEVEL,
    LINKS_FULL,
    POSITIONS_ESCAPED,
    POSITIONS_REVIEWED,
    POSITIONS_SETTLED,
    SURVEYED,
    make_tally,
)
from tbgen.retro.threads.lanes import laid_out
from tbgen.retro.threads.sets import BITS, make_sets
from tbgen.retro.threads.team import ABORT, PAUSE, make_team
from tbgen.retro.values.codes import make_code_table
from tbgen.retro.values.overflow import overflow
from tbgen.system.parallel import pieces
from tbgen.system.thresholds import SHORT

_SURVEY_SHARE: Final = 0.2
"""The survey's part of the time that a slice takes, roughly."""
_REACHED_AGAIN: Final = 3
"""How often a position is still to be reached that is open, roughly, where records matter: once to be settled, and by
escapes at each level that computes these from scratch."""
_FEW_REVIEWS: Final = 1 / 16
"""A review jumps about, rounds of escapes hardly do: where arrays are in files, a position takes a review ten times as
long, 6 us and more (KRRvKRR in 4 GB)."""
_GLANCE: Final = 0.1
"""Seconds between two reports of progress."""
_MOMENT: Final = 0.001
"""Seconds between two looks whether all threads are there."""


class SliceSolver:
    """A slice at work. Its team is of so many threads of the pool; without a pool, this thread is the only one."""

    def __init__(
        self,
        job: Job,
        slice_: int,
        pool: ThreadPoolExecutor | None,
        threads: int,
        tell_round: Callable[[int, int], None] = lambda level, distance: None,
    ) -> None:
        layout = job.solved.layout
        self._job = job
        self._slice = slice_
        self._pool = pool
        self._tell_round = tell_round
        self._each: Each = pool.map if pool else map
        numbers = layout.numbers_in(slice_)
        self._numbers, self._size = slice(numbers.start, numbers.stop), len(numbers)
        self._staircase = job.solved.staircases[self._numbers]
        self._arrays = job.checkpoint.arrays
        self._team = make_team(threads)
        self._tally = make_tally()
        self._keys = self._payoffs = make_code_table(0)
        self._told = 0
        self._graph = make_graph(
            job.atlas,
            int(layout.family[slice_]),
            int(layout.flip[slice_]),
            int(layout.half_size[slice_]),
            layout.pawns.squares[slice_].tolist(),
            layout.material.fairy,
        )

    def solve(self) -> None:
        """Put the entries of its positions and their staircases into the table."""
        job = self._job
        job.teams[self._slice] = self._team
        if job.stopped:
            raise Stopped
        # these first: what else is in memory must leave them room
        self._sets = make_sets(BITS, self._size, self._arrays.work)
        self._log = make_log(self._size, self._team.size, self._arrays.work)
        schedule = self._go_on() or self._begin()
        self._sweep(schedule)
        counts = self._counts(schedule)
        del schedule
        self._finish()
        del job.teams[self._slice]
        job.checkpoint.solved(self._slice, counts)
        with job.lock:
            job.solved.counts = job.solved.counts.plus(counts)
        job.report(self._size - self._told)

    # --- the state to begin with ------------------------------------------------------------------------------

    def _begin(self) -> Schedule:
        survey = self._survey()
        legal, top = self._span(survey)
        self._state = make_state(survey, self._staircase, self._sets, self._arrays.work, self._each)
        del survey
        if self._state.on_disk:  # cells of illegal positions take room as long as there is most else
            self._gather(with_record=False)
        self._state = begun(self._state, self._make_worth(), self._arrays.work, self._each)
        return self._schedule(top, legal)

    def _gather(self, *, with_record: bool) -> None:
        """Leave cells to open positions alone."""
        for state in gathering(self._state, self._sets, with_record, self._arrays.work, self._each):
            self._state = state  # nothing else keeps the one before

    def _survey(self) -> Survey:
        job, tally = self._job, self._tally
        survey = make_survey(self._size, self._arrays.work)
        self._payoffs = survey.payoffs
        buffers = [make_survey_buffers() for _ in range(self._team.size)]

        def survey_on(me: int) -> None:
            survey_together(self._team, me, self._graph, job.routes, job.finished, survey, buffers[me], tally)

        self._together(survey_on, lambda: int(_SURVEY_SHARE * min(tally[SURVEYED], self._size)))
        if tally[CONTRADICTIONS]:
            raise AssertionError(f"{self._where()}: {tally[CONTRADICTIONS]} contradictions")
        return survey

    def _where(self) -> str:
        return f"{self._job.solved.layout.material}, {self._numbers.start} to {self._numbers.stop}"

    def _span(self, survey: Survey) -> tuple[int, int]:
        """How many positions are legal, and their highest level."""

        def count(here: slice) -> NDArray[np.int64]:
            counts = np.zeros(ILLEGAL_LEVEL + 1, np.int64)
            count_levels(survey.level, here.start, here.stop, counts)
            return counts

        found = self._each(count, pieces(len(survey.level)))
        counts: NDArray[np.int64] = sum(found, np.zeros(ILLEGAL_LEVEL + 1, np.int64))
        legal = counts[:ILLEGAL_LEVEL]
        return int(legal.sum()), int(np.flatnonzero(legal).max(initial=0))

    def _go_on(self) -> Schedule | None:
        """From the last snapshot of a stopped build; None if there is none."""
        kept = self._job.checkpoint.begun(self._slice)
        if kept is None:
            return None
        worth = self._make_worth()
        state = snapshot.restored(kept, worth, self._staircase, self._sets, self._arrays.work, self._each)
        if state is None:
            self._forget_snapshot()
            return None
        self._state = state
        schedule = self._schedule(kept.facts["top"], kept.facts["legal"])
        snapshot.put_counts(kept, schedule)
        self._told = self._numbers_done(schedule)
        self._job.found(self._told)
        return schedule

    def _forget_snapshot(self) -> None:
        """Undo what has been read of a snapshot that is damaged."""
        self._job.checkpoint.lost(self._slice)
        for array in (self._sets.held, self._sets.passed, self._sets.lines):
            array[:] = 0
        if self._staircase.any():
            self._arrays.reserve_all(self._job.solved.staircases)
            self._staircase[:] = 0

    def _make_worth(self) -> NDArray[np.uint16]:
        """`SliceState.worth`, which is found again with a snapshot."""
        return laid_out(self._size, np.uint16, partial(self._job.checkpoint.lasting, self._slice))

    def _schedule(self, top: int, legal: int) -> Schedule:
        solved = self._job.solved
        items = self._arrays.growing(self._size, np.int32 if self._size <= SHORT else np.int64)
        if self._state.on_disk:
            read_by(BY_PAGES, items.array, solved.links.keys, solved.links.slots)
        reviews = _FEW_REVIEWS if self._state.on_disk else 1.0
        return make_schedule(items, self._team.size, solved.rules == TableRules.RESET, reviews, top, legal)

    # --- the sweep --------------------------------------------------------------------------------------------

    def _sweep(self, schedule: Schedule) -> None:
        job, shared = self._job, self._team.shared
        self._keys, self._payoffs = self._state.keys, self._state.payoffs
        buffers = [make_buffers(self._size) for _ in range(self._team.size)]

        def sweep_on(me: int) -> None:
            worker = Worker(self._team, me, self._graph, buffers[me], self._state, self._sets, self._log)
            sweep(worker, job.solved.links, schedule, self._tally)

        while schedule.counts[LEVEL] <= schedule.top:
            if is_to_gather(schedule, self._state):
                self._reserve_staircases()
                self._gather(with_record=bool(schedule.with_record))
            if shared[PAUSE]:
                self._keep(schedule)
            shared[PAUSE] = job.checkpoint.wants(self._slice)
            self._together(sweep_on, lambda: self._told_of(schedule))
            self._check_room(schedule)

    def _check_room(self, schedule: Schedule) -> None:
        solved = self._job.solved
        for room in (schedule.seeds.room, solved.links.room, solved.links.slots_room):
            self._arrays.check(room)
        if self._tally[LINKS_FULL]:
            raise OutOfRoom(f"{solved.layout.material} has more staircases than there is room for")

    def _reserve_staircases(self) -> None:
        """Have room for those that go from cells to where they stay, if there are any."""
        if self._job.solved.links.given[0]:
            self._arrays.reserve_all(self._job.solved.staircases)

    def _keep(self, schedule: Schedule) -> None:
        """Keep a snapshot."""
        taken = snapshot.taken(self._state, self._sets, schedule, self._each)
        read_by(AS_USUAL, *taken.arrays.values())
        self._job.checkpoint.keep(self._slice, taken)
        read_by(BY_PAGES, self._sets.passed)
        read_by_pages(self._state)

    def _counts(self, schedule: Schedule) -> Counts:
        attractions = int(schedule.counts[POSITIONS_SETTLED] + schedule.counts[POSITIONS_ESCAPED])
        return Counts(schedule.legal, attractions, int(schedule.counts[POSITIONS_REVIEWED]))

    def _finish(self) -> None:
        """Put the entries of all positions, and the staircases that are still in cells, into the table."""
        solved = self._job.solved
        if not is_settled(self._size, self._sets, self._each):
            raise AssertionError(f"{self._where()}: positions are left open")
        self._reserve_staircases()
        put_staircases(self._state, self._each)
        worth, keys = self._state.worth, self._state.keys
        del self._state, self._sets, self._log
        self._arrays.reserve_all(solved.entries)
        entries = solved.entries[self._numbers]
        read_by(AS_USUAL, worth, self._staircase, entries)

        def write(here: slice) -> None:
            entries[here] = keys[worth[here]]

        deque(self._each(write, pieces(self._size)), maxlen=0)

    def _told_of(self, schedule: Schedule) -> int:
        """Tell the level and the round; how many numbers are done."""
        self._tell_round(int(schedule.counts[LEVEL]), int(schedule.counts[DISTANCE]))
        return self._numbers_done(schedule)

    def _numbers_done(self, schedule: Schedule) -> int:
        """How far the slice is: the positions that the sweep has reached, as a share of those that it will reach."""
        reached = int(schedule.counts[POSITIONS_SETTLED] + schedule.counts[POSITIONS_ESCAPED])
        left = left_open(schedule) * (_REACHED_AGAIN if schedule.with_record else 1)
        return int(self._size * (_SURVEY_SHARE + (1 - _SURVEY_SHARE) * reached / max(1, reached + left)))

    # --- threads ----------------------------------------------------------------------------------------------

    def _together(self, work: Callable[[int], None], done: Callable[[], int]) -> None:
        """Run `work(me)` on all threads of the team at the same time, and report how far the slice is."""
        if self._pool is None:
            work(0)
        else:
            self._run(self._pool, work, done)
        if too_much := self._overflow():
            raise OutOfRoom(f"{self._where()}: {too_much}, for which there is no room")
        if self._team.shared[ABORT]:
            raise Stopped

    def _overflow(self) -> str:
        return overflow(self._keys, self._payoffs)

    def _run(self, pool: ThreadPoolExecutor, work: Callable[[int], None], done: Callable[[], int]) -> None:
        """All threads, or none: at the barriers of kernels the others would wait for ever. So they wait until the last
        of them is started, or until it is known that one is not, after an interrupt or for want of room.

        An event, or a wait for futures, would have a lock that an interrupt could leave locked for ever."""
        all_there, given_up = list[bool](), list[bool]()
        ended: SimpleQueue[int] = SimpleQueue()

        def begin(me: int) -> None:
            try:
                while not all_there:
                    if given_up and not all_there:
                        return
                    time.sleep(_MOMENT)
                work(me)
            finally:
                ended.put(me)

        try:
            running = [pool.submit(begin, me) for me in range(self._team.size)]
            all_there.append(True)
        except BaseException:
            given_up.append(True)
            raise
        self._follow(ended, done)
        for one in running:
            one.result()

    def _follow(self, ended: "SimpleQueue[int]", done: Callable[[], int]) -> None:
        """Report until all threads have ended."""
        left = self._team.size
        while left:
            try:
                ended.get(timeout=_GLANCE)
                left -= 1
            except Empty:
                now = done()
                self._job.report(now - self._told)
                self._told = now
                if self._overflow():
                    self._team.shared[ABORT] = 1
                if self._job.checkpoint.wants(self._slice):
                    self._team.shared[PAUSE] = 1
