"""The chunks of a file: a HDF5 dataset, and beside it the place and the CRC-32 of each chunk.

The dataset has a row of bytes for each chunk, deflated by HDF5's own filter and as long as the longest needs.
A reader that goes by places needs no walk through HDF5's chunk index, and never decodes a damaged chunk.
"""

import os
import zlib
from collections.abc import Iterable
from typing import Final

import h5py
import numpy as np
from numpy.typing import NDArray

from tbgen.store import seal
from tbgen.store.encode import LEVEL
from tbgen.store.head import Head
from tbgen.store.target import Target

CHUNKS: Final = "chunks"
CRC32: Final = "chunk_crc32"
PLACES: Final = "chunk_places"


def create(file: h5py.File, count: int, raw: int) -> None:
    """Room for so many chunks; `raw` is the length of each before compression."""
    file.create_dataset(CRC32, data=np.zeros(count, "<u4"))
    file.create_dataset(PLACES, data=np.zeros((count, 2), "<u8"))
    file.create_dataset(
        CHUNKS, (count, raw), np.uint8, chunks=(1, raw), compression="gzip", compression_opts=LEVEL, fillvalue=0
    )


def fill(file: h5py.File, chunks: Iterable[bytes], target: Target) -> NDArray[np.uint64]:
    """Write the chunks as they come to the file's target. Returns their places: offset in the file and length."""
    written, first = file[CHUNKS].id, b""
    # HDF5 finds room for some of its notes when it must write them, and makes its index of all chunks when it has the
    # first, behind it: so this one is written again
    file.flush()
    written.write_direct_chunk((0, 0), b"\0")
    crc32, places = np.zeros(written.shape[0], "<u4"), np.zeros((written.shape[0], 2), "<u8")
    for number, chunk in enumerate(chunks):
        target.check()
        written.write_direct_chunk((number, 0), chunk)
        crc32[number] = zlib.crc32(chunk)
        first = first or chunk

    def note(info: h5py.h5d.StoreInfo) -> None:
        places[info.chunk_offset[0]] = info.byte_offset, info.size

    written.chunk_iter(note)  # to ask for one after the other, HDF5 walks through all of them each time
    file.flush()
    places[:, 0] += _shift(target, int(places[0, 0]), first)
    file[CRC32][:], file[PLACES][:] = crc32, places
    return places


def _shift(target: Target, offset: int, chunk: bytes) -> int:
    """HDF5 2.0 counts from the start of the file, 1.14.2 from the end of the user block."""
    for shift in (0, seal.SIZE):
        if target.read(offset + shift, len(chunk)) == chunk:
            return shift
    target.check()
    raise OSError("HDF5 does not tell where it wrote a chunk")


class Reader:
    """Chunks of an open file by number."""

    def __init__(self, head: Head, count: int, room: range) -> None:
        """So many chunks, somewhere in this part of the file."""
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
        """A chunk as it is stored; ValueError where the file does not hold what it should."""
        offset, size = self._places[number].tolist()
        if not self._room.start <= offset <= offset + size <= self._room.stop:
            raise ValueError(f"chunk {number} is not in the file")
        stored = os.pread(handle, size, offset)
        if len(stored) != size or zlib.crc32(stored) != self._crc32[number]:
            raise ValueError(f"chunk {number} has changed since it was written")
        return stored
