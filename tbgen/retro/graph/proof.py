"""Which positions of a lane have no quiet move but into a set: proved forwards, all of a lane at once.

Such a proof needs a bit of each position, where a counter of moves needs a byte that each of them has to be subtracted
from. A move that leaves the king in check leads to a number of no legal position: the set has to hold these.
"""

import numpy as np

from tbgen.board.attacks import SKIP, reach
from tbgen.board.geometry import FILES_MIRRORED, RANKS_MIRRORED, TRANSPOSED
from tbgen.compiler.intrinsics import lowest_bit
from tbgen.compiler.jit import inlined
from tbgen.index.atlas import G_COUNT, G_SIDE, G_SLOT, GROUP
from tbgen.index.kernels import group_number
from tbgen.retro.graph.slice import STEP_TARGET, king_target, turn
from tbgen.retro.threads.lanes import LANE, image_of
from tbgen.retro.threads.sets import lane_of


@inlined
def inverse(symmetry):
    """A quarter turn's inverse is the other one; all else is its own."""
    turns = symmetry & TRANSPOSED != 0 and (symmetry & FILES_MIRRORED != 0) != (symmetry & RANKS_MIRRORED != 0)
    return symmetry ^ (FILES_MIRRORED | RANKS_MIRRORED) if turns else symmetry


@inlined
def _missing(graph, sets, which, number):
    """Which positions of the number's lane are not in the set; of a graph that is not laned, bit 0 is the number's."""
    return ~lane_of(sets, which, number // LANE) >> np.uint64(number % LANE)


@inlined
def all_lead_into(graph, buffers, sets, which, lane, bits):
    """Those of some positions of a lane whose quiet moves all lead into a set of bits.

    Unless the graph is laned, `bits` must be a single position."""
    atlas = graph.atlas
    squares = buffers.squares
    laned = graph.laned
    left = bits if laned else np.uint64(1)
    node = lane * LANE + (0 if laned else lowest_bit(bits))
    here = turn(graph, graph.forth, node, buffers, laned)
    side, occupied, symmetry = here.side, here.occupied, here.symmetry
    last = atlas.first_pawn[0] - 1
    if laned and atlas.side[last] == side:
        # one word has all moves of the last man
        missing = image_of(_missing(graph, sets, which, here.number), inverse(symmetry)) & ~occupied
        todo = left
        while todo:
            square = lowest_bit(todo)
            if reach(graph, atlas.kind[last], square, occupied) & missing:
                left &= ~(np.uint64(1) << np.uint64(square))
            todo &= todo - np.uint64(1)
        if not left:
            return np.uint64(0)
    turned = image_of(left, symmetry * laned)
    for group in range(atlas.groups[0] - laned - 1, -1, -1):  # moves of the later ones lead to neighbours
        if atlas.group[group * GROUP + G_SIDE] != side:
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
                    target = np.int64(graph.men_moves[at])
                    if occupied >> np.uint64(target) & np.uint64(1):
                        break
                    if laned:
                        # the last man is in the way where it stands here
                        free &= ~(np.uint64(1) << np.uint64(atlas.image[symmetry * 64 + target]))
                        if not free:
                            break
                    at += 1
                    squares[slot] = target
                    number = rest + stride * group_number(atlas, symmetry, squares, first, alike)
                    turned &= ~(free & _missing(graph, sets, which, number))
                    if not turned:
                        squares[slot] = square
                        return np.uint64(0)
                    free &= turned
                at = next_ray
            squares[slot] = square
    left = image_of(turned, inverse(symmetry) * laned)
    row = side * (graph.pairs + 1) + here.kings
    for at in range(graph.king_start[row], graph.king_start[row + 1]):
        target = np.int64(graph.forth[at + STEP_TARGET])
        if occupied >> np.uint64(target) & np.uint64(1):
            continue
        number, kings_symmetry = king_target(graph, graph.forth, at, here, squares, laned)
        missing = _missing(graph, sets, which, number)
        if laned:
            missing = image_of(missing, inverse(kings_symmetry)) & ~(np.uint64(1) << np.uint64(target))
        left &= ~missing
        if not left:
            return np.uint64(0)
    return left if laned else left << np.uint64(node % LANE)
