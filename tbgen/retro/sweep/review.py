"""Reviewing open positions at a new level: only those that depend on a change are evaluated again.

In the layer where one side holds a record of the current level, the other side forces resets (or goals) that pay it
more. Its values are a least fixpoint above "the record stands", distances included; the fixpoint of the level before
is where the iteration starts. The two layers are independent: `theirs` of a position depends on `ours` of its
successors, and vice versa.
"""

from typing import Final

import numpy as np

from tbgen.compiler.intrinsics import atomic_load, fetch_add, lowest_bit, prefetch
from tbgen.compiler.jit import inlined, kernel
from tbgen.core.outcome import BASE
from tbgen.retro.graph.block import many_in
from tbgen.retro.graph.proof import all_lead_into
from tbgen.retro.graph.slice import AHEAD, room_for, successors
from tbgen.retro.sweep.cells import cell_of, first_cell
from tbgen.retro.sweep.changes import note_change, raise_escapes, tell_changes, value_of
from tbgen.retro.sweep.notify import THEIRS_CHANGED, notify
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
)
from tbgen.retro.threads.counters import DUE, POSITIONS_REVIEWED
from tbgen.retro.threads.lanes import LANE
from tbgen.retro.threads.pop import pop_block, pop_lanes
from tbgen.retro.threads.sets import (
    AWAY,
    BLOCK_LANES,
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
    count_in,
    discard,
    has_block,
    lane_of,
    lanes_of,
    lanes_with,
    prefetch_lane,
    unmark,
)
from tbgen.retro.threads.team import all_leave, barrier
from tbgen.retro.values.codes import STANDS, code_of
from tbgen.retro.values.keys import NEVER, hasty, outcome_of, passed_on, patient, turned
from tbgen.retro.values.payoff import longest, paid, shortest

_FURTHER: Final = 3
"""A review is given up once it would come to as many positions as it may (`Schedule.reviews`), if it went on as it does
now for three times as many turns as it took so far."""
_GROWING: Final = 16
"""One that grows has far to go, and is given up at 1 in 16 of these.

How far a review goes is not known before; of several rules this one took the least time (research/experiments)."""
# numpy's integers are no literals to the compiler, which would make a kernel of its own for each of these
_HOLDS: Final = np.int64(0)
_ESCAPES: Final = np.int64(1)


@inlined
def _find_moves(worker, node, start):
    """Write where the moves of a position lead to `buffers.near` from `start` on, and ask for where their values are.
    Returns where they end."""
    buffers, state, sets = worker.buffers, worker.state, worker.sets
    end = successors(worker.graph, buffers, node, start)
    for at in range(start, end):
        lane = buffers.near[at] // LANE
        prefetch_lane(sets, SETTLED, lane)
        prefetch(state.cells.members, lane)
        prefetch(state.cells.within, lane)
    return end


@inlined
def _fetch_values(worker, values, start, end):
    """Ask for the values of these positions."""
    state, sets = worker.state, worker.sets
    for at in range(start, end):
        node = worker.buffers.near[at]
        if is_open(sets, node):
            prefetch(values, cell_of(state.cells, node))
        else:
            prefetch(state.worth, node)


@inlined
def _best_move(worker, cell, escaping, record, start, end):
    """The code of the best of these moves, for a mover who would escape from the record or for one who holds it."""
    buffers, state, sets = worker.buffers, worker.state, worker.sets
    near = buffers.near
    pays = payoff_at(state, cell)
    if escaping:
        best = hasty(paid(pays), shortest(pays)) if pays else NEVER
        for at in range(start, end):
            ours = value_of(state, buffers, sets, near[at], escaping)
            if ours != STANDS:
                best = max(best, turned(passed_on(key_at(state, ours))))
        return STANDS if outcome_of(best) <= -record else code_of(state.keys, turned(best))
    best = patient(paid(pays), longest(pays)) if pays else NEVER
    for at in range(start, end):
        theirs = value_of(state, buffers, sets, near[at], escaping)
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
    """Evaluate all positions in doubt."""
    team, me, buffers, state, sets = worker.team, worker.me, worker.buffers, worker.state, worker.sets
    values = state.ours if escaping else state.theirs
    barrier(team, me)
    while True:
        count = pop_block(team, me, sets, DOUBT_THEIRS if escaping else DOUBT_OURS, buffers)
        if count == 0:
            break
        noted = found = found_before = np.int64(0)
        for at in range(count + AHEAD):
            found_before, ready = found, found_before
            if at < count:
                found = _find_moves(worker, np.int64(buffers.batch[at]), room_for(at))
            if 0 < at <= count:
                _fetch_values(worker, values, room_for(at - 1), found_before)
            if at >= AHEAD:
                node = np.int64(buffers.batch[at - AHEAD])
                noted = _evaluate(worker, node, escaping, record, room_for(at - AHEAD), ready, noted)
        tell_changes(worker, noted, escaping)


@inlined
def _evaluate(worker, node, escaping, record, start, end, noted):
    """Give a position the value of its best move, of those that have been found; note it if that has changed."""
    buffers, state, sets = worker.buffers, worker.state, worker.sets
    read_review_around(state, buffers, node)
    cell = cell_of(state.cells, node)
    before = state.theirs[cell] if escaping else state.ours[cell]
    found = _best_move(worker, cell, escaping, record, start, end)
    if found == before:
        return noted
    add(sets, STEPPED, node)
    if escaping:
        state.theirs[cell] = found
        return note_change(buffers, noted, node, before)
    state.ours[cell] = found
    if before != STANDS and key_at(state, found) > key_at(state, before):
        return note_change(buffers, noted, node, before)
    add(sets, CHANGED_OURS, node)
    return noted


@kernel
def _doubt_keepers(worker, record):
    """Put those in doubt who may have kept their record by a move to a position from which its mover escapes now."""
    team, me, graph, buffers, state, sets, _ = worker
    barrier(team, me)
    while True:
        lanes = pop_lanes(team, me, sets, CHANGED_THEIRS, buffers, graph.laned, many_in(graph))
        if lanes == 0:
            break
        noted = np.int64(0)
        for at in range(lanes):
            lane = np.int64(buffers.batch[at])
            left = buffers.batch_bits[at] & lane_of(sets, SETTLED, lane) & state.cells.members[lane]
            while left:
                one = left & (~left + np.uint64(1))
                left ^= one
                node = lane * LANE + lowest_bit(one)
                read_values_around(state, buffers, node)
                before = state.theirs[cell_of(state.cells, node)]
                if before != STANDS and outcome_of(key_at(state, before)) > -record:
                    noted = note_change(buffers, noted, node, before)
                    buffers.batch_bits[at] ^= one
        notify(worker, LATER, THEIRS_CHANGED, lanes)
        tell_changes(worker, noted, _ESCAPES)
    barrier(team, me)
    for block in blocks_of(team, me, sets):
        lanes = lanes_with(sets, DOUBT_OURS, block)
        while lanes:
            lane = block * BLOCK_LANES + lowest_bit(lanes)
            lanes &= lanes - np.uint64(1)
            bits = lane_of(sets, DOUBT_OURS, lane)
            discard(sets, DOUBT_OURS, lane, bits ^ _without_record(graph, buffers, sets, lane, bits))


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
def _due(worker, counts):
    """Count the positions in doubt, and those that changed, whose predecessors do not know it."""
    team, me, sets = worker.team, worker.me, worker.sets
    barrier(team, me)
    if me == 0:
        counts[DUE] = 0
    if all_leave(team, me, counts, False):
        return 0
    mine = 0
    for block in blocks_of(team, me, sets):
        for which in (DOUBT_OURS, DOUBT_THEIRS, CHANGED_OURS, CHANGED_THEIRS):
            mine += count_in(sets, which, block)
    fetch_add(counts, DUE, mine)
    barrier(team, me)
    return atomic_load(counts, DUE)


@kernel
def review_all(worker, counts, level, most):
    """Review positions until nothing changes any more, or the caller wants the threads to end. Returns False,
    unfinished, once it seems to come to more than `most` positions.

    The two sides take turns, so that no value changes that is read."""
    record = BASE - level
    done = begun = turns = 0
    while True:
        due = _due(worker, counts)
        if due == 0:
            return True
        done += due
        if turns < 2:
            begun = max(begun, due)
        if done + _FURTHER * due * turns > most or (due > begun and done > most // _GROWING):
            return False
        if worker.me == 0:
            counts[POSITIONS_REVIEWED] += due
        if turns % 2:
            _review(worker, _HOLDS, record)
        else:
            raise_escapes(worker, record)
            _review(worker, _ESCAPES, record)
            _doubt_keepers(worker, record)
        turns += 1
