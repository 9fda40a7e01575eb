"""Rounds by distance: what spreads to predecessors, one ply a round, and the seeds that join on the way."""

from typing import Final

import numpy as np

from tbgen.intrinsics import add, bits_set
from tbgen.jit import inlined, kernel
from tbgen.outcome import BASE
from tbgen.retro.sweep import escape, settle
from tbgen.retro.sweep.escape import VALUES
from tbgen.retro.sweep.notify import ESCAPES, FALLS, LOST, WON, WON_AWAY, WON_STANDING, tell
from tbgen.retro.threads.sets import (
    LATER,
    NOW,
    TIMED,
    block_count,
    clear_block,
    has_block,
    is_empty,
    read_block,
    take_lanes,
)
from tbgen.retro.threads.team import arrive, claim
from tbgen.retro.values.codes import code_of
from tbgen.retro.values.keys import LONGEST, patient

_CHUNK: Final = 1024
REACHED: Final = 0
"""In `Schedule.counts`: how many positions were settled, and next to it how many escaped by resets."""
# numpy's integers are no literals to the compiler, which would make a kernel of its own for each of these
_SETTLING: Final = np.int64(0)
_ESCAPING: Final = np.int64(1)


@inlined
def _time_of(field, item, escaping):
    return min(escape.time_of(field, item) if escaping else settle.time_of(field, item), LONGEST)


@kernel
def _sort_by_time(team, me, desk, field, marks, schedule, escaping):
    """Move all that is TIMED to `schedule.items`, in the order of distance at which each joins.

    Each thread has its share of blocks, counts what is there, learns where the others' end, and puts it down."""
    starts = schedule.starts
    first, last = block_count(marks) * me // team.size, block_count(marks) * (me + 1) // team.size
    arrive(team, me)
    for time in range(LONGEST + 1):
        starts[me, time] = 0
    for which in range(TIMED, TIMED + 1 + escaping):
        for block in range(first, last):
            if has_block(marks, which, block):
                for at in range(read_block(marks, which, block, desk)):
                    item = np.int64(desk.batch[at])
                    starts[me, _time_of(field, item if which == TIMED else ~item, escaping)] += 1
    arrive(team, me)
    if me == 0:
        total = 0
        for time in range(LONGEST + 1):
            schedule.bucket[time] = total
            for one in range(team.size):
                here = starts[one, time]
                starts[one, time] = total
                total += here
        schedule.bucket[LONGEST + 1] = total
    arrive(team, me)
    for which in range(TIMED, TIMED + 1 + escaping):
        for block in range(first, last):
            if has_block(marks, which, block):
                for at in range(read_block(marks, which, block, desk)):
                    item = np.int64(desk.batch[at])
                    if which != TIMED:
                        item = ~item
                    time = _time_of(field, item, escaping)
                    schedule.items[starts[me, time]] = item
                    starts[me, time] += 1
                clear_block(marks, which, block)


@kernel
def _join_all(team, me, field, marks, schedule, now, distance, escaping):
    """Bring in the seeds of this distance."""
    begin, end = schedule.bucket[distance], schedule.bucket[distance + 1]
    while True:
        start = begin + claim(team, me, _CHUNK)
        if start >= end:
            break
        for at in range(start, min(start + _CHUNK, end)):
            if escaping:
                escape.join(field, marks, now, np.int64(schedule.items[at]))
            else:
                settle.join(field, marks, now, np.int64(schedule.items[at]))


@inlined
def _tell_escaped(team, ground, desk, field, marks, later, lanes, loses, code):
    codes = field.ours if loses else field.theirs
    for at in range(lanes):
        escape.write_down(team, field, marks, np.int64(desk.batch[at]), desk.batch_bits[at], codes, code)
    tell(team, ground, desk, field, marks, later, FALLS if loses else ESCAPES, lanes, desk.batch_bits)


@inlined
def _tell_settled(team, ground, desk, field, marks, later, lanes, loses, code, with_record):
    for at in range(lanes):
        stood = settle.write_down(team, field, np.int64(desk.batch[at]), desk.batch_bits[at], code)
        if with_record and not loses:
            desk.other_bits[at] = stood
            desk.batch_bits[at] ^= stood
    if loses:
        tell(team, ground, desk, field, marks, later, LOST, lanes, desk.batch_bits)
    elif with_record:
        tell(team, ground, desk, field, marks, later, WON_STANDING, lanes, desk.other_bits)
        tell(team, ground, desk, field, marks, later, WON_AWAY, lanes, desk.batch_bits)
    else:
        tell(team, ground, desk, field, marks, later, WON, lanes, desk.batch_bits)


@kernel
def _tell_all(team, me, ground, desk, field, marks, schedule, now, later, outcome, distance, escaping):
    """Take all that has been reached; it is worth the same to all, or to the other side. Write it down, and tell
    predecessors. Returns how many that were."""
    told = 0
    for loses in range(2):
        code = code_of(field.keys, patient(-outcome if loses else outcome, distance))
        arrive(team, me)
        while True:
            lanes = take_lanes(team, me, marks, now + loses, desk, ground.laned)
            if lanes == 0:
                break
            for at in range(lanes):
                told += bits_set(desk.batch_bits[at])
            if escaping:
                _tell_escaped(team, ground, desk, field, marks, later, lanes, loses, code)
            else:
                _tell_settled(team, ground, desk, field, marks, later, lanes, loses, code, schedule.with_record)
    return told


@kernel
def _spread(team, me, ground, desk, field, marks, schedule, outcome, escaping):
    """From seeds to all that they reach: NOW at distance 0 and `schedule.items` at theirs."""
    now, later = NOW, LATER
    bucket = schedule.bucket
    distance = 0
    told = 0
    while True:
        arrive(team, me)
        _join_all(team, me, field, marks, schedule, now, distance, escaping)
        told += _tell_all(team, me, ground, desk, field, marks, schedule, now, later, outcome, distance, escaping)
        arrive(team, me)
        now, later = later, now
        distance += 1
        if is_empty(marks, now) and is_empty(marks, now + 1):
            while distance <= LONGEST and bucket[distance + 1] == bucket[distance]:
                distance += 1
            if distance > LONGEST:
                break
    add(schedule.counts, REACHED + escaping, told)
    arrive(team, me)


@kernel
def settle_level(team, me, ground, desk, field, marks, schedule, level):
    """Settle all positions of a level, and all from which a goal of this level can be forced."""
    settle.fix_and_seed(team, me, field, marks, level)
    _sort_by_time(team, me, desk, field, marks, schedule, _SETTLING)
    _spread(team, me, ground, desk, field, marks, schedule, BASE - level, _SETTLING)


@kernel
def escape_anew(team, me, ground, desk, field, marks, schedule, level):
    """What all open positions are worth while the record is of this level, from the beginning."""
    record = BASE - level
    if me == 0:
        schedule.paying[:] = 0
    escape.find_values(team, me, field, schedule.paying, schedule.places)
    if me == 0:
        escape.list_values(field, schedule.paying, schedule.seen, record)
    arrive(team, me)
    for place in range(VALUES):
        if not schedule.seen[place]:
            continue
        if me == 0:
            escape.choose_value(field, schedule.paying, schedule.wanted, BASE - place)
        escape.seed_value(team, me, field, marks, schedule.wanted, schedule.places, place)
        _sort_by_time(team, me, desk, field, marks, schedule, _ESCAPING)
        _spread(team, me, ground, desk, field, marks, schedule, BASE - place, _ESCAPING)
    escape.uncount_resets(team, me, field, record)
