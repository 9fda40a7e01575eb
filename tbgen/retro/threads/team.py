"""Teams: several threads that run the same kernel over one slice, with barriers, ranges to claim, and locks.

Every thread enters the kernel with a number of its own, `me`. Work is split into *phases*: in each, threads claim
chunks of a range until none is left, and all meet at a `barrier` before the next. What a phase writes does not depend
on which thread claimed which chunk, so neither does the result.

Once the caller wants the threads to end, nothing is left to claim, so that phases end at once, in the middle; nobody
uses what they leave. The threads still meet at each barrier, until all leave together (`all_leave`).
"""

from typing import Final, NamedTuple

import numpy as np
from numpy.typing import NDArray

from tbgen.compiler.intrinsics import atomic_load, compare_exchange, fetch_add, store_release, yield_processor
from tbgen.compiler.jit import inlined, kernel
from tbgen.retro.threads.counters import STOP

LINE: Final = 8
"""Words of 64 bits per cache line; what one thread writes lies in cache lines of its own."""

# slots of `Team.shared`, each in a line of its own
_ARRIVED: Final = 0
"""Threads at the barrier."""
_ROUND: Final = _ARRIVED + LINE
"""Barriers passed."""
_CLAIMED: Final = _ROUND + LINE
"""The range of a phase is claimed from here; phases take turns with these slots."""
_CLAIM_SLOTS: Final = 3
ABORT: Final = _CLAIMED + _CLAIM_SLOTS * LINE
"""1 once the caller, or one of the threads, wants all to end. It stays 1."""
PAUSE: Final = ABORT + LINE
"""1 if the caller wants the threads to come back where they can go on from: between two levels, or two rounds."""
_SHARED: Final = PAUSE + LINE

_SPINS: Final = 2000
"""Looks at the barrier before the processor is yielded."""
SCAN: Final = 1 << 14
"""Positions per range of a scan."""
_LOCKS: Final = 1 << 14
_NOTHING_LEFT: Final = np.int64(1 << 62)
"""A start behind the end of any range."""


class Team(NamedTuple):
    size: int
    shared: NDArray[np.int64]
    """See the slots above."""
    phase: NDArray[np.int64]
    """`[me * LINE]`: phases that the thread has entered."""
    locks: NDArray[np.uint8]
    """`[lane % _LOCKS]`: 1 while a thread has locked the lane."""


def make_team(size: int) -> Team:
    return Team(size, np.zeros(_SHARED, np.int64), np.zeros(size * LINE, np.int64), np.zeros(_LOCKS, np.uint8))


@inlined
def _claim_slot(phase):
    return _CLAIMED + LINE * (phase % _CLAIM_SLOTS)


@kernel
def barrier(team, me):
    """Wait for all threads; a fresh range may be claimed afterwards."""
    phase = team.phase[me * LINE] + 1
    team.phase[me * LINE] = phase
    shared = team.shared
    if team.size == 1:
        shared[_claim_slot(phase)] = 0
        return
    round_now = atomic_load(shared, _ROUND)
    if fetch_add(shared, _ARRIVED, 1) == team.size - 1:
        # the slot of the phase before this one is free now, and serves again the phase after next
        shared[_claim_slot(phase + 1)] = 0
        fetch_add(shared, _ARRIVED, -team.size)
        fetch_add(shared, _ROUND, 1)
        return
    spins = 0
    while atomic_load(shared, _ROUND) == round_now:
        spins += 1
        if spins > _SPINS:
            yield_processor()


@inlined
def is_to_end(team):
    """Whether the caller wants the threads to end; others may not know it before the next barrier."""
    return atomic_load(team.shared, ABORT) != 0


@inlined
def claim(team, me, chunk):
    """Claim the next chunk. Returns its start, which may lie behind the end of the range."""
    if is_to_end(team):
        return _NOTHING_LEFT
    return fetch_add(team.shared, _claim_slot(team.phase[me * LINE]), chunk)


@inlined
def all_leave(team, me, counts, may_pause):
    """Whether the caller wants the threads to end, or to pause where they may. One thread reads it for all, so that all
    leave together. A barrier must come before the next look."""
    if me == 0:
        counts[STOP] = team.shared[ABORT] or (may_pause and team.shared[PAUSE])
    barrier(team, me)
    return counts[STOP] != 0


@inlined
def lock_lane(team, lane):
    """Keep other threads from changing the state of a lane until `unlock_lane`; wait for those that do now."""
    if team.size > 1:
        while compare_exchange(team.locks, lane % _LOCKS, 0, 1) != 0:
            pass


@inlined
def unlock_lane(team, lane):
    if team.size > 1:
        store_release(team.locks, lane % _LOCKS, 0)


@inlined
def next_range(team, me, nodes):
    """Claim a range of positions to scan. Returns start and end; the range is empty once all are claimed."""
    start = claim(team, me, SCAN)
    return start, min(start + SCAN, nodes)
