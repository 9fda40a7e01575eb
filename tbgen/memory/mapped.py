"""Files that are mapped into memory as arrays, and their room on disk."""

import ctypes
import errno
import mmap
import os
from contextlib import suppress
from pathlib import Path
from typing import Any, Final

import numpy as np
from numpy.typing import NDArray

from tbgen.memory.arrays import HANDLE, RESERVED
from tbgen.system import text

_PAGE: Final = mmap.PAGESIZE
_FIXED: Final = 0x10
"""`MAP_FIXED`, which Python does not name: map at this address, in place of what is mapped there."""
_PIECE: Final = 1 << 20
"""Bytes that are written at once where a file system cannot reserve room."""


class Mapping(mmap.mmap):
    is_scattered = False
    is_sparse = False
    has_no_file = False
    """Its file takes its place when that has room."""
    room: NDArray[np.int64]
    """Of the array in it (arrays.py)."""


class Sparse:
    """An array on disk that has room where it is filled. Elsewhere are zeros, but for the ends of parts that were
    dropped."""

    def __init__(self, mapping: Mapping, kind: np.dtype[Any], place: Path) -> None:
        self.array: NDArray[Any] = np.frombuffer(mapping, kind)
        self._mapping = mapping
        self._place = place

    def fill(self, part: range) -> NDArray[Any]:
        """The part of it with these places, to be written to."""
        room, size = self._mapping.room, self.array.itemsize
        if room[HANDLE] >= 0:
            with text.named(str(self._place)):
                os.posix_fallocate(int(room[HANDLE]), part.start * size, len(part) * size)
            room[RESERVED] += len(part) * size
        return self.array[part.start : part.stop]

    def drop(self, part: range) -> None:
        """Give the room of a part back. It may end within pages of others, which stay."""
        room, size = self._mapping.room, self.array.itemsize
        begin, end = -(-part.start * size // _PAGE) * _PAGE, part.stop * size // _PAGE * _PAGE
        with suppress(OSError):  # not all file systems can do it
            if room[HANDLE] >= 0 and begin < end:
                self._mapping.madvise(mmap.MADV_REMOVE, begin, end - begin)
                room[RESERVED] -= len(part) * size


def can_reserve(handle: int) -> bool:
    """Whether the file system can reserve room. Some C libraries do it otherwise where it cannot: byte by byte, which
    changes nothing that is there."""
    try:
        os.posix_fallocate(handle, 0, 1)
    except OSError as error:
        if error.errno != errno.EOPNOTSUPP:
            raise
        return False
    return True


def reserve(handle: int, size: int) -> None:
    """Have a file be this long, with room on disk for all of it; what is new are zeros."""
    try:
        os.posix_fallocate(handle, 0, size)
    except OSError as error:
        if error.errno != errno.EOPNOTSUPP:
            raise
        # Where a file system cannot do it, glibc writes something into each block. Other libraries leave that to us.
        zeros, at = memoryview(bytes(_PIECE)), os.fstat(handle).st_size
        while at < size:
            at += os.pwrite(handle, zeros[: size - at], at)


def put_in_place(handle: int, memory: Mapping) -> None:
    """Map a file where its array has been without it, at once for all threads: the zeros of the one follow those of
    the other. A hole of a mapped file would take room of a tmpfs when it is read, and kill the process without it."""
    map_at = ctypes.CDLL(None, use_errno=True).mmap
    map_at.restype = ctypes.c_void_p
    map_at.argtypes = (ctypes.c_void_p, ctypes.c_size_t, *3 * (ctypes.c_int,), ctypes.c_long)
    address = np.frombuffer(memory, np.uint8).ctypes.data
    access = mmap.PROT_READ | mmap.PROT_WRITE
    if map_at(address, len(memory), access, mmap.MAP_SHARED | _FIXED, handle, 0) != address:
        raise OSError(ctypes.get_errno(), os.strerror(ctypes.get_errno()))
    memory.has_no_file = False
