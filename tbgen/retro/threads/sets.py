"""Sets of positions that all threads add to and take from: a bit a position.

Positions are taken in the order of their numbers, whatever order they came in. Then the neighbours of one after
the other lie side by side as well and are still at hand, which the order of arrival would scatter.
"""

from typing import Final, NamedTuple

import numpy as np
from numpy.typing import NDArray

from tbgen.intrinsics import keep_bits, lowest_bit, set_bits
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


class Marks(NamedTuple):
    bits: NDArray[np.uint64]
    """`[set * words + word]`"""
    blocks: NDArray[np.uint64]
    """`[set * block_words + word]`: a bit for each block of positions that may hold marks."""
    words: int
    block_words: int
    span: int
    """How many blocks a thread claims at a time."""


def make_marks(sets: int, nodes: int) -> Marks:
    blocks = -(-nodes // BATCH)
    words, block_words = blocks * _WORDS, -(-blocks // 64)
    return Marks(
        np.zeros(sets * words, np.uint64),
        np.zeros(sets * block_words, np.uint64),
        words,
        block_words,
        1 + blocks // _PIECES,
    )


@inlined
def mark(marks, which, node):
    """Put a position into a set."""
    set_bits(marks.bits, which * marks.words + node // LANE, np.uint64(1) << np.uint64(node % LANE))
    _mark_block(marks, which, node // LANE)


@inlined
def mark_lane(marks, which, lane, bits):
    """Put some positions of a lane that this thread holds (team.py) into a set."""
    if bits:
        marks.bits[which * marks.words + lane] |= bits
        _mark_block(marks, which, lane)


@inlined
def _mark_block(marks, which, lane):
    block = lane // _WORDS
    at = which * marks.block_words + (block >> 6)
    bit = np.uint64(1) << np.uint64(block & 63)
    if marks.blocks[at] & bit == 0:
        set_bits(marks.blocks, at, bit)


@inlined
def unmark(marks, which, node):
    """Take a position out of a set whose block is this thread's alone."""
    marks.bits[which * marks.words + (node >> 6)] &= ~(np.uint64(1) << np.uint64(node & 63))


@inlined
def is_empty(marks, which):
    """Whether nothing is in a set; between phases only."""
    for at in range(which * marks.block_words, (which + 1) * marks.block_words):
        if marks.blocks[at]:
            return False
    return True


@inlined
def block_count(marks):
    return marks.words // _WORDS


@inlined
def has_block(marks, which, block):
    at = which * marks.block_words + (block >> 6)
    return marks.blocks[at] >> np.uint64(block & 63) & np.uint64(1) != 0


@kernel
def read_block(marks, which, block, desk):
    """Write the positions of a block to `desk.batch`; return how many."""
    count = 0
    first = block * _WORDS
    for word in range(first, first + _WORDS):
        left = marks.bits[which * marks.words + word]
        while left:
            desk.batch[count] = (word << 6) + lowest_bit(left)
            count += 1
            left &= left - np.uint64(1)
    return count


@kernel
def clear_block(marks, which, block):
    first = which * marks.words + block * _WORDS
    for word in range(first, first + _WORDS):
        marks.bits[word] = 0
    keep_bits(marks.blocks, which * marks.block_words + (block >> 6), ~(np.uint64(1) << np.uint64(block & 63)))


@inlined
def _next_block(team, me, marks, which, desk):
    """A block of a set that this thread shall take, -1 when no more are left for it."""
    blocks = block_count(marks)
    while True:
        if desk.span[0] >= desk.span[1]:
            start = claim(team, me, marks.span)
            if start >= blocks:
                return -1
            desk.span[0] = start
            desk.span[1] = min(start + marks.span, blocks)
        block = desk.span[0]
        desk.span[0] = block + 1
        if has_block(marks, which, block):
            return block


@kernel
def take_some(team, me, marks, which, desk):
    """Move some positions from a set to `desk.batch` and return how many: 0 when no more are left for this thread.

    A phase: all threads of a team call this until they have got 0."""
    while True:
        block = _next_block(team, me, marks, which, desk)
        if block < 0:
            return 0
        count = read_block(marks, which, block, desk)
        clear_block(marks, which, block)
        if count:
            return count


@kernel
def take_lanes(team, me, marks, which, desk, laned):
    """The same, by lanes: each with the positions that are in the set, or once for each where ground is not laned."""
    while True:
        block = _next_block(team, me, marks, which, desk)
        if block < 0:
            return 0
        count = 0
        for lane in range(block * _WORDS, (block + 1) * _WORDS):
            left = marks.bits[which * marks.words + lane]
            while left:
                some = left if laned else left & (~left + np.uint64(1))
                desk.batch[count] = lane
                desk.batch_bits[count] = some
                count += 1
                left ^= some
        clear_block(marks, which, block)
        if count:
            return count
