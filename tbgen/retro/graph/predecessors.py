"""Predecessors: quiet moves taken back, for all positions of a lane at once.

This is the exact inverse of `successors` (slice.py), edge by edge, so that each move is taken back once.
Some numbers found are illegal, none is a wrong position: callers recognise illegal numbers by their state.
"""

import numpy as np

from tbgen.board.attacks import SKIP, reach
from tbgen.compiler.intrinsics import lowest_bit
from tbgen.compiler.jit import inlined
from tbgen.index.atlas import G_COUNT, G_SIDE, G_SLOT, GROUP
from tbgen.index.kernels import group_number
from tbgen.retro.graph.slice import BACK, king_target, turn
from tbgen.retro.threads.lanes import LANE, image_of


@inlined
def _put(buffers, count, number, bits):
    buffers.near[count] = number // LANE
    buffers.near_bits[count] = bits << np.uint64(number % LANE)
    return count + 1


@inlined
def origins_of(graph, kind, bits, occupied):
    """Where a man may have come from that stands on any of these squares."""
    found = np.uint64(0)
    while bits:
        found |= reach(graph, kind, lowest_bit(bits), occupied)
        bits &= bits - np.uint64(1)
    return found & ~occupied


@inlined
def predecessors(graph, buffers, lane, bits, start):
    """Write the predecessors of some positions of a lane to `buffers.near` from `start` on, lane by lane.

    One entry per move taken back, with the positions before it; moves of the last man, which lead to one lane, have one
    together. Returns where the entries end.

    Unless the graph is laned, `bits` must be a single position."""
    atlas = graph.atlas
    squares = buffers.squares
    laned = graph.laned
    pattern = bits if laned else np.uint64(1)
    node = lane * LANE + (0 if laned else lowest_bit(bits))
    here = turn(graph, graph.back, node, buffers, laned)
    occupied, symmetry = here.occupied, here.symmetry
    moved = 1 - here.side
    turned = image_of(pattern, symmetry * laned)
    count = start
    for group in range(atlas.groups[0] - laned):
        if atlas.group[group * GROUP + G_SIDE] != moved:
            continue
        rest = here.number - buffers.term[group]
        stride = graph.to_stride[group]
        first = atlas.group[group * GROUP + G_SLOT]
        alike = atlas.group[group * GROUP + G_COUNT]
        for slot in range(first, first + alike):
            square = squares[slot]
            ray = atlas.kind[slot] * 64 + square
            at = graph.men_moves[ray]
            end = graph.men_moves[ray + 1]
            while at < end:
                next_ray = graph.men_moves[at + SKIP]
                free = turned
                while at < next_ray:
                    origin = np.int64(graph.men_moves[at])
                    if occupied >> np.uint64(origin) & np.uint64(1):
                        break
                    if laned:
                        # the last man is in the way where it stands here
                        free &= ~(np.uint64(1) << np.uint64(atlas.image[symmetry * 64 + origin]))
                        if not free:
                            break
                    at += 1
                    squares[slot] = origin
                    count = _put(
                        buffers, count, rest + stride * group_number(atlas, symmetry, squares, first, alike), free
                    )
                at = next_ray
            squares[slot] = square
    last = atlas.first_pawn[0] - 1
    if laned and atlas.side[last] == moved:
        origins = origins_of(graph, atlas.kind[last], pattern, occupied)
        count = _put(buffers, count, here.number, image_of(origins, symmetry))
    # where one side is stored, every stored move is the first side's
    row = BACK + moved * graph.two_sided * (graph.pairs + 1) + here.kings
    for at in range(graph.king_start[row], graph.king_start[row + 1]):
        number, kings_symmetry = king_target(graph, graph.back, at, here, squares, laned)
        count = _put(buffers, count, number, image_of(pattern, kings_symmetry * laned))
    return count
