"""Escapes from scratch: what the side without the record can force, for all open positions at once.

Payoffs of resets, and of positions settled with a payoff, spread as goals do in settle.py: the best for the escaping
side first, in rounds by distance, so that every position is reached once. The first record level is computed this way,
and so are levels at which much changes; at the others, only what depends on a change is reviewed (review.py).

A position is reached if its mover escapes (`theirs`), or if he holds the record and cannot keep it (`ours`). The sets
NOW and LATER hold the first kind, their sets at LOSE the second.
"""

from typing import Final

import numpy as np

from tbgen.compiler.intrinsics import lowest_bit
from tbgen.compiler.jit import inlined, kernel
from tbgen.core.outcome import BASE
from tbgen.retro.sweep.cells import cell_of, first_cell
from tbgen.retro.sweep.state import is_open, lanes_in, read_cells_ahead, read_members_ahead
from tbgen.retro.threads.lanes import LANE
from tbgen.retro.threads.sets import (
    ALTERED,
    AWAY,
    CHANGED_OURS,
    CHANGED_THEIRS,
    CLOSED,
    DOUBT_OURS,
    DOUBT_THEIRS,
    ESCAPING,
    FALLING,
    LOSE,
    LOSING,
    SETTLED,
    STEPPED,
    THREATENED,
    add,
    add_lane,
    clear_set,
    lane_of,
    mark,
    put_lane,
    read_set_ahead,
)
from tbgen.retro.threads.team import barrier, next_range
from tbgen.retro.values.codes import NONE, STANDS
from tbgen.retro.values.keys import level_of
from tbgen.retro.values.payoff import paid

VALUES: Final = 2 * BASE


@kernel
def begin(team, me, sets):
    """Empty the sets of a review; no open position is known to escape or to fall. What a review has altered before it
    was given up is not forgotten."""
    barrier(team, me)
    start, end = next_range(team, me, sets.words * LANE)
    while start < end:
        for which in (STEPPED, ALTERED):
            read_set_ahead(sets, which, start // LANE, end // LANE)
        for lane in range(start // LANE, end // LANE):
            put_lane(sets, ALTERED, lane, lane_of(sets, STEPPED, lane))
        start, end = next_range(team, me, sets.words * LANE)
    for which in (DOUBT_THEIRS, CHANGED_THEIRS, STEPPED, DOUBT_OURS, CHANGED_OURS):
        clear_set(team, me, sets, which)
    barrier(team, me)
    start, end = next_range(team, me, sets.words * LANE)
    while start < end:
        for lane in range(start // LANE, end // LANE):
            put_lane(sets, AWAY, lane, lane_of(sets, CLOSED, lane))
            put_lane(sets, ESCAPING, lane, lane_of(sets, SETTLED, lane))
        start, end = next_range(team, me, sets.words * LANE)
    barrier(team, me)


@kernel
def end(team, me, state, sets, level):
    """All escapes are known now. Those of positions that were not reached are none; positions with another value may
    need another step. LOSING means again what resets lose to for good. The bits of a review are those of empty sets."""
    nodes = len(state.worth)
    barrier(team, me)
    start, stop = next_range(team, me, nodes)
    while start < stop:
        read_members_ahead(state, start)
        read_cells_ahead(state, state.pays, start, stop)
        read_cells_ahead(state, state.theirs, start, stop)
        read_cells_ahead(state, state.ours, start, stop)
        for which in (STEPPED, FALLING, LOSING, ALTERED):
            read_set_ahead(sets, which, start // LANE, -(-stop // LANE))
        for lane in lanes_in(start, stop):
            escaping, falling = lane_of(sets, ESCAPING, lane), lane_of(sets, FALLING, lane)
            left = ~lane_of(sets, SETTLED, lane)
            if left:
                add_lane(sets, STEPPED, lane, lane_of(sets, ALTERED, lane) & (escaping & left | falling))
                _forget(state, lane, left & ~escaping, left & ~falling)
                put_lane(sets, LOSING, lane, _losing(state, lane, level))
            put_lane(sets, ESCAPING, lane, np.uint64(0))
            put_lane(sets, FALLING, lane, np.uint64(0))
        start, stop = next_range(team, me, nodes)
    barrier(team, me)


@inlined
def _forget(state, lane, staying, keeping):
    """Have some open positions of a lane not escape, and some not lose their record. Who escaped at the level before
    does so again in all tables of up to four men, so these have no values there."""
    while staying:
        state.theirs[cell_of(state.cells, lane * LANE + lowest_bit(staying))] = STANDS
        staying &= staying - np.uint64(1)
    while keeping:
        state.ours[cell_of(state.cells, lane * LANE + lowest_bit(keeping))] = STANDS
        keeping &= keeping - np.uint64(1)


@inlined
def _losing(state, lane, level):
    """Which positions of a lane have no resets, or lose by them to a goal of a level below this one."""
    found = np.uint64(0)
    left, cell = state.cells.members[lane], first_cell(state.cells, lane)
    while left:
        pays = state.pays[cell]
        value = paid(state.payoffs[pays])
        if pays == NONE or (value < 0 and level_of(value) < level):
            found |= left & (~left + np.uint64(1))
        left &= left - np.uint64(1)
        cell += 1
    return found


@kernel
def list_values(state, first, seen, record):
    """Set `seen[BASE - value]` for every value that the escaping side can be paid, the best first. `first[code]`: where
    the seeds with this code begin."""
    seen[:] = 0
    for code in range(len(state.payoffs)):
        if first[code] != first[code + 1]:
            value = paid(state.payoffs[code])
            if value > -record:
                seen[BASE - value] = 1
            if value < record:
                seen[BASE + value] = 1


@inlined
def join(sets, now, node, gains):
    """Add a seed at its distance: its mover escapes, or has one move less to keep the record."""
    if not is_open(sets, node):
        add(sets, now if gains else now + LOSE, node)
    elif not gains:
        mark(sets, LOSING, node)
        add(sets, THREATENED, node)
    elif mark(sets, ESCAPING, node):
        add(sets, now, node)
