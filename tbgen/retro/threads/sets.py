"""Sets of positions that all threads add to and take from: a bit a position.

Positions are taken in the order of their numbers, whatever order they came in. Then the neighbours of one after
the other lie side by side as well and are still at hand, which the order of arrival would scatter.
"""

from typing import Final, NamedTuple

import numpy as np
from numpy.typing import NDArray

from tbgen.intrinsics import fetch_and, fetch_or, lowest_bit
from tbgen.jit import inlined, kernel
from tbgen.retro.threads.lanes import LANE
from tbgen.retro.threads.team import claim

# the sets of positions that a sweep works with. numpy's integers are no literals to the compiler, which would make
# a kernel of its own for each of these; the first three come in pairs
NOW: Final = np.int64(0)
LATER: Final = np.int64(2)
"""Reached at the distance at hand, and at the next: by gaining from it, and in the next set by losing."""
TIMED: Final = np.int64(4)
"""Known from a distance of their own on, within the coming level."""
DOUBT_OURS: Final = np.int64(6)
DOUBT_THEIRS: Final = np.int64(7)
"""To be looked at again."""
CHANGED_OURS: Final = np.int64(8)
CHANGED_THEIRS: Final = np.int64(9)
"""To be told to predecessors; among them those that were settled with a payoff instead of their own goal."""
FALLEN: Final = np.int64(10)
RETURNED: Final = np.int64(11)
"""The same, where the record no longer stands, or stands again."""
STEPPED: Final = np.int64(12)
"""Their staircases may need a step."""
SETS: Final = 13

BATCH: Final = 1 << 12
"""Positions that are taken together, at most."""

_WORDS: Final = BATCH // LANE
"""Words, each of a lane of positions, a block."""
_PIECES: Final = 256
"""Into about so many pieces threads share a set."""


class PositionSets(NamedTuple):
    bits: NDArray[np.uint64]
    """`[set * words + word]`"""
    blocks: NDArray[np.uint64]
    """`[set * block_words + word]`: a bit for each block of positions that may hold marks."""
    words: int
    block_words: int
    span: int
    """How many blocks a thread claims at a time."""


def make_sets(count: int, nodes: int) -> PositionSets:
    blocks = -(-nodes // BATCH)
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
    """Put a position into a set."""
    fetch_or(sets.bits, which * sets.words + node // LANE, np.uint64(1) << np.uint64(node % LANE))
    _add_block(sets, which, node // LANE)


@inlined
def add_lane(sets, which, lane, bits):
    """Put some positions of a lane that this thread holds (team.py) into a set."""
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
    """Take a position out of a set whose block is this thread's alone."""
    sets.bits[which * sets.words + (node >> 6)] &= ~(np.uint64(1) << np.uint64(node & 63))


@inlined
def is_empty(sets, which):
    """Whether nothing is in a set; between phases only."""
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
    """Write the positions of a block to `buffers.batch`; return how many."""
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
    """A block of a set that this thread shall take, -1 when no more are left for it."""
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
    """Move some positions from a set to `buffers.batch` and return how many: 0 when no more are left for this thread.

    A phase: all threads of a team call this until they have got 0."""
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
