"""What positions make of it when something has become of one that they have a move to.

News is told lane by lane: the moves of one lane are taken back while what the lane before led to is on its way to
the processor.
"""

from typing import Final

import numpy as np

from tbgen.intrinsics import prefetch
from tbgen.jit import inlined, kernel
from tbgen.retro.graph.predecessors import predecessors
from tbgen.retro.graph.slice import MOST_NEIGHBOURS
from tbgen.retro.sweep.state import ESCAPING, SETTLED, open_ones
from tbgen.retro.threads.lanes import ALL, LANE, count, having, switch_on
from tbgen.retro.threads.sets import DOUBT_OURS, DOUBT_THEIRS, mark_lane
from tbgen.retro.threads.team import hold, let_go

# numpy's integers are no literals to the compiler, which would make a kernel of its own for each of these
LOST: Final = np.int64(0)
WON: Final = np.int64(1)
"""Settled, where no record is played for."""
WON_STANDING: Final = np.int64(2)
WON_AWAY: Final = np.int64(3)
"""Settled, where the record stood until now, or did not."""
ESCAPES: Final = np.int64(4)
FALLS: Final = np.int64(5)
"""The side to move escapes from the record, or has lost its own: spread from the beginning."""
OURS_CHANGED: Final = np.int64(6)
THEIRS_CHANGED: Final = np.int64(7)
RECORD_FELL: Final = np.int64(8)
RECORD_STANDS: Final = np.int64(9)
"""Looked at again: worth something else, or the record no longer stands, or stands again."""


@inlined
def _is_won(news):
    return WON <= news <= WON_AWAY


@inlined
def _bring(field, marks, later, news, lane):
    """Have all brought near that `_hear` will look at."""
    prefetch(field.flags, lane * LANE)
    if _is_won(news):
        prefetch(field.left, lane * LANE)
    if news != LOST and news != WON and news != FALLS and news != OURS_CHANGED:
        prefetch(field.standing, lane * LANE)
    prefetch(marks.bits, (later + (_is_won(news) or news == ESCAPES)) * marks.words + lane)


@inlined
def _hear(field, marks, later, news, lane, bits):
    """Of `later` and the set behind it, the first is for who gains by it, the second for who loses."""
    if news == FALLS:
        told = bits & having(field.flags, lane, SETTLED | ESCAPING, 0)
        if told:
            switch_on(field.flags, lane, told, ESCAPING)
            mark_lane(marks, later, lane, told)
        return
    told = bits & open_ones(field.flags, lane)
    if not told:
        return
    if news == LOST:
        switch_on(field.flags, lane, told, SETTLED)
        mark_lane(marks, later, lane, told)
    elif _is_won(news):
        lost = count(field.left, lane, told, -1)
        if lost:
            switch_on(field.flags, lane, lost, SETTLED)
            mark_lane(marks, later + 1, lane, lost)
        if news == WON_STANDING:
            mark_lane(marks, DOUBT_OURS, lane, count(field.standing, lane, told ^ lost, -1))
        elif news == WON_AWAY:
            mark_lane(marks, DOUBT_OURS, lane, (told ^ lost) & having(field.standing, lane, ALL, 0))
    elif news == ESCAPES:
        mark_lane(marks, later + 1, lane, count(field.standing, lane, told, -1))
    elif news == OURS_CHANGED:
        mark_lane(marks, DOUBT_THEIRS, lane, told)
    elif news == THEIRS_CHANGED:
        mark_lane(marks, DOUBT_OURS, lane, told & having(field.standing, lane, ALL, 0))
    elif news == RECORD_FELL:
        mark_lane(marks, DOUBT_OURS, lane, count(field.standing, lane, told, -1))
    else:
        count(field.standing, lane, told, 1)


@kernel
def tell(team, ground, desk, field, marks, later, news, lanes, lane_bits):
    """Tell the predecessors of so many lanes in `desk.batch`, of the positions in `lane_bits`."""
    near = desk.near
    begin = end = 0
    for at in range(lanes + 1):
        start = (at & 1) * MOST_NEIGHBOURS
        found = start
        if at < lanes and lane_bits[at]:
            found = predecessors(ground, desk, np.int64(desk.batch[at]), lane_bits[at], start)
            for entry in range(start, found):
                _bring(field, marks, later, news, near[entry])
        for entry in range(begin, end):
            hold(team, near[entry])
            _hear(field, marks, later, news, near[entry], desk.near_bits[entry])
            let_go(team, near[entry])
        begin, end = start, found
