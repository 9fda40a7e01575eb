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
from tbgen.retro.field import CHANGED, OPEN, REVIEW_OURS, REVIEW_THEIRS, review
from tbgen.retro.ground import predecessors, successors
from tbgen.retro.staircase import (
    FULL,
    add_step,
    last_step,
    pack_step,
    step_distance,
    step_outcome,
)
from tbgen.retro.team import arrive, claim, flush, push

FIRST_LEVEL: Final = 2
"""Mate and stalemate end the game; nobody moves under such a record."""
_SCAN: Final = 1 << 14
_CHUNK: Final = 128


@inlined
def _ours_now(ground, desk, field, node, record):
    """The best move for a mover who holds the record."""
    count = successors(ground, desk, node)
    survey = field.survey
    best = np.int32(-(2**31))
    pays = np.int64(survey.outcome[node])
    if pays:
        best = patient(pays, np.int64(survey.longest[node]))
    for at in range(count):
        theirs = field.theirs[desk.near[at]]
        if theirs == NEVER:
            return ALWAYS
        best = max(best, patient(-outcome_of(theirs), haste(theirs) + 1))
    return ALWAYS if outcome_of(best) >= record else best


@inlined
def _theirs_now(ground, desk, field, node, record):
    """The best move for a mover whose opponent holds the record."""
    count = successors(ground, desk, node)
    survey = field.survey
    best = NEVER
    pays = np.int64(survey.outcome[node])
    if pays:
        best = hasty(pays, np.int64(survey.shortest[node]))
    for at in range(count):
        ours = field.ours[desk.near[at]]
        if ours != ALWAYS:
            best = max(best, hasty(-outcome_of(ours), patience(ours) + 1))
    return NEVER if outcome_of(best) <= -record else best


@inlined
def _note_change(field, queues, me, node):
    if field.flags[node] & CHANGED == 0:
        set_bits(field.flags, node, CHANGED)
        push(queues.changed, me, node)


@kernel
def _start(team, me, ground, desk, field, queues, level):
    """What has to be looked at because a new level has come."""
    nodes = len(field.state)
    survey = field.survey
    record = BASE - level
    arrive(team, me)
    while True:
        start = claim(team, me, _SCAN)
        if start >= nodes:
            break
        for node in range(start, min(start + _SCAN, nodes)):
            if field.state[node] != OPEN:
                continue
            if level == FIRST_LEVEL:
                if survey.outcome[node]:
                    review(field, queues.review_theirs, me, node, REVIEW_THEIRS)
                if field.standing[node] == 0:
                    review(field, queues.review_ours, me, node, REVIEW_OURS)
                continue
            # to be paid what the record is worth is as good as the record itself
            if field.ours[node] != ALWAYS and outcome_of(field.ours[node]) >= record:
                field.ours[node] = ALWAYS
            if field.theirs[node] != NEVER and outcome_of(field.theirs[node]) <= -record:
                field.theirs[node] = NEVER
                count = predecessors(ground, desk, node)
                for at in range(count):
                    if field.state[desk.near[at]] == OPEN:
                        add(field.standing, desk.near[at], 1)
    arrive(team, me)
    exits = queues.exits
    while True:
        start = claim(team, me, _CHUNK)
        if start >= exits.length[0]:
            break
        for at in range(start, min(start + _CHUNK, exits.length[0])):
            count = predecessors(ground, desk, np.int64(exits.items[at]))
            for near in range(count):
                before = desk.near[near]
                if field.state[before] == OPEN:
                    review(field, queues.review_theirs, me, before, REVIEW_THEIRS)
    flush(queues.review_ours, me)
    flush(queues.review_theirs, me)
    arrive(team, me)
    if me == 0:
        exits.length[0] = 0


@kernel
def _review_ours(team, me, ground, desk, field, queues, record):
    todo = queues.review_ours
    looked_at = 0
    while True:
        start = claim(team, me, _CHUNK)
        if start >= todo.length[0]:
            break
        for at in range(start, min(start + _CHUNK, todo.length[0])):
            node = np.int64(todo.items[at])
            keep_bits(field.flags, node, 255 - REVIEW_OURS)
            if field.state[node] != OPEN or field.standing[node] != 0:
                continue
            looked_at += 1
            found = _ours_now(ground, desk, field, node, record)
            if found != field.ours[node]:
                field.ours[node] = found
                _note_change(field, queues, me, node)
                push(queues.changed_ours, me, node)
    flush(queues.changed_ours, me)
    return looked_at


@kernel
def _review_theirs(team, me, ground, desk, field, queues, record):
    todo = queues.review_theirs
    looked_at = 0
    while True:
        start = claim(team, me, _CHUNK)
        if start >= todo.length[0]:
            break
        for at in range(start, min(start + _CHUNK, todo.length[0])):
            node = np.int64(todo.items[at])
            keep_bits(field.flags, node, 255 - REVIEW_THEIRS)
            if field.state[node] != OPEN:
                continue
            looked_at += 1
            before = field.theirs[node]
            found = _theirs_now(ground, desk, field, node, record)
            if found != before:
                field.theirs[node] = found
                _note_change(field, queues, me, node)
                push(queues.changed_theirs, me, ~node if before == NEVER else node)
    flush(queues.changed_theirs, me)
    flush(queues.changed, me)
    return looked_at


@kernel
def _tell_of_ours(team, me, ground, desk, field, queues):
    told = queues.changed_ours
    while True:
        start = claim(team, me, _CHUNK)
        if start >= told.length[0]:
            break
        for at in range(start, min(start + _CHUNK, told.length[0])):
            count = predecessors(ground, desk, np.int64(told.items[at]))
            for near in range(count):
                before = desk.near[near]
                if field.state[before] == OPEN:
                    review(field, queues.review_theirs, me, before, REVIEW_THEIRS)
    flush(queues.review_theirs, me)


@kernel
def _tell_of_theirs(team, me, ground, desk, field, queues):
    told = queues.changed_theirs
    while True:
        start = claim(team, me, _CHUNK)
        if start >= told.length[0]:
            break
        for at in range(start, min(start + _CHUNK, told.length[0])):
            node = np.int64(told.items[at])
            falls = node < 0
            count = predecessors(ground, desk, ~node if falls else node)
            for near in range(count):
                before = desk.near[near]
                if field.state[before] != OPEN:
                    continue
                if falls:
                    if add(field.standing, before, -1) == 1:
                        review(field, queues.review_ours, me, before, REVIEW_OURS)
                elif field.standing[before] == 0:
                    review(field, queues.review_ours, me, before, REVIEW_OURS)
    flush(queues.review_ours, me)


@kernel
def _write_steps(team, me, field, queues, links, level, errors):
    """Note the new step of every staircase that has one."""
    changed = queues.changed
    while True:
        start = claim(team, me, _CHUNK)
        if start >= changed.length[0]:
            break
        for at in range(start, min(start + _CHUNK, changed.length[0])):
            node = np.int64(changed.items[at])
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
def play_inside(team, me, ground, desk, field, queues, links, level, errors):
    """Bring all open positions to what they are worth under a record of this level. Returns the looks taken."""
    record = BASE - level
    looks = 0
    _start(team, me, ground, desk, field, queues, level)
    while True:
        arrive(team, me)
        if queues.review_ours.length[0] == 0 and queues.review_theirs.length[0] == 0:
            break
        looks += _review_ours(team, me, ground, desk, field, queues, record)
        arrive(team, me)
        looks += _review_theirs(team, me, ground, desk, field, queues, record)
        arrive(team, me)
        if me == 0:
            queues.review_ours.length[0] = 0
            queues.review_theirs.length[0] = 0
        arrive(team, me)
        _tell_of_ours(team, me, ground, desk, field, queues)
        arrive(team, me)
        _tell_of_theirs(team, me, ground, desk, field, queues)
        arrive(team, me)
        if me == 0:
            queues.changed_ours.length[0] = 0
            queues.changed_theirs.length[0] = 0
    arrive(team, me)
    _write_steps(team, me, field, queues, links, level, errors)
    arrive(team, me)
    if me == 0:
        queues.changed.length[0] = 0
    return looks
