"""What the side without the record can escape to, worked out for all open positions at once.

Payoffs spread here as goals do in settle.py, the best for the escaping side first, in rounds by distance; so
every position is reached once. They are those of resets, and of positions settled with a payoff. So it begins,
before any goal but mate and stalemate counts, and so it begins anew at levels that change much; at others only
what changed is reviewed (review.py).

An item is a position whose mover escapes (`theirs`), or the complement of one whose mover holds the record and
cannot keep it (`ours`). The sets NOW, LATER and TIMED hold the first kind, those behind them the second.
"""

from typing import Final

import numpy as np

from tbgen.intrinsics import add, set_bits
from tbgen.jit import inlined, kernel
from tbgen.outcome import BASE
from tbgen.retro.sweep.state import ESCAPING, is_closed, is_open, open_ones, payoff_at
from tbgen.retro.threads.lanes import ALL, put
from tbgen.retro.threads.sets import BATCH, DOUBT_OURS, SETS, STEPPED, TIMED, mark, mark_lane, take_some
from tbgen.retro.threads.team import arrive, hold, let_go, share
from tbgen.retro.values.codes import NONE, STANDS
from tbgen.retro.values.payoff import longest, paid, shortest

VALUES: Final = 2 * BASE
PLACE_WORDS: Final = VALUES // 64 + 1
_ESCAPES: Final = 1
_LOSES: Final = 2


@inlined
def _moves_left(field, node, record):
    """How many quiet moves lead to positions that are still open, or whose predecessors do not know yet: all that are
    left, but for the resets."""
    pays = field.pays[node]
    if pays == NONE:
        return field.left[node]
    outcome = paid(payoff_at(field, node))
    return field.left[node] - (0 if outcome < -record else 1)


@kernel
def forget(team, me, field, marks, desk, record):
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
                field.standing[node] = _moves_left(field, node, record)
                field.flags[node] &= ALL - ESCAPING
        start, end = share(team, me, nodes)
    arrive(team, me)


@inlined
def _note_place(places, block, place):
    places[block * PLACE_WORDS + place // 64] |= np.uint64(1) << np.uint64(place % 64)


@inlined
def _has_place(places, block, place):
    return places[block * PLACE_WORDS + place // 64] >> np.uint64(place % 64) & np.uint64(1) != 0


@kernel
def find_values(team, me, field, paying, places):
    """Mark in `paying[code]` what resets pay to a side that has not the record, or what it was settled with; and in
    `places` for each block at which places of `list_values` it will be wanted."""
    nodes = len(field.flags)
    arrive(team, me)
    start, end = share(team, me, nodes)
    while start < end:
        for block in range(start // BATCH, -(-end // BATCH)):
            places[block * PLACE_WORDS : (block + 1) * PLACE_WORDS] = 0
        for node in range(start, end):
            pays = field.pays[node]
            if pays == NONE or is_closed(field.flags, node):
                continue
            if is_open(field.flags, node):
                # the resets count as one move more that has to fail before the record is lost
                field.standing[node] += 1
            paying[pays] = 1
            value = paid(field.payoffs[pays])
            _note_place(places, node // BATCH, BASE - value)
            _note_place(places, node // BATCH, BASE + value)
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
def seed_value(team, me, field, marks, wanted, places, place):
    """Collect all that pays the escaping side what is wanted, whichever side that is."""
    nodes = len(field.flags)
    arrive(team, me)
    start, end = share(team, me, nodes)
    while start < end:
        for block in range(start // BATCH, -(-end // BATCH)):
            if not _has_place(places, block, place):
                continue
            for node in range(block * BATCH, min((block + 1) * BATCH, end)):
                which = wanted[field.pays[node]]
                if which and not is_closed(field.flags, node):
                    mark(marks, TIMED + which - _ESCAPES, node)
        start, end = share(team, me, nodes)


@inlined
def time_of(field, item):
    """The distance at which a payoff is had."""
    return shortest(payoff_at(field, item)) if item >= 0 else longest(payoff_at(field, ~item))


@inlined
def join(field, marks, now, item):
    """A payoff's time has come: the side to move escapes by it, or has one move less to keep the record."""
    node = item if item >= 0 else ~item
    if is_open(field.flags, node):
        if item >= 0:
            if field.flags[node] & ESCAPING:
                return
            set_bits(field.flags, node, ESCAPING)
        elif add(field.standing, node, -1) != 1:
            return
    mark(marks, now if item >= 0 else now + 1, node)


@inlined
def write_down(team, field, marks, lane, bits, codes, code):
    """What some positions of a lane have come to, those that are open."""
    hold(team, lane)
    bits &= open_ones(field.flags, lane)
    put(codes, lane, bits, code)
    mark_lane(marks, STEPPED, lane, bits)
    let_go(team, lane)


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
