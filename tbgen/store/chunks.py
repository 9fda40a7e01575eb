"""The chunks of a file: a HDF5 dataset, and beside it the place and the CRC-32 of each chunk.

The dataset has a row of bytes for each chunk, deflated by HDF5's own filter and as long as the longest needs.
A reader that goes by places needs no walk through HDF5's chunk index, and never decodes a damaged chunk.
"""

import os
import zlib
from collections.abc import Sequence
from typing import Final

import h5py
import numpy as np
from numpy.typing import NDArray

from tbgen.store.encode import LEVEL

CHUNKS: Final = "chunks"
CRC32: Final = "chunk_crc32"
PLACES: Final = "chunk_places"


def create(file: h5py.File, chunks: Sequence[bytes], raw: int) -> None:
    """All but the chunks themselves; `raw` is the length of each before compression."""
    file.create_dataset(CRC32, data=np.array([zlib.crc32(chunk) for chunk in chunks], "<u4"))
    file.create_dataset(PLACES, data=np.zeros((len(chunks), 2), "<u8"))
    file.create_dataset(
        CHUNKS, (len(chunks), raw), np.uint8, chunks=(1, raw), compression="gzip", compression_opts=LEVEL, fillvalue=0
    )


def fill(file: h5py.File, chunks: Sequence[bytes]) -> NDArray[np.uint64]:
    """Write the chunks. Returns their places: offset in the file and length."""
    written = file[CHUNKS].id
    for number, chunk in enumerate(chunks):
        written.write_direct_chunk((number, 0), chunk)
    places = np.zeros((len(chunks), 2), "<u8")

    def note(info: h5py.h5d.StoreInfo) -> None:
        places[info.chunk_offset[0]] = info.byte_offset, info.size

    written.chunk_iter(note)  # to ask for one after the other, HDF5 walks through all of them each time
    file.flush()
    places[:, 0] += _shift(file, int(places[0, 0]), chunks[0])
    file[PLACES][:] = places
    return places


def _shift(file: h5py.File, offset: int, chunk: bytes) -> int:
    """HDF5 2.0 counts from the start of the file, 1.14.2 from the end of the user block."""
    image = file.id.get_file_image()
    for shift in (0, file.userblock_size):
        at = offset + shift - file.userblock_size
        if image[at : at + len(chunk)] == chunk:
            return shift
    raise OSError("HDF5 does not tell where it wrote a chunk")


class Reader:
    """Chunks of an open file by number."""

    def __init__(self, file: h5py.File) -> None:
        self._raw = int(file[CHUNKS].shape[1])
        self._places: NDArray[np.uint64] = file[PLACES][:]
        self._crc32: NDArray[np.uint32] = file[CRC32][:]

    def __len__(self) -> int:
        return len(self._crc32)

    def read(self, handle: int, number: int) -> bytes:
        """A chunk as it was before compression; ValueError where the file does not hold what it should."""
        offset, size = self._places[number].tolist()
        stored = os.pread(handle, size, offset)
        if len(stored) != size or zlib.crc32(stored) != self._crc32[number]:
            raise ValueError(f"chunk {number} has changed since it was written")
        return zlib.decompress(stored, bufsize=self._raw)
