"""Rounds by distance: values spread to predecessors one ply per round, and seeds join at their distances."""

from typing import Final

import numpy as np

from tbgen.compiler.intrinsics import bits_set, fetch_add
from tbgen.compiler.jit import inlined, kernel
from tbgen.core.outcome import BASE
from tbgen.retro.graph.block import many_in
from tbgen.retro.sweep import escape, settle
from tbgen.retro.sweep.escape import VALUES
from tbgen.retro.sweep.log import OURS, THEIRS, WORTH, begin_round, merge, note
from tbgen.retro.sweep.notify import ESCAPES, FALLS, LOST, WON, notify
from tbgen.retro.sweep.prove import prove
from tbgen.retro.sweep.seeds import ALL, END, FIRST, GAINS, TIME, choose, sort_by_payoff, sort_by_time
from tbgen.retro.sweep.worker import all_leave_or_pause
from tbgen.retro.threads.ahead import TOGETHER, read_ahead
from tbgen.retro.threads.counters import DISTANCE, PLACE, POSITIONS_ESCAPED, POSITIONS_SETTLED, SORTED
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
from tbgen.retro.threads.team import barrier, claim
from tbgen.retro.values.codes import code_of
from tbgen.retro.values.keys import patient

_CHUNK: Final = 1024
# numpy's integers are no literals to the compiler, which would make a kernel of its own for each of these
_SETTLES: Final = np.int64(0)
_ESCAPES: Final = np.int64(1)
SETTLING: Final = np.int64(VALUES + 1)
"""The PLACE of a level that is being settled; those before are of values that the escaping side can have."""


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


@inlined
def _sorted_for(level):
    """What SORTED is once seeds are sorted for a level: for its escapes, then for what settles."""
    return level + 1


@inlined
def _sets_at(distance):
    """The sets of those that are reached at a distance and gain, and of those that are at the next one."""
    return NOW + distance % 2, LATER - distance % 2


@kernel
def _spread(worker, schedule, outcome, escaping):
    """Spread from the seeds, those in the sets and those of each group at its distance, to all positions that they
    reach, from the DISTANCE that it has come to. Returns False if it pauses between two rounds, or is to end."""
    team, me, sets, seeds, counts = worker.team, worker.me, worker.sets, schedule.seeds, schedule.counts
    distance, group, is_done = counts[DISTANCE], np.int64(0), False
    while group < seeds.group_count[0] and seeds.groups[group, TIME] < distance:
        group += 1  # joined before a pause
    while True:
        now, later = _sets_at(distance)
        if is_empty(sets, now) and is_empty(sets, now + LOSE):
            if group == seeds.group_count[0]:
                is_done = True
                break
            distance = seeds.groups[group, TIME]
            now, later = _sets_at(distance)
        barrier(team, me)
        joined = group
        while group < seeds.group_count[0] and seeds.groups[group, TIME] == distance:
            _join_all(worker, seeds, group, now, escaping)
            group += 1
        if joined != group:
            prove(worker, now + LOSE, escaping)
        reached = _notify_all(worker, now, later, outcome, distance, escaping)
        fetch_add(counts, POSITIONS_ESCAPED if escaping else POSITIONS_SETTLED, reached)
        prove(worker, later + LOSE, escaping)
        distance += 1
        if me == 0:
            counts[DISTANCE] = distance
        # not before a round: whoever pauses at every chance gets on, too
        if all_leave_or_pause(worker, counts):
            break
    barrier(team, me)
    if me == 0 and is_done:
        counts[DISTANCE] = 0
    barrier(team, me)
    return is_done


@kernel
def settle_level(worker, schedule, level):
    """Settle all positions of a level, and all from which a goal of this level can be forced. Returns False if it
    pauses, or the disk has no room for its seeds: then what settled positions are worth stays as it is, so that a
    snapshot is of use."""
    seeds, counts = schedule.seeds, schedule.counts
    begins = counts[PLACE] != SETTLING
    if begins:
        settle.fix_and_seed(worker, level)
        if not sort_by_time(worker, seeds):
            return False
    elif counts[SORTED] != _sorted_for(level):
        # another process had sorted them; those that have joined since are in groups that do not join again
        if not sort_by_payoff(worker, seeds, BASE - level):
            return False
        if worker.me == 0:
            choose(worker.state, seeds, BASE - level)
    if worker.me == 0:
        counts[PLACE], counts[SORTED] = SETTLING, _sorted_for(level)
    barrier(worker.team, worker.me)
    is_done = _spread(worker, schedule, BASE - level, _SETTLES)
    merge(worker)
    barrier(worker.team, worker.me)
    return is_done


@kernel
def escape_from_scratch(worker, schedule, level):
    """Compute what all open positions are worth under a record of this level, from scratch; those values that are not
    done yet. Returns False if it pauses, or the disk has no room for its seeds."""
    team, me, state, sets, seeds, counts = (
        worker.team, worker.me, worker.state, worker.sets, schedule.seeds, schedule.counts,
    )  # fmt: skip
    record = BASE - level
    begun = counts[PLACE]
    if not begun:
        escape.begin(team, me, sets)
    sorts = counts[SORTED] != _sorted_for(level)  # after a pause they still are
    if sorts and not sort_by_payoff(worker, seeds, ALL):
        return False
    if me == 0:
        counts[SORTED] = _sorted_for(level)
        escape.list_values(state, seeds.first, schedule.seen, record)
    barrier(team, me)
    is_done = True
    for value in range(VALUES):
        if value + 1 < begun or not schedule.seen[value]:
            continue
        if me == 0:
            choose(state, seeds, BASE - value)
            counts[PLACE] = value + 1
        barrier(team, me)
        is_done = _spread(worker, schedule, BASE - value, _ESCAPES)
        if not is_done:
            break
    merge(worker)
    barrier(team, me)
    if not is_done:
        return False
    escape.end(team, me, state, sets, level)
    return True
