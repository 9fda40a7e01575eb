"""Columns of bytes in compressed chunks, and the tables in the head of the file that say where each chunk lies.

A column is a HDF5 dataset of `planes` x `length` bytes, one plane after the other within a chunk, deflated by
HDF5's own filter. Beside it stand the place and the CRC-32 of each chunk, so that a reader needs no walk through
HDF5's chunk index and never decodes a damaged chunk.
"""

import os
import zlib
from collections.abc import Sequence
from typing import Final, NamedTuple

import h5py
import numpy as np
from numpy.typing import NDArray

LEVEL: Final = 6


class Packed(NamedTuple):
    """A column ready to be written."""

    name: str
    planes: int
    length: int
    width: int
    """Bytes of a plane in a chunk."""
    chunks: Sequence[bytes]


def chunk_count(length: int, width: int) -> int:
    return -(-length // width)


def deflate(planes: NDArray[np.uint8], width: int) -> bytes:
    """One chunk. HDF5 knows chunks of one size only, so the last is filled up."""
    if planes.shape[1] < width:
        planes = np.pad(planes, ((0, 0), (0, width - planes.shape[1])))
    return zlib.compress(planes.tobytes(), LEVEL)


def create(file: h5py.Group, column: Packed) -> None:
    """The column without its chunks."""
    file.create_dataset(
        column.name,
        (column.planes, column.length),
        np.uint8,
        chunks=(column.planes, column.width),
        compression="gzip",
        compression_opts=LEVEL,
        fillvalue=0,
    )
    crcs = [zlib.crc32(chunk) for chunk in column.chunks]
    file.create_dataset(f"{column.name}_crc32", data=np.array(crcs, "<u4"))
    # the places are known when the chunks are there
    file.create_dataset(f"{column.name}_places", data=np.zeros((len(crcs), 2), "<u8"))


def fill(file: h5py.Group, column: Packed) -> NDArray[np.uint64]:
    """Write the chunks. Returns their places: offset in the file and size."""
    written = file[column.name].id
    for number, chunk in enumerate(column.chunks):
        written.write_direct_chunk((0, number * column.width), chunk)
    infos = [written.get_chunk_info_by_coord((0, number * column.width)) for number in range(len(column.chunks))]
    places = np.array([(info.byte_offset, info.size) for info in infos], "<u8").reshape(-1, 2)
    if len(places):
        file[f"{column.name}_places"][:] = places
    return places


class Column:
    """A column of an open file."""

    def __init__(self, file: h5py.Group, name: str) -> None:
        column = file[name]
        self.planes, self.length = (int(number) for number in column.shape)
        self.width = int(column.chunks[1])
        self._places: list[list[int]] = file[f"{name}_places"][:].tolist()
        self._crc32: list[int] = file[f"{name}_crc32"][:].tolist()

    def __len__(self) -> int:
        return len(self._crc32)

    def read(self, handle: int, number: int) -> bytes:
        """The planes of a chunk, one after the other. ValueError where the file does not hold what it should."""
        offset, size = self._places[number]
        stored = os.pread(handle, size, offset)
        if len(stored) != size or zlib.crc32(stored) != self._crc32[number]:
            raise ValueError(f"chunk {number} is damaged")
        return zlib.decompress(stored, bufsize=self.planes * self.width)
