"""Several threads that run the same kernel over one slice: who does what, and waiting for each other.

Every thread enters the kernel with its own number. Work is split into *phases*: in each, threads claim
chunks of a range until none is left, and `barrier` keeps all of them together between two phases. What a
phase writes does not depend on who did which chunk; so neither does the result of the whole.
"""

import mmap
from typing import Final, NamedTuple

import numpy as np
from numpy.typing import NDArray

from tbgen.intrinsics import atomic_load, compare_exchange, fetch_add, store_release, yield_processor
from tbgen.jit import inlined, kernel

_ARRIVED: Final = 0
_ROUND: Final = 8
ABORT: Final = 40
_LINE: Final = 8  # int64 numbers a cache line, so that threads do not share one
_SPINS: Final = 2000
_SCAN: Final = 1 << 14
_HOLDS: Final = 1 << 14
_NO_RESERVE: Final = getattr(mmap, "MAP_NORESERVE", 0x4000)
"""Linux's flag, which Python 3.11 does not name."""


class Team(NamedTuple):
    size: int
    shared: NDArray[np.int64]
    phase: NDArray[np.int64]
    """How many phases each thread has entered."""
    held: NDArray[np.uint8]
    """By the last bits of a lane's number: whether a thread has it for itself."""


def make_team(size: int) -> Team:
    return Team(size, np.zeros(48, np.int64), np.zeros(size * _LINE, np.int64), np.zeros(_HOLDS, np.uint8))


@kernel
def barrier(team, me):
    """Wait for all threads; a fresh range may be claimed afterwards."""
    phase = team.phase[me * _LINE] + 1
    team.phase[me * _LINE] = phase
    shared = team.shared
    if team.size == 1:
        shared[16 + 8 * (phase % 3)] = 0
        return
    round_now = atomic_load(shared, _ROUND)
    if fetch_add(shared, _ARRIVED, 1) == team.size - 1:
        # the slot of the phase before this one is free, and will be used next but one
        shared[16 + 8 * ((phase + 1) % 3)] = 0
        fetch_add(shared, _ARRIVED, -team.size)
        fetch_add(shared, _ROUND, 1)
        return
    spins = 0
    while atomic_load(shared, _ROUND) == round_now:
        spins += 1
        if spins > _SPINS:
            yield_processor()


@inlined
def claim(team, me, chunk):
    """The start of the next chunk that nobody has; it may lie behind the end of the range."""
    return fetch_add(team.shared, 16 + 8 * (team.phase[me * _LINE] % 3), chunk)


@inlined
def lock_lane(team, lane):
    """Wait until no other thread changes what belongs to a lane, and keep them away until `unlock_lane`."""
    if team.size > 1:
        while compare_exchange(team.held, lane % _HOLDS, 0, 1) != 0:
            pass


@inlined
def unlock_lane(team, lane):
    if team.size > 1:
        store_release(team.held, lane % _HOLDS, 0)


@inlined
def next_range(team, me, nodes):
    """Part of all positions for this thread to look through: from, and to. Empty when all are given away."""
    start = claim(team, me, _SCAN)
    return start, min(start + _SCAN, nodes)


def untouched(numbers: int) -> NDArray[np.int32]:
    """Address space for so many numbers; memory is used only for those that are ever written."""
    flags = mmap.MAP_PRIVATE | mmap.MAP_ANONYMOUS | _NO_RESERVE
    return np.frombuffer(mmap.mmap(-1, 4 * numbers, flags=flags), np.int32)
