"""Several threads that run the same kernel over one slice: who does what, and waiting for each other.

Every thread enters the kernel with its own number. Work is split into *phases*: in each, threads claim
chunks of a range until none is left, and `arrive` keeps all of them together between two phases. What a
phase writes does not depend on who did which chunk; so neither does the result of the whole.
"""

import mmap
from typing import Final, NamedTuple

import numpy as np
from numpy.typing import NDArray

from tbgen.jit import inlined, kernel
from tbgen.retro.atomics import add, current, yield_processor

_ARRIVED: Final = 0
_ROUND: Final = 8
_CLAIMS: Final = (16, 24, 32)
ABORT: Final = 40
_LINE: Final = 8  # int64 numbers a cache line, so that threads do not share one
_SPINS: Final = 2000
_NO_RESERVE: Final = getattr(mmap, "MAP_NORESERVE", 0x4000)
"""Linux's flag, which Python 3.11 does not name."""
_SPILL: Final = 512


class Team(NamedTuple):
    size: int
    shared: NDArray[np.int64]
    phase: NDArray[np.int64]
    """How many phases each thread has entered."""


def make_team(size: int) -> Team:
    return Team(size, np.zeros(48, np.int64), np.zeros(size * _LINE, np.int64))


@kernel
def arrive(team, me):
    """Wait for all threads; a fresh range may be claimed afterwards."""
    phase = team.phase[me * _LINE] + 1
    team.phase[me * _LINE] = phase
    shared = team.shared
    if team.size == 1:
        shared[16 + 8 * (phase % 3)] = 0
        return
    round_now = current(shared, _ROUND)
    if add(shared, _ARRIVED, 1) == team.size - 1:
        # the slot of the phase before this one is free, and will be used next but one
        shared[16 + 8 * ((phase + 1) % 3)] = 0
        add(shared, _ARRIVED, -team.size)
        add(shared, _ROUND, 1)
        return
    spins = 0
    while current(shared, _ROUND) == round_now:
        spins += 1
        if spins > _SPINS:
            yield_processor()


@inlined
def claim(team, me, chunk):
    """The start of the next chunk that nobody has; it may lie behind the end of the range."""
    return add(team.shared, 16 + 8 * (team.phase[me * _LINE] % 3), chunk)


class Lists(NamedTuple):
    """Lists that all threads of a team push to; one is read only after `flush` by all and `arrive`."""

    items: NDArray[np.int32]
    """`[list, place]`."""
    length: NDArray[np.int64]
    """`[list * 8]`: a cache line each."""
    spill: NDArray[np.int32]
    """`[list, thread, place]`: what a thread has pushed and not yet flushed."""
    spilled: NDArray[np.int64]
    """`[list, thread]`: how much that is."""


def untouched(numbers: int) -> NDArray[np.int32]:
    """Address space for so many numbers; memory is used only for those that are ever written."""
    flags = mmap.MAP_PRIVATE | mmap.MAP_ANONYMOUS | _NO_RESERVE
    return np.frombuffer(mmap.mmap(-1, 4 * numbers, flags=flags), np.int32)


def make_lists(team: Team, count: int, capacity: int) -> Lists:
    return Lists(
        untouched(count * capacity).reshape(count, capacity),
        np.zeros(count * _LINE, np.int64),
        np.empty((count, team.size, _SPILL), np.int32),
        np.zeros((count, team.size * _LINE), np.int64),
    )


@inlined
def length(lists, which):
    return lists.length[which * _LINE]


@inlined
def clear(lists, which):
    lists.length[which * _LINE] = 0


@kernel
def flush(lists, which, me):
    held = lists.spilled[which, me * _LINE]
    if held:
        at = add(lists.length, which * _LINE, held)
        for i in range(held):
            lists.items[which, at + i] = lists.spill[which, me, i]
        lists.spilled[which, me * _LINE] = 0


@inlined
def push(lists, which, me, item):
    held = lists.spilled[which, me * _LINE]
    lists.spill[which, me, held] = item
    lists.spilled[which, me * _LINE] = held + 1
    if held + 1 == _SPILL:
        flush(lists, which, me)
