"""Blocks: 64 lanes that differ only in the square of the last man but one, handled together.

A move of a king, or of a man before the last two, leads from each lane of a block to the lane at the same place of
another block, with a few lanes and positions apart where one of the last two men is in the way. So eight lanes are
looked at in one step (retro/threads/lines.py). Where the new square of a king turns the board, lanes change places, and
go one by one. Moves of the last two men stay within a block.
"""

from typing import Final

import numpy as np

from tbgen.board.attacks import SKIP, bit, reach
from tbgen.compiler.intrinsics import bits_set, lowest_bit
from tbgen.compiler.jit import inlined
from tbgen.index.atlas import G_COUNT, G_SIDE, G_SLOT, GROUP
from tbgen.index.kernels import group_number
from tbgen.retro.graph.predecessors import origins_of
from tbgen.retro.graph.proof import inverse
from tbgen.retro.graph.slice import BACK, STEP_TARGET, king_target, turn
from tbgen.retro.threads.lanes import LANE, image_of, not_empty
from tbgen.retro.threads.lines import LANES, keep_line
from tbgen.retro.threads.pop import NEVER_ALONE
from tbgen.retro.threads.sets import lane_of, place_of, prefetch_lane

MANY: Final = 3
"""Lanes of a block from which these are handled together."""
_ASIDE: Final = LANE
"""In `Buffers.row`: words of lanes that are left out for a moment."""


@inlined
def many_in(graph):
    """So many lanes of a block, or more, are popped alone (retro/threads/pop.py)."""
    return MANY if graph.blocked else NEVER_ALONE


@inlined
def is_block(graph, buffers, lanes):
    """Whether the first `lanes` lanes of `buffers.batch` are handled together: many, and all of a block."""
    return (
        graph.blocked
        and lanes >= MANY
        and np.int64(buffers.batch[0]) // LANE == np.int64(buffers.batch[lanes - 1]) // LANE
    )


@inlined
def fill_row(buffers, lanes):
    """Put the first `lanes` lanes of `buffers.batch`, all of a block, into the row. Returns the block's first lane."""
    buffers.row[:LANE] = 0
    for at in range(lanes):
        buffers.row[buffers.batch[at] % LANE] = buffers.batch_bits[at]
    return np.int64(buffers.batch[0]) // LANE * LANE


@inlined
def lines_of(lanes):
    """Which lines of a row have any of these lanes."""
    lines = np.uint64(0)
    for line in range(LANE // LANES):
        lines |= np.uint64((lanes >> np.uint64(line * LANES)) & np.uint64(0xFF) != 0) << np.uint64(line)
    return lines


@inlined
def set_aside(row, lanes):
    """Take some lanes out of a row for a moment."""
    while lanes:
        lane = lowest_bit(lanes)
        lanes &= lanes - np.uint64(1)
        row[_ASIDE + lane], row[lane] = row[lane], 0


@inlined
def put_back(row, lanes):
    while lanes:
        lane = lowest_bit(lanes)
        lanes &= lanes - np.uint64(1)
        row[lane] = row[_ASIDE + lane]


@inlined
def list_blocks(graph, buffers, here, back):
    """List the blocks that moves of a king, and of men but the last two, lead to, or where they come from: in
    `buffers.near` the first lane of each, with the squares where neither of the last two men is in the way, and the
    symmetry of the move. Returns how many."""
    atlas, squares = graph.atlas, buffers.squares
    near, near_bits = buffers.near, buffers.near_bits
    way, mover = (graph.back, 1 - here.side) if back else (graph.forth, here.side)
    count = 0
    for group in range(atlas.groups[0] - 3, -1, -1):  # moves of the later ones lead to neighbours
        if atlas.group[group * GROUP + G_SIDE] != mover:
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
                free = ~np.uint64(0)
                while at < next_ray:
                    target = np.int64(graph.men_moves[at])
                    if here.occupied & bit(target):
                        break
                    at += 1
                    free &= ~bit(target)
                    squares[slot] = target
                    number = rest + stride * group_number(atlas, here.symmetry, squares, first, alike)
                    near[count], near_bits[count] = number // LANE, free
                    buffers.near_symmetry[count] = here.symmetry
                    count += 1
                at = next_ray
            squares[slot] = square
    row = BACK * back + mover * (graph.pairs + 1) + here.kings
    for at in range(graph.king_start[row], graph.king_start[row + 1]):
        free = ~np.uint64(0)
        if not back:  # a king who came from another's square came from no position
            target = np.int64(way[at + STEP_TARGET])
            if here.occupied & bit(target):
                continue
            free = ~bit(target)
        number, symmetry = king_target(graph, way, at, here, squares, 2)
        near[count], near_bits[count] = number // LANE, free
        buffers.near_symmetry[count] = symmetry
        count += 1
    return count


@inlined
def list_own_origins(graph, buffers, here, lane, start):
    """List where the last two men of a lane in the row may have come from: lanes of one block in `buffers.near` from
    `start` on, with positions. Returns where they end."""
    atlas, row = graph.atlas, buffers.row
    near, near_bits = buffers.near, buffers.near_bits
    own, last, moved = here.number // LANE, atlas.first_pawn[0] - 1, 1 - here.side
    count = start
    if atlas.side[last] == moved:
        near[count] = own + lane
        near_bits[count] = origins_of(graph, atlas.kind[last], row[lane], here.occupied | bit(lane))
        count += 1
    if atlas.side[last - 1] == moved:
        ray = atlas.kind[last - 1] * 64 + lane
        at = graph.men_moves[ray]
        end = graph.men_moves[ray + 1]
        while at < end:
            next_ray = graph.men_moves[at + SKIP]
            free = row[lane]
            while at < next_ray:
                origin = np.int64(graph.men_moves[at])
                free &= ~bit(origin)
                if here.occupied & bit(origin) or not free:
                    break
                at += 1
                near[count], near_bits[count] = own + origin, free
                count += 1
            at = next_ray
    return count


@inlined
def keep_those_into(graph, buffers, sets, which, count):
    """Keep those positions of a row whose moves to the listed blocks lead into a set of bits."""
    row = buffers.row
    lines = lines_of(not_empty(row, 0))
    for entry in range(count):
        todo = lines
        while todo:
            prefetch_lane(sets, which, buffers.near[entry] + lowest_bit(todo) * LANES)
            todo &= todo - np.uint64(1)
    for entry in range(count):
        if not lines:
            break
        to, free, symmetry = buffers.near[entry], buffers.near_bits[entry], buffers.near_symmetry[entry]
        if symmetry:
            lanes = not_empty(row, 0) & free
            while lanes:
                lane = lowest_bit(lanes)
                lanes &= lanes - np.uint64(1)
                image = np.int64(graph.atlas.image[symmetry * 64 + lane])
                row[lane] &= image_of(lane_of(sets, which, to + image), inverse(symmetry)) | ~free
            lines = lines_of(not_empty(row, 0))
            continue
        aside = not_empty(row, 0) & ~free
        set_aside(row, aside)
        words, at = place_of(sets, which, to)
        todo = lines
        while todo:
            line = lowest_bit(todo)
            todo &= todo - np.uint64(1)
            if not keep_line(row, line * LANES, words, at + line * LANES, ~free):
                lines &= ~bit(line)
        put_back(row, aside)
        lines |= lines_of(aside)


@inlined
def keep_last_two(graph, buffers, sets, which, here):
    """Keep those positions of a row whose moves of the last two men lead into a set of bits."""
    atlas, row = graph.atlas, buffers.row
    own, last = here.number // LANE, atlas.first_pawn[0] - 1
    if atlas.side[last] == here.side:
        lanes = not_empty(row, 0)
        while lanes:
            lane = lowest_bit(lanes)
            lanes &= lanes - np.uint64(1)
            occupied = here.occupied | bit(lane)
            missing = ~(lane_of(sets, which, own + lane) | occupied)
            if bits_set(missing) < bits_set(row[lane]):
                row[lane] &= ~origins_of(graph, atlas.kind[last], missing, occupied)
                continue
            todo = row[lane]
            while todo:
                square = lowest_bit(todo)
                if reach(graph, atlas.kind[last], square, occupied) & missing:
                    row[lane] &= ~bit(square)
                todo &= todo - np.uint64(1)
    if atlas.side[last - 1] == here.side:
        lanes = not_empty(row, 0)
        while lanes:
            lane = lowest_bit(lanes)
            lanes &= lanes - np.uint64(1)
            ray = atlas.kind[last - 1] * 64 + lane
            at = graph.men_moves[ray]
            end = graph.men_moves[ray + 1]
            kept = row[lane]
            while at < end and kept:
                next_ray = graph.men_moves[at + SKIP]
                free = kept
                while at < next_ray:
                    target = np.int64(graph.men_moves[at])
                    if here.occupied & bit(target):
                        break
                    free &= ~bit(target)
                    if not free:
                        break
                    at += 1
                    kept &= lane_of(sets, which, own + target) | ~free
                    free &= kept
                at = next_ray
            row[lane] = kept


@inlined
def all_lead_into_block(graph, buffers, sets, which, lanes):
    """Keep in the first `lanes` lanes of `buffers.batch`, all of a block, those positions whose quiet moves all lead
    into a set of bits."""
    first = fill_row(buffers, lanes)
    here = turn(graph, graph.forth, first * LANE, buffers, 2)
    keep_last_two(graph, buffers, sets, which, here)
    if not_empty(buffers.row, 0):
        count = list_blocks(graph, buffers, here, 0)
        keep_those_into(graph, buffers, sets, which, count)
    for at in range(lanes):
        buffers.batch_bits[at] = buffers.row[buffers.batch[at] % LANE]
