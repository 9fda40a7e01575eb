"""The first layers: what the side without the record can escape to, before any goal but mate and stalemate counts.

Payoffs of resets spread here as goals do in beyond.py, the best for the escaping side first, in rounds by
distance; so every position is reached once. (Later levels change little and are reviewed, see inside.py.)
In lists of this file a number means the position whose mover escapes (`theirs`), its complement the
position whose mover holds the record and cannot keep it (`ours`).
"""

from typing import Final

import numpy as np

from tbgen.jit import inlined, kernel
from tbgen.outcome import BASE
from tbgen.retro.atomics import add, replace, set_bits
from tbgen.retro.entry import NEVER, haste, hasty, outcome_of, patience, patient
from tbgen.retro.field import CHANGED, CHANGED_AT_ALL, OPEN, TIMED
from tbgen.retro.ground import predecessors
from tbgen.retro.team import arrive, claim, flush, push

_SCAN: Final = 1 << 14
VALUES: Final = 2 * BASE


@kernel
def seed_payoffs(team, me, field, lists, record):
    """Collect the resets of all open positions, each once for either holder of the record."""
    nodes = len(field.state)
    survey = field.survey
    arrive(team, me)
    while True:
        start = claim(team, me, _SCAN)
        if start >= nodes:
            break
        for node in range(start, min(start + _SCAN, nodes)):
            pays = np.int64(survey.outcome[node])
            if pays == 0 or field.state[node] != OPEN:
                continue
            # the resets count as one move more that has to fail before the record is lost
            field.standing[node] += 1
            if pays > -record:
                push(lists, TIMED, me, node)
            if pays < record:
                push(lists, TIMED, me, ~node)
    flush(lists, TIMED, me)


@inlined
def value_of(field, item):
    """What the escaping side gets when this item's resets are played."""
    return np.int64(field.survey.outcome[item]) if item >= 0 else -np.int64(field.survey.outcome[~item])


@inlined
def time_of(field, item):
    return np.int64(field.survey.shortest[item]) if item >= 0 else np.int64(field.survey.longest[~item])


@kernel
def sort_by_value(field, items, count, sorted_items, value_start):
    """Fill `sorted_items`, the best values first; `value_start[BASE - value]` is where one begins."""
    value_start[:] = 0
    for at in range(count):
        value_start[BASE - value_of(field, np.int64(items[at])) + 1] += 1
    for value in range(VALUES):
        value_start[value + 1] += value_start[value]
    for at in range(count):
        item = items[at]
        value = BASE - value_of(field, np.int64(item))
        sorted_items[value_start[value]] = item
        value_start[value] += 1
    for value in range(VALUES, 0, -1):
        value_start[value] = value_start[value - 1]
    value_start[0] = 0


@inlined
def _note(field, lists, me, node):
    if set_bits(field.flags, node, CHANGED) & CHANGED == 0:
        push(lists, CHANGED_AT_ALL, me, node)


@inlined
def join(field, lists, now, me, item, distance):
    """A reset's time has come: the side to move escapes by it, or has one move less to keep the record."""
    if item >= 0:
        if field.theirs[item] != NEVER:
            return
        field.theirs[item] = hasty(value_of(field, item), distance)
        _note(field, lists, me, item)
    else:
        if add(field.standing, ~item, -1) != 1:
            return
        field.ours[~item] = patient(-value_of(field, item), distance)
        _note(field, lists, me, ~item)
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
                _note(field, lists, me, before)
                push(lists, later, me, ~before)
        elif field.theirs[before] == NEVER and replace(field.theirs, before, NEVER, passed_on) == NEVER:
            _note(field, lists, me, before)
            push(lists, later, me, before)


@kernel
def forget_resets(team, me, field, lists, record):
    """From now on `standing` counts quiet moves only: take out the resets that are worth the record."""
    nodes = len(field.state)
    arrive(team, me)
    while True:
        start = claim(team, me, _SCAN)
        if start >= nodes:
            break
        for node in range(start, min(start + _SCAN, nodes)):
            if field.state[node] == OPEN and field.survey.outcome[node] >= record:
                field.standing[node] -= 1
    flush(lists, CHANGED_AT_ALL, me)
    arrive(team, me)
