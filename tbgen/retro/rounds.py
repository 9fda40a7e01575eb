"""Rounds by distance: what spreads to predecessors, one ply a round, and the seeds that join on the way."""

from typing import Final

import numpy as np

from tbgen.jit import inlined, kernel
from tbgen.outcome import BASE
from tbgen.retro import beyond, escape
from tbgen.retro.entry import LONGEST
from tbgen.retro.escape import VALUES
from tbgen.retro.team import arrive, claim, flush

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
def _sort_by_time(field, items, begin, end, escaping, timed, bucket):
    """Sort a part of `items` into `timed` by the distance at which each joins; `bucket[d]` is where d begins."""
    bucket[:] = 0
    for at in range(begin, end):
        time = _time_of(field, np.int64(items[at]), escaping)
        bucket[min(time, LONGEST) + 1] += 1
    for time in range(LONGEST + 1):
        bucket[time + 1] += bucket[time]
    for at in range(begin, end):
        time = _time_of(field, np.int64(items[at]), escaping)
        time = min(time, LONGEST)
        timed[bucket[time]] = items[at]
        bucket[time] += 1
    for time in range(LONGEST, 0, -1):
        bucket[time] = bucket[time - 1]
    bucket[0] = 0


@kernel
def _spread(team, me, ground, desk, field, queues, timed, schedule, escaping):
    """From seeds to all that they reach: `queues.now` at distance 0 and `timed` at theirs."""
    now, later = queues.now, queues.later
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
                    escape.join(field, queues, now, me, np.int64(timed[at]), distance)
                else:
                    beyond.join(field, now, me, np.int64(timed[at]), distance)
        flush(now, me)
        arrive(team, me)
        length = now.length[0]
        if me == 0:
            schedule.counts[REACHED + escaping] += length
        while True:
            start = claim(team, me, _CHUNK)
            if start >= length:
                break
            for at in range(start, min(start + _CHUNK, length)):
                if escaping:
                    escape.tell(ground, desk, field, queues, later, me, np.int64(now.items[at]))
                else:
                    beyond.tell(ground, desk, field, queues, later, me, np.int64(now.items[at]), schedule.with_record)
        flush(later, me)
        arrive(team, me)
        if me == 0:
            now.length[0] = 0
        now, later = later, now
        distance += 1
        if now.length[0] == 0:
            while distance <= LONGEST and bucket[distance + 1] == bucket[distance]:
                distance += 1
            if distance > LONGEST:
                break
    arrive(team, me)


@kernel
def settle_level(team, me, ground, desk, field, queues, schedule, level):
    """Settle all positions of a level, and all from which a goal of this level can be forced."""
    beyond.fix_and_seed(team, me, field, queues, level)
    arrive(team, me)
    if me == 0:
        seeds = queues.timed.length[0]
        _sort_by_time(field, queues.timed.items, 0, seeds, _SETTLING, schedule.items, schedule.bucket)
        queues.timed.length[0] = 0
    _spread(team, me, ground, desk, field, queues, schedule.items, schedule, _SETTLING)
    flush(queues.review_ours, me)
    arrive(team, me)


@kernel
def escape_by_resets(team, me, ground, desk, field, queues, schedule, level):
    """What resets alone allow the side without the record, while it is of this level."""
    record = BASE - level
    escape.seed_payoffs(team, me, field, queues, record)
    arrive(team, me)
    if me == 0:
        escape.sort_by_value(field, queues.timed, schedule.items, schedule.value_start)
        queues.timed.length[0] = 0
    arrive(team, me)
    for value in range(VALUES):
        begin, end = schedule.value_start[value], schedule.value_start[value + 1]
        if begin == end:
            continue
        if me == 0:
            _sort_by_time(field, schedule.items, begin, end, _ESCAPING, queues.timed.items, schedule.bucket)
        _spread(team, me, ground, desk, field, queues, queues.timed.items, schedule, _ESCAPING)
    escape.forget_resets(team, me, field, queues, record)
