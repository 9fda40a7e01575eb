"""The first layers: what the side without the record can escape to, before any goal but mate and stalemate counts.

Payoffs of resets spread here as goals do in beyond.py, the best for the escaping side first, in rounds by
distance; so every position is reached once. (Later levels change little and are reviewed, see inside.py.)
In lists of this file a number means the position whose mover escapes (`theirs`), its complement the
position whose mover holds the record and cannot keep it (`ours`).
"""

from typing import Final

from tbgen.jit import inlined, kernel
from tbgen.outcome import BASE
from tbgen.retro.atomics import add, replace, set_bits
from tbgen.retro.entry import NEVER, haste, hasty, outcome_of, patience, patient
from tbgen.retro.field import CHANGED, OPEN, TIMED
from tbgen.retro.ground import predecessors
from tbgen.retro.payoff import longest, paid, shortest
from tbgen.retro.team import arrive, claim, flush, push

_SCAN: Final = 1 << 14
VALUES: Final = 2 * BASE


@kernel
def count_resets(team, me, field, seen, record):
    """Mark in `seen` what resets pay a side that has not the record: `seen[BASE - value]`, the best first."""
    nodes = len(field.state)
    arrive(team, me)
    while True:
        start = claim(team, me, _SCAN)
        if start >= nodes:
            break
        for node in range(start, min(start + _SCAN, nodes)):
            value = paid(field.pays[node])
            if value == 0 or field.state[node] != OPEN:
                continue
            # the resets count as one move more that has to fail before the record is lost
            field.standing[node] += 1
            if value > -record:
                seen[BASE - value] = 1
            if value < record:
                seen[BASE + value] = 1
    arrive(team, me)


@kernel
def seed_value(team, me, field, lists, value):
    """Collect the resets that pay the escaping side so much, whichever side that is."""
    nodes = len(field.state)
    arrive(team, me)
    while True:
        start = claim(team, me, _SCAN)
        if start >= nodes:
            break
        for node in range(start, min(start + _SCAN, nodes)):
            pays = paid(field.pays[node])
            if pays == value:
                if field.state[node] == OPEN and field.theirs[node] == NEVER:
                    push(lists, TIMED, me, node)
            elif pays == -value and field.state[node] == OPEN:
                push(lists, TIMED, me, ~node)
    flush(lists, TIMED, me)


@inlined
def time_of(field, item):
    return shortest(field.pays[item]) if item >= 0 else longest(field.pays[~item])


@inlined
def join(field, lists, now, me, item, distance):
    """A reset's time has come: the side to move escapes by it, or has one move less to keep the record."""
    if item >= 0:
        if field.theirs[item] != NEVER:
            return
        field.theirs[item] = hasty(paid(field.pays[item]), distance)
        set_bits(field.flags, item, CHANGED)
    else:
        if add(field.standing, ~item, -1) != 1:
            return
        field.ours[~item] = patient(paid(field.pays[~item]), distance)
        set_bits(field.flags, ~item, CHANGED)
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
def forget_resets(team, me, field, record):
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
