"""Numbers for keys, given as the keys come by: whole columns of them at a time."""

from typing import Final

import numpy as np
from numpy.typing import NDArray

from tbgen.store.shapes import first_of, unique

_LEAST: Final = 12
_SPARE: Final = 4
"""At least so many places to a key."""
_NOBODY: Final = -1
_MIX: Final = np.uint64(0x9E3779B97F4A7C15)


class Keys:
    """Different keys, none negative, have different numbers: 0, 1, ... in the order in which they came.

    A key is looked for at the one place that it would have in a table. Who finds another there, which had come
    before, is in the dictionary alone; that is slower, but few keys share a place, and the common ones come early."""

    def __init__(self) -> None:
        self._numbers: dict[int, int] = {}
        self._make_table(_LEAST)

    def __len__(self) -> int:
        return len(self._numbers)

    def _make_table(self, bits: int) -> None:
        self._shift = np.uint64(64 - bits)
        self._key = np.full(1 << bits, _NOBODY, np.int64)
        self._number = np.zeros(1 << bits, np.int32)

    def _places(self, keys: NDArray[np.int64]) -> NDArray[np.int64]:
        return (keys.view(np.uint64) * _MIX >> self._shift).view(np.int64)

    def _enter(self, keys: NDArray[np.int64], numbers: NDArray[np.int32]) -> None:
        """Give keys the places that are free, the first who comes (of several that come at once: any of them)."""
        places = self._places(keys)
        free = np.flatnonzero(self._key[places] == _NOBODY)
        self._key[places[free]] = keys[free]
        won = free[self._key[places[free]] == keys[free]]
        self._number[places[won]] = numbers[won]

    def _grow(self) -> None:
        if len(self) * _SPARE > len(self._key):
            self._make_table((len(self) * 2 * _SPARE).bit_length())
            self._enter(np.fromiter(self._numbers, np.int64, len(self)), np.arange(len(self), dtype=np.int32))

    def number(self, keys: NDArray[np.int64]) -> tuple[NDArray[np.int32], NDArray[np.int64]]:
        """The number of each, and where new keys stand, each once and in the order of their numbers."""
        places = self._places(keys)
        numbers = self._number.take(places)
        missed = np.flatnonzero(self._key.take(places) != keys)
        if not len(missed):
            return numbers, missed
        known = len(self)
        different, which = unique(keys[missed])
        found = np.array([self._numbers.setdefault(key, len(self)) for key in different.tolist()], np.int32)
        numbers[missed] = found[which]
        new = np.flatnonzero(found >= known)
        if len(new):
            self._enter(different[new], found[new])
            self._grow()
        return numbers, missed[first_of(which, len(different))[new]]
