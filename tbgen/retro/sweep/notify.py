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
from tbgen.retro.threads.sets import DOUBT_OURS, DOUBT_THEIRS, add_lane
from tbgen.retro.threads.team import lock_lane, unlock_lane

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
def _is_won(event):
    return WON <= event <= WON_AWAY


@inlined
def _prefetch(state, sets, later, event, lane):
    """Have all brought near that `_update` will look at."""
    prefetch(state.flags, lane * LANE)
    if _is_won(event):
        prefetch(state.left, lane * LANE)
    if event != LOST and event != WON and event != FALLS and event != OURS_CHANGED:
        prefetch(state.standing, lane * LANE)
    prefetch(sets.bits, (later + (_is_won(event) or event == ESCAPES)) * sets.words + lane)


@inlined
def _update(state, sets, later, event, lane, bits):
    """Of `later` and the set behind it, the first is for who gains by it, the second for who loses."""
    if event == FALLS:
        told = bits & having(state.flags, lane, SETTLED | ESCAPING, 0)
        if told:
            switch_on(state.flags, lane, told, ESCAPING)
            add_lane(sets, later, lane, told)
        return
    told = bits & open_ones(state.flags, lane)
    if not told:
        return
    if event == LOST:
        switch_on(state.flags, lane, told, SETTLED)
        add_lane(sets, later, lane, told)
    elif _is_won(event):
        lost = count(state.left, lane, told, -1)
        if lost:
            switch_on(state.flags, lane, lost, SETTLED)
            add_lane(sets, later + 1, lane, lost)
        if event == WON_STANDING:
            add_lane(sets, DOUBT_OURS, lane, count(state.standing, lane, told ^ lost, -1))
        elif event == WON_AWAY:
            add_lane(sets, DOUBT_OURS, lane, (told ^ lost) & having(state.standing, lane, ALL, 0))
    elif event == ESCAPES:
        add_lane(sets, later + 1, lane, count(state.standing, lane, told, -1))
    elif event == OURS_CHANGED:
        add_lane(sets, DOUBT_THEIRS, lane, told)
    elif event == THEIRS_CHANGED:
        add_lane(sets, DOUBT_OURS, lane, told & having(state.standing, lane, ALL, 0))
    elif event == RECORD_FELL:
        add_lane(sets, DOUBT_OURS, lane, count(state.standing, lane, told, -1))
    else:
        count(state.standing, lane, told, 1)


@kernel
def notify(team, graph, buffers, state, sets, later, event, lanes, lane_bits):
    """Tell the predecessors of so many lanes in `buffers.batch`, of the positions in `lane_bits`."""
    near = buffers.near
    begin = end = 0
    for at in range(lanes + 1):
        start = (at & 1) * MOST_NEIGHBOURS
        found = start
        if at < lanes and lane_bits[at]:
            found = predecessors(graph, buffers, np.int64(buffers.batch[at]), lane_bits[at], start)
            for entry in range(start, found):
                _prefetch(state, sets, later, event, near[entry])
        for entry in range(begin, end):
            lock_lane(team, near[entry])
            _update(state, sets, later, event, near[entry], buffers.near_bits[entry])
            unlock_lane(team, near[entry])
        begin, end = start, found
