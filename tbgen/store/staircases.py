"""Staircases as the writer sees them, from which the shapes of positions follow. Tables may have 22 million (KRPvKR),
most of them short: so all their steps stand one after the other."""

from collections.abc import Iterator
from typing import Final, NamedTuple

import numpy as np
from numpy.typing import NDArray

from tbgen.index.contents import Steps
from tbgen.store.shapes import BEFORE, EVEN, FRESH, ODD, Shapes, unique_columns

MOST_STEPS: Final = 30
"""A staircase's steps have a bit each in a kind (the longest seen with four men has 9)."""
MOST_FORMS: Final = 1 << 20

# A kind is a shape in one number, the shape being found later. From the lowest bit: legal, fresh distance odd,
# fresh outcome, which steps repeat the fresh entry, form of the staircase.
_ODD: Final = 1
_OUTCOME: Final = 2
_SAME: Final = 13
_FORM: Final = _SAME + MOST_STEPS


class Rows(NamedTuple):
    start: NDArray[np.int32]
    length: NDArray[np.uint8]
    """`[staircase]`: where its steps begin, and how many there are."""
    entry: NDArray[np.int32]
    """`[at]`: a step's outcome * 65536 + distance, as in `Contents.entries`."""
    repeats: NDArray[np.bool_]
    """`[at]`: outcome and distance are those of the step before."""
    form: NDArray[np.int32]
    """`[staircase]`: equal where all but the halves of distances is equal; 0 without steps."""
    model: NDArray[np.int64]
    """`[form]`: a staircase that has it."""
    steps: Steps

    def kinds(self, entries: NDArray[np.int32], staircases: NDArray[np.int32]) -> NDArray[np.int64]:
        """`[position]`: its kind, 0 for no legal position."""
        kind: NDArray[np.int64] = (entries != 0) | (entries & 1).astype(np.int64) << _ODD
        kind |= (entries >> 16 & 0x7FF).astype(np.int64) << _OUTCOME
        inside = np.flatnonzero((staircases != 0) & (entries != 0))
        if len(inside):
            which, entry = staircases[inside], entries[inside]
            start, length = self.start.take(which), self.length.take(which)
            same = self.form.take(which).astype(np.int64) << MOST_STEPS
            for step in range(int(length.max())):
                having = np.flatnonzero(length > step)
                repeated = self.entry.take(start[having] + step) == entry[having]
                same[having] |= repeated.astype(np.int64) << step
            kind[inside] |= same << _SAME
        return kind

    def halves(self, staircases: NDArray[np.int32], step: NDArray[np.int8]) -> NDArray[np.uint16]:
        """Half of the distances of these steps of staircases."""
        halves: NDArray[np.uint16] = (self.entry.take(self.start.take(staircases) + step) & 0xFFFF).astype(np.uint16)
        halves >>= 1
        return halves


def make_rows(steps: Steps) -> Rows:
    length = np.diff(steps.start)
    longest = int(length.max(initial=0))
    if longest > MOST_STEPS or length[0]:
        raise ValueError(f"the first staircase has {length[0]} steps instead of none, or one has {longest}")
    entry = steps.outcome.astype(np.int32) << 16
    entry += steps.distance
    repeats = np.zeros(len(entry), np.bool_)
    repeats[1:] = entry[1:] == entry[:-1]
    repeats[steps.start[:-1][length > 0]] = False
    start, short = steps.start[:-1].astype(np.int32), length.astype(np.uint8)
    model, form = _forms(steps, start, short, repeats)
    if form[0]:  # no steps, no form
        model[[0, form[0]]] = model[[form[0], 0]]
        form = np.where(form == 0, form[0], np.where(form == form[0], 0, form))
    if len(model) > MOST_FORMS:
        raise ValueError(f"{len(model)} forms of staircases, and there is room for {MOST_FORMS}")
    return Rows(start, short, entry, repeats, form.astype(np.int32), model, steps)


def _forms(
    steps: Steps, start: NDArray[np.int32], length: NDArray[np.uint8], repeats: NDArray[np.bool_]
) -> tuple[NDArray[np.int64], NDArray[np.int64]]:
    """Staircases that are equal in all but the halves of distances: the first of each form, and the form of each."""
    words = steps.holder.astype(np.uint32) << 1 | 1
    words |= steps.level.astype(np.uint32) << 2
    words |= (steps.outcome.astype(np.uint32) & 0xFFFF) << 10
    words |= (steps.distance & 1).astype(np.uint32) << 26
    words |= repeats.astype(np.uint32) << 27

    def columns() -> Iterator[NDArray[np.uint32]]:
        """Step by step, 0 behind the last one."""
        for step in range(int(length.max(initial=0))):
            column = np.zeros(len(length), np.uint32)
            having = np.flatnonzero(length > step)
            column[having] = words.take(start[having] + step)
            yield column

    return unique_columns(len(length), columns)


def make_shapes(rows: Rows, kinds: NDArray[np.int64]) -> Shapes:
    """What the kinds mean, one after the other."""
    model = rows.model[kinds >> _FORM]
    start, end = rows.steps.start[model], rows.steps.start[model + 1]
    length = end - start
    kind = np.repeat(np.arange(len(kinds)), length)
    step = np.arange(len(kind)) - np.repeat(np.cumsum(length) - length, length)
    at = start[kind] + step
    source = np.where(rows.steps.distance[at] & 1, ODD, EVEN)
    source[rows.repeats[at]] = BEFORE
    source[(kinds[kind] >> (_SAME + step) & 1) != 0] = FRESH
    outcome = kinds >> _OUTCOME & 0x7FF
    return Shapes(
        (outcome - (outcome >> 10 << 11)).astype("<i2"),
        (kinds >> _ODD & 1).astype(np.uint8),
        length.astype(np.uint8),
        rows.steps.holder[at],
        rows.steps.level[at],
        rows.steps.outcome[at].astype("<i2"),
        source.astype(np.uint8),
    )
