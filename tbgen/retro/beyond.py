"""Settling: everything from which a goal of one level can be forced, whatever weaker record stands.

Like mate in classical retrograde analysis, with two differences: the goal is any position of this level
whose goal stands, and resets that pay it join at the distance they bring along. So rounds go by distance.
"""

from typing import Final

from tbgen.jit import inlined, kernel
from tbgen.outcome import BASE
from tbgen.retro.atomics import add, replace
from tbgen.retro.entry import NEVER, haste, outcome_of, patience
from tbgen.retro.field import CHANGED_OURS, CLOSED, DOUBT_OURS, NOW, OPEN, PENDING, SEEDED, STOOD, TIMED, review, settle
from tbgen.retro.ground import predecessors
from tbgen.retro.payoff import longest, paid, shortest
from tbgen.retro.team import arrive, claim, flush, push

_SCAN: Final = 1 << 14
_CHUNK: Final = 128


@inlined
def _wait(field, lists, me, node):
    """A settled node whose outcome's level has come: it is heard of at its own distance."""
    field.state[node] = CLOSED
    field.flags[node] |= SEEDED
    push(lists, TIMED, me, node)


@inlined
def _fix(field, lists, me, node, level):
    """A position of this level keeps what it is worth under its own goal."""
    theirs = field.theirs[node]
    field.state[node] = CLOSED
    if theirs == NEVER:
        settle(field, node, level - BASE, 0)
        push(lists, NOW, me, node)
        return
    outcome = outcome_of(theirs)
    settle(field, node, outcome, haste(theirs))
    push(lists, CHANGED_OURS, me, node)
    if BASE - abs(outcome) == level:
        _wait(field, lists, me, node)
    else:
        field.state[node] = PENDING


@kernel
def fix_and_seed(team, me, field, lists, level):
    """Settle all open positions of this level, and collect where outcomes of this level begin."""
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
            if state == PENDING:
                if BASE - abs(outcome_of(field.ours[node])) == level:
                    _wait(field, lists, me, node)
            elif field.level[node] == level:
                _fix(field, lists, me, node, level)
            else:
                outcome = paid(field.pays[node])
                if outcome != 0 and BASE - abs(outcome) == level:
                    push(lists, TIMED, me, node)
    flush(lists, TIMED, me)
    flush(lists, CHANGED_OURS, me)
    flush(lists, NOW, me)


@inlined
def time_of(field, node):
    """When a node of `timed` becomes known."""
    if field.state[node] == CLOSED:
        return patience(field.ours[node])
    pays = field.pays[node]
    return shortest(pays) if paid(pays) > 0 else longest(pays)


@inlined
def join(field, lists, now, me, node, distance):
    """A timed node's time has come: push it if it is settled, or settles now by its reset."""
    if field.state[node] == OPEN:
        pays = paid(field.pays[node])
        if pays > 0:
            if replace(field.state, node, OPEN, CLOSED) != OPEN:
                return
        else:
            if add(field.left, node, -1) != 1:
                return
            field.state[node] = CLOSED
        settle(field, node, pays, distance)
    elif field.flags[node] & SEEDED == 0:  # a move has settled it in the meantime
        return
    push(lists, now, me, node)


@inlined
def tell(ground, desk, field, lists, later, me, node, with_record):
    key = field.ours[node]
    outcome, distance = outcome_of(key), patience(key)
    count = predecessors(ground, desk, node)
    near = desk.near
    if outcome < 0:
        for at in range(count):
            before = near[at]
            if field.state[before] == OPEN and replace(field.state, before, OPEN, CLOSED) == OPEN:
                settle(field, before, -outcome, distance + 1)
                push(lists, later, me, before)
        return
    stood = field.flags[node] & STOOD
    for at in range(count):
        before = near[at]
        if field.state[before] != OPEN:
            continue
        if add(field.left, before, -1) == 1:
            field.state[before] = CLOSED
            settle(field, before, -outcome, distance + 1)
            push(lists, later, me, before)
        elif with_record:
            if stood:
                if add(field.standing, before, -1) == 1:
                    review(field, lists, DOUBT_OURS, me, before)
            elif field.standing[before] == 0:
                review(field, lists, DOUBT_OURS, me, before)
