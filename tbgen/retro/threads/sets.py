"""Sets of positions that all threads add to and pop from (retro/threads/pop.py): one bit per position."""

from typing import Final, NamedTuple

import numpy as np
from numpy.typing import NDArray

from tbgen.compiler.intrinsics import bits_set, fetch_and, fetch_or, lowest_bit, prefetch
from tbgen.compiler.jit import inlined, kernel
from tbgen.memory.arrays import Make, in_memory
from tbgen.retro.threads.ahead import BY_PAGES, is_in_file, read_ahead, read_around, read_by
from tbgen.retro.threads.lanes import LANE, not_empty
from tbgen.retro.threads.lines import LANES, words_not_empty
from tbgen.retro.threads.team import barrier, next_range

# The sets of a sweep. They are numpy integers because the compiler would specialise kernels for each literal.

# Added to and looked at all over: these are the first to be in memory.
NOW: Final = np.int64(0)
LATER: Final = np.int64(1)
"""Reached at the current distance, and at the next; here those that gain."""
DOUBT_OURS: Final = np.int64(2)
"""Positions that are to be reviewed, as their mover may no longer keep a record."""
THREATENED: Final = np.int64(3)
"""One more of their moves fails: to be proved, if now all do (prove.py)."""
SETTLED: Final = np.int64(4)
"""Its worth under all records to come is known; or it is illegal."""
CLOSED: Final = np.int64(5)
"""Settled, and predecessors are notified; or illegal. Settled ones that are not closed wait for the level of what they
are settled with: they are pending."""
AWAY: Final = np.int64(6)
"""The record does not stand there if the opponent holds it: closed, or its mover escapes."""
HELD: Final = 7
"""How many sets these are."""

# Gone through in order.
LOSE: Final = np.int64(7)
"""From NOW or LATER to the set of those that are reached then and lose."""
CHANGED_OURS: Final = np.int64(9)
"""Changed, with predecessors to notify; this includes positions settled with a payoff instead of their own goal."""
LOSING: Final = np.int64(10)
"""Its resets are known to lose to a goal of a level that is done; or it has none. While escapes spread from scratch:
also those whose resets lose to what the escaping side is paid by now."""
ALTERED: Final = np.int64(11)
"""While escapes spread from scratch: it has another value than when steps were last written."""
BITS: Final = 12

# Seeds: each joins at a distance of its own. They are taken out before the first distance.
TIMED: Final = LATER

# While positions are reviewed, none spread.
DOUBT_THEIRS: Final = NOW
CHANGED_THEIRS: Final = np.int64(NOW + LOSE)
STEPPED: Final = np.int64(LATER + LOSE)
"""May need another step in their staircases."""

# While positions settle, none is in doubt.
REVALUED: Final = DOUBT_OURS
"""Settled by a gain that `theirs` did not say yet: who may move there may no longer keep a record."""

# While escapes spread from scratch, no position is in doubt, and none is notified of a change.
ESCAPING: Final = DOUBT_OURS
"""Its mover is known to escape from the record; or it is settled."""
FALLING: Final = CHANGED_OURS
"""Its mover is known to lose his record."""

BLOCK: Final = 1 << 12
"""Positions per block; a block is popped at once."""

BLOCK_LANES: Final = BLOCK // LANE
"""Lanes per block, a word each."""
assert BLOCK_LANES == 8 * LANES, "a byte has a bit for each line of a block"
_PIECES: Final = 256
"""Ranges that a set is split into for threads to claim, at most."""


class PositionSets(NamedTuple):
    held: NDArray[np.uint64]
    """`[set * words + word]`, of the first HELD sets."""
    passed: NDArray[np.uint64]
    """The same of the others."""
    lines: NDArray[np.uint8]
    """`[set * blocks + block]`: one bit for each line (retro/threads/lines.py) of a block that may not be empty."""
    words: int
    blocks: int
    span: int
    """Blocks that a thread claims at a time."""
    on_disk: int
    """1 if `passed` lies in a file."""


def make_sets(count: int, nodes: int, make: Make = in_memory) -> PositionSets:
    """The first `count` sets."""
    blocks = -(-nodes // BLOCK)
    words = blocks * BLOCK_LANES
    held, passed = make(min(count, HELD) * words, np.uint64), make(max(count - HELD, 0) * words, np.uint64)
    read_by(BY_PAGES, passed)
    return PositionSets(
        held,
        passed,
        np.zeros(count * blocks + LANE, np.uint8),  # 64 are looked at together, wherever they begin
        words,
        blocks,
        1 + blocks // _PIECES,
        int(is_in_file(passed)),
    )


@inlined
def place_of(sets, which, lane):
    """Where the bits of a lane are: the array and the index."""
    if which < HELD:
        return sets.held, which * sets.words + lane
    return sets.passed, (which - HELD) * sets.words + lane


@inlined
def read_set_ahead(sets, which, first, end):
    """Have the system read the bits of these lanes now, if they lie in a file."""
    if sets.on_disk and which >= HELD:
        read_ahead(sets.passed, (which - HELD) * sets.words + first, (which - HELD) * sets.words + end)


@inlined
def read_set_around(sets, which, buffers, lane):
    """Have it read the cluster of a lane."""
    if sets.on_disk and which >= HELD:
        read_around(buffers.clusters, sets.passed, (which - HELD) * sets.words + lane)


@inlined
def lane_of(sets, which, lane):
    """The positions of a lane that are in a set."""
    words, at = place_of(sets, which, lane)
    return words[at]


@inlined
def put_lane(sets, which, lane, bits):
    """Have a set hold these positions of a lane and no others; no other thread may be at the lane."""
    words, at = place_of(sets, which, lane)
    words[at] = bits


@inlined
def prefetch_lane(sets, which, lane):
    words, at = place_of(sets, which, lane)
    prefetch(words, at)


@inlined
def has(sets, which, node):
    return lane_of(sets, which, node // LANE) >> np.uint64(node % LANE) & np.uint64(1) != 0


@inlined
def mark(sets, which, node):
    """Put a position into a set of bits. Returns whether it was not there yet."""
    bit = np.uint64(1) << np.uint64(node % LANE)
    words, at = place_of(sets, which, node // LANE)
    return fetch_or(words, at, bit) & bit == 0


@inlined
def unmark(sets, which, node):
    """Remove a position from a set of bits."""
    words, at = place_of(sets, which, node // LANE)
    fetch_and(words, at, ~(np.uint64(1) << np.uint64(node % LANE)))


@inlined
def mark_lane(sets, which, lane, bits):
    """Put some positions of a lane into a set of bits; no other thread may be at the lane."""
    put_lane(sets, which, lane, lane_of(sets, which, lane) | bits)


@inlined
def add(sets, which, node):
    """Add a position to a set."""
    mark(sets, which, node)
    note_line(sets, which, node // LANE)


@inlined
def mark_shared(team, sets, which, lane, bits):
    """Put some positions of a lane into a set of bits, while other threads do it, too."""
    words, at = place_of(sets, which, lane)
    if team.size > 1:
        fetch_or(words, at, bits)
    else:
        words[at] |= bits


@inlined
def add_shared(team, sets, which, lane, bits):
    """Add some positions of a lane to a set, while other threads do it, too."""
    mark_shared(team, sets, which, lane, bits)
    note_line(sets, which, lane)


@inlined
def add_lane(sets, which, lane, bits):
    """Add some positions of a lane to a set; no other thread may be at the lane, unless this one has locked it."""
    if bits:
        mark_lane(sets, which, lane, bits)
        note_line(sets, which, lane)


@inlined
def note_line(sets, which, lane):
    """Note that the line of a lane may not be empty."""
    note_lines(sets, which, lane // BLOCK_LANES, np.int64(1) << lane // LANES % LANES)


@inlined
def note_lines(sets, which, block, lines):
    """Note that some lines of a block, as bits, may not be empty."""
    at = which * sets.blocks + block
    if lines & ~np.int64(sets.lines[at]):
        fetch_or(sets.lines, at, lines)


@inlined
def discard(sets, which, lane, bits):
    """Remove some positions of a lane from a set; no other thread may be at the lane."""
    put_lane(sets, which, lane, lane_of(sets, which, lane) & ~bits)


@inlined
def is_empty(sets, which):
    """Whether a set is empty; between phases only."""
    return block_from(sets, which, 0, sets.blocks) == sets.blocks


@inlined
def block_from(sets, which, block, end):
    """The first block from this one on that may not be empty; `end` if none before it is."""
    while block < end:
        found = not_empty(sets.lines, which * sets.blocks + block)
        if found:
            return min(block + lowest_bit(found), end)
        block += LANE
    return end


@inlined
def blocks_of(team, me, sets):
    """Those of a thread, where each looks at a range of its own."""
    return range(sets.blocks * me // team.size, sets.blocks * (me + 1) // team.size)


@inlined
def lanes_of(block):
    return range(block * BLOCK_LANES, (block + 1) * BLOCK_LANES)


@inlined
def lanes_with(sets, which, block):
    """Which lanes of a block have positions in a set, as bits."""
    words, first = place_of(sets, which, block * BLOCK_LANES)
    found, lines = np.uint64(0), np.uint64(sets.lines[which * sets.blocks + block])
    while lines:
        at = lowest_bit(lines) * LANES
        lines &= lines - np.uint64(1)
        found |= words_not_empty(words, first + at) << np.uint64(at)
    return found


@inlined
def count_in(sets, which, block):
    """How many positions of a block a set has."""
    count, lanes = 0, lanes_with(sets, which, block)
    while lanes:
        count += bits_set(lane_of(sets, which, block * BLOCK_LANES + lowest_bit(lanes)))
        lanes &= lanes - np.uint64(1)
    return count


@inlined
def has_block(sets, which, block):
    return sets.lines[which * sets.blocks + block] != 0


@kernel
def read_block(sets, which, block, buffers):
    """Write the positions of a block to `buffers.batch`. Returns how many there are."""
    count = 0
    lanes = lanes_with(sets, which, block)
    while lanes:
        lane = block * BLOCK_LANES + lowest_bit(lanes)
        lanes &= lanes - np.uint64(1)
        left = lane_of(sets, which, lane)
        while left:
            buffers.batch[count] = (lane << 6) + lowest_bit(left)
            count += 1
            left &= left - np.uint64(1)
    return count


@kernel
def clear_set(team, me, sets, which):
    """Empty a set, whatever is in it. A phase of its own."""
    barrier(team, me)
    start, end = next_range(team, me, sets.words * LANE)
    while start < end:
        read_set_ahead(sets, which, start // LANE, end // LANE)
        for lane in range(start // LANE, end // LANE):
            put_lane(sets, which, lane, np.uint64(0))
        start, end = next_range(team, me, sets.words * LANE)
    if me == 0:
        sets.lines[which * sets.blocks : (which + 1) * sets.blocks] = 0


@inlined
def clear_block(sets, which, block):
    """Empty a block; no other thread may be at it."""
    words, first = place_of(sets, which, block * BLOCK_LANES)
    at = which * sets.blocks + block
    lines, sets.lines[at] = np.uint64(sets.lines[at]), 0
    while lines:
        start = first + lowest_bit(lines) * LANES
        lines &= lines - np.uint64(1)
        for word in range(start, start + LANES):
            words[word] = 0


@kernel
def count_of(sets, which, buffers):
    """How many positions a set has; between phases only."""
    count = 0
    block = block_from(sets, which, 0, sets.blocks)
    while block < sets.blocks:
        read_set_around(sets, which, buffers, block * BLOCK_LANES)
        count += count_in(sets, which, block)
        block = block_from(sets, which, block + 1, sets.blocks)
    return count
