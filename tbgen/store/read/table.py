"""Reading a table."""

import itertools
from collections.abc import Callable, Iterator, Mapping
from pathlib import Path
from types import MappingProxyType, TracebackType
from typing import Final, Self

import numpy as np
from numpy.typing import NDArray

from tbgen.contents import DISTANCE_MASK, OUTCOME_SHIFT, Contents, Make, in_memory
from tbgen.store.read.cache import Cache
from tbgen.store.read.chunk import Chunk, Step
from tbgen.store.read.decoded_table import DecodedTable
from tbgen.store.read.digest import ContentsDigest
from tbgen.store.read.numbering import Numbering
from tbgen.store.read.open_file import OpenFile

_TABLES: Final = itertools.count(1)
_KEYS: Final = 40
"""A table's chunks have keys of so many bits in the common cache, one chunk to a key."""
_CHUNKS: Final[Cache[Chunk]] = Cache(256 << 20)
_GLANCED: Final[Cache[Chunk]] = Cache(4 << 20)
"""Chunks that have been asked for once: most are never asked for again, and memory that is used again is faster."""
_DECODED: Final[Cache[DecodedTable]] = Cache(512 << 20)
_WORTH: Final = 16
"""When one in so many of a table's numbers has been asked for in arrays, all of it is decoded."""


def open_table(path: str | Path) -> "TableFile":
    """Open a table; MissingTable or CorruptTable name the file."""
    return TableFile(Path(path))


class TableFile:
    """A table on disk. All threads may read at the same time.

    A staircase is a number to ask `steps_of` for, 0 where a position has none; equal numbers stand for equal
    staircases, different numbers need not stand for different ones (in `part` they do)."""

    def __init__(self, path: Path) -> None:
        opened = OpenFile(path)
        self._file = opened
        self.path = path
        self.material = opened.material
        self.rules = opened.rules
        self.layout = opened.layout
        self.size = opened.layout.size
        self.header: Mapping[str, int | float | str] = MappingProxyType(opened.header)
        chunk_format = opened.chunk_format
        self._chunk_format = chunk_format
        self._shift = chunk_format.width.bit_length() - 1
        self._mask = chunk_format.width - 1
        self._places = chunk_format.place_list
        self._key = next(_TABLES) << _KEYS
        self._wanted = 0
        self._latest: Chunk | None = None
        """Read last: of this one alone, more can be inflated."""

    def look(self, number: int) -> tuple[int, int, int]:
        """Fresh relative outcome, distance and staircase of one position; outcome 0 is no legal position."""
        chunk = _CHUNKS.get(self._key + (number >> self._shift))
        place = self._places[number & self._mask]
        if chunk is None or number < 0:
            entry, inside = self._chunk(number >> self._shift).glance(place)
            return entry >> OUTCOME_SHIFT, entry & DISTANCE_MASK, number + 1 if inside else 0
        entry = chunk.entry[place]
        return entry >> OUTCOME_SHIFT, entry & DISTANCE_MASK, number + 1 if chunk.has_steps[place] else 0

    def steps_of(self, staircase: int) -> tuple[Step, ...]:
        """(holder, level, outcome, distance) in rising order of level."""
        if staircase == 0:
            return ()
        number = staircase - 1
        # as a rule the look that has just been taken, which is no reason to keep the chunk
        chunk = self._chunk(number >> self._shift, again=False)
        return chunk.steps(self._places[number & self._mask])

    def _chunk(self, number: int, *, again: bool = True) -> Chunk:
        """`again`: whoever has asked for it before and does so now will go on."""
        if not 0 <= number < len(self._file.chunks):
            raise IndexError(f"{self.path} has no such number")
        key = self._key + number
        chunk = _CHUNKS.get(key)
        if chunk is None:
            chunk = _GLANCED.take(key) if again else _GLANCED.get(key)
            if chunk is None:
                chunk = self._file.chunk(number)
                _GLANCED.put(key, chunk, self._chunk_format.size)
                latest, self._latest = self._latest, chunk
                if latest:
                    latest.let_go()
            elif again:
                _CHUNKS.put(key, chunk, self._chunk_format.size)
        return chunk

    def look_many(self, numbers: NDArray[np.int64]) -> tuple[NDArray[np.int16], NDArray[np.uint16], NDArray[np.int64]]:
        """`look` for many numbers at once."""
        if len(numbers) and numbers.min() < 0:
            raise IndexError(f"{self.path} has no such number")
        whole = self._whole(len(numbers))
        if whole is not None:
            entries, inside = whole.entries[numbers], whole.inside(numbers)
        else:
            entries, inside = np.empty(len(numbers), np.int32), np.empty(len(numbers), np.bool_)
            for chunk, rows, places in self._by_chunk(numbers):
                entries[rows] = chunk.entries[places]
                inside[rows] = chunk.inside(places)
        staircases = np.where(inside, numbers + 1, 0)
        return (entries >> OUTCOME_SHIFT).astype(np.int16), (entries & DISTANCE_MASK).astype(np.uint16), staircases

    def steps_many(
        self, staircases: NDArray[np.integer], holders: NDArray[np.integer], levels: NDArray[np.integer]
    ) -> tuple[NDArray[np.int16], NDArray[np.int64]]:
        """Outcome and distance of each staircase's last step for a holder up to a level; outcome 0: there is none.

        The position is worth that where it is better than the record for the side behind on it."""
        outcomes, distances = np.zeros(len(staircases), np.int16), np.zeros(len(staircases), np.int64)
        inside = np.flatnonzero(staircases)
        numbers = staircases[inside].astype(np.int64) - 1
        whole = self._whole(len(numbers))
        if whole is not None:
            outcomes[inside], distances[inside] = whole.under(numbers, holders[inside], levels[inside])
        else:
            for chunk, rows, places in self._by_chunk(numbers):
                here = inside[rows]
                outcomes[here], distances[here] = chunk.under(places, holders[here], levels[here])
        return outcomes, distances

    def _by_chunk(self, numbers: NDArray[np.int64]) -> Iterator[tuple[Chunk, NDArray[np.int64], NDArray[np.int64]]]:
        """Each chunk that is needed, the rows that need it, and their places in it."""
        wanted = numbers >> self._shift
        order = np.argsort(wanted.astype(np.uint16) if len(self._file.chunks) <= 1 << 16 else wanted, kind="stable")
        wanted = wanted[order]
        for start, end in itertools.pairwise(np.flatnonzero(np.diff(wanted, prepend=-1, append=-1)).tolist()):
            rows = order[start:end]
            yield self._chunk(int(wanted[start])), rows, self._chunk_format.places[numbers[rows] & self._mask]

    def _whole(self, wanted: int) -> DecodedTable | None:
        """The whole table decoded, where it fits into memory and has been asked for enough to be worth it."""
        whole = _DECODED.get(self._key)
        if whole is None:
            self._wanted += wanted
            size = DecodedTable.bytes_for(self._chunk_format, self.size)
            if size <= _DECODED.budget // 2 and self._wanted * _WORTH >= self.size:
                whole = DecodedTable(self._chunk_format, self.size, lambda: self._in_order(0, self.size))
                _DECODED.put(self._key, whole, size)
        return whole

    def entries(self, start: int = 0, end: int | None = None) -> NDArray[np.int32]:
        """Fresh entries of a range of numbers, past the cache."""
        end = self.size if end is None else end
        found = np.empty(end - start, np.int32)
        for chunk, rows, places in self._in_order(start, end):
            found[rows] = chunk.entries[places]
        return found

    def read(self, start: int, end: int) -> tuple[NDArray[np.int32], NDArray[np.int64]]:
        """Entries and staircases of a range of numbers, past the cache."""
        entries, staircases = np.empty(end - start, np.int32), np.zeros(end - start, np.int64)
        for chunk, rows, places in self._in_order(start, end):
            entries[rows] = chunk.entries[places]
            staircases[rows] = np.where(chunk.inside(places), np.arange(rows.start, rows.stop) + start + 1, 0)
        return entries, staircases

    def part(
        self,
        start: int,
        end: int,
        make: Make = in_memory,
        report: Callable[[int], None] = lambda numbers: None,
    ) -> Contents:
        """A range of numbers, with the staircases in it numbered in any order. In two arrays of zeros that `make`
        gives; `report` hears of numbers read."""
        entries, staircases = make(end - start, np.int32), make(end - start, np.int32)
        numbering = Numbering(self._chunk_format)
        for chunk, rows, places in self._in_order(start, end):
            entries[rows] = chunk.entries.take(places)
            staircases[rows] = numbering.see(chunk, places)
            report(len(places))
        return Contents(self.material, self.rules, entries, staircases, numbering.finish(staircases))

    def digest(self, report: Callable[[int], None] = lambda numbers: None) -> str:
        """SHA-256 of all that the table says. Equal tables have equal ones, however their files are packed; `report`
        hears of numbers read."""
        digest = ContentsDigest(self.material, self.rules)
        for chunk, _, places in self._in_order(0, self.size):
            digest.add(chunk, places)
            report(len(places))
        return digest.hexdigest()

    def _in_order(self, start: int, end: int) -> Iterator[tuple[Chunk, slice, NDArray[np.int64]]]:
        """Each chunk of a range of numbers, which part of the range it holds, and the places of that part in it."""
        if not 0 <= start < end <= self.size:
            raise IndexError(f"{self.path} has no numbers from {start} to {end}")
        for chunk in range(start >> self._shift, ((end - 1) >> self._shift) + 1):
            base = chunk << self._shift
            first, last = max(start, base), min(end, base + self._chunk_format.width)
            places = self._chunk_format.places[first - base : last - base]
            yield self._file.chunk(chunk), slice(first - start, last - start), places

    def check(self) -> None:
        """Compare every byte of the file with what it was when the file was written; CorruptTable if one changed."""
        self._file.check()

    def close(self) -> None:
        """Give back the file and the memory that holds parts of it."""
        self._file.close()
        self._latest = None
        for cache in (_CHUNKS, _GLANCED):
            cache.drop(self._key, self._key + (1 << _KEYS) - 1)
        _DECODED.drop(self._key, self._key)

    def __enter__(self) -> Self:
        return self

    def __exit__(
        self, kind: type[BaseException] | None, error: BaseException | None, trace: TracebackType | None
    ) -> None:
        self.close()
