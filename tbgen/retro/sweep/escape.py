"""Escapes from scratch: what the side without the record can force, for all open positions at once.

Payoffs of resets, and of positions settled with a payoff, spread as goals do in settle.py: the best for the escaping
side first, in rounds by distance, so that every position is reached once. The first record level is computed this way,
and so are levels at which much changes; at the others, only what depends on a change is reviewed (review.py).

An item is a position whose mover escapes (`theirs`), or the complement of one whose mover holds the record and
cannot keep it (`ours`). The sets NOW, LATER and TIMED hold the first kind, the sets after them the second.
"""

from typing import Final

import numpy as np

from tbgen.jit import inlined, kernel
from tbgen.outcome import BASE
from tbgen.retro.sweep.state import is_open, payoff_at
from tbgen.retro.threads.lanes import LANE, put
from tbgen.retro.threads.sets import (
    AWAY,
    BLOCK,
    CLOSED,
    DOUBT_OURS,
    ESCAPING,
    FALLING,
    LOSING,
    LOSING_NOW,
    SETTLED,
    STEPPED,
    THREATENED,
    TIMED,
    add,
    add_lane,
    has,
    lane_of,
    mark,
    mark_lane,
    pop_block,
    word_of,
)
from tbgen.retro.threads.team import SCAN, barrier, next_range
from tbgen.retro.values.codes import NONE, STANDS
from tbgen.retro.values.payoff import longest, paid, shortest

VALUES: Final = 2 * BASE
PLACE_WORDS: Final = VALUES // 64 + 1
_ESCAPES: Final = 1
_LOSES: Final = 2

assert SCAN % BLOCK == 0, "each block of positions is scanned by one thread alone (find_values, seed_value)"


@kernel
def forget(team, me, state, sets, buffers):
    """Reset the escapes of all open positions, and empty the sets of a review."""
    nodes = len(state.level)
    for which in range(DOUBT_OURS, STEPPED + 1):
        barrier(team, me)
        while pop_block(team, me, sets, which, buffers):
            pass
    barrier(team, me)
    start, end = next_range(team, me, nodes)
    while start < end:
        for lane in range(start // LANE, -(-end // LANE)):
            free = ~lane_of(sets, SETTLED, lane)
            if free:
                put(state.theirs, lane, free, STANDS)
                put(state.ours, lane, free, STANDS)
            sets.bits[word_of(sets, AWAY, lane)] = lane_of(sets, CLOSED, lane)
        start, end = next_range(team, me, nodes)


@kernel
def mark_out(team, me, sets, begins):
    """When escapes begin to spread, nobody is known to escape or to fall, and those resets lose that do so for good;
    when they end, the bits are those of empty sets again."""
    barrier(team, me)
    start, end = next_range(team, me, sets.words * LANE)
    while start < end:
        for lane in range(start // LANE, end // LANE):
            sets.bits[word_of(sets, ESCAPING, lane)] = 0
            sets.bits[word_of(sets, FALLING, lane)] = 0
            sets.bits[word_of(sets, LOSING_NOW, lane)] = lane_of(sets, LOSING, lane) if begins else np.uint64(0)
        start, end = next_range(team, me, sets.words * LANE)
    barrier(team, me)


@inlined
def _note_place(places, block, place):
    places[block * PLACE_WORDS + place // 64] |= np.uint64(1) << np.uint64(place % 64)


@inlined
def _has_place(places, block, place):
    return places[block * PLACE_WORDS + place // 64] >> np.uint64(place % 64) & np.uint64(1) != 0


@kernel
def find_values(team, me, state, sets, paying, places):
    """Collect the payoffs of all positions that can be seeds: in `paying[code]` which there are, and in `places` per
    block where in `seen` (`list_values`) they are."""
    nodes = len(state.level)
    barrier(team, me)
    start, end = next_range(team, me, nodes)
    while start < end:
        for block in range(start // BLOCK, -(-end // BLOCK)):
            places[block * PLACE_WORDS : (block + 1) * PLACE_WORDS] = 0
        for node in range(start, end):
            pays = state.pays[node]
            if pays == NONE or has(sets, CLOSED, node):
                continue
            paying[pays] = 1
            value = paid(state.payoffs[pays])
            _note_place(places, node // BLOCK, BASE - value)
            _note_place(places, node // BLOCK, BASE + value)
        start, end = next_range(team, me, nodes)
    barrier(team, me)


@kernel
def list_values(state, paying, seen, record):
    """Set `seen[BASE - value]` for every value that the escaping side can be paid, the best first."""
    seen[:] = 0
    for code in range(len(state.payoffs)):
        if paying[code]:
            value = paid(state.payoffs[code])
            if value > -record:
                seen[BASE - value] = 1
            if value < record:
                seen[BASE + value] = 1


@kernel
def choose_value(state, paying, wanted, value):
    """Set `wanted[code]` for every payoff by which the mover escapes to this value, or loses the record to it."""
    for code in range(len(state.payoffs)):
        wanted[code] = 0
        if paying[code]:
            pays = paid(state.payoffs[code])
            if pays == value:
                wanted[code] = _ESCAPES
            elif pays == -value:
                wanted[code] = _LOSES


@kernel
def seed_value(team, me, state, sets, wanted, places, place):
    """Add all positions with a wanted payoff to TIMED, or to the set after it if the mover loses the record."""
    nodes = len(state.level)
    barrier(team, me)
    start, end = next_range(team, me, nodes)
    while start < end:
        for block in range(start // BLOCK, -(-end // BLOCK)):
            if not _has_place(places, block, place):
                continue
            for node in range(block * BLOCK, min((block + 1) * BLOCK, end)):
                which = wanted[state.pays[node]]
                if which and not has(sets, CLOSED, node):
                    add(sets, TIMED + which - _ESCAPES, node)
        start, end = next_range(team, me, nodes)


@inlined
def time_of(state, item):
    """The distance at which an item joins."""
    return shortest(payoff_at(state, item)) if item >= 0 else longest(payoff_at(state, ~item))


@inlined
def join(sets, now, item):
    """Add an item at its distance: its mover escapes, or has one move less to keep the record."""
    node = item if item >= 0 else ~item
    if not is_open(sets, node):
        add(sets, now if item >= 0 else now + 1, node)
    elif item < 0:
        mark(sets, LOSING_NOW, node)
        add(sets, THREATENED, node)
    elif mark(sets, ESCAPING, node):
        add(sets, now, node)


@inlined
def store_value(state, sets, lane, bits, loses, code):
    """Store the value of those of some positions of a lane that are open."""
    if not loses:
        mark_lane(sets, AWAY, lane, bits)
    bits &= ~lane_of(sets, SETTLED, lane)
    put(state.ours if loses else state.theirs, lane, bits, code)
    add_lane(sets, STEPPED, lane, bits)
