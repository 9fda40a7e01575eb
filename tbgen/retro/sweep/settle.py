"""Settling: everything from which a goal of one level can be forced, whatever weaker record stands.

Like mate in classical retrograde analysis, with two differences: the goal is any position of this level
whose goal stands, and resets that pay it join at the distance they bring along. So rounds go by distance.
"""

import numpy as np

from tbgen.intrinsics import add, set_bits
from tbgen.jit import inlined, kernel
from tbgen.outcome import BASE
from tbgen.retro.sweep.state import (
    NOT_AGAIN,
    PENDING,
    SEEDED,
    SETTLED,
    STOOD,
    first_due,
    is_closed,
    is_open,
    key_at,
    payoff_at,
    put_off,
    settle,
    take,
)
from tbgen.retro.threads.lanes import having, put, switch_on
from tbgen.retro.threads.sets import CHANGED_OURS, NOW, TIMED, mark
from tbgen.retro.threads.team import arrive, hold, let_go, share
from tbgen.retro.values.codes import CODES, STANDS, code_of
from tbgen.retro.values.keys import outcome_of, patience, patient
from tbgen.retro.values.payoff import Payoff, longest, pack, paid, shortest


@inlined
def _wait(field, marks, node):
    """A settled node whose outcome's level has come: it is heard of at its own distance."""
    field.flags[node] = (field.flags[node] & np.uint8(255 - PENDING)) | SEEDED
    field.due[node] = NOT_AGAIN
    mark(marks, TIMED, node)


@inlined
def _fix(field, marks, node, level):
    """A position of this level keeps what it is worth under its own goal."""
    theirs = field.theirs[node]
    field.flags[node] |= SETTLED
    field.due[node] = NOT_AGAIN
    if theirs == STANDS:
        settle(field, node, code_of(field.keys, patient(level - BASE, 0)))
        mark(marks, NOW + 1, node)
        return
    settle(field, node, theirs)
    mark(marks, CHANGED_OURS, node)
    key = key_at(field, theirs)
    outcome, distance = outcome_of(key), patience(key)
    if BASE - abs(outcome) == level:
        _wait(field, marks, node)
    else:
        # until its level has come, it is like an open position of which resets pay so much
        field.flags[node] |= PENDING
        field.due[node] = BASE - abs(outcome)
        field.pays[node] = code_of(field.payoffs, pack(Payoff(outcome, distance, distance)))


@kernel
def fix_and_seed(team, me, field, marks, level):
    """Settle all open positions of this level, and collect where outcomes of this level begin."""
    nodes = len(field.flags)
    arrive(team, me)
    start, end = share(team, me, nodes)
    while start < end:
        node = first_due(field, start, end, level)
        while node < end:
            if is_closed(field.flags, node):
                field.due[node] = NOT_AGAIN
            elif not is_open(field.flags, node):
                _wait(field, marks, node)
            elif field.level[node] == level:
                _fix(field, marks, node, level)
            else:
                payoff = payoff_at(field, node)
                if payoff != 0 and BASE - abs(paid(payoff)) == level:
                    mark(marks, TIMED, node)
                put_off(field, node, level + 1)
            node = first_due(field, node + 1, end, level)
        start, end = share(team, me, nodes)


@inlined
def time_of(field, node):
    """When a node of TIMED becomes known."""
    if not is_open(field.flags, node):
        return patience(key_at(field, field.ours[node]))
    payoff = payoff_at(field, node)
    return shortest(payoff) if paid(payoff) > 0 else longest(payoff)


@inlined
def join(field, marks, now, node):
    """A timed node's time has come, if it is settled, or settles now by its reset."""
    if is_open(field.flags, node):
        outcome = paid(payoff_at(field, node))
        if outcome > 0:
            if not take(field.flags, node):
                return
        else:
            if add(field.left, node, -1) != 1:
                return
            set_bits(field.flags, node, SETTLED)
    elif field.flags[node] & SEEDED:
        outcome = outcome_of(key_at(field, field.ours[node]))
    else:  # a move has settled it in the meantime
        return
    mark(marks, now if outcome > 0 else now + 1, node)


@inlined
def write_down(team, field, lane, bits, code):
    """What some positions of a lane are settled with. Returns at which of them the record stood."""
    hold(team, lane)
    switch_on(field.flags, lane, bits & having(field.theirs, lane, CODES, STANDS), STOOD)
    put(field.theirs, lane, bits, code)
    put(field.ours, lane, bits, code)
    stood = bits & having(field.flags, lane, STOOD, STOOD)
    let_go(team, lane)
    return stood
