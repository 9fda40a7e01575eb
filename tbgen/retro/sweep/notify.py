"""Notifying predecessors: a position has changed, and those with a move to it update their state.

Events are passed on for many positions at once: lane by lane, or block by block where blocks have several lanes.
"""

from typing import Final

import numpy as np

from tbgen.compiler.intrinsics import lowest_bit
from tbgen.compiler.jit import inlined
from tbgen.retro.graph.block import fill_row, is_block, lines_of, list_blocks, list_own_origins, put_back, set_aside
from tbgen.retro.graph.predecessors import predecessors
from tbgen.retro.graph.slice import MOST_NEIGHBOURS, turn
from tbgen.retro.sweep.tell import Telling, news_for, tell, tell_if_news, tell_lines
from tbgen.retro.threads.lanes import LANE, image_of, not_empty
from tbgen.retro.threads.lines import LANES
from tbgen.retro.threads.sets import DOUBT_OURS, ESCAPING, SETTLED, THREATENED, prefetch_lane

# numpy's integers are no literals to the compiler, which would make a kernel of its own for each of these
LOST: Final = np.int64(0)
FALLS: Final = np.int64(1)
"""The side to move has lost, or loses its record to an escape that is found from scratch: who moves there gains."""
WON: Final = np.int64(2)
ESCAPES: Final = np.int64(3)
"""The side to move has won, or escapes from the record, found from scratch."""
THEIRS_CHANGED: Final = np.int64(4)
"""It escapes, found by a review."""


@inlined
def _told(event):
    """The set of those that have been told of such an event. Settled ones need not be told: they are in the sets of
    those whose mover gains."""
    if event == LOST:
        return SETTLED
    if event == FALLS:
        return ESCAPING
    if event == THEIRS_CHANGED:
        return DOUBT_OURS
    return THREATENED


@inlined
def notify(worker, later, event, lanes):
    """Notify all predecessors of the positions in the first `lanes` lanes of `buffers.batch`."""
    gains, told = event <= FALLS, _told(event)
    telling = Telling(told, told if gains else SETTLED, later if gains else told, gains)
    if is_block(worker.graph, worker.buffers, lanes):
        notify_block(worker, telling, lanes)
    else:
        notify_lanes(worker, telling, lanes)


@inlined
def notify_lanes(worker, telling, lanes):
    """Do so lane by lane. While the moves of one lane are taken back, what is known of those of the lane before is
    prefetched."""
    team, graph, buffers, sets = worker.team, worker.graph, worker.buffers, worker.sets
    near, near_bits = buffers.near, buffers.near_bits
    begin = end = 0
    for at in range(lanes + 1):
        start = (at & 1) * MOST_NEIGHBOURS
        found = start
        if at < lanes and buffers.batch_bits[at]:
            found = predecessors(graph, buffers, np.int64(buffers.batch[at]), buffers.batch_bits[at], start)
            for entry in range(start, found):
                _prefetch(sets, telling, near[entry])
        kept = _those_not_told(sets, buffers, telling, begin, end)
        if telling.gains:
            for entry in range(begin, kept):
                prefetch_lane(sets, telling.reached, near[entry])
        for entry in range(begin, kept):
            tell(team, sets, telling, near[entry], near_bits[entry])
        begin, end = start, found


@inlined
def _prefetch(sets, telling, lane):
    prefetch_lane(sets, telling.done, lane)
    if not telling.gains:
        prefetch_lane(sets, telling.told, lane)


@inlined
def _those_not_told(sets, buffers, telling, start, end):
    """Move the lanes of predecessors for whom it is news to the front, with those alone. Returns where they end. There
    is no branch, as it would go either way as often."""
    near, near_bits = buffers.near, buffers.near_bits
    kept = start
    for entry in range(start, end):
        lane = near[entry]
        news = news_for(sets, telling, lane, near_bits[entry])
        near[kept], near_bits[kept] = lane, news
        kept += np.int64(news != 0)
    return kept


@inlined
def notify_block(worker, telling, lanes):
    """Do so for all lanes together."""
    team, graph, buffers, sets = worker.team, worker.graph, worker.buffers, worker.sets
    row = buffers.row
    here = turn(graph, graph.back, fill_row(buffers, lanes) * LANE, buffers, 2)
    count = list_blocks(graph, buffers, here, 1)
    there = not_empty(row, 0)
    lines = lines_of(there)
    for entry in range(count):
        todo = lines
        while todo:
            _prefetch(sets, telling, buffers.near[entry] + lowest_bit(todo) * LANES)
            todo &= todo - np.uint64(1)
    left = there
    while left:
        lane = lowest_bit(left)
        left &= left - np.uint64(1)
        for entry in range(count, list_own_origins(graph, buffers, here, lane, count)):
            tell_if_news(team, sets, telling, buffers.near[entry], buffers.near_bits[entry])
    for entry in range(count):
        to, free, symmetry = buffers.near[entry], buffers.near_bits[entry], buffers.near_symmetry[entry]
        if symmetry:
            left = there & free
            while left:
                lane = lowest_bit(left)
                left &= left - np.uint64(1)
                image = np.int64(graph.atlas.image[symmetry * 64 + lane])
                tell_if_news(team, sets, telling, to + image, image_of(row[lane] & free, symmetry))
            continue
        aside = there & ~free
        set_aside(row, aside)
        tell_lines(team, sets, buffers, telling, to, free, lines)
        put_back(row, aside)
