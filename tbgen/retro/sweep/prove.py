"""Proving that all moves of a position fail, once one more of them does."""

import numpy as np

from tbgen.compiler.jit import inlined, kernel
from tbgen.retro.graph.block import all_lead_into_block, is_block, many_in
from tbgen.retro.graph.proof import all_lead_into
from tbgen.retro.threads.pop import pop_lanes
from tbgen.retro.threads.sets import (
    AWAY,
    CLOSED,
    FALLING,
    LOSING,
    SETTLED,
    THREATENED,
    add_lane,
    lane_of,
    mark_lane,
    prefetch_lane,
    read_set_around,
)
from tbgen.retro.threads.team import barrier


@kernel
def prove(worker, later, escaping):
    """Find the threatened positions of which one more move was the last one that did not fail: `later` gets them.

    While positions settle, moves fail that lose to a goal of this level, or of one before. While movers escape, moves
    fail that lose the record."""
    team, me, graph, buffers, sets = worker.team, worker.me, worker.graph, worker.buffers, worker.sets
    failed, proves = (AWAY, FALLING) if escaping else (CLOSED, SETTLED)
    barrier(team, me)
    while True:
        lanes = pop_lanes(team, me, sets, THREATENED, buffers, graph.laned, many_in(graph))
        if lanes == 0:
            break
        lanes = _those_to_prove(sets, buffers, proves, later, escaping, lanes)
        if is_block(graph, buffers, lanes):
            all_lead_into_block(graph, buffers, sets, failed, lanes)
        else:
            for at in range(lanes):
                lane, bits = np.int64(buffers.batch[at]), buffers.batch_bits[at]
                buffers.batch_bits[at] = all_lead_into(graph, buffers, sets, failed, lane, bits)
        for at in range(lanes):
            lane, proved = buffers.batch[at], buffers.batch_bits[at]
            if proved:
                mark_lane(sets, proves, lane, proved)
                add_lane(sets, later, lane, proved)


@inlined
def _those_to_prove(sets, buffers, proves, later, escaping, lanes):
    """Move the lanes with threatened positions that have no other hope to the front, with those alone. Returns how many
    these are."""
    for at in range(lanes):
        prefetch_lane(sets, LOSING, buffers.batch[at])
    kept = np.int64(0)
    for at in range(lanes):
        lane = buffers.batch[at]
        read_set_around(sets, LOSING, buffers, lane)
        read_set_around(sets, proves, buffers, lane)
        read_set_around(sets, later, buffers, lane)
        bits = buffers.batch_bits[at] & lane_of(sets, LOSING, lane)
        if not escaping:  # another move may have settled one since
            bits &= ~lane_of(sets, SETTLED, lane)
        buffers.batch[kept], buffers.batch_bits[kept] = lane, bits
        kept += np.int64(bits != 0)
    return kept
