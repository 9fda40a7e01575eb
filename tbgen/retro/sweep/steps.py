"""The steps of staircases: at each level, one for every position whose value has changed."""

# mypy: disable-error-code="no-untyped-def, no-untyped-call"

import numpy as np

from tbgen.contents import MOVER_HOLDS, OPPONENT_HOLDS
from tbgen.intrinsics import fetch_add
from tbgen.jit import inlined, kernel
from tbgen.retro.sweep.cells import cell_of
from tbgen.retro.sweep.state import key_at, put_off, read_cells_around, read_link_around
from tbgen.retro.threads.counters import LINKS_FULL, STEPS_LEFT
from tbgen.retro.threads.lanes import LANE
from tbgen.retro.threads.memo import slot_of
from tbgen.retro.threads.pop import pop_block
from tbgen.retro.threads.sets import STEPPED, clear_set, count_of
from tbgen.retro.threads.team import barrier
from tbgen.retro.values.codes import STANDS
from tbgen.retro.values.keys import outcome_of, patience
from tbgen.retro.values.staircase import (
    FULL,
    add_step,
    first_stretch,
    forget_tables,
    is_room_for,
    is_used_up,
    last_step,
    links_of_pass,
    next_stretch,
    pack_step,
    step_distance,
    step_outcome,
)


@kernel
def write_steps(worker, links, level, tally):
    """Append a step to every staircase whose value has changed.

    A step is found again only behind the same link. So where many links may be new, the set is gone through several
    times, each time with the staircases that end within a stretch of links: the index then holds those alone that such
    a pass has found. How many a stretch leads to is known from the pass before, roughly. If the index is full, those
    are left whose next link it does not have, and a shorter stretch is gone through from the same link on: a link that
    is not in a full index does not come into it any more, so none has two numbers where a staircase ends."""
    team, me, sets = worker.team, worker.me, worker.sets
    barrier(team, me)
    known = links.given[0]
    count = count_of(sets, STEPPED, worker.buffers)
    stays = not is_room_for(links, count)
    first, stretch = np.int64(0), first_stretch(links, count)
    while first <= known:
        barrier(team, me)
        before, looked_for = links.given[0], links_of_pass(links, count)
        if me == 0:
            forget_tables(links, level)
            tally[STEPS_LEFT] = 0
        barrier(team, me)  # all threads have read that before one gives the next number
        end = min(first + stretch, known + 1)
        _write_some(worker, links, looked_for, first, end, stays, level, tally)
        barrier(team, me)
        stretch = next_stretch(links, end - first, links.given[0] - before + tally[STEPS_LEFT])
        if not tally[STEPS_LEFT]:
            first = end
        elif not stays or is_used_up(links):
            tally[LINKS_FULL] = 1
            break
    if stays:
        clear_set(team, me, sets, STEPPED)


@kernel
def _write_some(worker, links, looked_for, first, end, stays, level, tally):
    """The same for staircases that end with a link of this range. The set may have to stay. A phase of its own."""
    team, me, buffers, state, sets = worker.team, worker.me, worker.buffers, worker.state, worker.sets
    buffers.cases.fill(0)
    left = 0
    while True:
        count = pop_block(team, me, sets, STEPPED, buffers, stays)
        if count == 0:
            break
        for at in range(count):
            node = np.int64(buffers.batch[at])
            read_link_around(state, buffers, node)
            cell = cell_of(state.cells, node)
            before = np.int64(state.link[cell])
            if not first <= before < end:
                continue
            read_cells_around(state, buffers, node // LANE)
            put_off(state, cell, level)
            theirs, ours = state.theirs[cell], state.ours[cell]
            # few of the many positions differ in all three, and links lie far apart
            case = before << 32 | np.int64(theirs) << 16 | np.int64(ours)
            slot = slot_of(buffers.cases, case)
            if buffers.cases[slot] != case:
                buffers.cases[slot] = case
                buffers.lengthened[slot] = _lengthened(state, links, looked_for, before, theirs, ours, level)
            if buffers.lengthened[slot] == FULL:
                left += 1
            else:
                state.link[cell] = buffers.lengthened[slot]
    fetch_add(tally, STEPS_LEFT, left)


@inlined
def _lengthened(state, links, looked_for, link, theirs, ours, level):
    if theirs != STANDS:
        link = _with_step(links, looked_for, link, OPPONENT_HOLDS, level, key_at(state, theirs))
    if ours != STANDS and link != FULL:
        link = _with_step(links, looked_for, link, MOVER_HOLDS, level, key_at(state, ours))
    return link


@inlined
def _with_step(links, looked_for, link, holder, level, key):
    outcome, distance = outcome_of(key), patience(key)
    last = last_step(links, link, holder, level)
    if last >= 0 and step_outcome(last) == outcome and step_distance(last) == distance:
        return link
    return add_step(links, looked_for, link, pack_step(holder, level, outcome, distance))
