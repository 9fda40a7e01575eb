"""What HDF5's users see: the head's lines as attributes, the sections as datasets.

HDF5 is told of plain arrays. It says where they lie, and gives the bytes that tell its users so; those of the arrays
are written without it."""

import io
import os
from collections.abc import Mapping
from itertools import pairwise
from typing import Any, BinaryIO, Final, NamedTuple

import h5py
import numpy as np
from h5py import h5d, h5p, h5s, h5t

from tbgen.store.format import head as heads
from tbgen.store.format.head import Section

_VERSION: Final = "v110"
"""The oldest HDF5 that is to read the file."""


class Array(NamedTuple):
    kind: np.dtype[Any]
    shape: tuple[int, ...]

    @property
    def nbytes(self) -> int:
        return self.kind.itemsize * int(np.prod(self.shape, dtype=np.int64))


class Piece(NamedTuple):
    offset: int
    data: bytes


class Described(NamedTuple):
    places: dict[str, Section]
    pieces: list[Piece]
    """What HDF5 has written."""
    size: int
    """Bytes of the whole file."""


class Image(io.RawIOBase):
    """What HDF5 writes to. HDF5 survives no error of a full disk, not even at exit. So what it writes stays in memory
    until `save` writes it to the file under it, if there is one."""

    def __init__(self, under: BinaryIO | None = None) -> None:
        self.pieces: list[Piece] = []
        """What has been written; later pieces lie above."""
        self.size = 0
        self._under = under
        self._at = 0

    def save(self) -> None:
        assert self._under is not None
        for offset, data in self.pieces:
            self._under.seek(offset)
            self._under.write(data)
        self._under.flush()
        self.pieces.clear()

    def seek(self, offset: int, whence: int = io.SEEK_SET) -> int:
        self._at = offset + (0, self._at, self.size)[whence]
        return self._at

    def tell(self) -> int:
        return self._at

    def write(self, data: Any) -> int:
        self.pieces.append(Piece(self._at, bytes(data)))
        self._at += len(data)
        self.size = max(self.size, self._at)
        return len(data)

    def readinto(self, buffer: Any) -> int:
        saved = os.pread(self._under.fileno(), len(buffer), self._at) if self._under else b""
        found = bytearray(saved.ljust(len(buffer), b"\0"))
        for offset, data in self.pieces:
            begin, end = max(offset, self._at), min(offset + len(data), self._at + len(buffer))
            if begin < end:
                found[begin - self._at : end - self._at] = data[begin - offset : end - offset]
        buffer[:] = found
        self._at += len(buffer)
        return len(buffer)

    def truncate(self, size: int | None = None) -> int:
        self.size = self._at if size is None else size
        return self.size


def describe(arrays: Mapping[str, Array], attributes: Mapping[str, int | str | tuple[int, ...]]) -> Described:
    """The places do not depend on the length of the last array."""
    image = Image()
    with h5py.File(image, "w", userblock_size=heads.SIZE, libver=(_VERSION, _VERSION)) as store:
        for name, value in attributes.items():
            store.attrs[name] = np.bytes_(value.encode("ascii")) if isinstance(value, str) else np.array(value, "<i8")
        made = {name: _make(store, name, array) for name, array in arrays.items()}
        places = {name: Section(made[name].get_offset(), array.nbytes) for name, array in arrays.items()}
    written = {Section(piece.offset, len(piece.data)) for piece in image.pieces}
    taken = sorted([*places.values(), *written])
    if any(one.end > other.offset for one, other in pairwise(taken)) or taken[0].offset < heads.SIZE:
        raise OSError("HDF5 has put one thing over another")
    return Described(places, image.pieces, image.size)


def _make(store: h5py.File, name: str, array: Array) -> Any:
    how = h5p.create(h5p.DATASET_CREATE)
    how.set_layout(h5d.CONTIGUOUS)
    how.set_alloc_time(h5d.ALLOC_TIME_EARLY)
    how.set_fill_time(h5d.FILL_TIME_NEVER)
    how.set_obj_track_times(False)  # equal contents have equal bytes
    kind = h5t.py_create(array.kind, logical=True)
    return h5d.create(store.id, name.encode("ascii"), kind, h5s.create_simple(array.shape), how)
