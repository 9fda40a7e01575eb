"""Quiet moves taken back, for all of a lane together.

The exact inverse of `successors` (slice.py), edge by edge, so that counting moves down as their targets are decided
ends at zero. Among what is found are numbers of no legal position, never of a wrong one: callers know them by their
state.
"""

import numpy as np

from tbgen.board.attacks import SKIP, reach
from tbgen.index.atlas import G_COUNT, G_SIDE, G_SLOT, GROUP
from tbgen.index.kernels import group_number
from tbgen.intrinsics import lowest_bit
from tbgen.jit import inlined
from tbgen.retro.graph.slice import KING_SYMMETRY, SYMMETRY, king_target, parts, set_up
from tbgen.retro.threads.lanes import LANE, image_of


@inlined
def _put(desk, count, number, bits):
    desk.near[count] = number // LANE
    desk.near_bits[count] = bits << np.uint64(number % LANE)
    return count + 1


@inlined
def _of_last_man(ground, desk, kind, bits, occupied, symmetry, here, count):
    """Where the last man may have come from, for each square that it may stand on."""
    while bits:
        origins = reach(ground, kind, lowest_bit(bits), occupied) & ~occupied
        bits &= bits - np.uint64(1)
        count = _put(desk, count, here, image_of(origins, symmetry))
    return count


@inlined
def predecessors(ground, desk, lane, bits, start):
    """Put all from which a quiet move leads to any of these positions into `desk.near` from `start` on, lane by lane:
    an entry for each move taken back, with all for which it can be. Returns where the entries end.

    Where ground is not laned, `bits` must be of a single position."""
    atlas = ground.atlas
    squares = desk.squares
    laned = ground.laned
    pattern = bits if laned else np.uint64(1)
    node = lane * LANE + (0 if laned else lowest_bit(bits))
    side, kings, occupied, _ = set_up(ground, node, squares, laned)
    moved = 1 - side
    groups = atlas.groups[0] - laned
    offset = moved * ground.half * ground.two_sided
    symmetry = np.int64(ground.back[SYMMETRY + kings])
    turned = image_of(pattern, symmetry * laned)
    total = parts(ground, groups, symmetry, squares, desk.part)
    here = ground.back[kings] * atlas.inner[0] + offset + total
    count = start
    for group in range(groups):
        if atlas.group[group * GROUP + G_SIDE] != moved:
            continue
        rest = here - desk.part[group]
        stride = ground.to_stride[group]
        first = atlas.group[group * GROUP + G_SLOT]
        alike = atlas.group[group * GROUP + G_COUNT]
        for slot in range(first, first + alike):
            square = squares[slot]
            ray = atlas.kind[slot] * 64 + square
            at = ground.men_moves[ray]
            end = ground.men_moves[ray + 1]
            while at < end:
                next_ray = ground.men_moves[at + SKIP]
                free = turned
                while at < next_ray:
                    origin = np.int64(ground.men_moves[at])
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
                        desk, count, rest + stride * group_number(atlas, symmetry, squares, first, alike), free
                    )
                at = next_ray
            squares[slot] = square
    last = atlas.first_pawn[0] - 1
    if laned and atlas.side[last] == moved:
        count = _of_last_man(ground, desk, atlas.kind[last], pattern, occupied, symmetry, here, count)
    # where one side is stored, every stored move is the first side's
    row = moved * ground.two_sided * (ground.pairs + 1) + kings
    for at in range(ground.king_start[row], ground.king_start[row + 1]):
        kings_symmetry = np.int64(ground.back[at + KING_SYMMETRY])
        number = king_target(
            ground, groups, np.int64(ground.back[at]), offset, kings_symmetry, symmetry, total, squares
        )  # fmt: skip
        count = _put(desk, count, number, image_of(pattern, kings_symmetry * laned))
    return count
