"""What the side without the record can escape to, worked out for all open positions at once.

Payoffs spread here as goals do in beyond.py, the best for the escaping side first, in rounds by distance; so
every position is reached once. They are those of resets, and of positions settled with a payoff. So it begins,
before any goal but mate and stalemate counts, and so it begins anew at levels that change much; at others only
what changed is reviewed (inside.py).

In lists of this file a number means the position whose mover escapes (`theirs`), its complement the
position whose mover holds the record and cannot keep it (`ours`).
"""

from typing import Final

import numpy as np

from tbgen.jit import inlined, kernel
from tbgen.outcome import BASE
from tbgen.retro.atomics import add, replace, set_bits
from tbgen.retro.entry import ALWAYS, NEVER, haste, hasty, outcome_of, patience, patient
from tbgen.retro.field import (
    CHANGED,
    CHANGED_OURS,
    CHANGED_THEIRS,
    CLOSED,
    DOUBT_OURS,
    DOUBT_THEIRS,
    OPEN,
    TIMED,
    review_flag,
)
from tbgen.retro.ground import predecessors
from tbgen.retro.payoff import longest, paid, shortest
from tbgen.retro.team import arrive, claim, clear, flush, push

_SCAN: Final = 1 << 14
VALUES: Final = 2 * BASE


@kernel
def forget(team, me, ground, desk, field, lists):
    """Take back all that open positions are known to escape to."""
    nodes = len(field.state)
    arrive(team, me)
    if me == 0:
        for which in (CHANGED_OURS, CHANGED_THEIRS, DOUBT_OURS, DOUBT_THEIRS):
            clear(lists, which)
    while True:
        start = claim(team, me, _SCAN)
        if start >= nodes:
            break
        for node in range(start, min(start + _SCAN, nodes)):
            if field.state[node] == OPEN:
                field.flags[node] &= np.uint8(255 - review_flag(DOUBT_OURS) - review_flag(DOUBT_THEIRS))
                field.theirs[node] = NEVER
                field.ours[node] = ALWAYS
                field.standing[node] = 0
    arrive(team, me)
    while True:
        start = claim(team, me, _SCAN)
        if start >= nodes:
            break
        for node in range(start, min(start + _SCAN, nodes)):
            if field.state[node] != CLOSED:
                count = predecessors(ground, desk, node)
                for at in range(count):
                    if field.state[desk.near[at]] == OPEN:
                        add(field.standing, desk.near[at], 1)


@inlined
def _payoff_of(field, node):
    """What a position is sure to pay its mover: by resets while it is open, by what it was settled with."""
    if field.state[node] == OPEN:
        return paid(field.pays[node])
    return outcome_of(field.ours[node])


@kernel
def find_values(team, me, field, seen, record):
    """Mark in `seen` what is paid to a side that has not the record: `seen[BASE - value]`, the best first."""
    nodes = len(field.state)
    arrive(team, me)
    while True:
        start = claim(team, me, _SCAN)
        if start >= nodes:
            break
        for node in range(start, min(start + _SCAN, nodes)):
            state = field.state[node]
            if state == CLOSED:
                continue
            value = _payoff_of(field, node)
            if value == 0:
                continue
            if state == OPEN:
                # the resets count as one move more that has to fail before the record is lost
                field.standing[node] += 1
            if value > -record:
                seen[BASE - value] = 1
            if value < record:
                seen[BASE + value] = 1
    arrive(team, me)


@kernel
def seed_value(team, me, field, lists, value):
    """Collect all that pays the escaping side so much, whichever side that is."""
    nodes = len(field.state)
    arrive(team, me)
    while True:
        start = claim(team, me, _SCAN)
        if start >= nodes:
            break
        for node in range(start, min(start + _SCAN, nodes)):
            if field.state[node] == CLOSED:
                continue
            pays = _payoff_of(field, node)
            if pays == value:
                push(lists, TIMED, me, node)
            elif pays == -value:
                push(lists, TIMED, me, ~node)
    flush(lists, TIMED, me)


@inlined
def time_of(field, item):
    """The distance at which a payoff is had."""
    node = item if item >= 0 else ~item
    if field.state[node] != OPEN:
        return patience(field.ours[node])
    return shortest(field.pays[node]) if item >= 0 else longest(field.pays[node])


@inlined
def join(field, lists, now, me, item, distance):
    """A payoff's time has come: the side to move escapes by it, or has one move less to keep the record."""
    node = item if item >= 0 else ~item
    if field.state[node] == OPEN:
        if item >= 0:
            if field.theirs[node] != NEVER:
                return
            field.theirs[node] = hasty(paid(field.pays[node]), distance)
        else:
            if add(field.standing, node, -1) != 1:
                return
            field.ours[node] = patient(paid(field.pays[node]), distance)
        set_bits(field.flags, node, CHANGED)
    push(lists, now, me, item)


@inlined
def tell(ground, desk, field, lists, later, me, item):
    """Pass on what an item has come to: its predecessors escape, or have one move less to keep the record."""
    escaped = item >= 0
    node = item if escaped else ~item
    if escaped:
        key = field.theirs[node]
        passed_on = patient(-outcome_of(key), haste(key) + 1)
    else:
        key = field.ours[node]
        passed_on = hasty(-outcome_of(key), patience(key) + 1)
    near = desk.near
    for at in range(predecessors(ground, desk, node)):
        before = near[at]
        if field.state[before] != OPEN:
            continue
        if escaped:
            if add(field.standing, before, -1) == 1:
                field.ours[before] = passed_on
                set_bits(field.flags, before, CHANGED)
                push(lists, later, me, ~before)
        elif field.theirs[before] == NEVER and replace(field.theirs, before, NEVER, passed_on) == NEVER:
            set_bits(field.flags, before, CHANGED)
            push(lists, later, me, before)


@kernel
def uncount_resets(team, me, field, record):
    """From now on `standing` counts quiet moves only: take out the resets that are worth the record."""
    nodes = len(field.state)
    arrive(team, me)
    while True:
        start = claim(team, me, _SCAN)
        if start >= nodes:
            break
        for node in range(start, min(start + _SCAN, nodes)):
            if field.state[node] == OPEN and paid(field.pays[node]) >= record:
                field.standing[node] -= 1
    arrive(team, me)
