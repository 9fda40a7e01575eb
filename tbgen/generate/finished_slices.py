"""Where the finished slices of a table are while the others are solved: as they are in memory, or compressed.

Of a large table with pawns they are compressed, to a byte or two a number instead of eight. A slice is there in full
while it is solved, its entries also while slices at work lead to it.
"""

import os
import tempfile
from collections.abc import Callable, Iterable, Iterator, Mapping
from concurrent.futures import ThreadPoolExecutor
from pathlib import Path
from typing import Final, Protocol

import numpy as np
from numpy.typing import NDArray

from tbgen.generate.journal import Done
from tbgen.generate.snapshots import crc32_of
from tbgen.index import Layout
from tbgen.index.promotions import stepped_to
from tbgen.memory.disk_arrays import DiskArrays
from tbgen.memory.mapped import Sparse
from tbgen.retro.checkpoint import Counts
from tbgen.store.compressed import CompressedColumn, CompressedFile, Section, pieces_of
from tbgen.system.output_files import sync
from tbgen.system.parallel import in_turn, pieces
from tbgen.system.safe_files import create_or_reopen

ENTRIES: Final = "entries"
STAIRCASES: Final = "staircases"
FINISHED: Final = "finished"
_TOGETHER: Final = 1 << 20
"""Numbers that a thread puts back at a time."""


class Finished(Protocol):
    """The arrays of a table, and its finished slices."""

    entries: NDArray[np.int32]
    staircases: NDArray[np.int32]

    def turn_to(self, slices: Iterable[int]) -> None:
        """Have there what it takes to solve these."""

    def keep(self, slices: Mapping[int, Counts]) -> list[Done]:
        """Make sure that the disk has these, which are in the arrays."""

    def is_whole(self, done: Done) -> bool:
        """Whether a slice is what an earlier build has kept. From then on it counts as finished."""

    def staircases_of(self, slice_: int) -> Iterable[NDArray[np.int32]]:
        """The last links of its staircases, piece by piece."""

    def wipe(self, slices: Iterable[int]) -> None:
        """Have these begin with zeros; a stopped build may have left something in them."""


class InFull:
    """In two files that are mapped into memory, empty ones as long as there is nothing in them."""

    def __init__(self, place: Path, layout: Layout, arrays: DiskArrays) -> None:
        self._place, self._layout, self._arrays = place, layout, arrays
        self.entries, self.staircases = (
            arrays.named(place / name, layout.size, np.int32, reserves=False) for name in (ENTRIES, STAIRCASES)
        )

    def turn_to(self, slices: Iterable[int]) -> None:
        pass

    def keep(self, slices: Mapping[int, Counts]) -> list[Done]:
        for name in (ENTRIES, STAIRCASES):
            sync(self._place / name)  # which lets other threads run meanwhile; a mapping's flush does not
        return [Done(slice_, counts, *self._sums(slice_)) for slice_, counts in slices.items()]

    def is_whole(self, done: Done) -> bool:
        return (done.entries_crc32, done.staircases_crc32) == self._sums(done.slice)

    def staircases_of(self, slice_: int) -> Iterable[NDArray[np.int32]]:
        return [self.staircases[_in(self._layout, slice_)]]

    def wipe(self, slices: Iterable[int]) -> None:
        for slice_ in slices:
            for array in (self.entries, self.staircases):
                left = array[_in(self._layout, slice_)]
                if left.any():
                    self._arrays.reserve_all(array)
                    left[:] = 0

    def _sums(self, slice_: int) -> tuple[int, int]:
        here = _in(self._layout, slice_)
        return crc32_of(self.entries[here]), crc32_of(self.staircases[here])


class Compressed:
    """In a file that grows, each as a section for its entries and one for its staircases. The arrays have room where
    slices are there in full: staircases in a file with a name, as snapshots need those of a slice at work."""

    def __init__(self, place: Path, layout: Layout, arrays: DiskArrays, threads: int) -> None:
        self._layout, self._arrays, self._threads = layout, arrays, threads
        self._file = _counted(create_or_reopen(place / FINISHED), place / FINISHED, arrays)
        self._sections: dict[int, tuple[Section, Section]] = {}
        places = arrays.sparse(layout.size, np.int32), arrays.sparse(layout.size, np.int32, place / STAIRCASES)
        self._entries, self._staircases = (_Places(layout, one) for one in places)
        self.entries, self.staircases = (one.array for one in places)
        self._meets_pawns = 0 < layout.pawns.first < layout.material.pawns
        self._is_resumed = False
        self._left = set[int]()
        """Slices that a stopped build was at work at, and this one is not yet."""

    def turn_to(self, slices: Iterable[int]) -> None:
        at_work = {*slices}
        self._left = self._left - at_work
        led_to = set[int]().union(*(stepped_to(self._layout, slice_) for slice_ in at_work))
        self._entries.hold(at_work | led_to, lambda slice_, place: self._fill(slice_, 0, place))
        # what an en passant capture is worth takes staircases
        also = led_to if self._meets_pawns else set[int]()
        self._staircases.hold(at_work | also | self._left, lambda slice_, place: self._fill(slice_, 1, place))

    def _fill(self, slice_: int, which: int, place: NDArray[np.int32]) -> None:
        """A column of a slice is to be there in full; of one that is not finished, zeros."""
        if slice_ not in self._sections:
            if self._is_resumed and place.any():  # not all file systems can drop parts, and none drops parts of pages
                place[:] = 0
            return
        column = self._column(slice_, which)

        def fill(here: slice) -> None:
            place[here] = column[here]

        with ThreadPoolExecutor(self._threads) as pool:
            for _ in in_turn(pool, 2 * self._threads, fill, zip(pieces(len(place), _TOGETHER), strict=True)):
                pass

    def _column(self, slice_: int, which: int) -> CompressedColumn:
        return CompressedColumn(
            self._file, np.array([0, len(self._layout.numbers_in(slice_))]), [self._sections[slice_][which]]
        )

    def keep(self, slices: Mapping[int, Counts]) -> list[Done]:
        with ThreadPoolExecutor(self._threads) as pool:
            for slice_ in slices:
                if slice_ not in self._sections:
                    here = self._layout.numbers_in(slice_)
                    entries, staircases = (
                        self._file.append(pieces_of(array, here), pool) for array in (self.entries, self.staircases)
                    )
                    self._sections[slice_] = entries, staircases
        self._file.sync()
        return [self._done(slice_, counts) for slice_, counts in slices.items()]

    def _done(self, slice_: int, counts: Counts) -> Done:
        entries, staircases = self._sections[slice_]
        place = (entries.begin, entries.end, staircases.end)
        return Done(slice_, counts, entries.crc32, staircases.crc32, place)

    def is_whole(self, done: Done) -> bool:
        if len(done.place) != 3:
            return False
        begin, middle, end = done.place
        sections = Section(begin, middle, done.entries_crc32), Section(middle, end, done.staircases_crc32)
        if not all(map(self._file.is_whole, sections)):
            return False
        self._sections[done.slice] = sections
        return True

    def staircases_of(self, slice_: int) -> Iterable[NDArray[np.int32]]:
        if slice_ not in self._sections:
            return [self.staircases[_in(self._layout, slice_)]]
        return pieces_of(self._column(slice_, 1), range(len(self._layout.numbers_in(slice_))))

    def wipe(self, slices: Iterable[int]) -> None:
        wiped = {*slices}
        for slice_ in wiped:
            self._sections.pop(slice_, None)
        # those that are neither finished nor to be wiped are at work, and their staircases are of use
        self._left = {*range(self._layout.slices)} - self._sections.keys() - wiped
        self._staircases.find(self._left)
        self._file.cut(max((staircases.end for _, staircases in self._sections.values()), default=0))
        self._is_resumed = True

    def column_of_entries(self) -> CompressedColumn:
        """Once all slices are finished."""
        return self._whole(0)

    def numbered(self, number: Callable[[NDArray[np.int32]], None]) -> CompressedColumn:
        """The column of staircases, in which `number` has put numbers in the place of links."""
        self.turn_to(())
        links, sections = self._whole(1), list[Section]()
        with tempfile.TemporaryFile(dir=self._arrays.directory) as file:
            numbers = _counted(os.dup(file.fileno()), self._arrays.directory, self._arrays)

        def all_of(slice_: int) -> Iterator[NDArray[np.int32]]:
            for piece in pieces_of(links, self._layout.numbers_in(slice_)):
                number(piece)
                yield piece

        with ThreadPoolExecutor(self._threads) as pool:
            for slice_ in range(self._layout.slices):
                sections.append(numbers.append(all_of(slice_), pool))
        return CompressedColumn(numbers, self._layout.start, sections)

    def _whole(self, which: int) -> CompressedColumn:
        each = [self._sections[slice_][which] for slice_ in range(self._layout.slices)]
        return CompressedColumn(self._file, self._layout.start, each)


def _counted(handle: int, path: Path, arrays: DiskArrays) -> CompressedFile:
    file = CompressedFile(handle, path)
    arrays.count_file(file, handle)
    return file


class _Places:
    """An array in which some slices are there."""

    def __init__(self, layout: Layout, sparse: Sparse) -> None:
        self._layout, self._sparse = layout, sparse
        self.there = set[int]()

    def hold(self, slices: set[int], fill: Callable[[int, NDArray[np.int32]], None]) -> None:
        """Have these there, and no others. `fill` is given the room of those that are new."""
        before, self.there = self.there, self.there & slices
        for slice_ in before - slices:
            self._sparse.drop(self._layout.numbers_in(slice_))
        for slice_ in sorted(slices - before):
            fill(slice_, self._sparse.fill(self._layout.numbers_in(slice_)))
            self.there.add(slice_)

    def find(self, slices: set[int]) -> None:
        """An earlier build has left these there, and maybe others."""
        self.there = slices
        for slice_ in range(self._layout.slices):
            (self._sparse.fill if slice_ in slices else self._sparse.drop)(self._layout.numbers_in(slice_))


def _in(layout: Layout, slice_: int) -> slice:
    here = layout.numbers_in(slice_)
    return slice(here.start, here.stop)
