"""The chunks of a file: a HDF5 dataset, and beside it the place and the CRC-32 of each chunk.

The dataset has a row of bytes per chunk, deflated as by HDF5's own filter; all rows are as long as the longest.
By these places, a reader finds a chunk without HDF5's chunk index; by the CRC-32, it never decodes a damaged chunk.
"""

import os

import numpy as np
from numpy.typing import NDArray
from zlib_ng import zlib_ng

from tbgen.store.format.schema import CHUNKS, CRC32, PLACES
from tbgen.store.read.head import Head


class Reader:
    """Chunks of an open file by number."""

    def __init__(self, head: Head, count: int, room: range) -> None:
        """`count` chunks, all within the part `room` of the file."""
        rows, self.length = head.shape(CHUNKS, "u1")
        """Of each before compression."""
        if rows != count:
            raise ValueError(f"it has {rows} chunks instead of {count}")
        self._room = room
        self._places: NDArray[np.uint64] = head.column(PLACES, "<u8", count, 2)
        self._crc32: NDArray[np.uint32] = head.column(CRC32, "<u4", count)

    def __len__(self) -> int:
        return len(self._crc32)

    def read(self, handle: int, number: int) -> bytes:
        """A chunk as it is stored; ValueError if the file does not hold what it should."""
        offset, size = self._places[number].tolist()
        if not self._room.start <= offset <= offset + size <= self._room.stop:
            raise ValueError(f"chunk {number} is not in the file")
        stored = os.pread(handle, size, offset)
        if len(stored) != size or zlib_ng.crc32(stored) != self._crc32[number]:
            raise ValueError(f"chunk {number} has changed since it was written")
        return stored
