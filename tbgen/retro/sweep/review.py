"""Reviewing open positions at a new level: only those that depend on a change are evaluated again.

In the layer where one side holds a record of the current level, the other side forces resets (or goals) that pay it
more. Its values are a least fixpoint above "the record stands", distances included; the fixpoint of the level before
is where the iteration starts. The two layers are independent: `theirs` of a position depends on `ours` of its
successors, and vice versa.
"""

from typing import Final

import numpy as np

from tbgen.intrinsics import atomic_load, bits_set, fetch_add, lowest_bit, prefetch
from tbgen.jit import inlined, kernel
from tbgen.outcome import BASE
from tbgen.retro.graph.block import many_in
from tbgen.retro.graph.proof import all_lead_into
from tbgen.retro.graph.slice import successors
from tbgen.retro.sweep.cells import cell_of, first_cell
from tbgen.retro.sweep.notify import OURS_CHANGED, THEIRS_CHANGED, notify
from tbgen.retro.sweep.state import (
    is_open,
    key_at,
    lanes_in,
    next_due,
    none_due,
    payoff_at,
    put_off,
    read_cells_around,
    read_review_around,
    read_values_around,
    read_worth_around,
)
from tbgen.retro.threads.counters import DOUBTS, POSITIONS_REVIEWED, STOP
from tbgen.retro.threads.lanes import LANE
from tbgen.retro.threads.sets import (
    AWAY,
    CHANGED_OURS,
    CHANGED_THEIRS,
    DOUBT_OURS,
    DOUBT_THEIRS,
    LATER,
    REVALUED,
    SETTLED,
    STEPPED,
    add,
    add_lane,
    blocks_of,
    clear_block,
    discard,
    has_block,
    lane_of,
    lanes_of,
    mark,
    pop_block,
    pop_lanes,
    unmark,
)
from tbgen.retro.threads.team import ABORT, LINE, barrier
from tbgen.retro.values.codes import STANDS, code_of
from tbgen.retro.values.keys import NEVER, hasty, outcome_of, passed_on, patient, turned
from tbgen.retro.values.payoff import longest, paid, shortest

# numpy's integers are no literals to the compiler, which would make a kernel of its own for each of these
_HOLDS: Final = np.int64(0)
_ESCAPES: Final = np.int64(1)


@inlined
def _value(state, buffers, sets, node, escaping):
    """The code of what a successor is worth; its mover is the other side."""
    if not is_open(sets, node):
        read_worth_around(state, buffers, node)
        return state.worth[node]
    read_values_around(state, buffers, node)
    cell = cell_of(state.cells, node)
    return state.ours[cell] if escaping else state.theirs[cell]


@inlined
def _best_move(graph, buffers, state, sets, node, cell, escaping, record):
    """The code of the best move's value, for a mover who would escape from the record or for one who holds it."""
    near = buffers.near
    count = successors(graph, buffers, node)
    for at in range(count):
        prefetch(state.worth, near[at])
        prefetch(state.cells.members, near[at] // LANE)
    pays = payoff_at(state, cell)
    if escaping:
        best = hasty(paid(pays), shortest(pays)) if pays else NEVER
        for at in range(count):
            ours = _value(state, buffers, sets, near[at], escaping)
            if ours != STANDS:
                best = max(best, turned(passed_on(key_at(state, ours))))
        return STANDS if outcome_of(best) <= -record else code_of(state.keys, turned(best))
    best = patient(paid(pays), longest(pays)) if pays else NEVER
    for at in range(count):
        theirs = _value(state, buffers, sets, near[at], escaping)
        if theirs == STANDS:
            return STANDS
        best = max(best, passed_on(key_at(state, theirs)))
    return STANDS if outcome_of(best) >= record else code_of(state.keys, best)


@kernel
def as_good_as_the_record(worker, level):
    """Where the escaping side is paid no more than the new record, the record stands: such values become STANDS."""
    team, me, buffers, state, sets = worker.team, worker.me, worker.buffers, worker.state, worker.sets
    barrier(team, me)
    start, end = next_due(team, me, state)
    while start < end:
        for lane in lanes_in(start, end):
            if none_due(state, lane, level):
                continue
            read_cells_around(state, buffers, lane)
            left, cell = state.cells.members[lane], first_cell(state.cells, lane)
            while left:
                node = lane * LANE + lowest_bit(left)
                if state.due[cell] <= level and is_open(sets, node):
                    _drop(state, sets, node, cell, BASE - level)
                    put_off(state, cell, level)
                left &= left - np.uint64(1)
                cell += 1
        start, end = next_due(team, me, state)


@inlined
def _drop(state, sets, node, cell, record):
    ours, theirs = state.ours[cell], state.theirs[cell]
    if ours != STANDS and outcome_of(key_at(state, ours)) >= record:
        state.ours[cell] = STANDS
    if theirs != STANDS and outcome_of(key_at(state, theirs)) <= -record:
        state.theirs[cell] = STANDS
        unmark(sets, AWAY, node)


@kernel
def begin_review(worker):
    """Have the positions that were settled with another value be those of a change."""
    team, me, sets = worker.team, worker.me, worker.sets
    barrier(team, me)
    for block in blocks_of(team, me, sets):
        if has_block(sets, REVALUED, block):
            for lane in lanes_of(block):
                add_lane(sets, CHANGED_THEIRS, lane, lane_of(sets, REVALUED, lane))
            clear_block(sets, REVALUED, block)
    barrier(team, me)


@kernel
def _review(worker, escaping, record):
    """Evaluate all positions in doubt. Returns how many those were."""
    team, me, graph, buffers, state, sets, _ = worker
    barrier(team, me)
    evaluated = 0
    while True:
        count = pop_block(team, me, sets, DOUBT_THEIRS if escaping else DOUBT_OURS, buffers, False)
        if count == 0:
            break
        for at in range(count):
            node = np.int64(buffers.batch[at])
            if not is_open(sets, node):
                continue
            evaluated += 1
            read_review_around(state, buffers, node)
            cell = cell_of(state.cells, node)
            before = state.theirs[cell] if escaping else state.ours[cell]
            found = _best_move(graph, buffers, state, sets, node, cell, escaping, record)
            if found == before:
                continue
            add(sets, STEPPED, node)
            if escaping:
                state.theirs[cell] = found
                mark(sets, AWAY, node)
                add(sets, CHANGED_THEIRS, node)
            else:
                state.ours[cell] = found
                add(sets, CHANGED_OURS, node)
    return evaluated


@kernel
def _notify_changed(worker, which, event):
    """Notify the predecessors of all positions in a set of changes, and empty the set."""
    team, me, graph, buffers, sets = worker.team, worker.me, worker.graph, worker.buffers, worker.sets
    barrier(team, me)
    while True:
        lanes = pop_lanes(team, me, sets, which, buffers, graph.laned, many_in(graph))
        if lanes == 0:
            break
        notify(worker, LATER, event, lanes)


@kernel
def _doubts(worker, counts):
    """Count the positions in doubt, and discard those whose value cannot have changed."""
    team, me, graph, buffers, sets = worker.team, worker.me, worker.graph, worker.buffers, worker.sets
    barrier(team, me)
    if me == 0:
        counts[DOUBTS] = 0
        counts[STOP] = team.shared[ABORT]
    barrier(team, me)
    mine = 0
    for block in blocks_of(team, me, sets):
        for which in (DOUBT_OURS, DOUBT_THEIRS):
            if not has_block(sets, which, block):
                continue
            for lane in lanes_of(block):
                bits = lane_of(sets, which, lane)
                if not bits:
                    continue
                doubted = bits & ~lane_of(sets, SETTLED, lane)
                if which == DOUBT_OURS and doubted:
                    doubted = _without_record(graph, buffers, sets, lane, doubted)
                mine += bits_set(doubted)
                discard(sets, which, lane, bits ^ doubted)
    fetch_add(counts, DOUBTS, mine)
    barrier(team, me)
    return atomic_load(counts, DOUBTS)


@inlined
def _without_record(graph, buffers, sets, lane, bits):
    """Those of some positions of a lane none of whose quiet moves keeps the record."""
    if graph.laned:
        return all_lead_into(graph, buffers, sets, AWAY, lane, bits)
    found = np.uint64(0)
    while bits:
        one = bits & (~bits + np.uint64(1))
        bits ^= one
        found |= all_lead_into(graph, buffers, sets, AWAY, lane, one)
    return found


@kernel
def review_all(worker, counts, level, most):
    """Review positions until nothing changes any more, or the caller wants the threads to end. Returns False,
    unfinished, once more than `most` are due, those counted that have been reviewed."""
    me, record = worker.me, BASE - level
    left = most
    while True:
        _notify_changed(worker, CHANGED_OURS, OURS_CHANGED)
        _notify_changed(worker, CHANGED_THEIRS, THEIRS_CHANGED)
        doubts = _doubts(worker, counts)
        if doubts == 0 or counts[STOP]:
            return True
        if doubts > left:
            return False
        left -= doubts
        evaluated = _review(worker, _HOLDS, record)
        evaluated += _review(worker, _ESCAPES, record)
        counts[me * LINE + POSITIONS_REVIEWED] += evaluated
