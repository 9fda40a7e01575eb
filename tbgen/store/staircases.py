"""Staircases as the writer sees them: a row each, from which the shapes of positions follow."""

from typing import Final, NamedTuple

import numpy as np
from numpy.typing import NDArray

from tbgen.index.contents import Steps
from tbgen.store.shapes import BEFORE, EVEN, FRESH, ODD, Shapes, unique_rows

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
    entry: NDArray[np.int32]
    """`[step, staircase]`: outcome * 65536 + distance, as in `Contents.entries`; 0 behind the last step. A step's row
    lies in one piece: numpy would copy a column for every chunk that takes from it."""
    half: NDArray[np.uint16]
    """`[staircase, step]`: half of the distance."""
    repeats: NDArray[np.bool_]
    """`[staircase, step]`: outcome and distance are those of the step before."""
    form: NDArray[np.int64]
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
            same = self.form.take(which) << MOST_STEPS
            for step, column in enumerate(self.entry):
                same |= (column.take(which) == entry).astype(np.int64) << step
            kind[inside] |= same << _SAME
        return kind


def make_rows(steps: Steps) -> Rows:
    length = np.diff(steps.start)
    longest = int(length.max(initial=0))
    if longest > MOST_STEPS or length[0]:
        raise ValueError(f"the first staircase has {length[0]} steps instead of none, or one has {longest}")
    staircase = np.repeat(np.arange(len(length)), length)
    step = np.arange(len(staircase)) - steps.start[staircase]
    size = (len(length), longest)
    entry, half, words = np.zeros(size[::-1], np.int32), np.zeros(size, np.uint16), np.zeros(size, np.int64)
    entry[step, staircase] = (steps.outcome.astype(np.int32) << 16) + steps.distance
    half[staircase, step] = steps.distance >> 1
    repeats = np.zeros(size, np.bool_)
    repeats[:, 1:] = ((entry[1:] == entry[:-1]) & (entry[1:] != 0)).T
    words[staircase, step] = (
        1
        | steps.holder.astype(np.int64) << 1
        | steps.level.astype(np.int64) << 2
        | (steps.outcome.astype(np.int64) & 0xFFFF) << 10
        | (steps.distance.astype(np.int64) & 1) << 26
    )
    words |= repeats.astype(np.int64) << 27
    model, form = unique_rows(words)
    if form[0]:  # no steps, no form
        model[[0, form[0]]] = model[[form[0], 0]]
        form = np.where(form == 0, form[0], np.where(form == form[0], 0, form))
    if len(model) > MOST_FORMS:
        raise ValueError(f"{len(model)} forms of staircases, and there is room for {MOST_FORMS}")
    return Rows(entry, half, repeats, form, model, steps)


def make_shapes(rows: Rows, kinds: NDArray[np.int64]) -> Shapes:
    """What the kinds mean, one after the other."""
    model = rows.model[kinds >> _FORM]
    start, end = rows.steps.start[model], rows.steps.start[model + 1]
    length = end - start
    kind = np.repeat(np.arange(len(kinds)), length)
    step = np.arange(len(kind)) - np.repeat(np.cumsum(length) - length, length)
    at = start[kind] + step
    source = np.where(rows.steps.distance[at] & 1, ODD, EVEN)
    source[rows.repeats[model[kind], step]] = BEFORE
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
