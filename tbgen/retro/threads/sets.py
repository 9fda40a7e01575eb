"""Sets of positions that all threads add to and pop from: one bit per position.

Positions are popped in the order of their numbers, whatever order they were added in. So the neighbours of successive
positions lie close together too, and are likely to be cached.
"""

from typing import Final, NamedTuple

import numpy as np
from numpy.typing import NDArray

from tbgen.intrinsics import fetch_and, fetch_or, lowest_bit
from tbgen.jit import inlined, kernel
from tbgen.retro.threads.lanes import LANE
from tbgen.retro.threads.team import claim

# The sets of a sweep. They are numpy integers because the compiler would specialise kernels for each literal.
# NOW, LATER and TIMED are pairs: the first set is for positions that gain, the next one for those that lose.
NOW: Final = np.int64(0)
LATER: Final = np.int64(2)
"""Reached at the current distance, and at the next."""
TIMED: Final = np.int64(4)
"""Seeds: each joins at a distance of its own."""
DOUBT_OURS: Final = np.int64(6)
DOUBT_THEIRS: Final = np.int64(7)
"""Positions that are to be reviewed."""
CHANGED_OURS: Final = np.int64(8)
CHANGED_THEIRS: Final = np.int64(9)
"""Changed, with predecessors to notify; this includes positions settled with a payoff instead of their own goal."""
FALLEN: Final = np.int64(10)
RETURNED: Final = np.int64(11)
"""Changed as well; and the record no longer stands there, or stands again."""
STEPPED: Final = np.int64(12)
"""May need another step in their staircases."""
SETS: Final = 13

BLOCK: Final = 1 << 12
"""Positions per block; a block is popped at once."""

assert BLOCK % LANE == 0, "a lane lies in one block"
_WORDS: Final = BLOCK // LANE
"""Words per block, one per lane."""
_PIECES: Final = 256
"""Ranges that a set is split into for threads to claim, at most."""


class PositionSets(NamedTuple):
    bits: NDArray[np.uint64]
    """`[set * words + word]`"""
    blocks: NDArray[np.uint64]
    """`[set * block_words + word]`: one bit per block that may not be empty."""
    words: int
    block_words: int
    span: int
    """Blocks that a thread claims at a time."""


def make_sets(count: int, nodes: int) -> PositionSets:
    blocks = -(-nodes // BLOCK)
    words, block_words = blocks * _WORDS, -(-blocks // 64)
    return PositionSets(
        np.zeros(count * words, np.uint64),
        np.zeros(count * block_words, np.uint64),
        words,
        block_words,
        1 + blocks // _PIECES,
    )


@inlined
def add(sets, which, node):
    """Add a position to a set."""
    fetch_or(sets.bits, which * sets.words + node // LANE, np.uint64(1) << np.uint64(node % LANE))
    _add_block(sets, which, node // LANE)


@inlined
def add_lane(sets, which, lane, bits):
    """Add some positions of a lane that this thread has locked (team.py) to a set."""
    if bits:
        sets.bits[which * sets.words + lane] |= bits
        _add_block(sets, which, lane)


@inlined
def _add_block(sets, which, lane):
    block = lane // _WORDS
    at = which * sets.block_words + (block >> 6)
    bit = np.uint64(1) << np.uint64(block & 63)
    if sets.blocks[at] & bit == 0:
        fetch_or(sets.blocks, at, bit)


@inlined
def discard(sets, which, node):
    """Remove a position from a set; no other thread may be at its block."""
    sets.bits[which * sets.words + node // LANE] &= ~(np.uint64(1) << np.uint64(node % LANE))


@inlined
def is_empty(sets, which):
    """Whether a set is empty; between phases only."""
    for at in range(which * sets.block_words, (which + 1) * sets.block_words):
        if sets.blocks[at]:
            return False
    return True


@inlined
def block_count(sets):
    return sets.words // _WORDS


@inlined
def has_block(sets, which, block):
    at = which * sets.block_words + (block >> 6)
    return sets.blocks[at] >> np.uint64(block & 63) & np.uint64(1) != 0


@kernel
def read_block(sets, which, block, buffers):
    """Write the positions of a block to `buffers.batch`. Returns how many there are."""
    count = 0
    first = block * _WORDS
    for word in range(first, first + _WORDS):
        left = sets.bits[which * sets.words + word]
        while left:
            buffers.batch[count] = (word << 6) + lowest_bit(left)
            count += 1
            left &= left - np.uint64(1)
    return count


@kernel
def clear_block(sets, which, block):
    first = which * sets.words + block * _WORDS
    for word in range(first, first + _WORDS):
        sets.bits[word] = 0
    fetch_and(sets.blocks, which * sets.block_words + (block >> 6), ~(np.uint64(1) << np.uint64(block & 63)))


@inlined
def _next_block(team, me, sets, which, buffers):
    """The next block of a set for this thread, -1 if none is left."""
    blocks = block_count(sets)
    while True:
        if buffers.span[0] >= buffers.span[1]:
            start = claim(team, me, sets.span)
            if start >= blocks:
                return -1
            buffers.span[0] = start
            buffers.span[1] = min(start + sets.span, blocks)
        block = buffers.span[0]
        buffers.span[0] = block + 1
        if has_block(sets, which, block):
            return block


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
def pop_lanes(team, me, sets, which, buffers, laned):
    """The same, by lanes: each once with its positions in the set, or once per position if the graph is not laned."""
    while True:
        block = _next_block(team, me, sets, which, buffers)
        if block < 0:
            return 0
        count = 0
        for lane in range(block * _WORDS, (block + 1) * _WORDS):
            left = sets.bits[which * sets.words + lane]
            while left:
                some = left if laned else left & (~left + np.uint64(1))
                buffers.batch[count] = lane
                buffers.batch_bits[count] = some
                count += 1
                left ^= some
        clear_block(sets, which, block)
        if count:
            return count
