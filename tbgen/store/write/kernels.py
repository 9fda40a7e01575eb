"""The two passes of the writer over all positions, a chunk at a time: which kinds of positions a chunk has, then its
bytes before compression."""

from typing import Final, NamedTuple

import numpy as np
from numpy.typing import NDArray

from tbgen.contents import DISTANCE_MASK, OUTCOME_SHIFT
from tbgen.jit import kernel
from tbgen.store.format.schema import ESCAPE

# A kind is all of a position that becomes a shape, in one number. From the lowest bit: legal, fresh distance odd,
# fresh outcome, which steps repeat the fresh entry, form of the staircase. 0: no legal position.
ODD_AT: Final = 1
OUTCOME_AT: Final = 2
OUTCOMES: Final = 0x7FF
SAME_AT: Final = 13

_MIX: Final = np.int64(-7046029254386353131)
_TOP: Final = 48
"""Bits of a product that are too low to tell kinds apart."""


class Given(NamedTuple):
    """What both passes read."""

    entries: NDArray[np.int32]
    staircases: NDArray[np.int32]
    start: NDArray[np.int64]
    """`[staircase]`: where its steps begin. This and the next three are those of Contents and Rows."""
    outcome: NDArray[np.int16]
    distance: NDArray[np.uint16]
    form: NDArray[np.int32]
    marks: int
    """That of Rows, too."""


class Stored(NamedTuple):
    """How the shapes of a group are stored."""

    steps: NDArray[np.uint8]
    """`[shape, nth]`: the step whose distance is the nth that is stored, if there is one."""
    beside: NDArray[np.uint8]
    """`[shape]`: how many are stored beside the fresh one."""
    shape_bytes: int
    distance_bytes: int


@kernel
def find_kinds(given, begin, end, slots, kind, kinds, counts):
    """Number the kinds of a chunk's positions as they are met: `kind` by position, `kinds` and `counts` by number.
    Positions from `end` on have kind 0. Returns how many kinds there are, and the longest fresh distance."""
    slots[:] = -1
    mask = len(slots) - 1
    found, longest = 0, 0
    for place in range(len(kind)):
        seen = np.int64(0)
        if begin + place < end:
            entry = given.entries[begin + place]
            if entry:
                longest = max(longest, entry & DISTANCE_MASK)
                seen = _kind_of(given, entry, given.staircases[begin + place])
        slot = (seen * _MIX >> _TOP) & mask
        while slots[slot] >= 0 and kinds[slots[slot]] != seen:
            slot = slot + 1 & mask
        number = slots[slot]
        if number < 0:
            number = slots[slot] = found
            kinds[found], counts[found] = seen, 0
            found += 1
        kind[place] = number
        counts[number] += 1
    return found, longest


@kernel
def _kind_of(given, entry, staircase):
    outcome, distance = entry >> OUTCOME_SHIFT, entry & DISTANCE_MASK
    kind = np.int64(1 | (entry & 1) << ODD_AT | (outcome & OUTCOMES) << OUTCOME_AT)
    if staircase:
        same = np.int64(given.form[staircase]) << given.marks
        start = given.start[staircase]
        for step in range(min(given.marks, given.start[staircase + 1] - start)):
            if given.outcome[start + step] == outcome and given.distance[start + step] == distance:
                same |= np.int64(1) << step
        kind |= same << SAME_AT
    return kind


@kernel
def fill_chunk(given, stored, begin, places, kind, shapes, counts, by_shape, first, taken, raw):
    """Write a chunk before compression into `raw`, which is all zeros. Returns where its fresh distances begin, and
    where those of staircases do.

    `kind` gives the number of each position's kind; `shapes` and `counts` are by that number; `by_shape` are the
    numbers in rising order of shape. `first` and `taken` are overwritten: `first[nth]` has how many positions have an
    nth distance, then, by number, where those of each kind begin."""
    escaped, sections = 0, 0
    for number in range(len(shapes)):
        sections = max(sections, 1 + stored.beside[shapes[number]])
        if shapes[number] >= ESCAPE:
            escaped += counts[number]
        taken[number] = 0
    fresh_at = len(places) + escaped * stored.shape_bytes
    at = rest_at = fresh_at
    for nth in range(sections):
        ranked = 0
        for number in by_shape:
            if shapes[number] and stored.beside[shapes[number]] >= nth:
                first[nth, 1 + number] = at + ranked
                ranked += counts[number]
        first[nth, 0] = ranked
        at += ranked * stored.distance_bytes
        if nth == 0:
            rest_at = at

    high = 0
    for place in range(len(places)):
        number = kind[places[place]]
        shape = shapes[number]
        raw[place] = min(shape, ESCAPE)
        if shape >= ESCAPE:
            for plane in range(stored.shape_bytes):
                raw[len(places) + plane * escaped + high] = shape - ESCAPE >> 8 * plane & 255
            high += 1
        if not shape:
            continue
        position = begin + places[place]
        distance = np.int64(given.entries[position] & DISTANCE_MASK)
        for nth in range(1 + stored.beside[shape]):
            if nth:
                start = given.start[given.staircases[position]]
                distance = np.int64(given.distance[start + stored.steps[shape, nth - 1]])
            to = first[nth, 1 + number] + taken[number]
            for plane in range(stored.distance_bytes):
                raw[to + plane * first[nth, 0]] = distance >> 1 + 8 * plane & 255
        taken[number] += 1
    return fresh_at, rest_at
