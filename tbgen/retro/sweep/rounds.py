"""Rounds by distance: values spread to predecessors one ply per round, and seeds join at their distances."""

from typing import Final

import numpy as np

from tbgen.intrinsics import bits_set, fetch_add
from tbgen.jit import kernel
from tbgen.outcome import BASE
from tbgen.retro.graph.block import many_in
from tbgen.retro.sweep import escape, settle
from tbgen.retro.sweep.escape import VALUES
from tbgen.retro.sweep.log import OURS, THEIRS, WORTH, begin_round, merge, note
from tbgen.retro.sweep.notify import ESCAPES, FALLS, LOST, WON, notify
from tbgen.retro.sweep.prove import prove
from tbgen.retro.sweep.seeds import END, FIRST, GAINS, TIME, choose, sort_by_payoff, sort_by_time
from tbgen.retro.threads.ahead import TOGETHER, read_ahead
from tbgen.retro.threads.counters import PLACE, POSITIONS_ESCAPED, POSITIONS_SETTLED, SORTED, STOP
from tbgen.retro.threads.pop import pop_lanes
from tbgen.retro.threads.sets import (
    AWAY,
    CLOSED,
    LATER,
    LOSE,
    NOW,
    SETTLED,
    is_empty,
    lane_of,
    mark_lane,
    prefetch_lane,
)
from tbgen.retro.threads.team import all_leave, barrier, claim
from tbgen.retro.values.codes import code_of
from tbgen.retro.values.keys import patient

_CHUNK: Final = 1024
# numpy's integers are no literals to the compiler, which would make a kernel of its own for each of these
_SETTLING: Final = np.int64(0)
_ESCAPING: Final = np.int64(1)


@kernel
def _join_all(worker, seeds, group, now, escaping):
    """Join the seeds of a group."""
    team, me, sets = worker.team, worker.me, worker.sets
    first, end, gains = seeds.groups[group, FIRST], seeds.groups[group, END], seeds.groups[group, GAINS]
    barrier(team, me)
    while True:
        start = first + claim(team, me, _CHUNK)
        if start >= end:
            break
        if worker.state.on_disk and start % (TOGETHER * _CHUNK) < _CHUNK:
            read_ahead(seeds.items, start, min(start + TOGETHER * _CHUNK, end))
        for at in range(start, min(start + _CHUNK, end)):
            if escaping:
                escape.join(sets, now, np.int64(seeds.items[at]), gains)
            else:
                settle.join(sets, now, np.int64(seeds.items[at]), gains)


@kernel
def _notify_all(worker, now, later, outcome, distance, escaping):
    """Log the value of all positions reached, and notify their predecessors. Returns how many positions that were.

    All have the same value, those in the second set seen from the other side."""
    team, me, graph, buffers, sets = worker.team, worker.me, worker.graph, worker.buffers, worker.sets
    reached = 0
    for loses in range(2):
        code = code_of(worker.state.keys, patient(-outcome if loses else outcome, distance))
        event = (FALLS if loses else ESCAPES) if escaping else (LOST if loses else WON)
        begin_round(worker, code, (OURS if loses else THEIRS) if escaping else WORTH)
        barrier(team, me)
        while True:
            lanes = pop_lanes(team, me, sets, now + LOSE * loses, buffers, graph.laned, many_in(graph))
            if lanes == 0:
                break
            for at in range(lanes):
                prefetch_lane(sets, SETTLED if escaping else CLOSED, buffers.batch[at])
                prefetch_lane(sets, AWAY, buffers.batch[at])
            for at in range(lanes):
                lane, bits = buffers.batch[at], buffers.batch_bits[at]
                reached += bits_set(bits)
                if not escaping:
                    settle.close(sets, lane, bits)
                elif not loses:
                    mark_lane(sets, AWAY, lane, bits)
                if escaping:
                    bits &= ~lane_of(sets, SETTLED, lane)
                if bits:
                    note(worker, lane, bits)
            notify(worker, later, event, lanes)
    return reached


@kernel
def _spread(worker, schedule, outcome, escaping):
    """Spread from the seeds, NOW at distance 0 and those of each group at theirs, to all positions that they reach. It
    ends after a round if the caller wants the threads to end."""
    team, me, sets, seeds = worker.team, worker.me, worker.sets, schedule.seeds
    now, later = NOW, LATER
    group = joined = np.int64(0)
    distance = 0
    while True:
        while group < seeds.group_count[0] and seeds.groups[group, TIME] == distance:
            _join_all(worker, seeds, group, now, escaping)
            group += 1
        if joined != group:
            prove(worker, now + LOSE, escaping)
            joined = group
        reached = _notify_all(worker, now, later, outcome, distance, escaping)
        fetch_add(schedule.counts, POSITIONS_ESCAPED if escaping else POSITIONS_SETTLED, reached)
        prove(worker, later + LOSE, escaping)
        if all_leave(team, me, schedule.counts, False):
            break
        now, later = later, now
        distance += 1
        if is_empty(sets, now) and is_empty(sets, now + LOSE):
            if group == seeds.group_count[0]:
                break
            distance = seeds.groups[group, TIME]
        barrier(team, me)
    barrier(team, me)


@kernel
def settle_level(worker, schedule, level):
    """Settle all positions of a level, and all from which a goal of this level can be forced. Returns False if the disk
    has no room for its seeds: then what settled positions are worth stays as it is, so that a snapshot is of use."""
    settle.fix_and_seed(worker, level)
    if not sort_by_time(worker, schedule.seeds):
        return False
    _spread(worker, schedule, BASE - level, _SETTLING)
    merge(worker)
    barrier(worker.team, worker.me)
    return True


@kernel
def escape_from_scratch(worker, schedule, level):
    """Compute what all open positions are worth under a record of this level, from scratch; those values that are not
    done yet. Returns False if it pauses between two of them, or the disk has no room for its seeds."""
    team, me, state, sets, seeds = worker.team, worker.me, worker.state, worker.sets, schedule.seeds
    record = BASE - level
    begun = first = schedule.counts[PLACE]
    if not begun:
        escape.begin(team, me, sets)
    sorts = schedule.counts[SORTED] != level  # after a pause they still are
    if sorts and not sort_by_payoff(worker, seeds):
        return False
    if me == 0:
        schedule.counts[SORTED] = level
        escape.list_values(state, seeds.first, schedule.seen, record)
    barrier(team, me)
    for place in range(begun, VALUES):
        if not schedule.seen[place]:
            continue
        if me == 0:
            choose(state, seeds, BASE - place)
            schedule.counts[PLACE] = place
        # not before the first: whoever pauses at every chance gets on, too
        if all_leave(team, me, schedule.counts, first != begun):
            break
        _spread(worker, schedule, BASE - place, _ESCAPING)
        first = place + 1
    merge(worker)
    barrier(team, me)
    if schedule.counts[STOP]:
        return False
    escape.end(team, me, state, sets, level)
    return True
