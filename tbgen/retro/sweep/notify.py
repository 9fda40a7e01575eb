"""Notifying predecessors: a position has changed, and those with a move to it update their state.

Events are passed on lane by lane. While the moves of one lane are taken back, the state of the predecessors of the
lane before is prefetched.
"""

from typing import Final

import numpy as np

from tbgen.jit import inlined
from tbgen.retro.graph.predecessors import predecessors
from tbgen.retro.graph.slice import MOST_NEIGHBOURS
from tbgen.retro.threads.sets import (
    DOUBT_OURS,
    DOUBT_THEIRS,
    ESCAPING,
    SETTLED,
    THREATENED,
    add_lane,
    lane_of,
    mark_lane,
    prefetch_lane,
)
from tbgen.retro.threads.team import lock_lane, unlock_lane

# numpy's integers are no literals to the compiler, which would make a kernel of its own for each of these
LOST: Final = np.int64(0)
FALLS: Final = np.int64(1)
"""The side to move has lost, or loses its record to an escape that is found from scratch: who moves there gains."""
WON: Final = np.int64(2)
ESCAPES: Final = np.int64(3)
"""The side to move has won, or escapes from the record, found from scratch."""
OURS_CHANGED: Final = np.int64(4)
THEIRS_CHANGED: Final = np.int64(5)
"""It has been reviewed, with another value."""


@inlined
def _told(event):
    """The set of those that have been told of such an event. Settled ones need not be told: they are in the sets of
    those whose mover gains."""
    if event == LOST:
        return SETTLED
    if event == FALLS:
        return ESCAPING
    if event == OURS_CHANGED:
        return DOUBT_THEIRS
    if event == THEIRS_CHANGED:
        return DOUBT_OURS
    return THREATENED


@inlined
def _not_told(sets, told, done, lane, bits):
    """Those of some predecessors in a lane for whom it is news. No position leaves these sets during a phase: one that
    is found there without a lock has been told. The others are asked again under the lock."""
    return bits & ~(lane_of(sets, told, lane) | lane_of(sets, done, lane))


@inlined
def _update(sets, later, gains, told, done, lane, bits):
    """Update some predecessors in a lane: those whose mover gains by the event are added to the set `later`, of the
    others one more move fails."""
    reached = _not_told(sets, told, done, lane, bits)
    if not reached:
        return
    if gains:
        mark_lane(sets, told, lane, reached)
        add_lane(sets, later, lane, reached)
    else:
        add_lane(sets, told, lane, reached)


@inlined
def notify(worker, later, event, lanes):
    """Notify all predecessors of the positions in the first `lanes` lanes of `buffers.batch`."""
    team, graph, buffers, sets = worker.team, worker.graph, worker.buffers, worker.sets
    near = buffers.near
    gains, told = event <= FALLS, _told(event)
    done = told if gains else SETTLED
    begin = end = 0
    for at in range(lanes + 1):
        start = (at & 1) * MOST_NEIGHBOURS
        found = start
        if at < lanes and buffers.batch_bits[at]:
            found = predecessors(graph, buffers, np.int64(buffers.batch[at]), buffers.batch_bits[at], start)
            for entry in range(start, found):
                prefetch_lane(sets, told, near[entry])
                prefetch_lane(sets, done, near[entry])
        for entry in range(begin, end):
            if _not_told(sets, told, done, near[entry], buffers.near_bits[entry]):
                lock_lane(team, near[entry])
                _update(sets, later, gains, told, done, near[entry], buffers.near_bits[entry])
                unlock_lane(team, near[entry])
        begin, end = start, found
