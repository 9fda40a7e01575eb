"""The steps of staircases: at each level, one for every position whose value has changed."""

# mypy: disable-error-code="no-untyped-def, no-untyped-call"

import numpy as np

from tbgen.contents import MOVER_HOLDS, OPPONENT_HOLDS
from tbgen.jit import inlined, kernel
from tbgen.retro.sweep.cells import cell_of
from tbgen.retro.sweep.state import key_at, put_off, read_cells_around
from tbgen.retro.threads.ahead import read_around
from tbgen.retro.threads.counters import LINKS_FULL
from tbgen.retro.threads.lanes import LANE
from tbgen.retro.threads.memo import slot_of
from tbgen.retro.threads.sets import STEPPED, pop_block
from tbgen.retro.threads.team import barrier
from tbgen.retro.values.codes import STANDS
from tbgen.retro.values.keys import outcome_of, patience
from tbgen.retro.values.staircase import FULL, add_step, last_step, pack_step, step_distance, step_outcome


@kernel
def write_steps(team, me, buffers, state, sets, links, level, tally):
    """Append a step to every staircase whose value has changed."""
    buffers.cases.fill(0)
    barrier(team, me)
    while True:
        count = pop_block(team, me, sets, STEPPED, buffers)
        if count == 0:
            break
        for at in range(count):
            node = np.int64(buffers.batch[at])
            if state.on_disk:
                read_around(buffers.clusters, state.link, node)
            read_cells_around(state, buffers, node // LANE)
            cell = cell_of(state.cells, node)
            put_off(state, cell, level)
            before, theirs, ours = state.link[node], state.theirs[cell], state.ours[cell]
            # few of the many positions differ in all three, and links lie far apart
            case = np.int64(before) << 32 | np.int64(theirs) << 16 | np.int64(ours)
            slot = slot_of(buffers.cases, case)
            if buffers.cases[slot] != case:
                buffers.cases[slot] = case
                buffers.lengthened[slot] = _lengthened(state, links, np.int64(before), theirs, ours, level, tally)
            state.link[node] = buffers.lengthened[slot]


@inlined
def _lengthened(state, links, link, theirs, ours, level, tally):
    if theirs != STANDS:
        link = _with_step(links, link, OPPONENT_HOLDS, level, key_at(state, theirs))
    if ours != STANDS and link != FULL:
        link = _with_step(links, link, MOVER_HOLDS, level, key_at(state, ours))
    if link == FULL:
        tally[LINKS_FULL] = 1
        link = np.int64(0)
    return link


@inlined
def _with_step(links, link, holder, level, key):
    outcome, distance = outcome_of(key), patience(key)
    last = last_step(links, link, holder, level)
    if last >= 0 and step_outcome(last) == outcome and step_distance(last) == distance:
        return link
    return add_step(links, link, pack_step(holder, level, outcome, distance))
