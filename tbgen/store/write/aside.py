"""Arrays put aside while a table is written: what is known of each chunk. Of a table with hundreds of millions of
staircases they are larger than memory all together. With a billion numbers there are so many chunks that an object for
each array would take as much as its values."""

from array import array
from bisect import bisect
from collections.abc import Iterable, Iterator, Sequence
from typing import Final, Generic, TypeVar

import numpy as np
from numpy.typing import NDArray

from tbgen.memory.arrays import Make
from tbgen.system import parallel
from tbgen.system.thresholds import LARGE

_FIRST: Final = 1 << 16
"""Bytes of the first piece of room; each next one is twice as large, until `make` puts them on disk,"""

_SHARE: Final = 16
"""then 1 / _SHARE of all that there is, or as large as the last: so much may be left over at the end."""

_PIECE: Final = 1 << 18

_Kind = TypeVar("_Kind", bound=np.generic)


def pieces(count: int) -> Sequence[slice]:
    """Parts of a large array that are treated together."""
    return parallel.pieces(count, _PIECE)


class Aside(Generic[_Kind]):
    """A list of arrays of one kind."""

    def __init__(self, make: Make, kind: type[_Kind]) -> None:
        self._make = make
        self._kind = np.dtype(kind)
        self._rooms: list[NDArray[_Kind]] = []
        self._bounds = array("q", [0])
        """Where each room begins if they are laid one behind the other, and where the last one ends."""
        self._size = _FIRST
        self._begins, self._lengths = array("q"), array("q")
        """Of the arrays, in rooms that are laid so."""
        self._end = 0

    def __len__(self) -> int:
        return len(self._begins)

    def __getitem__(self, nth: int) -> NDArray[_Kind]:
        begin, length = self._begins[nth], self._lengths[nth]
        if not length:  # it may lie behind the last room
            return np.empty(0, self._kind)
        room = bisect(self._bounds, begin) - 1
        at = begin - self._bounds[room]
        return self._rooms[room][at : at + length]

    def __iter__(self) -> Iterator[NDArray[_Kind]]:
        return map(self.__getitem__, range(len(self)))

    def append(self, values: NDArray[_Kind]) -> None:
        if self._end + len(values) > self._bounds[-1]:
            self._end = self._bounds[-1]
            self._rooms.append(self._make(max(len(values), self._size // self._kind.itemsize), self._kind))
            self._bounds.append(self._end + len(self._rooms[-1]))
            # of a table with billions of numbers, so many rooms would be more files than a process may have
            self._size = min(2 * self._size, max(LARGE, self._bounds[-1] * self._kind.itemsize // _SHARE))
        self._begins.append(self._end)
        self._lengths.append(len(values))
        self._end += len(values)
        self[-1][:] = values

    def extend(self, arrays: Iterable[NDArray[_Kind]]) -> None:
        for one in arrays:
            self.append(one)
