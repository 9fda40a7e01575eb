"""Popping the positions of a set: each thread takes blocks until none is left.

Positions are popped in the order of their numbers, whatever order they were added in. So the neighbours of successive
positions lie close together too, and are likely to be cached.
"""

from typing import Final

import numpy as np

from tbgen.compiler.intrinsics import bits_set, lowest_bit
from tbgen.compiler.jit import inlined, kernel
from tbgen.retro.threads.sets import (
    BLOCK_LANES,
    block_from,
    clear_block,
    lane_of,
    lanes_with,
    read_block,
    read_set_around,
)
from tbgen.retro.threads.team import claim, is_to_end

ENOUGH: Final = 16
"""Lanes that are popped together from blocks that have few."""
NEVER_ALONE: Final = np.int64(BLOCK_LANES + 1)
"""For `pop_lanes`: more lanes than a block has."""


@inlined
def _next_block(team, me, sets, which, buffers):
    """The next block of a set for this thread, -1 if none is left."""
    while True:
        block = block_from(sets, which, buffers.span[0], buffers.span[1])
        if block < buffers.span[1] and not is_to_end(team):
            buffers.span[0] = block + 1
            read_set_around(sets, which, buffers, block * BLOCK_LANES)
            return block
        start = claim(team, me, sets.span)
        if start >= sets.blocks:
            buffers.span[0] = buffers.span[1]
            return np.int64(-1)
        buffers.span[0], buffers.span[1] = start, min(start + sets.span, sets.blocks)


@kernel
def pop_block(team, me, sets, which, buffers):
    """Move a block of positions from a set to `buffers.batch`. Returns how many, 0 if none is left for this thread.

    A phase of its own: every thread of the team calls this until it returns 0."""
    while True:
        block = _next_block(team, me, sets, which, buffers)
        if block < 0:
            return 0
        count = read_block(sets, which, block, buffers)
        clear_block(sets, which, block)
        if count:
            return count


@kernel
def pop_lanes(team, me, sets, which, buffers, laned, many):
    """The same, by lanes: each once with its positions in the set, or once per position if the graph is not laned. A
    block with so `many` lanes comes alone. Of others several come together, so that the next lanes can be prefetched
    while one is worked at."""
    count = np.int64(0)
    while count < ENOUGH:
        block = _next_block(team, me, sets, which, buffers)
        if block < 0:
            break
        lanes = lanes_with(sets, which, block)
        alone = bits_set(lanes) >= many
        if alone and count:
            buffers.span[0] = block  # it is the first of the next call
            break
        while lanes:
            lane = block * BLOCK_LANES + lowest_bit(lanes)
            lanes &= lanes - np.uint64(1)
            left = lane_of(sets, which, lane)
            while left:
                some = left if laned else left & (~left + np.uint64(1))
                buffers.batch[count] = lane
                buffers.batch_bits[count] = some
                count += 1
                left ^= some
        clear_block(sets, which, block)
        if alone:
            break
    return count
