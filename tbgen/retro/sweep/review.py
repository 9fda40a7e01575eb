"""Open positions: what the side behind on the record can escape to, and when the record stands.

In the layer where one side holds a record of the current level, the other forces resets (or goals) that
pay it more: a least fixpoint over "the record stands", distances included, started from the level before.
Only what depends on something that changed is looked at again. One side's layer never meets the other's:
`theirs` of a position depends on `ours` of its successors and the other way round.
"""

from typing import Final

import numpy as np

from tbgen.contents import MOVER_HOLDS, OPPONENT_HOLDS
from tbgen.intrinsics import add, current, prefetch
from tbgen.jit import inlined, kernel
from tbgen.outcome import BASE
from tbgen.retro.graph.slice import successors
from tbgen.retro.sweep import notify
from tbgen.retro.sweep.notify import tell
from tbgen.retro.sweep.state import first_due, is_open, key_at, payoff_at, put_off
from tbgen.retro.threads.sets import (
    CHANGED_OURS,
    CHANGED_THEIRS,
    DOUBT_OURS,
    DOUBT_THEIRS,
    FALLEN,
    LATER,
    RETURNED,
    STEPPED,
    block_count,
    has_block,
    mark,
    read_block,
    take_lanes,
    take_some,
    unmark,
)
from tbgen.retro.threads.team import arrive, share
from tbgen.retro.values.codes import STANDS, code_of
from tbgen.retro.values.keys import NEVER, hasty, outcome_of, passed_on, patience, patient, turned
from tbgen.retro.values.payoff import longest, paid, shortest
from tbgen.retro.values.staircase import FULL, add_step, last_step, pack_step, step_distance, step_outcome

FIRST_LEVEL: Final = 2
"""Mate and stalemate end the game; nobody moves under such a record."""
# numpy's integers are no literals to the compiler, which would make a kernel of its own for each of these
_HOLDS: Final = np.int64(0)
_ESCAPES: Final = np.int64(1)
LOOKS: Final = 2
"""In `Schedule.counts`, beside what is settled: how many positions were reviewed."""
_DOUBTS: Final = 4
"""The same, of the first thread: how many are to be."""


@inlined
def _best_move(ground, desk, field, node, escaping, record):
    """What the best move is worth, as a code: to a mover who would escape from the record, or to one who holds it."""
    near = desk.near
    count = successors(ground, desk, node)
    codes = field.ours if escaping else field.theirs
    for at in range(count):
        prefetch(codes, near[at])
    pays = payoff_at(field, node)
    if escaping:
        best = hasty(paid(pays), shortest(pays)) if pays else NEVER
        for at in range(count):
            ours = codes[near[at]]
            if ours != STANDS:
                best = max(best, turned(passed_on(key_at(field, ours))))
        return STANDS if outcome_of(best) <= -record else code_of(field.keys, turned(best))
    best = patient(paid(pays), longest(pays)) if pays else NEVER
    for at in range(count):
        theirs = codes[near[at]]
        if theirs == STANDS:
            return STANDS
        best = max(best, passed_on(key_at(field, theirs)))
    return STANDS if outcome_of(best) >= record else code_of(field.keys, best)


@kernel
def as_good_as_the_record(team, me, field, marks, level):
    """To be paid what the record is worth is to leave it standing; a new level makes more of it so."""
    nodes = len(field.flags)
    record = BASE - level
    arrive(team, me)
    start, end = share(team, me, nodes)
    while start < end:
        node = first_due(field, start, end, level)
        while node < end:
            if is_open(field.flags, node):
                ours, theirs = field.ours[node], field.theirs[node]
                if ours != STANDS and outcome_of(key_at(field, ours)) >= record:
                    field.ours[node] = STANDS
                if theirs != STANDS and outcome_of(key_at(field, theirs)) <= -record:
                    field.theirs[node] = STANDS
                    mark(marks, RETURNED, node)
                put_off(field, node, level)
            node = first_due(field, node + 1, end, level)
        start, end = share(team, me, nodes)


@kernel
def _review(team, me, ground, desk, field, marks, escaping, record):
    """Look again at what was asked for. Returns how many positions were looked at."""
    arrive(team, me)
    looked_at = 0
    while True:
        count = take_some(team, me, marks, DOUBT_THEIRS if escaping else DOUBT_OURS, desk)
        if count == 0:
            break
        for at in range(count):
            node = np.int64(desk.batch[at])
            if not is_open(field.flags, node) or (not escaping and field.standing[node] != 0):
                continue
            looked_at += 1
            before = field.theirs[node] if escaping else field.ours[node]
            found = _best_move(ground, desk, field, node, escaping, record)
            if found == before:
                continue
            mark(marks, STEPPED, node)
            if escaping:
                field.theirs[node] = found
                mark(marks, FALLEN if before == STANDS else CHANGED_THEIRS, node)
            else:
                field.ours[node] = found
                mark(marks, CHANGED_OURS, node)
    return looked_at


@kernel
def _tell(team, me, ground, desk, field, marks, which, what):
    """Have the predecessors of all in a set of what changed looked at again, if that concerns them."""
    arrive(team, me)
    while True:
        lanes = take_lanes(team, me, marks, which, desk, ground.laned)
        if lanes == 0:
            break
        tell(team, ground, desk, field, marks, LATER, what, lanes, desk.batch_bits)


@kernel
def write_steps(team, me, desk, field, marks, links, level, errors):
    """Note the new step of every staircase that has one."""
    before = theirs = ours = link = np.int64(-1)
    arrive(team, me)
    while True:
        count = take_some(team, me, marks, STEPPED, desk)
        if count == 0:
            break
        for at in range(count):
            node = np.int64(desk.batch[at])
            put_off(field, node, level)
            # neighbours have much in common
            if before != field.link[node] or theirs != field.theirs[node] or ours != field.ours[node]:
                before, theirs, ours = (
                    np.int64(field.link[node]),
                    np.int64(field.theirs[node]),
                    np.int64(field.ours[node]),
                )
                link = _lengthened(field, links, before, theirs, ours, level, errors)
            field.link[node] = link


@inlined
def _lengthened(field, links, link, theirs, ours, level, errors):
    if theirs != STANDS:
        link = _with_step(links, link, OPPONENT_HOLDS, level, key_at(field, theirs))
    if ours != STANDS and link != FULL:
        link = _with_step(links, link, MOVER_HOLDS, level, key_at(field, ours))
    if link == FULL:
        errors[1] = 1
        link = np.int64(0)
    return link


@inlined
def _with_step(links, link, holder, level, key):
    outcome, distance = outcome_of(key), patience(key)
    last = last_step(links, link, holder, level)
    if last >= 0 and step_outcome(last) == outcome and step_distance(last) == distance:
        return link
    return add_step(links, link, pack_step(holder, level, outcome, distance))


@kernel
def _doubts(team, me, field, marks, desk, counts):
    """How many positions are to be looked at again; those that need not be are struck out."""
    blocks = block_count(marks)
    arrive(team, me)
    if me == 0:
        counts[_DOUBTS] = 0
    arrive(team, me)
    mine = 0
    for block in range(blocks * me // team.size, blocks * (me + 1) // team.size):
        for which in (DOUBT_OURS, DOUBT_THEIRS):
            if not has_block(marks, which, block):
                continue
            for at in range(read_block(marks, which, block, desk)):
                node = np.int64(desk.batch[at])
                if is_open(field.flags, node) and (which == DOUBT_THEIRS or field.standing[node] == 0):
                    mine += 1
                else:
                    unmark(marks, which, node)
    add(counts, _DOUBTS, mine)
    arrive(team, me)
    return current(counts, _DOUBTS)


@kernel
def review_all(team, me, ground, desk, field, marks, counts, level, most):
    """Review what depends on anything that changed, until nothing does. False where that is more than `most`."""
    record = BASE - level
    _tell(team, me, ground, desk, field, marks, RETURNED, notify.RECORD_STANDS)
    reviewed = 0
    while True:
        _tell(team, me, ground, desk, field, marks, CHANGED_OURS, notify.OURS_CHANGED)
        _tell(team, me, ground, desk, field, marks, CHANGED_THEIRS, notify.THEIRS_CHANGED)
        _tell(team, me, ground, desk, field, marks, FALLEN, notify.RECORD_FELL)
        doubts = _doubts(team, me, field, marks, desk, counts)
        reviewed += doubts
        if doubts == 0:
            return True
        if reviewed > most:
            return False
        looked_at = _review(team, me, ground, desk, field, marks, _HOLDS, record)
        looked_at += _review(team, me, ground, desk, field, marks, _ESCAPES, record)
        counts[me * 8 + LOOKS] += looked_at
