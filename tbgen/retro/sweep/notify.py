"""Notifying predecessors: a position has changed, and those with a move to it update their state.

Events are passed on lane by lane. While the moves of one lane are taken back, the state of the predecessors of the
lane before is prefetched.
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
"""Settled, under rules without a record."""
WON_STANDING: Final = np.int64(2)
WON_AWAY: Final = np.int64(3)
"""Settled, and until now the record stood there, or did not."""
ESCAPES: Final = np.int64(4)
FALLS: Final = np.int64(5)
"""The side to move escapes from the record, or loses its own: found from scratch, without a review."""
OURS_CHANGED: Final = np.int64(6)
THEIRS_CHANGED: Final = np.int64(7)
RECORD_FELL: Final = np.int64(8)
RECORD_STANDS: Final = np.int64(9)
"""Reviewed, with another value, or the record no longer stands, or stands again."""


@inlined
def _is_won(event):
    return WON <= event <= WON_AWAY


@inlined
def _prefetch(state, sets, later, event, lane):
    """Prefetch all that `_update` will look at."""
    prefetch(state.flags, lane * LANE)
    if _is_won(event):
        prefetch(state.left, lane * LANE)
    if event != LOST and event != WON and event != FALLS and event != OURS_CHANGED:
        prefetch(state.standing, lane * LANE)
    prefetch(sets.bits, (later + (_is_won(event) or event == ESCAPES)) * sets.words + lane)


@inlined
def _update(state, sets, later, event, lane, bits):
    """Update some predecessors in a lane.

    The set `later` gets those whose mover gains by the event, the set after it those whose mover loses."""
    if event == FALLS:
        reached = bits & having(state.flags, lane, SETTLED | ESCAPING, 0)
        if reached:
            switch_on(state.flags, lane, reached, ESCAPING)
            add_lane(sets, later, lane, reached)
        return
    reached = bits & open_ones(state.flags, lane)
    if not reached:
        return
    if event == LOST:
        switch_on(state.flags, lane, reached, SETTLED)
        add_lane(sets, later, lane, reached)
    elif _is_won(event):
        lost = count(state.left, lane, reached, -1)
        if lost:
            switch_on(state.flags, lane, lost, SETTLED)
            add_lane(sets, later + 1, lane, lost)
        if event == WON_STANDING:
            add_lane(sets, DOUBT_OURS, lane, count(state.standing, lane, reached ^ lost, -1))
        elif event == WON_AWAY:
            add_lane(sets, DOUBT_OURS, lane, (reached ^ lost) & having(state.standing, lane, ALL, 0))
    elif event == ESCAPES:
        add_lane(sets, later + 1, lane, count(state.standing, lane, reached, -1))
    elif event == OURS_CHANGED:
        add_lane(sets, DOUBT_THEIRS, lane, reached)
    elif event == THEIRS_CHANGED:
        add_lane(sets, DOUBT_OURS, lane, reached & having(state.standing, lane, ALL, 0))
    elif event == RECORD_FELL:
        add_lane(sets, DOUBT_OURS, lane, count(state.standing, lane, reached, -1))
    else:
        count(state.standing, lane, reached, 1)


@kernel
def notify(worker, later, event, lanes, lane_bits):
    """Notify all predecessors of the positions `lane_bits` in the first `lanes` lanes of `buffers.batch`."""
    team, graph, buffers, state, sets = worker.team, worker.graph, worker.buffers, worker.state, worker.sets
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
