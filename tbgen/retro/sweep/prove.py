"""Proving that all moves of a position fail, once one more of them does."""

import numpy as np

from tbgen.jit import kernel
from tbgen.retro.graph.proof import all_lead_into
from tbgen.retro.threads.sets import (
    AWAY,
    CLOSED,
    DOUBT_OURS,
    FALLING,
    LOSING,
    SETTLED,
    THREATENED,
    add_lane,
    lane_of,
    mark_lane,
    pop_lanes,
    read_set_around,
)
from tbgen.retro.threads.team import barrier


@kernel
def prove_settled(worker, later, with_record):
    """Settle the threatened positions of which all moves lose to a goal of this level, or of one before: `later` gets
    them. Of the others the mover may no longer keep a record."""
    team, me, graph, buffers, sets = worker.team, worker.me, worker.graph, worker.buffers, worker.sets
    barrier(team, me)
    while True:
        lanes = pop_lanes(team, me, sets, THREATENED, buffers, graph.laned)
        if lanes == 0:
            break
        for at in range(lanes):
            lane = buffers.batch[at]
            read_set_around(sets, LOSING, buffers, lane)
            read_set_around(sets, later, buffers, lane)
            bits = buffers.batch_bits[at] & ~lane_of(sets, SETTLED, lane)
            proved = bits & lane_of(sets, LOSING, lane)
            if proved:
                proved = all_lead_into(graph, buffers, sets, CLOSED, lane, proved)
            if proved:
                mark_lane(sets, SETTLED, lane, proved)
                add_lane(sets, later, lane, proved)
            if with_record:
                add_lane(sets, DOUBT_OURS, lane, bits ^ proved)


@kernel
def prove_falling(worker, later):
    """The threatened positions whose mover cannot keep his record: `later` gets them."""
    team, me, graph, buffers, sets = worker.team, worker.me, worker.graph, worker.buffers, worker.sets
    barrier(team, me)
    while True:
        lanes = pop_lanes(team, me, sets, THREATENED, buffers, graph.laned)
        if lanes == 0:
            break
        for at in range(lanes):
            lane = buffers.batch[at]
            read_set_around(sets, LOSING, buffers, lane)
            read_set_around(sets, FALLING, buffers, lane)
            read_set_around(sets, later, buffers, lane)
            bits = buffers.batch_bits[at] & lane_of(sets, LOSING, lane)
            bits &= ~(lane_of(sets, SETTLED, lane) | lane_of(sets, FALLING, lane))
            proved = all_lead_into(graph, buffers, sets, AWAY, lane, bits) if bits else np.uint64(0)
            if proved:
                mark_lane(sets, FALLING, lane, proved)
                add_lane(sets, later, lane, proved)
