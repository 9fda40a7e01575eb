"""Numbering keys in the order in which they come, whole columns of them at a time."""

from typing import Final

import numpy as np
from numpy.typing import NDArray

from tbgen.store.format.shapes import first_of, unique

_LEAST: Final = 12
_SPARE: Final = 4
"""Places per key, at least."""
_NOBODY: Final = -1
_MIX: Final = np.uint64(0x9E3779B97F4A7C15)


class Keys:
    """Different keys, none negative, have different numbers: 0, 1, ... in the order in which they came.

    Each key has one place in a table. If an earlier key has taken it, the key is in a dictionary instead. That is
    slower, but few keys share a place, and the common ones come early."""

    def __init__(self) -> None:
        self._count = 0
        self._others: dict[int, int] = {}
        self._make_table(_LEAST)

    def __len__(self) -> int:
        return self._count

    def _make_table(self, bits: int) -> None:
        self._shift = np.uint64(64 - bits)
        self._key = np.full(1 << bits, _NOBODY, np.int64)
        self._number = np.zeros(1 << bits, np.int32)

    def _places(self, keys: NDArray[np.int64]) -> NDArray[np.int64]:
        return (keys.view(np.uint64) * _MIX >> self._shift).view(np.int64)

    def _enter(self, keys: NDArray[np.int64], numbers: NDArray[np.int32]) -> None:
        """Put keys into their places if these are free, one key into each; the others go into the dictionary."""
        places = self._places(keys)
        free = np.flatnonzero(self._key[places] == _NOBODY)
        self._key[places[free]] = keys[free]
        has_it = self._key[places] == keys
        self._number[places[has_it]] = numbers[has_it]
        self._others.update(zip(keys[~has_it].tolist(), numbers[~has_it].tolist(), strict=True))

    def _grow(self) -> None:
        if len(self) * _SPARE > len(self._key):
            inside, others = np.flatnonzero(self._key != _NOBODY), self._others
            keys = np.concatenate([self._key[inside], np.fromiter(others.keys(), np.int64, len(others))])
            numbers = np.concatenate([self._number[inside], np.fromiter(others.values(), np.int32, len(others))])
            self._others = {}
            self._make_table((len(self) * 2 * _SPARE).bit_length())
            self._enter(keys, numbers)

    def number(self, keys: NDArray[np.int64]) -> tuple[NDArray[np.int32], NDArray[np.int64]]:
        """The number of each key, and where the new keys stand, each once and in the order of their numbers."""
        places = self._places(keys)
        numbers = self._number.take(places)
        missed = np.flatnonzero(self._key.take(places) != keys)
        if not len(missed):
            return numbers, missed
        different, which = unique(keys[missed])
        known = self._others.get
        found = np.array([known(key, _NOBODY) for key in different.tolist()], np.int32)
        new = np.flatnonzero(found == _NOBODY)
        found[new] = np.arange(len(self), len(self) + len(new))
        numbers[missed] = found[which]
        if len(new):
            self._count += len(new)
            self._enter(different[new], found[new])
            self._grow()
        return numbers, missed[first_of(which, len(different))[new]]
