"""Staircases in the writer, and the forms that follow from them.

A table of six men may have 208 million staircases with 1.4 billion steps (KRRvKRR). Positions look theirs up all over,
and each look at an array that does not fit into memory would read a page. So of a step only half of its distance is
kept, a byte or two; all else is kept once for all staircases of a form.
"""

from collections import deque
from collections.abc import Callable, Iterable, Iterator
from concurrent.futures import Executor
from functools import partial
from typing import Final, TypeVar

import numpy as np
from numpy.typing import NDArray

from tbgen.core.table_contents import Steps, places_of
from tbgen.memory.arrays import Make
from tbgen.store.format.planes import bytes_for
from tbgen.store.format.shapes import (
    BEFORE,
    EVEN,
    FRESH,
    MOST_STEPS,
    ODD,
    WORD_HOLDER_AT,
    WORD_LEVEL_AT,
    WORD_OUTCOME_AT,
    Forms,
    words_of,
)
from tbgen.store.write.aside import pieces
from tbgen.store.write.find_forms import Words, find_forms
from tbgen.store.write.kernels import BITS, SAME_AT, TOGETHER, WORD_ODD_AT, WORD_REPEATS_AT, Rows
from tbgen.system.parallel import in_turn

T = TypeVar("T")

_AHEAD: Final = 16
"""Pieces of staircases that are being looked at or wait to be merged, at most."""


def make_rows(steps: Steps, make: Make, pool: Executor) -> Rows:
    length = _lengths(steps, make)
    repeats = _repeats(steps, length, make)

    def words(at: NDArray[np.int64]) -> NDArray[np.uint64]:
        word = words_of(steps.holder[at], steps.level[at], steps.outcome[at])
        word |= (steps.distance[at].astype(np.uint64) & 1) << WORD_ODD_AT
        word |= repeats[at].astype(np.uint64) << WORD_REPEATS_AT
        return word

    form, model = find_forms(steps.start[:-1], length, words, make, partial(_in_turn, pool))
    form_length, form_begin, packed = _form_steps(steps.start, length, form, model, words, make)
    half_bytes, halves = _halves(steps.distance, make, pool)
    return Rows(
        *_begins(steps.start, make), halves, half_bytes, form, form_length, form_begin, packed,
        min(int(length.max()), BITS - SAME_AT - len(model).bit_length()),
    )  # fmt: skip


def _form_steps(
    start: NDArray[np.int64],
    length: NDArray[np.uint8],
    form: NDArray[np.int32],
    model: NDArray[np.int64],
    words: Words,
    make: Make,
) -> tuple[NDArray[np.uint8], NDArray[np.int64], NDArray[np.int32]]:
    """`form_length`, `form_begin` and `words` of `Rows`. Steps are read from the first to the last."""
    form_length, form_begin = make(len(model), np.uint8), make(len(model), np.int64)
    for here in pieces(len(model)):
        form_length[here] = length[model[here]]
    packed: NDArray[np.int32] = make(int(form_length.sum(dtype=np.int64)), np.int32)
    end = 0
    for here in pieces(len(length)):
        rows = np.arange(here.start, here.stop)
        rows = rows[model[form[here]] == rows]
        steps = length[rows]
        ends = end + np.cumsum(steps, dtype=np.int64)
        form_begin[form[rows]] = ends - steps
        begin, end = end, end + int(steps.sum(dtype=np.int64))
        packed[begin:end] = words(places_of(start[rows], steps))
    return form_length, form_begin, packed


def _in_turn(pool: Executor, work: Callable[[slice], T], every: Iterable[slice]) -> Iterator[T]:
    return in_turn(pool, _AHEAD, work, zip(every, strict=True))


def _lengths(steps: Steps, make: Make) -> NDArray[np.uint8]:
    lengths: NDArray[np.uint8] = make(len(steps.start) - 1, np.uint8)
    for here in pieces(len(lengths)):
        found = np.diff(steps.start[here.start : here.stop + 1])
        if found.max() > MOST_STEPS:
            raise ValueError(f"a staircase has {found.max()} steps")
        lengths[here] = found
    if lengths[0]:
        raise ValueError(f"the first staircase has {lengths[0]} steps instead of none")
    return lengths


def _repeats(steps: Steps, lengths: NDArray[np.uint8], make: Make) -> NDArray[np.bool_]:
    """`[step]`: whether outcome and distance are those of the step before."""
    repeats: NDArray[np.bool_] = make(len(steps.level), np.bool_)
    for here in pieces(len(repeats)):
        with_last = slice(max(0, here.start - 1), here.stop)
        outcome, distance = steps.outcome[with_last], steps.distance[with_last]
        repeats[with_last][1:] = (outcome[1:] == outcome[:-1]) & (distance[1:] == distance[:-1])
    for here in pieces(len(lengths)):
        repeats[steps.start[here][lengths[here] > 0]] = False
    return repeats


def _begins(start: NDArray[np.int64], make: Make) -> tuple[NDArray[np.int64], NDArray[np.uint16]]:
    """`begin` and `after` of `Rows`."""
    begin, after = start[:: 1 << TOGETHER].copy(), make(len(start), np.uint16)
    for here in pieces(len(start)):
        after[here] = start[here] - begin[np.arange(here.start, here.stop) >> TOGETHER]
    return begin, after


def _halves(distance: NDArray[np.uint16], make: Make, pool: Executor) -> tuple[int, NDArray[np.uint8]]:
    """`half_bytes` and `halves` of `Rows`."""
    every = pieces(len(distance))
    largest = max(_in_turn(pool, lambda here: int(distance[here].max()), every), default=0)
    count = bytes_for(largest >> 1) or 1
    halves: NDArray[np.uint8] = make(count * len(distance), np.uint8)

    def fill(here: slice) -> None:
        for nth in range(count):
            halves[nth::count][here] = distance[here] >> 1 + 8 * nth & 255

    deque(_in_turn(pool, fill, every), maxlen=0)
    return count, halves


def make_forms(rows: Rows, keys: NDArray[np.int64], make: Make) -> Forms:
    """The forms with these keys, in the same order. A key is a kind without its outcome and parity."""
    length: NDArray[np.uint8] = make(len(keys), np.uint8)
    for here in pieces(len(keys)):
        length[here] = rows.form_length[keys[here] >> rows.marks]
    steps = int(length.sum(dtype=np.int64))
    forms = Forms(length, *(make(steps, kind) for kind in (np.uint8, np.uint8, np.int16, np.uint8)))
    for here, part in forms.parts():
        part.holder[:], part.level[:], part.outcome[:], part.source[:] = _columns(rows, keys[here])
    return forms


def _columns(rows: Rows, keys: NDArray[np.int64]) -> tuple[NDArray[np.generic], ...]:
    """Holder, level, outcome and source of each step of these forms."""
    form = keys >> rows.marks
    length, begin = rows.form_length[form], rows.form_begin[form]
    at = places_of(begin, length)
    word = rows.words[at]
    source = np.where(word >> WORD_ODD_AT & 1, np.uint8(ODD), np.uint8(EVEN))
    source[word >> WORD_REPEATS_AT & 1 != 0] = BEFORE
    marked = np.repeat(keys & (1 << rows.marks) - 1, length) >> at - np.repeat(begin, length) & 1
    source[marked != 0] = FRESH
    return word >> WORD_HOLDER_AT & 1, word >> WORD_LEVEL_AT & 0xFF, (word >> WORD_OUTCOME_AT).astype(np.int16), source
