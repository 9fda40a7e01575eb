"""What a changed value does to the positions that a move leads from, while positions are reviewed.

What a position is worth is the best of its moves. So a move that got better for its mover can only raise it, which
takes a comparison; no other move is looked at. Only where the best move got worse, the position is put in doubt, and
all its moves are looked at (review.py). At a higher level the outcomes of the escaping side only rise, so most doubts
are those of who holds the record.

Predecessors and what they are worth lie all over. So both are asked for while those of the positions before are
looked at.
"""

from typing import Final

import numpy as np

from tbgen.compiler.intrinsics import lowest_bit, prefetch
from tbgen.compiler.jit import inlined, kernel
from tbgen.retro.graph.predecessors import predecessors
from tbgen.retro.graph.slice import AHEAD, MOST_CHANGES, MOST_NEIGHBOURS, room_for
from tbgen.retro.sweep.cells import cell_of
from tbgen.retro.sweep.state import is_open, key_at, read_values_around, read_worth_around
from tbgen.retro.threads.lanes import LANE
from tbgen.retro.threads.pop import pop_block
from tbgen.retro.threads.sets import AWAY, CHANGED_OURS, CHANGED_THEIRS, DOUBT_OURS, DOUBT_THEIRS, STEPPED, add, mark
from tbgen.retro.threads.team import barrier, lock_lane, unlock_lane
from tbgen.retro.values.codes import STANDS, code_of, known_code
from tbgen.retro.values.keys import outcome_of, passed_on, turned

# numpy's integers are no literals to the compiler, which would make a kernel of its own for each of these
_THEIRS: Final = np.int64(1)
_AT_ONCE: Final = 64
"""Positions whose predecessors are raised before those of the raised ones are told."""


@inlined
def value_of(state, buffers, sets, node, escaping):
    """The code of what a position is worth for who does not move there: while he escapes, or holds the record."""
    if not is_open(sets, node):
        read_worth_around(state, buffers, node)
        return state.worth[node]
    read_values_around(state, buffers, node)
    cell = cell_of(state.cells, node)
    return state.ours[cell] if escaping else state.theirs[cell]


@inlined
def note_change(buffers, count, node, before):
    """Note that a position has another value now. Returns how many are noted."""
    buffers.changed[count] = node
    buffers.before[count] = before
    return count + 1


@inlined
def _find_before(worker, node, start):
    """Write the predecessors of a position to `buffers.near` and `near_bits` from `start` on, lane by lane, and ask for
    their cells. Returns where they end."""
    near, cells = worker.buffers.near, worker.state.cells
    one = np.uint64(1) << np.uint64(node % LANE)
    end = predecessors(worker.graph, worker.buffers, node // LANE, one, start)
    for entry in range(start, end):
        prefetch(cells.members, near[entry])
        prefetch(cells.within, near[entry])
    return end


@inlined
def _fetch_before(worker, values, start, end):
    """Keep those that have cells, and ask for their values. Returns where they end."""
    buffers, state = worker.buffers, worker.state
    near, near_bits = buffers.near, buffers.near_bits
    kept = start
    for entry in range(start, end):
        lane = near[entry]
        bits = near_bits[entry] & state.cells.members[lane]
        near[kept], near_bits[kept] = lane, bits
        if bits:
            read_values_around(state, buffers, lane * LANE)
            prefetch(values, cell_of(state.cells, lane * LANE + lowest_bit(bits)))
            kept += 1
    return kept


@kernel
def raise_escapes(worker, record):
    """Raise what the escaping side gets where a move leads to a position whose mover holds the record, and gets less
    now."""
    team, me, buffers, state, sets = worker.team, worker.me, worker.buffers, worker.state, worker.sets
    barrier(team, me)
    noted = np.int64(0)
    while True:
        count = pop_block(team, me, sets, CHANGED_OURS, buffers)
        if count == 0:
            break
        for first in range(0, count, _AT_ONCE):
            last = min(first + _AT_ONCE, count)
            found = kept = np.int64(0)
            for at in range(first, last + AHEAD):
                found_before, ready = found, kept
                if at < last:
                    found = _find_before(worker, np.int64(buffers.batch[at]), room_for(at))
                if first < at <= last:
                    kept = _fetch_before(worker, state.theirs, room_for(at - 1), found_before)
                if at >= first + AHEAD:
                    node = np.int64(buffers.batch[at - AHEAD])
                    noted = _raise_those(worker, node, record, room_for(at - AHEAD), ready, noted)
            if noted > MOST_CHANGES - _AT_ONCE * MOST_NEIGHBOURS:
                tell_changes(worker, noted, _THEIRS)
                noted = np.int64(0)
    tell_changes(worker, noted, _THEIRS)


@inlined
def _raise_those(worker, node, record, start, end, noted):
    """Raise those of a position's predecessors that have been found, and note them."""
    buffers, state, sets = worker.buffers, worker.state, worker.sets
    key = passed_on(key_at(state, value_of(state, buffers, sets, node, True)))
    if outcome_of(key) <= -record:
        return noted
    code = known_code(state.keys, key)
    # a position that was settled may have got a longer distance to the same outcome
    longer = not is_open(sets, node)
    for entry in range(start, end):
        lane, bits = buffers.near[entry], buffers.near_bits[entry]
        while bits:
            mover = np.int64(lane * LANE + lowest_bit(bits))
            bits &= bits - np.uint64(1)
            cell = cell_of(state.cells, mover)
            has = state.theirs[cell]
            if has == code:
                continue
            if has == STANDS or turned(key_at(state, has)) < turned(key):
                if is_open(sets, mover):
                    noted = _raise(worker, mover, cell, key, noted)
            elif longer and outcome_of(key_at(state, has)) == outcome_of(key) and is_open(sets, mover):
                add(sets, DOUBT_THEIRS, mover)
    return noted


@inlined
def _raise(worker, node, cell, key, noted):
    team, buffers, state, sets = worker.team, worker.buffers, worker.state, worker.sets
    lock_lane(team, node // LANE)
    has = state.theirs[cell]
    rises = has == STANDS or turned(key_at(state, has)) < turned(key)
    if rises:
        state.theirs[cell] = code_of(state.keys, key)
    unlock_lane(team, node // LANE)
    if not rises:
        return noted
    add(sets, STEPPED, node)
    if has != STANDS:
        return note_change(buffers, noted, node, has)
    mark(sets, AWAY, node)
    add(sets, CHANGED_THEIRS, node)
    return noted


@kernel
def tell_changes(worker, noted, escaping):
    """Put those in doubt whose best move led to a position that has been noted, and who get less there now; of those
    who hold the record, also who may get more. `escaping`: whether it is `theirs` that has changed there."""
    buffers, state = worker.buffers, worker.state
    values = state.ours if escaping else state.theirs
    found = kept = np.int64(0)
    for at in range(noted + AHEAD):
        found_before, ready = found, kept
        if at < noted:
            found = _find_before(worker, np.int64(buffers.changed[at]), room_for(at))
        if 0 < at <= noted:
            kept = _fetch_before(worker, values, room_for(at - 1), found_before)
        if at >= AHEAD:
            _doubt_those(worker, at - AHEAD, escaping, values, room_for(at - AHEAD), ready)


@inlined
def _doubt_those(worker, at, escaping, values, start, end):
    """Put those of the predecessors in doubt that have been found for a position that has been noted."""
    buffers, state, sets = worker.buffers, worker.state, worker.sets
    node = np.int64(buffers.changed[at])
    was = passed_on(key_at(state, buffers.before[at]))
    best = known_code(state.keys, was)
    now = passed_on(key_at(state, value_of(state, buffers, sets, node, not escaping)))
    more = escaping and now > was
    for entry in range(start, end):
        lane, bits = buffers.near[entry], buffers.near_bits[entry]
        while bits:
            mover = np.int64(lane * LANE + lowest_bit(bits))
            bits &= bits - np.uint64(1)
            has = values[cell_of(state.cells, mover)]
            concerned = has == best or (more and has != STANDS and key_at(state, has) < now)
            if concerned and is_open(sets, mover):
                add(sets, DOUBT_OURS if escaping else DOUBT_THEIRS, mover)
