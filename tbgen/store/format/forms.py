"""Comparing rows of steps, one step at a time: staircases in the writer, shapes in a reader. There may be millions,
most of them short, so that a table as wide as the longest would not fit into memory."""

from collections.abc import Callable, Iterable, Iterator
from functools import partial
from typing import Any, Final

import numpy as np
from numpy.typing import NDArray

from tbgen import turns
from tbgen.contents import Make, in_memory

Words = Callable[[NDArray[np.int64]], NDArray[np.uint64]]
"""Gives, for each of these steps, all that is to be compared, in one number that is not 0."""

_PIECE: Final = 1 << 18
_TRIES: Final = 3


def pieces(count: int) -> list[slice]:
    """Slices of rows or steps that are treated together."""
    return turns.pieces(count, _PIECE)


def by_step(
    start: NDArray[np.integer], length: NDArray[np.integer]
) -> Iterator[tuple[NDArray[np.int64], NDArray[np.int64]]]:
    """For the first step, the second and so on: the rows that have it, and where it is."""
    for step in range(int(length.max(initial=0))):
        having: NDArray[np.int64] = np.flatnonzero(length > step)
        yield having, start[having].astype(np.int64) + step


def find_forms(
    start: NDArray[np.int64],
    length: NDArray[np.uint8],
    words: Words,
    make: Make = in_memory,
    each: Callable[[Callable[[slice], Any], Iterable[slice]], Iterable[Any]] = map,
) -> tuple[NDArray[np.int32], NDArray[np.int64]]:
    """`[row]`: its form, equal if all words are equal, 0 without steps. And `[form]`: a row that has it. The forms
    depend on the set of different rows alone."""
    form: NDArray[np.int32] = make(len(length), np.int32)
    hashes: NDArray[np.uint64] = make(len(length), np.uint64)
    for seed in range(_TRIES):
        parts = each(partial(_mix, start, length, words, seed, hashes), pieces(len(hashes)))
        different = np.unique(np.concatenate([np.zeros(1, np.uint64), *parts]))
        model = np.zeros(len(different), np.int64)
        for here in pieces(len(hashes)):
            found = np.searchsorted(different, hashes[here])
            form[here], model[found] = found, np.arange(here.start, here.stop)
        if all(each(partial(_hold, start, length, words, form, model), pieces(len(form)))):
            return form, model
    raise ValueError("some rows of steps cannot be told apart")


def _mix(
    start: NDArray[np.int64],
    length: NDArray[np.uint8],
    words: Words,
    seed: int,
    hashes: NDArray[np.uint64],
    here: slice,
) -> NDArray[np.uint64]:
    """Hash these rows; return the different hashes."""
    mixed = np.zeros(here.stop - here.start, np.uint64)
    for having, at in by_step(start[here], length[here]):
        found = (mixed[having] ^ words(at) ^ np.uint64(seed << 40)) * np.uint64(0x9E3779B97F4A7C15)
        mixed[having] = found ^ found >> np.uint64(29)
    hashes[here] = mixed
    return np.unique(mixed)


def _hold(
    start: NDArray[np.int64],
    length: NDArray[np.uint8],
    words: Words,
    form: NDArray[np.int32],
    model: NDArray[np.int64],
    here: slice,
) -> bool:
    """Whether these rows equal the models of their forms."""
    models = model[form[here]]
    if not (length[models] == length[here]).all():
        return False
    steps = by_step(start[here], length[here])
    return all((words(at) == words(start[models[having]] + at - start[here][having])).all() for having, at in steps)
