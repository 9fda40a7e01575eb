"""Which staircases have the same form: rows of steps are compared one step at a time. There may be hundreds of
millions, most of them short, so that a table as wide as the longest would not fit into memory; nor may what is known of
each form."""

from collections import deque
from collections.abc import Callable, Iterable
from functools import partial
from typing import Any, Final

import numpy as np
from numpy.typing import NDArray

from tbgen.memory.arrays import Make, in_memory
from tbgen.store.format.shapes import by_step
from tbgen.store.write.aside import pieces
from tbgen.store.write.rising import Rising

Words = Callable[[NDArray[np.int64]], NDArray[np.uint64]]
"""Gives, for each of these steps, all that is to be compared, in one number that is not 0."""

_FEW: Final = 1 << 18
_MANY: Final = 1 << 22
"""Hashes that wait before they are merged with all before them: as many as those, within these bounds."""
_TRIES: Final = 3


def find_forms(
    start: NDArray[np.int64],
    length: NDArray[np.uint8],
    words: Words,
    make: Make = in_memory,
    each: Callable[[Callable[[slice], Any], Iterable[slice]], Iterable[Any]] = map,
) -> tuple[NDArray[np.int32], NDArray[np.int64]]:
    """`[row]`: its form, equal if all words are equal, 0 without steps. And `[form]`: the first row that has it. Which
    form it is depends on the set of different rows alone. Rows are equal if two hashes of 64 bits are, made apart:
    comparing words with those of another row would be a look all over memory for each."""
    form: NDArray[np.int32] = make(len(length), np.int32)
    hashes, checks = (make(len(length), np.uint64) for _ in range(2))
    every = pieces(len(hashes))
    for seed in range(_TRIES):
        different = _all_of(each(partial(_mix, start, length, words, seed, hashes, checks), every), make)
        deque(each(partial(_look_up, different, hashes, form), every), maxlen=0)
        model: NDArray[np.int64] = make(len(different), np.int64)
        check: NDArray[np.uint64] = make(len(different), np.uint64)
        for here in reversed(every):  # of rows with one form the first stays
            model[form[here][::-1]] = np.arange(here.start, here.stop)[::-1]
            check[form[here][::-1]] = checks[here][::-1]
        if all(each(partial(_hold, checks, form, check), every)):
            return form, model
    raise ValueError("some rows of steps cannot be told apart")


def _mix(
    start: NDArray[np.int64],
    length: NDArray[np.uint8],
    words: Words,
    seed: int,
    hashes: NDArray[np.uint64],
    checks: NDArray[np.uint64],
    here: slice,
) -> NDArray[np.uint64]:
    """Hash these rows in two ways; return the different hashes of the first."""
    mixed, check = np.zeros((2, here.stop - here.start), np.uint64)
    for having, at in by_step(start[here], length[here]):
        word = words(at) ^ np.uint64(seed << 40)
        found = (mixed[having] ^ word) * np.uint64(0x9E3779B97F4A7C15)
        mixed[having] = found ^ found >> np.uint64(29)
        found = (check[having] + word) * np.uint64(0xBF58476D1CE4E5B9)
        check[having] = found ^ found >> np.uint64(32)
    hashes[here], checks[here] = mixed, check
    return np.unique(mixed)


def _all_of(parts: Iterable[NDArray[np.uint64]], make: Make) -> NDArray[np.uint64]:
    """What is in these, once, in rising order. They are merged as they come: all together may not fit into memory."""
    different, waiting, count = Rising(make, np.uint64), list[NDArray[np.uint64]](), 0
    for part in parts:
        waiting.append(part)
        count += len(part)
        if count > min(max(_FEW, len(different.values)), _MANY):
            different.add(np.unique(np.concatenate(waiting)))
            waiting, count = [], 0
    different.add(np.unique(np.concatenate([np.zeros(0, np.uint64), *waiting])))
    return different.values


def _look_up(different: NDArray[np.uint64], hashes: NDArray[np.uint64], form: NDArray[np.int32], here: slice) -> None:
    """In rising order: each search ends near the one before, and what it looks at is still in caches."""
    rising = np.argsort(hashes[here])
    form[here][rising] = np.searchsorted(different, hashes[here][rising])


def _hold(checks: NDArray[np.uint64], form: NDArray[np.int32], of_form: NDArray[np.uint64], here: slice) -> bool:
    """Whether the second hashes of these rows are those of their forms, too."""
    return bool((of_form[form[here]] == checks[here]).all())
