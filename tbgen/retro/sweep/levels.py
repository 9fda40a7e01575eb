"""The sweep: all positions of a slice are settled, level by level of the record, from mate upwards."""

from typing import Final, NamedTuple

import numpy as np
from numpy.typing import NDArray

from tbgen.compiler.jit import inlined, kernel, plain
from tbgen.core.outcome import FIRST_RECORD
from tbgen.memory.arrays import Growing
from tbgen.retro.sweep.cases import Cases, make_cases
from tbgen.retro.sweep.escape import VALUES
from tbgen.retro.sweep.review import as_good_as_the_record, begin_review, review_all
from tbgen.retro.sweep.rounds import SETTLING, escape_from_scratch, settle_level
from tbgen.retro.sweep.seeds import Seeds, make_seeds
from tbgen.retro.sweep.state import SliceState
from tbgen.retro.sweep.steps import write_steps
from tbgen.retro.sweep.worker import all_leave_or_pause
from tbgen.retro.threads.counters import LEVEL, PLACE, POSITIONS_SETTLED, STOP, make_counts

_GATHER: Final = 2
"""Cells are gathered when fewer than 1 in 2 are those of open positions,"""
_FEW: Final = 1 << 12
"""and when that many would go at the least."""


class Schedule(NamedTuple):
    """What the sweep needs besides the state."""

    seeds: Seeds
    cases: Cases
    seen: NDArray[np.uint8]
    """Which values the escaping side can be paid (escape.py)."""
    counts: NDArray[np.int64]
    """See retro/threads/counters.py."""
    with_record: int
    """1 under rules in which resets end a record."""
    reviews: float
    """The most that a review may come to, as a share of the positions that recomputing comes to."""
    top: int
    """The highest level of the slice."""
    legal: int


def make_schedule(items: Growing, threads: int, with_record: bool, reviews: float, top: int, legal: int) -> Schedule:
    """`items`: an array with an element for each position of the slice."""
    seeds = make_seeds(items, threads)
    return Schedule(
        seeds,
        make_cases(seeds),
        np.zeros(VALUES + 1, np.uint8),
        make_counts(),
        int(with_record),
        reviews,
        top,
        legal,
    )


@inlined
def _open(schedule):
    """How many positions are not closed."""
    return schedule.legal - schedule.counts[POSITIONS_SETTLED]


def left_open(schedule: Schedule) -> int:
    """The same, outside of kernels."""
    return int(plain(_open)(schedule))


@kernel
def _play_level(worker, links, schedule, level, tally):
    """Compute what each open position is worth under a record of this level. Returns False if it pauses, or cannot go
    on."""
    done = False
    if level > FIRST_RECORD and not schedule.counts[PLACE]:
        as_good_as_the_record(worker, level)
        begin_review(worker)
        # recomputing takes linear time, with some for each lane; a review may look at the same position many times
        most = np.int64(schedule.reviews * (_open(schedule) + len(worker.state.cells.members)))
        done = review_all(worker, schedule.counts, level, most)
        if schedule.counts[STOP]:
            return False
    if not done and not escape_from_scratch(worker, schedule, level):
        return False
    return write_steps(worker, links, schedule, level, tally)


@inlined
def _is_to_gather(schedule, state, level):
    """Whether the cells of closed positions are to go before this level."""
    if schedule.with_record and level == FIRST_RECORD and len(state.theirs) == 0:
        return True
    return _open(schedule) < len(state.pays) // _GATHER - _FEW


def is_to_gather(schedule: Schedule, state: SliceState) -> bool:
    """Whether the sweep asks for that; outside of kernels."""
    level = int(schedule.counts[LEVEL])
    return level > 0 and not schedule.counts[PLACE] and bool(plain(_is_to_gather)(schedule, state, level))


@kernel
def sweep(worker, links, schedule, tally):
    """Settle every position of the slice, from where `schedule.counts` says that it has come to. It ends after the
    highest level, or before, when it is to pause, cells are to be gathered, or it cannot go on. All threads of the team
    call this together."""
    me = worker.me
    first = schedule.counts[LEVEL]
    if me == 0:
        schedule.counts[STOP] = 0
    for level in range(first, schedule.top + 1):
        if level > first and _is_to_gather(schedule, worker.state, level):
            break
        plays = schedule.with_record and level >= FIRST_RECORD and schedule.counts[PLACE] != SETTLING
        if plays and not _play_level(worker, links, schedule, level, tally):
            break
        if not settle_level(worker, schedule, level):
            break
        if me == 0:
            schedule.counts[LEVEL] = level + 1
            schedule.counts[PLACE] = 0
        if all_leave_or_pause(worker, schedule.counts):
            break
