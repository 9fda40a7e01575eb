"""Rounds by distance: values spread to predecessors one ply per round, and seeds join at their distances."""

from typing import Final

import numpy as np

from tbgen.intrinsics import bits_set, fetch_add
from tbgen.jit import inlined, kernel
from tbgen.outcome import BASE
from tbgen.retro.sweep import escape, settle
from tbgen.retro.sweep.escape import VALUES
from tbgen.retro.sweep.notify import ESCAPES, FALLS, LOST, WON, WON_AWAY, WON_STANDING, notify
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
def _time_of(state, item, escaping):
    return min(escape.time_of(state, item) if escaping else settle.time_of(state, item), LONGEST)


@kernel
def _sort_by_time(team, me, buffers, state, sets, schedule, escaping):
    """Move the TIMED sets to `schedule.items`, sorted by the distance at which each item joins.

    A counting sort: each thread counts the items in its blocks, the first thread sums, each thread copies its items."""
    starts = schedule.starts
    first, last = block_count(sets) * me // team.size, block_count(sets) * (me + 1) // team.size
    barrier(team, me)
    for time in range(LONGEST + 1):
        starts[me, time] = 0
    for which in range(TIMED, TIMED + 1 + escaping):
        for block in range(first, last):
            if has_block(sets, which, block):
                for at in range(read_block(sets, which, block, buffers)):
                    item = np.int64(buffers.batch[at])
                    starts[me, _time_of(state, item if which == TIMED else ~item, escaping)] += 1
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
    for which in range(TIMED, TIMED + 1 + escaping):
        for block in range(first, last):
            if has_block(sets, which, block):
                for at in range(read_block(sets, which, block, buffers)):
                    item = np.int64(buffers.batch[at])
                    if which != TIMED:
                        item = ~item
                    time = _time_of(state, item, escaping)
                    schedule.items[starts[me, time]] = item
                    starts[me, time] += 1
                clear_block(sets, which, block)


@kernel
def _join_all(team, me, state, sets, schedule, now, distance, escaping):
    """Join the seeds of this distance."""
    begin, end = schedule.bucket[distance], schedule.bucket[distance + 1]
    while True:
        start = begin + claim(team, me, _CHUNK)
        if start >= end:
            break
        for at in range(start, min(start + _CHUNK, end)):
            if escaping:
                escape.join(state, sets, now, np.int64(schedule.items[at]))
            else:
                settle.join(state, sets, now, np.int64(schedule.items[at]))


@inlined
def _notify_escaped(worker, later, lanes, loses, code):
    team, buffers, state, sets = worker.team, worker.buffers, worker.state, worker.sets
    codes = state.ours if loses else state.theirs
    for at in range(lanes):
        escape.store_value(team, state, sets, np.int64(buffers.batch[at]), buffers.batch_bits[at], codes, code)
    notify(worker, later, FALLS if loses else ESCAPES, lanes, buffers.batch_bits)


@inlined
def _notify_settled(worker, later, lanes, loses, code, with_record):
    team, buffers, state = worker.team, worker.buffers, worker.state
    for at in range(lanes):
        stood = settle.store_value(team, state, np.int64(buffers.batch[at]), buffers.batch_bits[at], code)
        if with_record and not loses:
            buffers.other_bits[at] = stood
            buffers.batch_bits[at] ^= stood
    if loses:
        notify(worker, later, LOST, lanes, buffers.batch_bits)
    elif with_record:
        notify(worker, later, WON_STANDING, lanes, buffers.other_bits)
        notify(worker, later, WON_AWAY, lanes, buffers.batch_bits)
    else:
        notify(worker, later, WON, lanes, buffers.batch_bits)


@kernel
def _notify_all(worker, schedule, now, later, outcome, distance, escaping):
    """Store the value of all positions reached, and notify their predecessors. Returns how many positions that were.

    All have the same value, those in the second set seen from the other side."""
    team, me, graph, buffers, state, sets = worker
    reached = 0
    for loses in range(2):
        code = code_of(state.keys, patient(-outcome if loses else outcome, distance))
        barrier(team, me)
        while True:
            lanes = pop_lanes(team, me, sets, now + loses, buffers, graph.laned)
            if lanes == 0:
                break
            for at in range(lanes):
                reached += bits_set(buffers.batch_bits[at])
            if escaping:
                _notify_escaped(worker, later, lanes, loses, code)
            else:
                _notify_settled(worker, later, lanes, loses, code, schedule.with_record)
    return reached


@kernel
def _spread(worker, schedule, outcome, escaping):
    """Spread from the seeds, NOW at distance 0 and `schedule.items` at theirs, to all positions that they reach."""
    team, me, state, sets = worker.team, worker.me, worker.state, worker.sets
    now, later = NOW, LATER
    bucket = schedule.bucket
    distance = 0
    reached = 0
    while True:
        barrier(team, me)
        _join_all(team, me, state, sets, schedule, now, distance, escaping)
        reached += _notify_all(worker, schedule, now, later, outcome, distance, escaping)
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
    escape.find_values(team, me, state, schedule.paying, schedule.places)
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
    escape.uncount_resets(team, me, state, record)
