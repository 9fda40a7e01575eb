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
    add_shared,
    lane_of,
    mark_shared,
    prefetch_lane,
)

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
def _those_not_told(sets, buffers, told, done, start, end):
    """Move the lanes of predecessors for whom it is news to the front, with those alone. Returns where they end. There
    is no branch, as it would go either way as often."""
    near, near_bits = buffers.near, buffers.near_bits
    kept = start
    for entry in range(start, end):
        lane = near[entry]
        news = near_bits[entry] & ~(lane_of(sets, told, lane) | lane_of(sets, done, lane))
        near[kept], near_bits[kept] = lane, news
        kept += np.int64(news != 0)
    return kept


@inlined
def notify(worker, later, event, lanes):
    """Notify all predecessors of the positions in the first `lanes` lanes of `buffers.batch`.

    No position leaves these sets during a phase. Where another thread tells the same position at the same time, both
    leave the same behind."""
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
                prefetch_lane(sets, done, near[entry])
                if not gains:  # then it is news for most
                    prefetch_lane(sets, told, near[entry])
        kept = _those_not_told(sets, buffers, told, done, begin, end)
        if gains:
            for entry in range(begin, kept):
                prefetch_lane(sets, reached, near[entry])
        for entry in range(begin, kept):
            lane, news = near[entry], near_bits[entry]
            if gains:
                mark_shared(team, sets, told, lane, news)
            add_shared(team, sets, reached, lane, news)
        begin, end = start, found
