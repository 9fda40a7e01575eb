"""An open file: nothing in it is believed before its checksum has been compared."""

import hashlib
import io
import os
import zlib
from pathlib import Path
from typing import Any

import h5py
import numpy as np

from tbgen.errors import BadInput, CorruptTable, MissingTable
from tbgen.index import layout_of
from tbgen.material import parse
from tbgen.store import chunks, seal
from tbgen.store.chunk import Chunk, Grain
from tbgen.store.directory import build_command, named
from tbgen.store.order import numbers_of
from tbgen.store.schema import FACTS, SHAPES
from tbgen.store.shapes import NAMES, Lore, from_arrays


class _Window(io.RawIOBase):
    """What HDF5 reads an open file through: the very file whose seal was compared, whatever its name holds now."""

    def __init__(self, handle: int, size: int) -> None:
        self._handle, self._size, self._at = handle, size, 0

    def seek(self, offset: int, whence: int = 0) -> int:
        self._at = offset + (0, self._at, self._size)[whence]
        return self._at

    def tell(self) -> int:
        return self._at

    def readinto(self, buffer: Any) -> int:
        read = os.preadv(self._handle, [buffer], self._at)
        self._at += read
        return read

    def readable(self) -> bool:
        return True

    def seekable(self) -> bool:
        return True


class Opened:
    """The file behind a table, from its name to its chunks."""

    def __init__(self, path: Path) -> None:
        self.path = path
        try:
            self._handle = os.open(path, os.O_RDONLY | os.O_CLOEXEC)
        except (FileNotFoundError, NotADirectoryError) as error:
            raise MissingTable(f"{path} is missing (to build it: {build_command(path)})") from error
        except OSError as error:
            raise CorruptTable(f"{path} cannot be read: {error.strerror}") from error
        try:
            self._open()
        except BaseException:
            self.close()
            raise

    def close(self) -> None:
        handle, self._handle = self._handle, -1
        if handle >= 0:
            os.close(handle)

    def _open(self) -> None:
        try:
            stamp = self._compare()
            with h5py.File(_Window(self._handle, stamp.size), "r") as file:
                self._load(file)
            self.header["bytes"] = stamp.size
        except seal.Unsealed as error:
            raise CorruptTable(f"{self.path}: {error}") from error
        except (OSError, ValueError, LookupError, TypeError, RuntimeError, BadInput) as error:
            raise CorruptTable(f"{self.path} is damaged: {error}") from error
        claimed = named(self.path)
        if claimed is not None and claimed[1:] != (self.material, self.rules):
            raise CorruptTable(f"{self.path} holds {self.material} ({self.rules}), not what its name says")

    def _compare(self) -> seal.Seal:
        stamp = seal.parse(os.pread(self._handle, seal.SIZE, 0))
        size = os.fstat(self._handle).st_size
        if size != stamp.size:
            raise seal.Unsealed(f"it has {size} bytes instead of {stamp.size}")
        if zlib.crc32(os.pread(self._handle, stamp.head - seal.SIZE, seal.SIZE)) != stamp.head_crc32:
            raise seal.Unsealed("its head has changed since it was written")
        return stamp

    def _load(self, file: h5py.File) -> None:
        attributes = {name: _plain(value) for name, value in file.attrs.items()}
        self.material = parse(str(attributes["material"]))
        self.rules = str(attributes["rules"])
        self.layout = layout_of(self.material)
        shapes = file[SHAPES]
        lore = Lore(from_arrays({name: shapes[name][:] for name in NAMES}))
        numbers = numbers_of(file["order"][:].tolist())
        self.chunks = chunks.Reader(file)
        planes = int(attributes["escape_planes"]), int(attributes["distance_planes"])
        self.grain = Grain(self.path, self.chunks.length, numbers, *planes, lore)
        if attributes["size"] != self.layout.size or len(self.chunks) != -(-self.layout.size // self.grain.width):
            raise ValueError(f"its {attributes['size']} numbers are not those of {self.material}")
        self.header = {name: _plain(value) for name, value in file[FACTS].attrs.items()} | attributes

    def chunk(self, number: int) -> Chunk:
        try:
            return Chunk(self.grain, self.chunks.read(self._handle, number))
        except (OSError, ValueError, IndexError) as error:
            if self._handle < 0:
                raise ValueError(f"{self.path} has been closed") from error
            raise CorruptTable(f"{self.path} is damaged: {error}") from error

    def check(self) -> None:
        """Compare every byte with what it was when the file was written."""
        try:
            stamp = self._compare()
            window = _Window(self._handle, stamp.size)
            window.seek(seal.SIZE)
            digest = hashlib.file_digest(window, "sha256")
        except (seal.Unsealed, OSError) as error:
            raise CorruptTable(f"{self.path}: {error}") from error
        if digest.hexdigest() != stamp.sha256:
            raise CorruptTable(f"{self.path} has changed since it was written")


def _plain(value: object) -> int | float | str:
    if isinstance(value, bytes):
        return value.decode("utf-8")
    return value.item() if isinstance(value, np.generic) else value  # type: ignore[return-value]
