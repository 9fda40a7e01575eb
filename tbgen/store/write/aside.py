"""Arrays put aside while a table is written: what is known of each chunk. Of a table with hundreds of millions of
staircases they are larger than memory all together."""

from typing import Any, Final

import numpy as np
from numpy.typing import NDArray

from tbgen.arrays import Make
from tbgen.sizes import LARGE

_FIRST: Final = 1 << 16
"""Bytes of the first piece of room; each next one is twice as large, until `make` puts them on disk."""


class Aside:
    def __init__(self, make: Make) -> None:
        self._make = make
        self._room: dict[np.dtype[Any], NDArray[Any]] = {}
        self._size = _FIRST

    def put(self, array: NDArray[Any]) -> NDArray[Any]:
        """The same array, where it may leave memory."""
        room = self._room.get(array.dtype)
        if room is None or len(room) < len(array):
            room = self._make(max(len(array), self._size // array.itemsize), array.dtype)
            self._size = min(2 * self._size, LARGE)
        kept, self._room[array.dtype] = room[: len(array)], room[len(array) :]
        kept[:] = array
        return kept
