"""Rounds by distance: values spread to predecessors one ply per round, and seeds join at their distances."""

from typing import Final

import numpy as np

from tbgen.intrinsics import bits_set, fetch_add
from tbgen.jit import inlined, kernel
from tbgen.outcome import BASE
from tbgen.retro.sweep import escape, settle
from tbgen.retro.sweep.escape import VALUES
from tbgen.retro.sweep.notify import ESCAPES, FALLS, LOST, WON, notify
from tbgen.retro.sweep.prove import prove_falling, prove_settled
from tbgen.retro.threads.counters import POSITIONS_ESCAPED, POSITIONS_SETTLED
from tbgen.retro.threads.sets import (
    LATER,
    NOW,
    TIMED,
    block_count,
    clear_block,
    has_block,
    is_empty,
    pop_lanes,
    read_block,
)
from tbgen.retro.threads.team import barrier, claim
from tbgen.retro.values.codes import code_of
from tbgen.retro.values.keys import LONGEST, patient

_CHUNK: Final = 1024
# numpy's integers are no literals to the compiler, which would make a kernel of its own for each of these
_SETTLING: Final = np.int64(0)
_ESCAPING: Final = np.int64(1)


@inlined
def _time_of(state, sets, item, escaping):
    return min(escape.time_of(state, item) if escaping else settle.time_of(state, sets, item), LONGEST)


@kernel
def _sort_by_time(team, me, buffers, state, sets, schedule, escaping):
    """Move the TIMED sets to `schedule.items`, sorted by the distance at which each item joins.

    A counting sort: each thread counts the items in its blocks, the first thread sums, each thread copies its items."""
    starts = schedule.starts
    first, last = block_count(sets) * me // team.size, block_count(sets) * (me + 1) // team.size
    barrier(team, me)
    for time in range(LONGEST + 1):
        starts[me, time] = 0
    for which in range(TIMED, TIMED + 2):
        for block in range(first, last):
            if has_block(sets, which, block):
                for at in range(read_block(sets, which, block, buffers)):
                    item = np.int64(buffers.batch[at])
                    starts[me, _time_of(state, sets, item if which == TIMED else ~item, escaping)] += 1
    barrier(team, me)
    if me == 0:
        total = 0
        for time in range(LONGEST + 1):
            schedule.bucket[time] = total
            for one in range(team.size):
                here = starts[one, time]
                starts[one, time] = total
                total += here
        schedule.bucket[LONGEST + 1] = total
    barrier(team, me)
    for which in range(TIMED, TIMED + 2):
        for block in range(first, last):
            if has_block(sets, which, block):
                for at in range(read_block(sets, which, block, buffers)):
                    item = np.int64(buffers.batch[at])
                    if which != TIMED:
                        item = ~item
                    time = _time_of(state, sets, item, escaping)
                    schedule.items[starts[me, time]] = item
                    starts[me, time] += 1
                clear_block(sets, which, block)


@kernel
def _join_all(team, me, sets, schedule, now, distance, escaping):
    """Join the seeds of this distance."""
    begin, end = schedule.bucket[distance], schedule.bucket[distance + 1]
    while True:
        start = begin + claim(team, me, _CHUNK)
        if start >= end:
            break
        for at in range(start, min(start + _CHUNK, end)):
            if escaping:
                escape.join(sets, now, np.int64(schedule.items[at]))
            else:
                settle.join(sets, now, np.int64(schedule.items[at]))


@kernel
def _notify_all(worker, now, later, outcome, distance, escaping):
    """Store the value of all positions reached, and notify their predecessors. Returns how many positions that were.

    All have the same value, those in the second set seen from the other side."""
    team, me, graph, buffers, state, sets = worker
    reached = 0
    for loses in range(2):
        code = code_of(state.keys, patient(-outcome if loses else outcome, distance))
        event = (FALLS if loses else ESCAPES) if escaping else (LOST if loses else WON)
        barrier(team, me)
        while True:
            lanes = pop_lanes(team, me, sets, now + loses, buffers, graph.laned)
            if lanes == 0:
                break
            for at in range(lanes):
                lane, bits = buffers.batch[at], buffers.batch_bits[at]
                reached += bits_set(bits)
                if escaping:
                    escape.store_value(state, sets, lane, bits, loses, code)
                else:
                    settle.store_value(state, sets, lane, bits, code)
            notify(worker, later, event, lanes)
    return reached


@inlined
def _prove(worker, schedule, later, escaping):
    """Add to `later` the threatened positions of which all moves fail."""
    if escaping:
        prove_falling(worker, later)
    else:
        prove_settled(worker, later, schedule.with_record)


@kernel
def _spread(worker, schedule, outcome, escaping):
    """Spread from the seeds, NOW at distance 0 and `schedule.items` at theirs, to all positions that they reach."""
    team, me, sets = worker.team, worker.me, worker.sets
    now, later = NOW, LATER
    bucket = schedule.bucket
    distance = 0
    reached = 0
    while True:
        barrier(team, me)
        if bucket[distance] != bucket[distance + 1]:
            _join_all(team, me, sets, schedule, now, distance, escaping)
            _prove(worker, schedule, now + 1, escaping)
        reached += _notify_all(worker, now, later, outcome, distance, escaping)
        _prove(worker, schedule, later + 1, escaping)
        barrier(team, me)
        now, later = later, now
        distance += 1
        if is_empty(sets, now) and is_empty(sets, now + 1):
            while distance <= LONGEST and bucket[distance + 1] == bucket[distance]:
                distance += 1
            if distance > LONGEST:
                break
    fetch_add(schedule.counts, POSITIONS_ESCAPED if escaping else POSITIONS_SETTLED, reached)
    barrier(team, me)


@kernel
def settle_level(worker, schedule, level):
    """Settle all positions of a level, and all from which a goal of this level can be forced."""
    team, me, buffers, state, sets = worker.team, worker.me, worker.buffers, worker.state, worker.sets
    settle.fix_and_seed(team, me, state, sets, level)
    _sort_by_time(team, me, buffers, state, sets, schedule, _SETTLING)
    _spread(worker, schedule, BASE - level, _SETTLING)


@kernel
def escape_from_scratch(worker, schedule, level):
    """Compute what all open positions are worth under a record of this level, from scratch."""
    team, me, buffers, state, sets = worker.team, worker.me, worker.buffers, worker.state, worker.sets
    record = BASE - level
    if me == 0:
        schedule.paying[:] = 0
    escape.mark_out(team, me, sets, True)
    escape.find_values(team, me, state, sets, schedule.paying, schedule.places)
    if me == 0:
        escape.list_values(state, schedule.paying, schedule.seen, record)
    barrier(team, me)
    for place in range(VALUES):
        if not schedule.seen[place]:
            continue
        if me == 0:
            escape.choose_value(state, schedule.paying, schedule.wanted, BASE - place)
        escape.seed_value(team, me, state, sets, schedule.wanted, schedule.places, place)
        _sort_by_time(team, me, buffers, state, sets, schedule, _ESCAPING)
        _spread(worker, schedule, BASE - place, _ESCAPING)
    escape.mark_out(team, me, sets, False)
