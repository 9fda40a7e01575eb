"""Arrays of zeros for tables at work, wherever they lie: in memory, or in files (store/disk_arrays.py).

Writing to a page of a file for which the disk has no room would kill the process, so room is reserved before: for most
arrays when they are made, for those that may never be full as far as they are about to be written.
"""

import math
import os
from collections.abc import Callable
from mmap import MADV_RANDOM, mmap
from typing import Any, Final, NamedTuple, Protocol

import numpy as np
from numpy.typing import DTypeLike, NDArray

Make = Callable[[int, DTypeLike], NDArray[Any]]
"""Makes an array of n zeros. One that has an element per number or per step of a large table need not be in memory."""


def in_memory(count: int, kind: DTypeLike) -> NDArray[Any]:
    return np.zeros(count, kind)


# slots of `Growing.room`
HANDLE: Final = 0
"""Of the file."""
RESERVED: Final = 1
"""Bytes that have room, from the first one on."""
SIZE: Final = 2
"""Bytes of the array."""
LOCK: Final = 3
"""1 while a thread reserves more."""
FAILED: Final = 4
"""What the system said when it had no more: its `errno`; 0 before."""
_SLOTS: Final = 5


class Growing(NamedTuple):
    """An array that gets its room as it is filled. Whoever writes to it reserves that first: some bytes from its
    beginning on (retro/room.py), or all of them (`Arrays.reserve_all`)."""

    array: NDArray[Any]
    room: NDArray[np.int64]


def make_room(size: int, reserved: int) -> NDArray[np.int64]:
    """For an array of this size; the file gets its handle where it is opened."""
    room = np.zeros(_SLOTS, np.int64)
    room[HANDLE], room[RESERVED], room[SIZE] = -1, reserved, size
    return room


def with_room(array: NDArray[Any]) -> Growing:
    """An array all of which has room."""
    return Growing(array, make_room(array.nbytes, array.nbytes))


def check_room(room: NDArray[np.int64]) -> None:
    """OSError if an array could not be given more."""
    if room[FAILED]:
        raise OSError(int(room[FAILED]), os.strerror(int(room[FAILED])))


def file_of(array: NDArray[Any]) -> mmap | None:
    """The file in which an array lies, or a part of one."""
    base: Any = array
    while isinstance(base, np.ndarray):
        base = base.base
    memory = getattr(base, "obj", base)  # what numpy keeps depends on its version
    return memory if isinstance(memory, mmap) else None


def read_by_pages(*arrays: NDArray[Any]) -> None:
    """Have the system read single pages of those that are in files: they are looked at all over, and what else it would
    read takes the room of pages that are needed."""
    for array in arrays:
        if (memory := file_of(array)) is not None:
            memory.madvise(MADV_RANDOM)


class Arrays(Protocol):
    """Makes arrays of n zeros."""

    def array(self, count: int, kind: DTypeLike, /, *, scattered: bool = False) -> NDArray[Any]:
        """One that belongs to a table. A `scattered` one is looked at all over."""

    def growing(self, count: int, kind: DTypeLike, /, *, scattered: bool = False) -> Growing:
        """The same without room on disk."""

    def later(self, count: int, kind: DTypeLike, /) -> NDArray[Any]:
        """The same, which takes no room when it is read, either: `reserve_all` it before writing."""

    def reserve_all(self, array: NDArray[Any], /) -> None:
        """Have room on disk for all of an array."""

    def check(self, room: NDArray[np.int64], /) -> None:
        """OSError if the disk had no room for more of a growing array."""

    def work(self, count: int, kind: DTypeLike, /) -> NDArray[Any]:
        """One for a slice at work; those that are asked for first are in memory, as long as it has room."""

    def work_room(self) -> float:
        """Bytes of memory that those have room for together."""

    def finishing(self, count: int, kind: DTypeLike, /) -> NDArray[Any]:
        """One for a table that is solved: in memory if that leaves room for what else it takes to write the table."""


class InMemoryArrays:
    """All of them in memory."""

    def array(self, count: int, kind: DTypeLike, /, *, scattered: bool = False) -> NDArray[Any]:
        return in_memory(count, kind)

    def growing(self, count: int, kind: DTypeLike, /, *, scattered: bool = False) -> Growing:
        return with_room(in_memory(count, kind))

    def later(self, count: int, kind: DTypeLike, /) -> NDArray[Any]:
        return in_memory(count, kind)

    def reserve_all(self, array: NDArray[Any], /) -> None:
        pass

    def check(self, room: NDArray[np.int64], /) -> None:
        check_room(room)

    def work(self, count: int, kind: DTypeLike, /) -> NDArray[Any]:
        return in_memory(count, kind)

    def work_room(self) -> float:
        return math.inf

    def finishing(self, count: int, kind: DTypeLike, /) -> NDArray[Any]:
        return in_memory(count, kind)


IN_MEMORY: Final = InMemoryArrays()
