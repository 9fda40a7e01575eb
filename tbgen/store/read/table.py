"""Reading a table."""

import itertools
from collections.abc import Callable, Iterator
from concurrent.futures import ThreadPoolExecutor
from functools import cached_property
from pathlib import Path
from typing import Final, Self

import numpy as np
from numpy.typing import NDArray

from tbgen.core.material import Material
from tbgen.core.table_contents import DISTANCE_MASK, OUTCOME_SHIFT, Contents
from tbgen.errors import CorruptTable, MissingTable
from tbgen.index import Layout
from tbgen.index.stored_twice import stored_twice
from tbgen.memory.arrays import Make, in_memory
from tbgen.store.format.head import Whole
from tbgen.store.format.schema import BOTH_SIDES, GROUP, KEEPS
from tbgen.store.format.split import Split
from tbgen.store.read.bulk import Bulk
from tbgen.store.read.cache import Cache
from tbgen.store.read.chunk import Chunk, Step
from tbgen.store.read.decoded_table import AllShapes, DecodedTable
from tbgen.store.read.open_file import OpenFile, differs
from tbgen.system.parallel import in_turn

_TABLES: Final = itertools.count(1)
_KEYS: Final = 40
"""Bits for a chunk's number in its key in the common caches; the bits above them tell the table."""
_CHUNKS: Final[Cache[Chunk]] = Cache(256 << 20)
_GLANCED: Final[Cache[Chunk]] = Cache(4 << 20)
"""Chunks that were needed once. Most are never needed again, and a small cache uses the same memory again."""
_DECODED: Final[Cache[DecodedTable]] = Cache(512 << 20)
PIECE: Final = GROUP
"""Numbers that a long reading decodes together: a few megabytes of any table."""
_AHEAD: Final = 2
"""Pieces per thread that are decoded, or wait for it, before they are needed."""
_WORTH: Final = 16
"""When 1 / _WORTH of a table's numbers have been asked for in arrays, all of it is decoded."""


def open_table(
    path: str | Path, *, threads: int = 1, material: Material | None = None, make: Make = in_memory
) -> "TableFile":
    """Open a table. MissingTable and CorruptTable name the file. `threads`: how many decode when much of it is read in
    order. `material`: what its name stands for, where that may have men beyond chess. `make` gives arrays for what
    stays of it while it is read as a whole."""
    opened = OpenFile(Path(path), make)
    if material is not None and material != opened.material:
        opened.close()
        raise CorruptTable(f"{path}: {differs(opened.material, material)}")
    return (TableFile if opened.head.keeps == BOTH_SIDES else SlimFile)(opened, threads)


class TableFile:
    """A table on disk. Threads may read at the same time.

    A staircase is a number, for `steps_of`; 0 if a position has none. Equal numbers stand for equal staircases;
    different numbers may stand for equal ones as well (but not in `part`)."""

    def __init__(self, opened: OpenFile, threads: int) -> None:
        self._file = opened
        self._threads = threads
        self.path = opened.path
        self.material = opened.material
        self.rules = opened.rules
        self.head = opened.head
        """What the first bytes of the file say."""
        self.facts = opened.facts
        """What the build noted."""
        self.size = opened.head.numbers
        self.local = opened.local
        """What a local table says beside; None of any other table."""
        chunk_format = opened.chunk_format
        self._chunk_format = chunk_format
        self._shift = chunk_format.width.bit_length() - 1
        self._mask = chunk_format.width - 1
        self._places = chunk_format.place_list
        self._key = next(_TABLES) << _KEYS
        self._wanted = 0
        self._latest: Chunk | None = None
        """The chunk that was read last: only this one keeps what is needed to inflate more of it."""

    @property
    def stored_entries(self) -> int:
        """Numbers with a legal position."""
        return self.head.legal

    @property
    def positions(self) -> int:
        """Legal positions, each once up to symmetry."""
        return self.stored_entries - stored_twice(self.material)

    @cached_property
    def layout(self) -> Layout:
        return self._file.layout()

    @property
    def order(self) -> NDArray[np.int64]:
        """`[place]`: the number within a chunk of the position that is stored there."""
        return self._chunk_format.numbers

    @property
    def distance_planes(self) -> int:
        """Bytes that half of its longest distance takes."""
        return self._chunk_format.distance_planes

    @property
    def sha256(self) -> str:
        """The digest in the file's head. The file is this one, even if its name now leads to another."""
        return self.head.sha256

    def ordered_layout(self) -> Layout:
        """The layout; CorruptTable if the file of a local table has the slices in another order."""
        if self.local is not None and self.layout.pawns.squares.tolist() != [*map(list, self.local.slices)]:
            raise CorruptTable(f"{self.path}: its placements of pawns are in another order than this version has them")
        return self.layout

    def all_shapes(self) -> AllShapes:
        """To number the shapes of all that is read."""
        return AllShapes(self._file.load_forms)

    def look(self, number: int) -> tuple[int, int, int]:
        """Fresh relative outcome, distance and staircase of one position; outcome 0 if it is not legal."""
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
        # as a rule it follows a look at the same position, which is no reason to keep the chunk
        chunk = self._chunk(number >> self._shift, again=False)
        return chunk.steps(self._places[number & self._mask])

    def _chunk(self, number: int, *, again: bool = True) -> Chunk:
        """`again`: if the chunk was needed before, this is a reason to keep it."""
        if not 0 <= number < self._file.chunks:
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

    kept_number = 0
    """A number that it has."""

    def has(self, numbers: NDArray[np.int64]) -> NDArray[np.bool_]:
        """Whether each number is in the file: in a slim table half of them are not."""
        return np.ones(len(numbers), np.bool_)

    def expect(self, wanted: int) -> bool:
        """Say how many numbers `look_many` will be asked for. Whether looks at them are cheap one by one: all of the
        table is decoded once enough of it has been asked for. Otherwise each call reads and decodes the parts that it
        needs, so that few calls for many numbers are cheaper than many for few."""
        self._wanted += wanted
        return self._whole() is not None

    def look_many(self, numbers: NDArray[np.int64]) -> tuple[NDArray[np.int16], NDArray[np.uint16], NDArray[np.int64]]:
        """`look` for many numbers at once."""
        if len(numbers) and numbers.min() < 0:
            raise IndexError(f"{self.path} has no such number")
        whole = self._whole()
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
        """Outcome and distance of each staircase's last step for a holder up to a level; outcome 0 if there is none.

        The position is worth that if the side without the record prefers it to the record."""
        outcomes, distances = np.zeros(len(staircases), np.int16), np.zeros(len(staircases), np.int64)
        inside = np.flatnonzero(staircases)
        numbers = staircases[inside].astype(np.int64) - 1
        whole = self._whole()
        if whole is not None:
            outcomes[inside], distances[inside] = whole.under(numbers, holders[inside], levels[inside])
        else:
            for chunk, rows, places in self._by_chunk(numbers):
                here = inside[rows]
                outcomes[here], distances[here] = chunk.under(places, holders[here], levels[here])
        return outcomes, distances

    def _by_chunk(self, numbers: NDArray[np.int64]) -> Iterator[tuple[Chunk, NDArray[np.int64], NDArray[np.int64]]]:
        """Each chunk that is needed, the rows (indices of `numbers`) that need it, and their places in it."""
        wanted = numbers >> self._shift
        order = np.argsort(wanted.astype(np.uint16) if self._file.chunks <= 1 << 16 else wanted, kind="stable")
        wanted = wanted[order]
        for start, end in itertools.pairwise(np.flatnonzero(np.diff(wanted, prepend=-1, append=-1)).tolist()):
            rows = order[start:end]
            yield self._chunk(int(wanted[start])), rows, self._chunk_format.places[numbers[rows] & self._mask]

    def _whole(self) -> DecodedTable | None:
        """The whole table decoded, if it fits into memory and enough of it has been asked for."""
        whole = _DECODED.get(self._key)
        if whole is None:
            size = self.size * (8 + self.head.distances * self.head.distance_bytes)
            if size <= _DECODED.budget // 2 and self._wanted * _WORTH >= self.size:
                whole = DecodedTable(self.size, self._all, self._file.load_forms)
                _DECODED.put(self._key, whole, size)
        return whole

    def entries(
        self,
        start: int = 0,
        end: int | None = None,
        make: Make = in_memory,
        report: Callable[[int], None] = lambda numbers: None,
    ) -> NDArray[np.int32]:
        """Fresh entries of a range of numbers, without the caches. `make` gives the array to fill; `report` is called
        with the numbers that have been read."""
        end = self.size if end is None else end
        entries: NDArray[np.int32] = make(end - start, np.int32)
        for rows, bulk in self.in_order(start, end, fresh=True):
            entries[rows] = bulk.entries
            report(rows.stop - rows.start)
        return entries

    def part(
        self,
        start: int,
        end: int,
        make: Make = in_memory,
        report: Callable[[int], None] = lambda numbers: None,
    ) -> Contents:
        """A range of numbers, with a dictionary of its staircases, in any order. `make` gives two arrays of zeros to
        fill; `report` is called with the numbers that have been read."""
        from tbgen.store.read.decode import spell_out  # late: a single look needs no compiler
        from tbgen.store.read.staircases import Staircases

        entries, numbers = make(end - start, np.int32), make(end - start, np.int32)
        staircases = Staircases(in_memory)
        for rows, bulk in self.in_order(start, end):
            entries[rows] = bulk.entries
            numbers[rows] = staircases.number(*spell_out(bulk))
            report(rows.stop - rows.start)
        return Contents(self.material, self.rules, entries, numbers, staircases.finish())

    def digest(self, report: Callable[[int], None] = lambda numbers: None) -> str:
        """SHA-256 of all that the table says. Equal tables have equal digests, however their files are packed. `report`
        is called with the numbers that have been read."""
        from tbgen.store.read.digest import ContentsDigest  # late: a single look needs no compiler

        digest = ContentsDigest(self.material, self.rules)
        for rows, bulk in self.in_order(0, self.size):
            digest.add(bulk)
            report(rows.stop - rows.start)
        return digest.hexdigest()

    def _all(self, fresh: bool) -> Iterator[tuple[slice, Bulk]]:
        return TableFile.in_order(self, 0, self.size, fresh=fresh)

    def in_order(self, start: int, end: int, *, fresh: bool = False) -> Iterator[tuple[slice, Bulk]]:
        """A range of numbers, piece by piece, without the caches: the part of the range, and what it holds. `fresh`:
        without the distances stored beside the fresh ones."""
        if not 0 <= start < end <= self.size:
            raise IndexError(f"{self.path} has no numbers from {start} to {end}")

        def piece(base: int) -> tuple[slice, Bulk]:
            first, last = max(start, base), min(end, base + PIECE)
            chunks = range(first >> self._shift, ((last - 1) >> self._shift) + 1)
            bulk, base = self._file.bulk(chunks, fresh=fresh), chunks.start << self._shift
            return slice(first - start, last - start), bulk.cut(slice(first - base, last - base))

        bases = range(start // PIECE * PIECE, end, PIECE)
        threads = min(self._threads, len(bases))
        if threads == 1:
            yield from map(piece, bases)
            return
        with ThreadPoolExecutor(threads) as pool:
            yield from in_turn(pool, _AHEAD * threads, piece, zip(bases))

    def check(self) -> None:
        """Compare the whole file with its digest; CorruptTable if a byte has changed."""
        self._file.check()

    def close(self) -> None:
        """Close the file, and free the memory that holds parts of it."""
        self._file.close()
        self._latest = None
        for cache in (_CHUNKS, _GLANCED):
            cache.drop(self._key, self._key + (1 << _KEYS) - 1)
        _DECODED.drop(self._key, self._key)

    def __enter__(self) -> Self:
        return self

    def __exit__(self, *error: object) -> None:
        self.close()


class LeftOut(Exception):
    """A position that a slim table leaves out: a ply of search tells what it is worth."""


class SlimFile(TableFile):
    """A slim table. Numbers are those of the whole table; staircases those of what is kept."""

    @cached_property
    def split(self) -> Split:
        return Split(self.layout, KEEPS.index(self.head.keeps) - 1)

    @property
    def whole(self) -> Whole:
        """The table that it was made of."""
        assert self._file.whole is not None, "a slim file notes it"
        return self._file.whole

    def look(self, number: int) -> tuple[int, int, int]:
        return super().look(int(self._kept(np.array([number]))[0]))

    def look_many(self, numbers: NDArray[np.int64]) -> tuple[NDArray[np.int16], NDArray[np.uint16], NDArray[np.int64]]:
        return super().look_many(self._kept(numbers))

    def _kept(self, numbers: NDArray[np.int64]) -> NDArray[np.int64]:
        places = self.split.places(numbers)
        if len(places) and places.min() < 0:
            raise LeftOut
        return places

    def has(self, numbers: NDArray[np.int64]) -> NDArray[np.bool_]:
        return self.split.places(numbers) >= 0

    @property
    def kept_number(self) -> int:  # type: ignore[override]  # that of any other table needs no layout
        return int(self.split.numbers(slice(0, 1))[0])

    def in_order(self, start: int, end: int, *, fresh: bool = False) -> Iterator[tuple[slice, Bulk]]:
        raise MissingTable(
            f"{self.path} is slim, and this needs the whole table (tbgen unpack makes it)", self.path.name
        )

    def kept_in_order(self, here: slice) -> Iterator[tuple[slice, Bulk]]:
        """`in_order` for places, which count what is kept."""
        return super().in_order(here.start, here.stop)
