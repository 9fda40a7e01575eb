"""The steps of staircases: at each level, one for every position whose value has changed."""

# mypy: disable-error-code="no-untyped-def, no-untyped-call"

from typing import Final

import numpy as np

from tbgen.compiler.intrinsics import fetch_add
from tbgen.compiler.jit import inlined, kernel
from tbgen.core.table_contents import MOVER_HOLDS, OPPONENT_HOLDS
from tbgen.retro.sweep.cases import (
    case_at,
    count_cases,
    end_of_batch,
    put_link,
    put_links,
    read_cases_ahead,
    sort_cases,
)
from tbgen.retro.sweep.cells import cell_of
from tbgen.retro.sweep.state import key_at, put_off, read_cells_around, read_link_around
from tbgen.retro.threads.counters import LINKS_FULL, STEPS_LEFT
from tbgen.retro.threads.lanes import LANE
from tbgen.retro.threads.memo import slot_of
from tbgen.retro.threads.pop import pop_block
from tbgen.retro.threads.sets import STEPPED, add, clear_set, count_of
from tbgen.retro.threads.team import all_leave, barrier, claim
from tbgen.retro.values.codes import STANDS
from tbgen.retro.values.keys import outcome_of, patience
from tbgen.retro.values.staircase import (
    FULL,
    add_step,
    forget_tables,
    is_used_up,
    last_step,
    links_of_pass,
    may_have_room,
    pack_step,
    positions_of_pass,
    step_distance,
    step_outcome,
)

_CHUNK: Final = 1 << 12
"""Cases that a thread claims at a time."""


@kernel
def write_steps(worker, links, schedule, level, tally):
    """Append a step to every staircase whose value has changed. Returns False if the sweep is to end: no link can be
    added any more, the disk is full, or the caller wants it to.

    One pass over the positions does, where few links may be new. Where many may be, or the index was full, positions
    are sorted, and one pass goes over each bundle."""
    team, me, sets = worker.team, worker.me, worker.sets
    barrier(team, me)
    count, was_full = count_of(sets, STEPPED, worker.buffers), False
    while count:
        if was_full and is_used_up(links):
            tally[LINKS_FULL] = 1
            return False
        sorts = was_full or not may_have_room(links, count)
        if sorts and count_cases(worker, schedule.cases, links, positions_of_pass(links)):
            return _write_bundles(worker, links, schedule, level, tally)
        _write_all(worker, links, count, level, tally)
        if all_leave(team, me, schedule.counts, False):
            return False
        count, was_full = count_of(sets, STEPPED, worker.buffers), True
    return True


@kernel
def _begin_pass(worker, links, positions, level, tally):
    """Have the index ready for the steps of so many positions. Returns which links a pass is to add."""
    team, me = worker.team, worker.me
    barrier(team, me)
    looked_for = links_of_pass(links, positions)
    worker.buffers.cases.fill(0)
    if me == 0:
        forget_tables(links, level)
        tally[STEPS_LEFT] = 0
    barrier(team, me)  # all threads have read that before one gives the next number
    return looked_for


@kernel
def _write_all(worker, links, count, level, tally):
    """Write the steps of all positions in one pass; those stay in their set for which the index has no room."""
    team, me, buffers, state, sets = worker.team, worker.me, worker.buffers, worker.state, worker.sets
    looked_for = _begin_pass(worker, links, count, level, tally)
    while True:
        count = pop_block(team, me, sets, STEPPED, buffers)
        if count == 0:
            break
        for at in range(count):
            node = np.int64(buffers.batch[at])
            read_link_around(state, buffers, node)
            read_cells_around(state, buffers, node // LANE)
            cell = cell_of(state.cells, node)
            put_off(state, cell, level)
            before, theirs, ours = np.int64(state.link[cell]), np.int64(state.theirs[cell]), np.int64(state.ours[cell])
            link = _lengthened(worker, links, looked_for, before, theirs, ours, level)
            if link == FULL:
                add(sets, STEPPED, node)
            else:
                state.link[cell] = link
    barrier(team, me)


@kernel
def _write_bundles(worker, links, schedule, level, tally):
    """Write them bundle by bundle. Returns False if the sweep is to end."""
    team, me, cases = worker.team, worker.me, schedule.cases
    begin = np.int64(0)
    while begin < cases.bundles[0]:
        end = end_of_batch(cases, begin)
        if not sort_cases(worker, cases, begin, end, level):
            return False
        for bundle in range(begin, end):
            if all_leave(team, me, schedule.counts, False):
                return False
            if not _write_bundle(worker, links, cases, begin, bundle, level, tally):
                tally[LINKS_FULL] = 1
                return False
        put_links(worker, cases, begin, end)
        begin = end
    clear_set(team, me, worker.sets, STEPPED)
    return True


@kernel
def _write_bundle(worker, links, cases, begin, bundle, level, tally):
    """Write the steps of a bundle, `begin` being the first that is in `cases.items`. Returns False if no link can be
    added any more.

    A link that a full index has no room for finds none later in the pass either, so all positions whose staircases end
    with it wait for the next pass together."""
    team, me, state = worker.team, worker.me, worker.state
    first, end = cases.first[bundle] - cases.first[begin], cases.first[bundle + 1] - cases.first[begin]
    while True:
        looked_for = _begin_pass(worker, links, end - first, level, tally)
        left = 0
        while True:
            start = first + claim(team, me, _CHUNK)
            if start >= end:
                break
            stop = min(start + _CHUNK, end)
            read_cases_ahead(state, cases, start, stop)
            for at in range(start, stop):
                before, theirs, ours = case_at(cases, at)
                link = _lengthened(worker, links, looked_for, before, theirs, ours, level)
                if link == FULL:
                    left += 1
                else:
                    put_link(cases, at, link)
        fetch_add(tally, STEPS_LEFT, left)
        barrier(team, me)
        if tally[STEPS_LEFT] == 0 or is_used_up(links):
            return tally[STEPS_LEFT] == 0


@inlined
def _lengthened(worker, links, looked_for, link, theirs, ours, level):
    """A staircase with the steps that these values need; FULL if the index has no room. Few of the many positions
    differ in all three, and links lie far apart."""
    buffers = worker.buffers
    case = link << 32 | theirs << 16 | ours
    slot = slot_of(buffers.cases, case)
    if buffers.cases[slot] != case:
        buffers.cases[slot] = case
        buffers.lengthened[slot] = _with_steps(worker.state, links, looked_for, link, theirs, ours, level)
    return buffers.lengthened[slot]


@inlined
def _with_steps(state, links, looked_for, link, theirs, ours, level):
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
