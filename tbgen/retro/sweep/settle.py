"""Settling: all positions from which a goal of one level can be forced, whatever weaker record stands.

This is classical retrograde analysis of mate with two differences: the goal is any position of this level whose own
goal stands, and resets that pay as much join at the distance of their payoff. Therefore rounds go by distance.
"""

import numpy as np

from tbgen.intrinsics import fetch_add, fetch_or, lowest_bit
from tbgen.jit import inlined, kernel
from tbgen.outcome import BASE
from tbgen.retro.sweep.state import (
    NOT_AGAIN,
    PENDING,
    SEEDED,
    SETTLED,
    STOOD,
    due_ones,
    is_open,
    key_at,
    payoff_at,
    put_off,
    settle,
    take,
)
from tbgen.retro.threads.lanes import LANE, having, put, switch_on
from tbgen.retro.threads.sets import CHANGED_OURS, NOW, TIMED, add
from tbgen.retro.threads.team import barrier, lock_lane, next_range, unlock_lane
from tbgen.retro.values.codes import CODES, STANDS, code_of
from tbgen.retro.values.keys import level_of, outcome_of, patience, patient
from tbgen.retro.values.payoff import Payoff, longest, pack, paid, shortest


@inlined
def _wait(state, sets, node):
    """Make a seed of a settled node whose outcome is of this level: predecessors are notified at its distance."""
    state.flags[node] = (state.flags[node] & np.uint8(255 - PENDING)) | SEEDED
    state.due[node] = NOT_AGAIN
    add(sets, TIMED, node)


@inlined
def _fix(state, sets, node, level):
    """Settle a position of this level with what it is worth under its own goal."""
    theirs = state.theirs[node]
    state.flags[node] |= SETTLED
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
        # until the sweep reaches its level, it acts as an open position whose resets pay this
        state.flags[node] |= PENDING
        state.due[node] = level_of(outcome)
        state.pays[node] = code_of(state.payoffs, pack(Payoff(outcome, distance, distance)))


@inlined
def _fix_or_seed(state, sets, node, level):
    if not is_open(state.flags, node):
        _wait(state, sets, node)
    elif state.level[node] == level:
        _fix(state, sets, node, level)
    else:
        payoff = payoff_at(state, node)
        if payoff != 0 and level_of(paid(payoff)) == level:
            add(sets, TIMED, node)
        put_off(state, node, level + 1)


@kernel
def fix_and_seed(team, me, state, sets, level):
    """Settle all open positions of this level, and collect the seeds of its outcomes."""
    nodes = len(state.flags)
    barrier(team, me)
    start, end = next_range(team, me, nodes)
    while start < end:
        for lane in range(start // LANE, -(-end // LANE)):
            due = due_ones(state, lane, level)
            while due:
                _fix_or_seed(state, sets, lane * LANE + lowest_bit(due), level)
                due &= due - np.uint64(1)
        start, end = next_range(team, me, nodes)


@inlined
def time_of(state, node):
    """The distance at which a node of TIMED joins."""
    if not is_open(state.flags, node):
        return patience(key_at(state, state.ours[node]))
    payoff = payoff_at(state, node)
    return shortest(payoff) if paid(payoff) > 0 else longest(payoff)


@inlined
def join(state, sets, now, node):
    """Add a seed at its distance: a settled node, or an open one that its reset may settle now."""
    if is_open(state.flags, node):
        outcome = paid(payoff_at(state, node))
        if outcome > 0:
            if not take(state.flags, node):
                return
        else:
            if fetch_add(state.left, node, -1) != 1:
                return
            fetch_or(state.flags, node, SETTLED)
    elif state.flags[node] & SEEDED:
        outcome = outcome_of(key_at(state, state.ours[node]))
    else:  # a move has settled it already
        return
    add(sets, now if outcome > 0 else now + 1, node)


@inlined
def store_value(team, state, lane, bits, code):
    """Store the value of some settled positions of a lane. Returns those at which the record stood."""
    lock_lane(team, lane)
    switch_on(state.flags, lane, bits & having(state.theirs, lane, CODES, STANDS), STOOD)
    put(state.theirs, lane, bits, code)
    put(state.ours, lane, bits, code)
    stood = bits & having(state.flags, lane, STOOD, STOOD)
    unlock_lane(team, lane)
    return stood
