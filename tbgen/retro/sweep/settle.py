"""Settling: all positions from which a goal of one level can be forced, whatever weaker record stands.

This is classical retrograde analysis of mate with two differences: the goal is any position of this level whose own
goal stands, and resets that pay as much join at the distance of their payoff. Therefore rounds go by distance.
"""

import numpy as np

from tbgen.intrinsics import lowest_bit
from tbgen.jit import inlined, kernel
from tbgen.retro.sweep.state import (
    NOT_AGAIN,
    due_ones,
    find_soonest,
    is_open,
    key_at,
    payoff_at,
    put_off,
    set_due,
)
from tbgen.retro.threads.lanes import LANE
from tbgen.retro.threads.sets import (
    AWAY,
    BLOCK,
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
from tbgen.retro.values.keys import level_of, outcome_of, patience
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
        add(sets, NOW + 1, node)
        return
    state.ours[node] = theirs
    add(sets, CHANGED_OURS, node)
    key = key_at(state, theirs)
    outcome, distance = outcome_of(key), patience(key)
    if level_of(outcome) == level:
        _wait(state, sets, node)
    else:
        # pending: until the sweep reaches its level, it acts as an open position whose resets pay this
        set_due(state, node, level_of(outcome))
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
        for block in range(start // BLOCK, -(-end // BLOCK)):
            if state.soonest[block] > level:
                continue
            for lane in range(block * BLOCK // LANE, -(-min((block + 1) * BLOCK, end) // LANE)):
                due = due_ones(state, sets, lane, level)
                while due:
                    _fix_or_seed(state, sets, lane * LANE + lowest_bit(due), level)
                    due &= due - np.uint64(1)
            find_soonest(state, block)
        start, end = next_range(team, me, nodes)


@inlined
def time_of(state, sets, node, gains):
    """The distance at which a seed joins: a settled node, or an open one that its resets may settle."""
    if not is_open(sets, node):
        return patience(key_at(state, state.ours[node]))
    payoff = payoff_at(state, node)
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
        add(sets, now + 1, node)


@inlined
def close(sets, lane, bits):
    """Note that some settled positions of a lane have their values."""
    mark_lane(sets, CLOSED, lane, bits)
    mark_lane(sets, AWAY, lane, bits)
