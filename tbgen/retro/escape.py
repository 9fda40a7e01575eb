"""What the side without the record can escape to, worked out for all open positions at once.

Payoffs spread here as goals do in beyond.py, the best for the escaping side first, in rounds by distance; so
every position is reached once. They are those of resets, and of positions settled with a payoff. So it begins,
before any goal but mate and stalemate counts, and so it begins anew at levels that change much; at others only
what changed is reviewed (inside.py).

An item is a position whose mover escapes (`theirs`), or the complement of one whose mover holds the record and
cannot keep it (`ours`). The sets NOW, LATER and TIMED hold the first kind, those behind them the second.
"""

from typing import Final

from tbgen.jit import inlined, kernel
from tbgen.outcome import BASE
from tbgen.retro.atomics import add, prefetch, replace
from tbgen.retro.entry import passed_on, patient
from tbgen.retro.field import (
    DOUBT_OURS,
    SETS,
    TIMED,
    changed,
    is_closed,
    is_open,
    key_at,
    payoff_at,
)
from tbgen.retro.ground import predecessors
from tbgen.retro.marks import mark, take_some
from tbgen.retro.payoff import longest, paid, shortest
from tbgen.retro.team import arrive, share
from tbgen.retro.words import NONE, STANDS, code_of

VALUES: Final = 2 * BASE
_ESCAPES: Final = 1
_LOSES: Final = 2


@kernel
def forget(team, me, ground, desk, field, marks):
    """Take back all that open positions are known to escape to."""
    nodes = len(field.flags)
    for which in range(DOUBT_OURS, SETS):
        arrive(team, me)
        while take_some(team, me, marks, which, desk):
            pass
    arrive(team, me)
    start, end = share(team, me, nodes)
    while start < end:
        for node in range(start, end):
            if is_open(field.flags, node):
                field.theirs[node] = STANDS
                field.ours[node] = STANDS
                field.standing[node] = 0
        start, end = share(team, me, nodes)
    arrive(team, me)
    near = desk.near
    start, end = share(team, me, nodes)
    while start < end:
        for node in range(start, end):
            if is_closed(field.flags, node):
                continue
            count = predecessors(ground, desk, node)
            for at in range(count):
                prefetch(field.flags, near[at])
            for at in range(count):
                if is_open(field.flags, near[at]):
                    add(field.standing, near[at], 1)
        start, end = share(team, me, nodes)


@kernel
def find_values(team, me, field, paying):
    """Mark in `paying[code]` what resets pay to a side that has not the record, or what it was settled with."""
    nodes = len(field.flags)
    arrive(team, me)
    start, end = share(team, me, nodes)
    while start < end:
        for node in range(start, end):
            pays = field.pays[node]
            if pays == NONE or is_closed(field.flags, node):
                continue
            if is_open(field.flags, node):
                # the resets count as one move more that has to fail before the record is lost
                field.standing[node] += 1
            paying[pays] = 1
        start, end = share(team, me, nodes)
    arrive(team, me)


@kernel
def list_values(field, paying, seen, record):
    """Mark in `seen[BASE - value]` what is paid to the escaping side, the best first."""
    seen[:] = 0
    for code in range(len(field.payoffs)):
        if paying[code]:
            value = paid(field.payoffs[code])
            if value > -record:
                seen[BASE - value] = 1
            if value < record:
                seen[BASE + value] = 1


@kernel
def choose_value(field, paying, wanted, value):
    """Note for each code of a payoff whether its mover escapes to this value by it, or loses the record to it."""
    for code in range(len(field.payoffs)):
        wanted[code] = 0
        if paying[code]:
            pays = paid(field.payoffs[code])
            if pays == value:
                wanted[code] = _ESCAPES
            elif pays == -value:
                wanted[code] = _LOSES


@kernel
def seed_value(team, me, field, marks, wanted):
    """Collect all that pays the escaping side what is wanted, whichever side that is."""
    nodes = len(field.flags)
    arrive(team, me)
    start, end = share(team, me, nodes)
    while start < end:
        for node in range(start, end):
            which = wanted[field.pays[node]]
            if which and not is_closed(field.flags, node):
                mark(marks, TIMED + which - _ESCAPES, node)
        start, end = share(team, me, nodes)


@inlined
def time_of(field, item):
    """The distance at which a payoff is had."""
    return shortest(payoff_at(field, item)) if item >= 0 else longest(payoff_at(field, ~item))


@inlined
def join(field, marks, now, item, distance):
    """A payoff's time has come: the side to move escapes by it, or has one move less to keep the record."""
    node = item if item >= 0 else ~item
    if is_open(field.flags, node):
        code = code_of(field.keys, patient(paid(payoff_at(field, node)), distance))
        if item >= 0:
            if field.theirs[node] != STANDS:
                return
            field.theirs[node] = code
        else:
            if add(field.standing, node, -1) != 1:
                return
            field.ours[node] = code
        changed(field, node)
    mark(marks, now if item >= 0 else now + 1, node)


@inlined
def tell(ground, desk, field, marks, later, item):
    """Pass on what an item has come to: its predecessors escape, or have one move less to keep the record."""
    escaped = item >= 0
    node = item if escaped else ~item
    near = desk.near
    count = predecessors(ground, desk, node)
    for at in range(count):
        prefetch(field.flags, near[at])
    passed = code_of(field.keys, passed_on(key_at(field, field.theirs[node] if escaped else field.ours[node])))
    for at in range(count):
        before = near[at]
        if not is_open(field.flags, before):
            continue
        if escaped:
            if add(field.standing, before, -1) == 1:
                field.ours[before] = passed
                changed(field, before)
                mark(marks, later + 1, before)
        elif field.theirs[before] == STANDS and replace(field.theirs, before, STANDS, passed) == STANDS:
            changed(field, before)
            mark(marks, later, before)


@kernel
def uncount_resets(team, me, field, record):
    """From now on `standing` counts quiet moves only: take out the resets that are worth the record."""
    nodes = len(field.flags)
    arrive(team, me)
    start, end = share(team, me, nodes)
    while start < end:
        for node in range(start, end):
            if field.pays[node] != NONE and is_open(field.flags, node) and paid(payoff_at(field, node)) >= record:
                field.standing[node] -= 1
        start, end = share(team, me, nodes)
    arrive(team, me)
