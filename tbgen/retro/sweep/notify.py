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
def _those_not_told(sets, buffers, told, done, later, start, end):
    """Move the predecessors for whom it is news to the front, and prefetch the lanes of `later`, where they are to go.
    Returns where they end. There is no branch, as it would go either way as often."""
    near, near_bits = buffers.near, buffers.near_bits
    kept = start
    for entry in range(start, end):
        lane, bits = near[entry], near_bits[entry]
        near[kept], near_bits[kept] = lane, bits
        kept += np.int64(_not_told(sets, told, done, lane, bits) != 0)
    for entry in range(start, kept):
        prefetch_lane(sets, later, near[entry])
    return kept


@inlined
def notify(worker, later, event, lanes):
    """Notify all predecessors of the positions in the first `lanes` lanes of `buffers.batch`."""
    team, graph, buffers, sets = worker.team, worker.graph, worker.buffers, worker.sets
    near, near_bits = buffers.near, buffers.near_bits
    gains, told = event <= FALLS, _told(event)
    done = told if gains else SETTLED
    reached = later if gains else told
    begin = end = 0
    for at in range(lanes + 1):
        start = (at & 1) * MOST_NEIGHBOURS
        found = start
        if at < lanes and buffers.batch_bits[at]:
            found = predecessors(graph, buffers, np.int64(buffers.batch[at]), buffers.batch_bits[at], start)
            for entry in range(start, found):
                prefetch_lane(sets, told, near[entry])
                prefetch_lane(sets, done, near[entry])
        for entry in range(begin, _those_not_told(sets, buffers, told, done, reached, begin, end)):
            lane = near[entry]
            lock_lane(team, lane)
            bits = _not_told(sets, told, done, lane, near_bits[entry])
            if gains:
                mark_lane(sets, told, lane, bits)
            add_lane(sets, reached, lane, bits)
            unlock_lane(team, lane)
        begin, end = start, found
