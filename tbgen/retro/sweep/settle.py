"""Settling: all positions from which a goal of one level can be forced, whatever weaker record stands.

This is classical retrograde analysis of mate with two differences: the goal is any position of this level whose own
goal stands, and resets that pay as much join at the distance of their payoff. Therefore rounds go by distance.
"""

import numpy as np

from tbgen.compiler.intrinsics import lowest_bit
from tbgen.compiler.jit import inlined, kernel
from tbgen.retro.sweep.cells import cell_of, first_cell
from tbgen.retro.sweep.state import (
    NOT_AGAIN,
    escape_at,
    is_open,
    keep_at,
    key_at,
    lanes_in,
    next_due,
    none_due,
    payoff_at,
    put_off,
    read_cells_around,
    read_pays_around,
    read_worth_around,
)
from tbgen.retro.threads.lanes import LANE
from tbgen.retro.threads.sets import (
    AWAY,
    CHANGED_OURS,
    CLOSED,
    LOSE,
    LOSING,
    NOW,
    SETTLED,
    THREATENED,
    TIMED,
    add,
    has,
    mark,
    mark_lane,
)
from tbgen.retro.threads.team import barrier
from tbgen.retro.values.codes import STANDS, code_of
from tbgen.retro.values.keys import level_of, outcome_of, patience
from tbgen.retro.values.payoff import Payoff, longest, pack, paid, shortest


@inlined
def _seed(sets, node, outcome):
    """Have a node join at its distance, among those whose mover gains or those whose mover loses."""
    add(sets, TIMED if outcome > 0 else TIMED + LOSE, node)


@inlined
def _wait(state, sets, node, cell):
    """Make a seed of a settled node whose outcome is of this level: predecessors are notified at its distance."""
    state.due[cell] = NOT_AGAIN
    _seed(sets, node, paid(payoff_at(state, cell)))


@inlined
def _fix(state, buffers, sets, node, cell, level):
    """Settle a position of this level with what it is worth under its own goal."""
    theirs = escape_at(state, cell)
    mark(sets, SETTLED, node)
    state.due[cell] = NOT_AGAIN
    if theirs == STANDS:
        add(sets, NOW + LOSE, node)
        return
    read_worth_around(state, buffers, node)
    state.worth[node] = theirs
    if keep_at(state, cell) != theirs:
        add(sets, CHANGED_OURS, node)
    # pending: until the sweep has done its level, it acts as an open position whose resets pay this
    key = key_at(state, theirs)
    outcome, distance = outcome_of(key), patience(key)
    state.pays[cell] = code_of(state.payoffs, pack(Payoff(outcome, distance, distance)))
    if level_of(outcome) == level:
        _wait(state, sets, node, cell)
    else:
        state.due[cell] = level_of(outcome)


@inlined
def _fix_or_seed(state, buffers, sets, node, cell, level):
    if has(sets, CLOSED, node):
        state.due[cell] = NOT_AGAIN
    elif not is_open(sets, node):
        _wait(state, sets, node, cell)
    elif state.level[cell] == level:
        _fix(state, buffers, sets, node, cell, level)
    else:
        payoff = payoff_at(state, cell)
        if payoff != 0 and level_of(paid(payoff)) == level:
            _seed(sets, node, paid(payoff))
        put_off(state, cell, level + 1)


@kernel
def fix_and_seed(worker, level):
    """Settle all open positions of this level, and collect the seeds of its outcomes."""
    team, me, buffers, state, sets = worker.team, worker.me, worker.buffers, worker.state, worker.sets
    barrier(team, me)
    start, end = next_due(team, me, state)
    while start < end:
        for lane in lanes_in(start, end):
            if none_due(state, lane, level):
                continue
            read_cells_around(state, buffers, lane)
            left, cell = state.cells.members[lane], first_cell(state.cells, lane)
            while left:
                if state.due[cell] <= level:
                    _fix_or_seed(state, buffers, sets, lane * LANE + lowest_bit(left), cell, level)
                left &= left - np.uint64(1)
                cell += 1
        start, end = next_due(team, me, state)


@inlined
def time_of(state, buffers, node, gains):
    """The distance at which a seed joins: a pending node, or an open one that its resets may settle."""
    read_pays_around(state, buffers, node)
    payoff = payoff_at(state, cell_of(state.cells, node))
    return shortest(payoff) if gains else longest(payoff)


@inlined
def join(sets, now, node, gains):
    """Add a seed at its distance. A move may have settled an open one by now: before this distance, then it is closed,
    or at it, then it is among those whose mover gains."""
    if has(sets, CLOSED, node):
        return
    if gains:
        mark(sets, SETTLED, node)
        add(sets, now, node)
    elif is_open(sets, node):
        mark(sets, LOSING, node)
        add(sets, THREATENED, node)
    elif not has(sets, now, node):
        add(sets, now + LOSE, node)


@inlined
def close(sets, lane, bits):
    """Note that some settled positions of a lane have their values."""
    mark_lane(sets, CLOSED, lane, bits)
    mark_lane(sets, AWAY, lane, bits)
