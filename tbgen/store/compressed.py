"""Columns of a table on disk, compressed: those of finished slices, while the others are built.

A section of the file holds a column of a slice: pieces of 65,536 numbers, each by planes of bytes, deflated; then the
length of each. zlib's checksum is compared whenever a piece is read.
"""

import os
import zlib
from collections.abc import Iterable, Iterator, Sequence
from concurrent.futures import Executor
from contextlib import AbstractContextManager, suppress
from functools import lru_cache
from pathlib import Path
from typing import Final, NamedTuple

import numpy as np
from numpy.typing import NDArray
from zlib_ng import zlib_ng

from tbgen.core.table_contents import Column
from tbgen.errors import CorruptTable
from tbgen.system import text
from tbgen.system.parallel import in_turn, ranges

_PIECE: Final = 1 << 16
"""Numbers that are compressed together."""
_LEVEL: Final = 1
"""Higher ones take longer, and save little."""
_AHEAD: Final = 8
"""Pieces that are at work or wait."""
_KEPT: Final = 32
"""Pieces that a column keeps in memory, a quarter of a MiB each: threads ask for the same ones."""
_TOGETHER: Final = 1 << 20
"""Bytes that are compared together."""
_LENGTH: Final = np.dtype("<u4")
_VALUE: Final = np.dtype("<i4")


class Section(NamedTuple):
    """Where a column of a slice is."""

    begin: int
    end: int
    crc32: int


class CompressedFile:
    """A file that grows at its end."""

    def __init__(self, handle: int, path: Path) -> None:
        """Whoever has opened it closes it. `path` is for messages."""
        self._handle = handle
        self._path = path

    def append(self, column: Iterable[NDArray[np.int32]], pool: Executor) -> Section:
        """Add a column, piece by piece (`pieces_of`)."""
        begin = end = os.fstat(self._handle).st_size
        lengths, crc32 = list[int](), 0

        def write(data: bytes) -> None:
            nonlocal end, crc32
            crc32 = zlib.crc32(data, crc32)
            left = memoryview(data)
            while left:
                written = os.pwrite(self._handle, left, end)
                end, left = end + written, left[written:]

        try:
            with self._named():
                for packed in in_turn(pool, _AHEAD, _packed, ((piece,) for piece in column)):
                    lengths.append(len(packed))
                    write(packed)
                write(np.array(lengths, _LENGTH).tobytes())
        except BaseException:
            self.cut(begin)  # on a full disk the room is needed, and the next try begins at the end of the file
            raise
        return Section(begin, end, crc32)

    def cut(self, end: int) -> None:
        """Drop what comes behind."""
        with self._named():
            os.ftruncate(self._handle, end)

    def sync(self) -> None:
        with self._named():
            os.fsync(self._handle)

    def is_whole(self, section: Section) -> bool:
        """Whether it is what was written, and can be read."""
        found = 0
        with suppress(OSError):
            for part in ranges(range(section.begin, section.end), _TOGETHER):
                found = zlib.crc32(os.pread(self._handle, len(part), part.start), found)
            return section.begin < section.end and found == section.crc32
        return False

    def starts(self, section: Section, count: int) -> NDArray[np.int64]:
        """Where the pieces of a column of so many numbers begin, and where the last one ends."""
        size = _LENGTH.itemsize * -(-count // _PIECE)
        data = self._read(section.end - size, size)
        starts = section.begin + np.append(0, np.cumsum(np.frombuffer(data, _LENGTH), dtype=np.int64))
        if starts[-1] != section.end - size:
            raise self._damaged()
        return starts

    def piece(self, begin: int, end: int, count: int) -> NDArray[np.int32]:
        """One that has so many numbers."""
        try:
            data = zlib_ng.decompress(self._read(begin, end - begin), bufsize=_VALUE.itemsize * count)
        except zlib_ng.error:  # type: ignore[misc]  # its stub has no class here
            raise self._damaged() from None
        if len(data) != _VALUE.itemsize * count:
            raise self._damaged()
        values = np.empty((count, _VALUE.itemsize), np.uint8)
        for nth, plane in enumerate(np.frombuffer(data, np.uint8).reshape(_VALUE.itemsize, count)):
            values[:, nth] = plane  # to turn them all at once takes five times as long
        return values.view(_VALUE).reshape(-1)

    def _read(self, begin: int, size: int) -> bytes:
        with self._named():
            data = os.pread(self._handle, size, begin) if size > 0 else b""
        if len(data) != size:
            raise self._damaged()
        return data

    def _named(self) -> AbstractContextManager[None]:
        """The system's errors name the file."""
        return text.named(str(self._path))

    def _damaged(self) -> CorruptTable:
        return CorruptTable(f"{self._path} is not what was written there; the same command solves again what it held")


def _packed(column: NDArray[np.int32]) -> bytes:
    planes = np.ascontiguousarray(column.astype(_VALUE, copy=False).view(np.uint8).reshape(-1, _VALUE.itemsize).T)
    return zlib_ng.compress(planes.data, _LEVEL)


class CompressedColumn:
    """A column of a table, by slices (a `tbgen.core.table_contents.Column`)."""

    def __init__(self, file: CompressedFile, start: NDArray[np.int64], sections: Sequence[Section]) -> None:
        """`start`: the first number of each slice, and the size of the table."""
        self._size = int(start[-1])
        each = [file.starts(section, int(count)) for section, count in zip(sections, np.diff(start), strict=True)]
        begins = np.concatenate([starts[:-1] for starts in each])
        ends = np.concatenate([starts[1:] for starts in each])
        bounds = zip(start[:-1].tolist(), start[1:].tolist(), strict=True)
        first = np.concatenate([*(np.arange(begin, end, _PIECE) for begin, end in bounds), start[-1:]])
        self._first = first
        """`[piece]`: its first number; one more than pieces."""

        @lru_cache(_KEPT)  # of no method: the file is closed when nobody has its columns any more, not some time later
        def piece(nth: int) -> NDArray[np.int32]:
            return file.piece(int(begins[nth]), int(ends[nth]), int(first[nth + 1] - first[nth]))

        self._piece = piece

    def __len__(self) -> int:
        return self._size

    def __getitem__(self, numbers: slice, /) -> NDArray[np.int32]:
        begin, end, _ = numbers.indices(self._size)
        found = np.empty(max(0, end - begin), np.int32)
        at = begin
        for nth in range(int(np.searchsorted(self._first, begin, "right")) - 1, len(self._first) - 1):
            if at >= end:
                break
            first, last = int(self._first[nth]), min(end, int(self._first[nth + 1]))
            found[at - begin : last - begin] = self._piece(nth)[at - first : last - first]
            at = last
        return found


def pieces_of(column: Column, numbers: range) -> Iterator[NDArray[np.int32]]:
    """What `CompressedFile.append` takes: this part of a column."""
    return (column[here.start : here.stop] for here in ranges(numbers, _PIECE))
