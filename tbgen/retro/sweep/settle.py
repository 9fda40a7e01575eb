"""Settling: all positions from which a goal of one level can be forced, whatever weaker record stands.

This is classical retrograde analysis of mate with two differences: the goal is any position of this level whose own
goal stands, and resets that pay as much join at the distance of their payoff. Therefore rounds go by distance.
"""

import numpy as np

from tbgen.intrinsics import lowest_bit
from tbgen.jit import inlined, kernel
from tbgen.outcome import BASE
from tbgen.retro.sweep.state import NOT_AGAIN, due_ones, is_open, key_at, payoff_at, put_off, settle
from tbgen.retro.threads.lanes import LANE, put
from tbgen.retro.threads.sets import (
    AWAY,
    CHANGED_OURS,
    CLOSED,
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
from tbgen.retro.threads.team import barrier, next_range
from tbgen.retro.values.codes import STANDS, code_of
from tbgen.retro.values.keys import level_of, outcome_of, patience, patient
from tbgen.retro.values.payoff import Payoff, longest, pack, paid, shortest


@inlined
def _seed(sets, node, outcome):
    """Have a node join at its distance, among those whose mover gains or those whose mover loses."""
    add(sets, TIMED if outcome > 0 else TIMED + 1, node)


@inlined
def _wait(state, sets, node):
    """Make a seed of a settled node whose outcome is of this level: predecessors are notified at its distance."""
    state.due[node] = NOT_AGAIN
    _seed(sets, node, outcome_of(key_at(state, state.ours[node])))


@inlined
def _fix(state, sets, node, level):
    """Settle a position of this level with what it is worth under its own goal."""
    theirs = state.theirs[node]
    mark(sets, SETTLED, node)
    state.due[node] = NOT_AGAIN
    if theirs == STANDS:
        settle(state, node, code_of(state.keys, patient(level - BASE, 0)))
        add(sets, NOW + 1, node)
        return
    settle(state, node, theirs)
    add(sets, CHANGED_OURS, node)
    key = key_at(state, theirs)
    outcome, distance = outcome_of(key), patience(key)
    if level_of(outcome) == level:
        _wait(state, sets, node)
    else:
        # pending: until the sweep reaches its level, it acts as an open position whose resets pay this
        state.due[node] = level_of(outcome)
        state.pays[node] = code_of(state.payoffs, pack(Payoff(outcome, distance, distance)))


@inlined
def _fix_or_seed(state, sets, node, level):
    if not is_open(sets, node):
        _wait(state, sets, node)
    elif state.level[node] == level:
        _fix(state, sets, node, level)
    else:
        payoff = payoff_at(state, node)
        if payoff != 0 and level_of(paid(payoff)) == level:
            _seed(sets, node, paid(payoff))
        put_off(state, node, level + 1)


@kernel
def fix_and_seed(team, me, state, sets, level):
    """Settle all open positions of this level, and collect the seeds of its outcomes."""
    nodes = len(state.level)
    barrier(team, me)
    start, end = next_range(team, me, nodes)
    while start < end:
        for lane in range(start // LANE, -(-end // LANE)):
            due = due_ones(state, sets, lane, level)
            while due:
                _fix_or_seed(state, sets, lane * LANE + lowest_bit(due), level)
                due &= due - np.uint64(1)
        start, end = next_range(team, me, nodes)


@inlined
def time_of(state, sets, item):
    """The distance at which an item joins: a settled node, or an open one that its resets may settle."""
    node = item if item >= 0 else ~item
    if not is_open(sets, node):
        return patience(key_at(state, state.ours[node]))
    payoff = payoff_at(state, node)
    return shortest(payoff) if item >= 0 else longest(payoff)


@inlined
def join(sets, now, item):
    """Add an item at its distance. A move may have settled an open one by now: before this distance, then it is closed,
    or at it, then it is among those whose mover gains."""
    node = item if item >= 0 else ~item
    if has(sets, CLOSED, node):
        return
    if item >= 0:
        mark(sets, SETTLED, node)
        add(sets, now, node)
    elif is_open(sets, node):
        mark(sets, LOSING, node)
        add(sets, THREATENED, node)
    elif not has(sets, now, node):
        add(sets, now + 1, node)


@inlined
def store_value(state, sets, lane, bits, code):
    """Store the value of some settled positions of a lane."""
    put(state.theirs, lane, bits, code)
    put(state.ours, lane, bits, code)
    mark_lane(sets, CLOSED, lane, bits)
    mark_lane(sets, AWAY, lane, bits)
