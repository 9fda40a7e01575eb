"""Reading a table. Nothing is believed before its checksum has been compared."""

import hashlib
import io
import itertools
import os
import zlib
from collections.abc import Iterator, Mapping
from pathlib import Path
from types import MappingProxyType, TracebackType
from typing import Final, Self

import h5py
import numpy as np
from numpy.typing import NDArray

from tbgen.errors import BadInput, CorruptTable, MissingTable
from tbgen.index import Layout, layout_of
from tbgen.index.contents import Contents
from tbgen.material import Material, parse
from tbgen.store import seal
from tbgen.store.blocks import Column
from tbgen.store.cache import Cache
from tbgen.store.codec import POSITIONS, STAIRCASES, STEPS, Decoder, all_steps, from_planes
from tbgen.store.directory import build_command, named

SHIFT: Final = 14
MASK: Final = (1 << SHIFT) - 1

Step = tuple[int, int, int, int]
Answer = tuple[int, int, int]
Decoded = tuple[NDArray[np.int32], NDArray[np.int32]]

_CACHE: Final[Cache[Decoded]] = Cache()
_TABLES: Final = itertools.count(1)
_WHOLE: Final = (1 << 40) - 1
"""Under this key a table is held decoded as a whole."""
_NO_STEPS: Final = 1 << 16
"""How many staircases a table keeps at hand."""


def open_table(path: str | Path) -> "TableFile":
    """Open a table; MissingTable or CorruptTable name the file."""
    return TableFile(Path(path))


class _Window(io.RawIOBase):
    """What HDF5 reads an open file through: the very file whose seal was compared, whatever its name holds now."""

    def __init__(self, handle: int, size: int) -> None:
        self._handle, self._size, self._at = handle, size, 0

    def seek(self, offset: int, whence: int = 0) -> int:
        self._at = offset + (0, self._at, self._size)[whence]
        return self._at

    def tell(self) -> int:
        return self._at

    def readinto(self, buffer: memoryview) -> int:  # type: ignore[override]
        read = os.preadv(self._handle, [buffer], self._at)
        self._at += read
        return read

    def readable(self) -> bool:
        return True

    def seekable(self) -> bool:
        return True


class TableFile:
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
            os.close(self._handle)
            raise

    def _open(self) -> None:
        try:
            self._seal = self._compare()
            with h5py.File(_Window(self._handle, self._seal.size), "r") as file:
                self._load(file)
        except seal.Unsealed as error:
            raise CorruptTable(f"{self.path}: {error}") from error
        except (OSError, ValueError, KeyError, TypeError, RuntimeError, BadInput) as error:
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
            raise seal.Unsealed("its head is damaged")
        return stamp

    def _load(self, file: h5py.File) -> None:
        header = {name: _plain(value) for name, value in file.attrs.items()}
        self.material: Material = parse(str(header["material"]))
        self.rules = str(header["rules"])
        self.layout: Layout = layout_of(self.material)
        self.size = self.layout.size
        if header["size"] != self.size:
            raise ValueError(f"{header['size']} numbers instead of {self.size}")
        header |= {name: _plain(value) for name, value in file["facts"].attrs.items()}
        header["bytes"] = self._seal.size
        self.header: Mapping[str, int | float | str] = MappingProxyType(header)
        self._positions, self._steps, self._starts = (Column(file, name) for name in (POSITIONS, STEPS, STAIRCASES))
        self._decoder = Decoder(file.attrs, {"outcomes": file["outcomes"][:]})
        self._key = next(_TABLES) << 40
        self._stairs: dict[int, tuple[Step, ...]] = {}

    def look(self, number: int) -> Answer:
        """Fresh relative outcome, distance and staircase of one position; outcome 0 is no legal position."""
        if not 0 <= number < self.size:
            raise IndexError(f"{self.material} has no position {number}")
        chunk = _CACHE.get(self._key + (number >> SHIFT))
        if chunk is None:
            chunk = self._chunk(number >> SHIFT)
        entry = int(chunk[0][number & MASK])
        return entry >> 16, entry & 0xFFFF, int(chunk[1][number & MASK])

    def _chunk(self, number: int) -> Decoded:
        chunk = self._decode(number)
        _CACHE.put(self._key + number, chunk, chunk[0].nbytes + chunk[1].nbytes)
        return chunk

    def _decode(self, number: int) -> Decoded:
        return self._decoder.positions(self._read(self._positions, number), self._positions.width)

    def _read(self, column: Column, number: int) -> bytes:
        try:
            return column.read(self._handle, number)
        except (OSError, ValueError, zlib.error) as error:
            raise CorruptTable(f"{self.path} is damaged: {error}") from error

    def steps_of(self, staircase: int) -> tuple[Step, ...]:
        """(holder, level, outcome, distance) in rising order of level."""
        found = self._stairs.get(staircase)
        if found is None:
            if not 0 <= staircase < self._starts.length - 1:
                raise IndexError(f"{self.path} has no staircase {staircase}")
            start, end = self._values(self._starts, staircase, staircase + 2).tolist()
            found = tuple(self._decoder.steps(self._values(self._steps, start, end)))
            if len(self._stairs) >= _NO_STEPS:
                self._stairs.clear()
            self._stairs[staircase] = found
        return found

    def _values(self, column: Column, start: int, end: int) -> NDArray[np.int64]:
        parts = []
        for number in range(start // column.width, -(-end // column.width)):
            planes = np.frombuffer(self._read(column, number), np.uint8).reshape(-1, column.width)
            base = number * column.width
            parts.append(from_planes(planes[:, max(0, start - base) : end - base]))
        return np.concatenate(parts) if parts else np.zeros(0, np.int64)

    def look_many(self, numbers: NDArray[np.int64]) -> tuple[NDArray[np.int16], NDArray[np.uint16], NDArray[np.int32]]:
        """`look` for many numbers at once."""
        if len(numbers) and (int(numbers.min()) < 0 or int(numbers.max()) >= self.size):
            raise IndexError(f"{self.material} has no such position")
        entries = np.empty(len(numbers), np.int32)
        staircases = np.empty(len(numbers), np.int32)
        whole = self._whole(numbers)
        if whole is not None:
            whole[0].take(numbers, out=entries)
            whole[1].take(numbers, out=staircases)
        else:
            order = np.argsort(numbers, kind="stable")
            chunks = numbers[order] >> SHIFT
            bounds = np.flatnonzero(np.diff(chunks, prepend=-1, append=-1))
            for first, last in itertools.pairwise(bounds.tolist()):
                number = int(chunks[first])
                chunk = _CACHE.get(self._key + number) or self._chunk(number)
                here = order[first:last]
                at = numbers[here] & MASK
                entries[here], staircases[here] = chunk[0][at], chunk[1][at]
        return (entries >> 16).astype(np.int16), (entries & 0xFFFF).astype(np.uint16), staircases

    def _whole(self, numbers: NDArray[np.int64]) -> Decoded | None:
        if self.size * 8 > _CACHE.budget // 2:
            return None
        whole = _CACHE.get(self._key + _WHOLE)
        if whole is None:
            if len(numbers) * 16 < self.size:
                return None
            found = self.read(0, self.size)
            _CACHE.put(self._key + _WHOLE, found, found[0].nbytes + found[1].nbytes)
            whole = found
        return whole

    def read(self, start: int, end: int) -> Decoded:
        """Entries and staircases of a range of numbers, past the cache."""
        entries, staircases = np.empty(end - start, np.int32), np.empty(end - start, np.int32)
        for number, first, last in self._ranges(start, end):
            chunk = self._decode(number)
            base = number << SHIFT
            entries[first - start : last - start] = chunk[0][first - base : last - base]
            staircases[first - start : last - start] = chunk[1][first - base : last - base]
        return entries, staircases

    @staticmethod
    def _ranges(start: int, end: int) -> Iterator[tuple[int, int, int]]:
        while start < end:
            number = start >> SHIFT
            last = min(end, (number + 1) << SHIFT)
            yield number, start, last
            start = last

    def contents(self) -> Contents:
        """The whole table."""
        steps = all_steps(
            self._values(self._starts, 0, self._starts.length), self._values(self._steps, 0, int(self.header["steps"]))
        )
        return Contents(self.material, self.rules, *self.read(0, self.size), steps)

    def check(self) -> None:
        """Compare every byte of the file with what it was when it was written."""
        try:
            stamp = self._compare()
            digest, at = hashlib.sha256(), seal.SIZE
            while piece := os.pread(self._handle, 1 << 22, at):
                digest.update(piece)
                at += len(piece)
            if digest.hexdigest() != stamp.sha256:
                raise seal.Unsealed("its bytes have changed since it was written")
        except (seal.Unsealed, OSError) as error:
            raise CorruptTable(f"{self.path}: {error}") from error

    def close(self) -> None:
        """Give back the file and the memory that holds parts of it."""
        if self._handle >= 0:
            os.close(self._handle)
            self._handle = -1
            _CACHE.drop(self._key, self._key + _WHOLE)

    def __enter__(self) -> Self:
        return self

    def __exit__(
        self, kind: type[BaseException] | None, error: BaseException | None, trace: TracebackType | None
    ) -> None:
        self.close()


def _plain(value: object) -> int | float | str:
    if isinstance(value, bytes):
        return value.decode("utf-8")
    return value.item() if isinstance(value, np.generic) else value  # type: ignore[return-value]
