"""The two passes of the writer over all positions, a chunk at a time: which kinds of positions a chunk has, then its
bytes before compression."""

from typing import Final, NamedTuple

import numpy as np
from numpy.typing import NDArray

from tbgen.compiler.jit import inlined, kernel
from tbgen.core.table_contents import DISTANCE_MASK, OUTCOME_SHIFT
from tbgen.store.format.schema import ESCAPE
from tbgen.store.format.shapes import MOST_STEPS, WORD_END, WORD_OUTCOME_AT

# A kind is all of a position that becomes a shape, in one number. From the lowest bit: legal, fresh distance odd,
# fresh outcome, which steps are as the fresh entry, form of the staircase. 0: no legal position.
ODD_AT: Final = 1
OUTCOME_AT: Final = 2
OUTCOMES: Final = 0x7FF
SAME_AT: Final = 13
BITS: Final = 63
"""Bits of a kind. KBPvKN, with staircases of up to 17 steps in 3,646,664 forms, needs 52."""

# A word is all of a step but half of its distance: above what it is in store/format/shapes.py, whether the distance is
# odd, and whether the step repeats outcome and distance of the one before.
WORD_ODD_AT: Final = WORD_END
WORD_REPEATS_AT: Final = WORD_END + 1

TOGETHER: Final = 8
"""2 ** TOGETHER staircases have one note of where their steps begin."""
assert ((1 << TOGETHER) - 1) * MOST_STEPS < 1 << 16, "the last of them begins so many steps later, at most"

_MIX: Final = np.int64(-7046029254386353131)
_TOP: Final = 48
"""Bits of a product that are too low to tell kinds apart."""


class Rows(NamedTuple):
    """All staircases. Positions look theirs up all over."""

    begin: NDArray[np.int64]
    """`[staircase >> TOGETHER]`: where the steps of the first of them begin."""
    after: NDArray[np.uint16]
    """`[staircase]`: how many steps after that its own begin."""
    halves: NDArray[np.uint8]
    """`[step * half_bytes + nth]`: half of its distance, byte by byte from the lowest."""
    half_bytes: int
    form: NDArray[np.int32]
    """`[staircase]`: its form, equal if all words are equal; 0 without steps."""
    form_length: NDArray[np.uint8]
    """`[form]`: how many steps it has."""
    form_begin: NDArray[np.int64]
    """`[form]`: where its words begin."""
    words: NDArray[np.int32]
    marks: int
    """A kind says of so many steps, the first of its staircase, whether they are as the fresh entry: mostly of all. A
    later one is stored, whether it is or not."""


class Stored(NamedTuple):
    """How the shapes of a group are stored."""

    steps: NDArray[np.uint8]
    """`[shape, nth]`: the step whose distance is the nth that is stored, if there is one."""
    beside: NDArray[np.uint8]
    """`[shape]`: how many are stored beside the fresh one."""
    shape_bytes: int
    distance_bytes: int


@kernel
def find_kinds(entries, staircases, rows, begin, slots, kind, kinds, counts):
    """Number the kinds of a chunk's positions as they are met: `kind` by position, `kinds` and `counts` by number.
    Positions beyond the last have kind 0. Returns how many kinds there are, and the longest fresh distance."""
    slots[:] = -1
    mask = len(slots) - 1
    found, longest = 0, 0
    for place in range(len(kind)):
        seen = np.int64(0)
        if begin + place < len(entries):
            entry = entries[begin + place]
            if entry:
                longest = max(longest, entry & DISTANCE_MASK)
                seen = _kind_of(rows, entry, staircases[begin + place])
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
def _kind_of(rows, entry, staircase):
    kind = np.int64(1 | (entry & 1) << ODD_AT | (entry >> OUTCOME_SHIFT & OUTCOMES) << OUTCOME_AT)
    if staircase:
        form, half = rows.form[staircase], (entry & DISTANCE_MASK) >> 1
        same, begin = np.int64(form) << rows.marks, rows.form_begin[form]
        for step in range(min(rows.marks, rows.form_length[form])):
            if _is_like(rows.words[begin + step], entry):
                same |= np.int64(_half_of(rows, _begin_of(rows, staircase) + step) == half) << step
        kind |= same << SAME_AT
    return kind


@inlined
def _is_like(word, entry):
    """Whether outcome and parity of a step are those of an entry."""
    wanted = (entry >> OUTCOME_SHIFT & 0xFFFF) << WORD_OUTCOME_AT | (entry & 1) << WORD_ODD_AT
    return (word ^ wanted) >> WORD_OUTCOME_AT & 0x1FFFF == 0


@inlined
def _begin_of(rows, staircase):
    """Where the steps of a staircase begin."""
    return rows.begin[staircase >> TOGETHER] + rows.after[staircase]


@inlined
def _half_of(rows, step):
    """Half of the distance of a step."""
    half = np.int64(0)
    for nth in range(rows.half_bytes):
        half |= np.int64(rows.halves[step * rows.half_bytes + nth]) << 8 * nth
    return half


@kernel
def fill_chunk(entries, staircases, rows, stored, begin, places, kind, shapes, counts, by_shape, first, taken, raw):
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
        half = np.int64(entries[position] & DISTANCE_MASK) >> 1
        steps = _begin_of(rows, staircases[position]) if stored.beside[shape] else 0
        for nth in range(1 + stored.beside[shape]):
            if nth:
                half = _half_of(rows, steps + stored.steps[shape, nth - 1])
            to = first[nth, 1 + number] + taken[number]
            for plane in range(stored.distance_bytes):
                raw[to + plane * first[nth, 0]] = half >> 8 * plane & 255
        taken[number] += 1
    return fresh_at, rest_at
