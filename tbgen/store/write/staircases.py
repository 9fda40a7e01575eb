"""Staircases in the writer, and the shapes that follow from them. A table may have 27 million staircases with 123
million steps (KBPvKN). So all steps stand one after the other, in arrays that need not be in memory, and are read a
piece at a time."""

from concurrent.futures import Executor
from typing import Final, NamedTuple

import numpy as np
from numpy.typing import NDArray

from tbgen.contents import DISTANCE_MASK, OUTCOME_SHIFT, Make, Steps
from tbgen.store.format.forms import by_step, find_forms, pieces
from tbgen.store.format.shapes import BEFORE, EVEN, FRESH, ODD, Shapes

# A kind is one number from which the shape is found later. From the lowest bit: legal, fresh distance odd, fresh
# outcome, which steps repeat the fresh entry, form of the staircase.
_ODD: Final = 1
_OUTCOME: Final = 2
_SAME: Final = 13
_BITS: Final = 63
"""Bits of a kind. KBPvKN, with staircases of up to 17 steps in 3,646,664 forms, needs 52."""


class Rows(NamedTuple):
    steps: Steps
    length: NDArray[np.uint8]
    """`[staircase]`: how many steps it has."""
    longest: int
    """Steps of the longest staircase: a kind has a bit for each."""
    repeats: NDArray[np.bool_]
    """`[step]`: whether outcome and distance are those of the step before."""
    form: NDArray[np.int32]
    """`[staircase]`: its form, equal if all but the halves of distances is equal; 0 without steps."""
    model: NDArray[np.int64]
    """`[form]`: a staircase that has it."""

    def kinds(self, entries: NDArray[np.int32], staircases: NDArray[np.int32]) -> NDArray[np.int64]:
        """`[position]`: its kind, 0 if it is not legal."""
        kind: NDArray[np.int64] = (entries != 0) | (entries & 1).astype(np.int64) << _ODD
        kind |= (entries >> OUTCOME_SHIFT & 0x7FF).astype(np.int64) << _OUTCOME
        inside = np.flatnonzero((staircases != 0) & (entries != 0))
        if len(inside):
            which, entry = staircases[inside], entries[inside]
            start, length = self.steps.start.take(which), self.length.take(which)
            same = self.form.take(which).astype(np.int64) << self.longest
            for step, (having, at) in enumerate(by_step(start, length)):
                fresh = entry[having]
                repeated = self.steps.outcome.take(at) == fresh >> OUTCOME_SHIFT
                repeated &= self.steps.distance.take(at) == fresh & DISTANCE_MASK
                same[having] |= repeated.astype(np.int64) << step
            kind[inside] |= same << _SAME
        return kind

    def halves(self, staircases: NDArray[np.int32], step: NDArray[np.int8]) -> NDArray[np.uint16]:
        """Half of the distances of these steps of staircases."""
        halves: NDArray[np.uint16] = self.steps.distance.take(self.steps.start.take(staircases) + step)
        halves >>= 1
        return halves


def make_rows(steps: Steps, make: Make, pool: Executor) -> Rows:
    length = _lengths(steps)
    repeats = _repeats(steps, length, make)

    def words(at: NDArray[np.int64]) -> NDArray[np.uint64]:
        """All but the halves of distances."""
        word = steps.holder[at].astype(np.uint64)
        word += word + np.uint64(1)
        word |= steps.level[at].astype(np.uint64) << 2
        word |= (steps.outcome[at].astype(np.uint64) & 0xFFFF) << 10
        word |= (steps.distance[at].astype(np.uint64) & 1) << 26
        word |= repeats[at].astype(np.uint64) << 27
        return word

    form, model = find_forms(steps.start[:-1], length, words, make, pool.map)
    longest = int(length.max())
    if _SAME + longest + len(model).bit_length() > _BITS:
        raise ValueError(f"{len(model)} forms of up to {longest} steps: there is no room for so many")
    return Rows(steps, length, longest, repeats, form, model)


def _lengths(steps: Steps) -> NDArray[np.uint8]:
    lengths = np.empty(len(steps.start) - 1, np.uint8)
    for here in pieces(len(lengths)):
        found = np.diff(steps.start[here.start : here.stop + 1])
        if found.max() > 255:
            raise ValueError(f"a staircase has {found.max()} steps")
        lengths[here] = found
    if lengths[0]:
        raise ValueError(f"the first staircase has {lengths[0]} steps instead of none")
    return lengths


def _repeats(steps: Steps, lengths: NDArray[np.uint8], make: Make) -> NDArray[np.bool_]:
    repeats: NDArray[np.bool_] = make(len(steps.level), np.bool_)
    for here in pieces(len(repeats)):
        with_last = slice(max(0, here.start - 1), here.stop)
        outcome, distance = steps.outcome[with_last], steps.distance[with_last]
        repeats[with_last][1:] = (outcome[1:] == outcome[:-1]) & (distance[1:] == distance[:-1])
    for here in pieces(len(lengths)):
        repeats[steps.start[here][lengths[here] > 0]] = False
    return repeats


def make_shapes(rows: Rows, kinds: NDArray[np.int64]) -> Shapes:
    """The shapes of these kinds, in the same order."""
    length = rows.length[rows.model[kinds >> _SAME + rows.longest]]
    outcome = kinds >> _OUTCOME & 0x7FF
    columns = zip(*(_columns(rows, kinds[here]) for here in pieces(len(kinds))), strict=True)
    return Shapes(
        (outcome - (outcome >> 10 << 11)).astype("<i2"),
        (kinds >> _ODD & 1).astype(np.uint8),
        length,
        *(np.concatenate(column) for column in columns),
    )


def _columns(rows: Rows, kinds: NDArray[np.int64]) -> tuple[NDArray[np.generic], ...]:
    """Holder, level, outcome and source of each step of these kinds."""
    steps, model = rows.steps, rows.model[kinds >> _SAME + rows.longest]
    length = rows.length[model].astype(np.int64)
    kind = np.repeat(np.arange(len(kinds)), length)
    step = np.arange(len(kind)) - np.repeat(np.cumsum(length) - length, length)
    at = steps.start[model][kind] + step
    source = np.where(steps.distance[at] & 1, np.uint8(ODD), np.uint8(EVEN))
    source[rows.repeats[at]] = BEFORE
    source[(kinds[kind] >> (_SAME + step) & 1) != 0] = FRESH
    return steps.holder[at], steps.level[at], steps.outcome[at].astype("<i2"), source
