"""Staircases: what an open position is worth under each record, as a chain of steps.

A step gives outcome and distance from a level of the record on, for one holder of the record. A position's staircase
is a chain of steps in the order in which the sweep found them. Chains with a common beginning share it, so that a
chain is one number, that of its last link. All threads add links to a hash table; a link's number is its slot, which
depends on the order of insertion. Therefore finished tables renumber the staircases.
"""

from typing import Final, NamedTuple

import numpy as np
from numpy.typing import NDArray

from tbgen.contents import MOVER_HOLDS
from tbgen.intrinsics import compare_exchange
from tbgen.jit import inlined, kernel
from tbgen.outcome import BASE
from tbgen.retro.values.keys import LONGEST, level_of
from tbgen.sizes import FIRST_LINKS, LINKS_GROWTH

FULL: Final = -1

_DISTANCE_BITS: Final = 12
_OUTCOME_BITS: Final = 11
_LEVEL_BITS: Final = 8
_STEP_BITS: Final = 32
"""A step in the lower half of a key; the link before it is in the upper half."""

assert LONGEST < 1 << _DISTANCE_BITS
assert 2 * BASE <= 1 << _OUTCOME_BITS
assert 1 + _LEVEL_BITS + _OUTCOME_BITS + _DISTANCE_BITS <= _STEP_BITS, "the holder takes one bit"

_WINDOW: Final = 32
"""Slots that a link may have in each hash table."""


GAP: Final = -1
"""A slot that is neither free nor a link (retro/link_log.py)."""


class Links(NamedTuple):
    keys: NDArray[np.int64]
    """`[slot]`: the link before this one (0: none) and the step; 0 where the slot is free."""


def make_links(capacity: int) -> Links:
    return Links(np.zeros(capacity, np.int64))


@inlined
def pack_step(holder, level, outcome, distance):
    step = (holder << _LEVEL_BITS) | level
    step = (step << _OUTCOME_BITS) | (outcome + BASE)
    return (step << _DISTANCE_BITS) | distance


@inlined
def step_holder(step):
    return step >> (_LEVEL_BITS + _OUTCOME_BITS + _DISTANCE_BITS) & 1


@inlined
def step_level(step):
    return step >> (_OUTCOME_BITS + _DISTANCE_BITS) & ((1 << _LEVEL_BITS) - 1)


@inlined
def step_outcome(step):
    return (step >> _DISTANCE_BITS & ((1 << _OUTCOME_BITS) - 1)) - BASE


@inlined
def step_distance(step):
    return step & ((1 << _DISTANCE_BITS) - 1)


@inlined
def step_of(links, link):
    return links.keys[link - 1] & ((1 << _STEP_BITS) - 1)


@inlined
def link_before(links, link):
    return links.keys[link - 1] >> _STEP_BITS


@inlined
def _mix(mixed):
    return (mixed ^ (mixed >> np.uint64(29))) * np.uint64(0x9E3779B97F4A7C15)


@inlined
def _first_slot(mixed, begin, size):
    """Where the window of a mixed key begins in the hash table of `size` slots from `begin` on."""
    return begin + np.int64((mixed >> np.uint64(32)) * np.uint64(size) >> np.uint64(32))


@kernel
def add_step(links, link, step):
    """The number of the chain `link` with one more step; FULL when no table has room left."""
    key = (np.int64(link) << _STEP_BITS) | step
    mixed = np.uint64(key)
    begin, size = 0, min(FIRST_LINKS, len(links.keys))
    while size:
        mixed = _mix(mixed)
        slot = _first_slot(mixed, begin, size)
        for at in range(slot, slot + _WINDOW):
            if at == begin + size:
                break
            found = links.keys[at]
            if found == 0:
                found = compare_exchange(links.keys, at, np.int64(0), key)
                if found == 0:
                    return np.int64(at) + 1
            if found == key:
                return np.int64(at) + 1
        begin, size = begin + size, min(LINKS_GROWTH * size, len(links.keys) - begin - size)
    return np.int64(FULL)


@kernel
def window_of(key, table, capacity):
    """Where a key's window in this hash table, counted from 0, begins and ends; -1 twice if there are not so many."""
    mixed = _mix(np.uint64(key))
    begin, size = 0, min(FIRST_LINKS, capacity)
    for _ in range(table):
        mixed = _mix(mixed)
        begin, size = begin + size, min(LINKS_GROWTH * size, capacity - begin - size)
    if size == 0:
        return np.int64(-1), np.int64(-1)
    first = _first_slot(mixed, begin, size)
    return np.int64(first), np.int64(min(first + _WINDOW, begin + size))


@kernel
def last_step(links, link, holder, level):
    """The last step of a chain for this holder at this level of the record or before; -1 if there is none."""
    while link:
        step = step_of(links, link)
        if step_holder(step) == holder and step_level(step) <= level:
            return step
        link = link_before(links, link)
    return np.int64(-1)


@kernel
def value_under_record(links, link, outcome, distance, own_level, holder, level):
    """What a position is worth under a record of this level in these hands: relative outcome and distance.

    `outcome` and `distance` are its fresh ones, `link` its staircase, `own_level` its own level. The record
    must not be weaker than the position's own goal."""
    if own_level < level or level_of(outcome) < level:
        return outcome, distance
    record = BASE - level if holder == MOVER_HOLDS else level - BASE
    step = last_step(links, link, holder, level)
    if step >= 0:
        found = step_outcome(step)
        if (found < record) if holder == MOVER_HOLDS else (found > record):
            return found, step_distance(step)
    return np.int64(record), np.int64(0)
