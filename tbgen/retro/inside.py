"""Open positions: what the side behind on the record can escape to, and when the record stands.

In the layer where one side holds a record of the current level, the other forces resets (or goals) that
pay it more: a least fixpoint over "the record stands", distances included, started from the level before.
Only what depends on something that changed is looked at again. One side's layer never meets the other's:
`theirs` of a position depends on `ours` of its successors and the other way round.
"""

from typing import Final

import numpy as np

from tbgen.index.contents import MOVER_HOLDS, OPPONENT_HOLDS
from tbgen.jit import inlined, kernel
from tbgen.outcome import BASE
from tbgen.retro.atomics import add, keep_bits, set_bits
from tbgen.retro.entry import ALWAYS, NEVER, haste, hasty, outcome_of, patience, patient
from tbgen.retro.field import (
    CHANGED,
    CHANGED_OURS,
    CHANGED_THEIRS,
    DOUBT_OURS,
    DOUBT_THEIRS,
    OPEN,
    review,
    review_flag,
)
from tbgen.retro.ground import predecessors, successors
from tbgen.retro.payoff import longest, paid, shortest
from tbgen.retro.staircase import (
    FULL,
    add_step,
    last_step,
    pack_step,
    step_distance,
    step_outcome,
)
from tbgen.retro.team import arrive, claim, clear, flush, length, push

FIRST_LEVEL: Final = 2
"""Mate and stalemate end the game; nobody moves under such a record."""
# numpy's integers are no literals to the compiler, which would make a kernel of its own for each of these
_HOLDS: Final = np.int64(0)
_ESCAPES: Final = np.int64(1)
_SCAN: Final = 1 << 14
LOOKS: Final = 2
"""In `Schedule.counts`, beside what is settled: how many positions were reviewed."""
_CHUNK: Final = 128


@inlined
def _best_move(ground, desk, field, node, escaping, record):
    """What the best move is worth: to a mover who would escape from the record, or to one who holds it."""
    count = successors(ground, desk, node)
    pays = field.pays[node]
    if escaping:
        best = hasty(paid(pays), shortest(pays)) if pays else NEVER
        for at in range(count):
            ours = field.ours[desk.near[at]]
            if ours != ALWAYS:
                best = max(best, hasty(-outcome_of(ours), patience(ours) + 1))
        return NEVER if outcome_of(best) <= -record else best
    best = patient(paid(pays), longest(pays)) if pays else NEVER
    for at in range(count):
        theirs = field.theirs[desk.near[at]]
        if theirs == NEVER:
            return ALWAYS
        best = max(best, patient(-outcome_of(theirs), haste(theirs) + 1))
    return ALWAYS if outcome_of(best) >= record else best


@kernel
def as_good_as_the_record(team, me, field, lists, record):
    """To be paid what the record is worth is to leave it standing; a new level makes more of it so."""
    nodes = len(field.state)
    arrive(team, me)
    while True:
        start = claim(team, me, _SCAN)
        if start >= nodes:
            break
        for node in range(start, min(start + _SCAN, nodes)):
            if field.state[node] != OPEN:
                continue
            if field.ours[node] != ALWAYS and outcome_of(field.ours[node]) >= record:
                field.ours[node] = ALWAYS
            if field.theirs[node] != NEVER and outcome_of(field.theirs[node]) <= -record:
                field.theirs[node] = NEVER
                push(lists, CHANGED_THEIRS, me, node)
    flush(lists, CHANGED_THEIRS, me)


@kernel
def _review(team, me, ground, desk, field, lists, escaping, record):
    """Look again at what was asked for. Returns how many positions were looked at."""
    todo = DOUBT_THEIRS if escaping else DOUBT_OURS
    told = CHANGED_THEIRS if escaping else CHANGED_OURS
    looked_at = 0
    while True:
        start = claim(team, me, _CHUNK)
        if start >= length(lists, todo):
            break
        for at in range(start, min(start + _CHUNK, length(lists, todo))):
            node = np.int64(lists.items[todo, at])
            keep_bits(field.flags, node, 255 - review_flag(todo))
            if field.state[node] != OPEN or (not escaping and field.standing[node] != 0):
                continue
            looked_at += 1
            before = field.theirs[node] if escaping else field.ours[node]
            found = _best_move(ground, desk, field, node, escaping, record)
            if found == before:
                continue
            if escaping:
                field.theirs[node] = found
            else:
                field.ours[node] = found
            set_bits(field.flags, node, CHANGED)
            push(lists, told, me, ~node if escaping and before == NEVER else node)
    flush(lists, told, me)
    return looked_at


_OF_OURS: Final = np.int64(0)
_OF_THEIRS: Final = np.int64(1)
_OF_RETURN: Final = np.int64(2)


@kernel
def _tell(team, me, ground, desk, field, lists, what):
    """Have the predecessors of all that changed looked at again: `ours` (of positions just settled, too), or
    `theirs`, where the record may have ceased to stand, or stand again."""
    told = CHANGED_OURS if what == _OF_OURS else CHANGED_THEIRS
    near = desk.near
    while True:
        start = claim(team, me, _CHUNK)
        if start >= length(lists, told):
            break
        for at in range(start, min(start + _CHUNK, length(lists, told))):
            node = np.int64(lists.items[told, at])
            falls = node < 0
            count = predecessors(ground, desk, ~node if falls else node)
            for place in range(count):
                before = near[place]
                if field.state[before] != OPEN:
                    continue
                if what == _OF_OURS:
                    review(field, lists, DOUBT_THEIRS, me, before)
                elif what == _OF_RETURN:
                    add(field.standing, before, 1)
                elif falls:
                    if add(field.standing, before, -1) == 1:
                        review(field, lists, DOUBT_OURS, me, before)
                elif field.standing[before] == 0:
                    review(field, lists, DOUBT_OURS, me, before)
    flush(lists, DOUBT_OURS, me)
    flush(lists, DOUBT_THEIRS, me)


@kernel
def write_steps(team, me, field, links, level, errors):
    """Note the new step of every staircase that has one."""
    nodes = len(field.state)
    arrive(team, me)
    while True:
        start = claim(team, me, _SCAN)
        if start >= nodes:
            break
        for node in range(start, min(start + _SCAN, nodes)):
            if field.flags[node] & CHANGED == 0:
                continue
            keep_bits(field.flags, node, 255 - CHANGED)
            link = np.int64(field.link[node])
            theirs = field.theirs[node]
            if theirs != NEVER:
                link = _with_step(links, link, OPPONENT_HOLDS, level, outcome_of(theirs), haste(theirs))
            ours = field.ours[node]
            if ours != ALWAYS and link != FULL:
                link = _with_step(links, link, MOVER_HOLDS, level, outcome_of(ours), patience(ours))
            if link == FULL:
                errors[1] = 1
                link = np.int64(0)
            field.link[node] = link


@inlined
def _with_step(links, link, holder, level, outcome, distance):
    last = last_step(links, link, holder, level)
    if last >= 0 and step_outcome(last) == outcome and step_distance(last) == distance:
        return link
    return add_step(links, link, pack_step(holder, level, outcome, distance))


@kernel
def review_all(team, me, ground, desk, field, lists, counts, level, most):
    """Review what depends on anything that changed, until nothing does. False where that is more than `most`."""
    record = BASE - level
    what = _OF_RETURN
    reviewed = 0
    while True:
        # what changed is told, then forgotten; first of all, what the last level left
        arrive(team, me)
        _tell(team, me, ground, desk, field, lists, _OF_OURS)
        arrive(team, me)
        _tell(team, me, ground, desk, field, lists, what)
        arrive(team, me)
        if me == 0:
            clear(lists, CHANGED_OURS)
            clear(lists, CHANGED_THEIRS)
        reviewed += length(lists, DOUBT_OURS) + length(lists, DOUBT_THEIRS)
        if length(lists, DOUBT_OURS) == 0 and length(lists, DOUBT_THEIRS) == 0:
            return True
        if reviewed > most:
            return False
        arrive(team, me)
        what = _OF_THEIRS
        counts[me * 8 + LOOKS] += _review(team, me, ground, desk, field, lists, _HOLDS, record)
        arrive(team, me)
        counts[me * 8 + LOOKS] += _review(team, me, ground, desk, field, lists, _ESCAPES, record)
        arrive(team, me)
        if me == 0:
            clear(lists, DOUBT_OURS)
            clear(lists, DOUBT_THEIRS)
