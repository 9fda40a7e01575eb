"""Writing chunks into a file, and asking HDF5 where it has put them (see read/chunks.py)."""

import zlib
from collections.abc import Iterable

import h5py
import numpy as np
from numpy.typing import NDArray

from tbgen.store.format import seal
from tbgen.store.format.schema import CHUNKS, CRC32, LEVEL, PLACES
from tbgen.store.write.target import Target


def create(file: h5py.File, count: int, raw: int) -> None:
    """Make the datasets for `count` chunks; `raw` is the length of each before compression."""
    file.create_dataset(CRC32, data=np.zeros(count, "<u4"))
    file.create_dataset(PLACES, data=np.zeros((count, 2), "<u8"))
    file.create_dataset(
        CHUNKS, (count, raw), np.uint8, chunks=(1, raw), compression="gzip", compression_opts=LEVEL, fillvalue=0
    )


def fill(file: h5py.File, chunks: Iterable[bytes], target: Target) -> NDArray[np.uint64]:
    """Write the chunks as they come. Returns their places: offset in the file, and length."""
    written, first = file[CHUNKS].id, b""
    # HDF5 places some metadata only when it first writes it, and its index of all chunks after the first chunk. So
    # it is made to do both now, and the first chunk is written again, behind them
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

    written.chunk_iter(note)  # asked for one chunk, HDF5 walks through all of them each time
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
