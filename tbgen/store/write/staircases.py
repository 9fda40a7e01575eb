"""Staircases in the writer, and the forms that follow from them. A table may have 27 million staircases with 123
million steps (KBPvKN). So all steps stand one after the other, in arrays that need not be in memory, and are read a
piece at a time."""

from concurrent.futures import Executor
from typing import Final, NamedTuple

import numpy as np
from numpy.typing import NDArray

from tbgen.arrays import Make
from tbgen.contents import Steps
from tbgen.store.format.forms import find_forms, pieces
from tbgen.store.format.shapes import BEFORE, EVEN, FRESH, MOST_STEPS, ODD, Forms
from tbgen.store.write.kernels import SAME_AT

_BITS: Final = 63
"""Bits of a kind. KBPvKN, with staircases of up to 17 steps in 3,646,664 forms, needs 52. Where they do not suffice,
what repeats the fresh entry later in a staircase is stored as if it did not."""


class Rows(NamedTuple):
    steps: Steps
    length: NDArray[np.uint8]
    """`[staircase]`: how many steps it has."""
    marks: int
    """A kind says of so many steps, the first of its staircase, whether they repeat the fresh entry: mostly of all."""
    repeats: NDArray[np.bool_]
    """`[step]`: whether outcome and distance are those of the step before."""
    form: NDArray[np.int32]
    """`[staircase]`: its form, equal if all but the halves of distances is equal; 0 without steps."""
    model: NDArray[np.int64]
    """`[form]`: a staircase that has it."""


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
    marks = min(int(length.max()), _BITS - SAME_AT - len(model).bit_length())
    return Rows(steps, length, marks, repeats, form, model)


def _lengths(steps: Steps) -> NDArray[np.uint8]:
    lengths = np.empty(len(steps.start) - 1, np.uint8)
    for here in pieces(len(lengths)):
        found = np.diff(steps.start[here.start : here.stop + 1])
        if found.max() > MOST_STEPS:
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


def make_forms(rows: Rows, keys: NDArray[np.int64], make: Make) -> Forms:
    """The forms with these keys, in the same order. A key is a kind without its outcome and parity."""
    length = rows.length[rows.model[keys >> rows.marks]]
    steps = int(length.sum(dtype=np.int64))
    forms = Forms(length, *(make(steps, kind) for kind in (np.uint8, np.uint8, np.int16, np.uint8)))
    for here, part in forms.parts():
        part.holder[:], part.level[:], part.outcome[:], part.source[:] = _columns(rows, keys[here])
    return forms


def _columns(rows: Rows, keys: NDArray[np.int64]) -> tuple[NDArray[np.generic], ...]:
    """Holder, level, outcome and source of each step of these forms."""
    steps, model = rows.steps, rows.model[keys >> rows.marks]
    length = rows.length[model].astype(np.int64)
    form = np.repeat(np.arange(len(keys)), length)
    step = np.arange(len(form)) - np.repeat(np.cumsum(length) - length, length)
    at = steps.start[model][form] + step
    source = np.where(steps.distance[at] & 1, np.uint8(ODD), np.uint8(EVEN))
    source[rows.repeats[at]] = BEFORE
    source[((keys & (1 << rows.marks) - 1)[form] >> step & 1) != 0] = FRESH
    return steps.holder[at], steps.level[at], steps.outcome[at], source
