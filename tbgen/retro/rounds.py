"""Rounds by distance: what spreads to predecessors, one ply a round, and the seeds that join on the way."""

from typing import Final

import numpy as np

from tbgen.jit import inlined, kernel
from tbgen.outcome import BASE
from tbgen.retro import beyond, escape
from tbgen.retro.entry import LONGEST
from tbgen.retro.escape import VALUES
from tbgen.retro.field import DOUBT_OURS, LATER, NOW, TIMED
from tbgen.retro.team import arrive, claim, clear, flush, length

_CHUNK: Final = 128
REACHED: Final = 0
"""In `Schedule.counts`: how many positions were settled, and next to it how many escaped by resets."""
# numpy's integers are no literals to the compiler, which would make a kernel of its own for each of these
_SETTLING: Final = np.int64(0)
_ESCAPING: Final = np.int64(1)


@inlined
def _time_of(field, item, escaping):
    return escape.time_of(field, item) if escaping else beyond.time_of(field, item)


@kernel
def _sort_by_time(field, lists, schedule, escaping):
    """Move the list TIMED to `schedule.items`, in the order of distance at which each joins."""
    count = length(lists, TIMED)
    items = lists.items[TIMED]
    bucket = schedule.bucket
    bucket[:] = 0
    for at in range(count):
        bucket[min(_time_of(field, np.int64(items[at]), escaping), LONGEST) + 1] += 1
    for time in range(LONGEST + 1):
        bucket[time + 1] += bucket[time]
    for at in range(count):
        time = min(_time_of(field, np.int64(items[at]), escaping), LONGEST)
        schedule.items[bucket[time]] = items[at]
        bucket[time] += 1
    for time in range(LONGEST, 0, -1):
        bucket[time] = bucket[time - 1]
    bucket[0] = 0
    clear(lists, TIMED)


@kernel
def _spread(team, me, ground, desk, field, lists, schedule, escaping):
    """From seeds to all that they reach: NOW at distance 0 and `schedule.items` at theirs."""
    now, later = NOW, LATER
    timed = schedule.items
    bucket = schedule.bucket
    distance = 0
    while True:
        arrive(team, me)
        begin, end = bucket[distance], bucket[distance + 1]
        while True:
            start = begin + claim(team, me, _CHUNK)
            if start >= end:
                break
            for at in range(start, min(start + _CHUNK, end)):
                if escaping:
                    escape.join(field, lists, now, me, np.int64(timed[at]), distance)
                else:
                    beyond.join(field, lists, now, me, np.int64(timed[at]), distance)
        flush(lists, now, me)
        arrive(team, me)
        count = length(lists, now)
        if me == 0:
            schedule.counts[REACHED + escaping] += count
        while True:
            start = claim(team, me, _CHUNK)
            if start >= count:
                break
            for at in range(start, min(start + _CHUNK, count)):
                if escaping:
                    escape.tell(ground, desk, field, lists, later, me, np.int64(lists.items[now, at]))
                else:
                    beyond.tell(
                        ground, desk, field, lists, later, me, np.int64(lists.items[now, at]), schedule.with_record
                    )
        flush(lists, later, me)
        arrive(team, me)
        if me == 0:
            clear(lists, now)
        now, later = later, now
        distance += 1
        if length(lists, now) == 0:
            while distance <= LONGEST and bucket[distance + 1] == bucket[distance]:
                distance += 1
            if distance > LONGEST:
                break
    arrive(team, me)


@kernel
def settle_level(team, me, ground, desk, field, lists, schedule, level):
    """Settle all positions of a level, and all from which a goal of this level can be forced."""
    beyond.fix_and_seed(team, me, field, lists, level)
    arrive(team, me)
    if me == 0:
        _sort_by_time(field, lists, schedule, _SETTLING)
    _spread(team, me, ground, desk, field, lists, schedule, _SETTLING)
    flush(lists, DOUBT_OURS, me)
    arrive(team, me)


@kernel
def escape_anew(team, me, ground, desk, field, lists, schedule, level):
    """What all open positions are worth while the record is of this level, from the beginning."""
    record = BASE - level
    if me == 0:
        schedule.seen[:] = 0
    escape.find_values(team, me, field, schedule.seen, record)
    for place in range(VALUES):
        if not schedule.seen[place]:
            continue
        escape.seed_value(team, me, field, lists, BASE - place)
        arrive(team, me)
        if me == 0:
            _sort_by_time(field, lists, schedule, _ESCAPING)
        _spread(team, me, ground, desk, field, lists, schedule, _ESCAPING)
    escape.uncount_resets(team, me, field, record)
