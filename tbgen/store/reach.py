"""The entries that a table's resets lead to, while it is built.

Tables that promotions lead to are larger than the table itself, and of each slice of these a slice or two are needed.
So of large ones those slices are there that the slices at work lead to.
"""

from collections import defaultdict
from collections.abc import Iterable, Iterator
from contextlib import ExitStack, contextmanager
from typing import NamedTuple

import numpy as np

from tbgen.core.material import Material
from tbgen.index import Layout, layout_of
from tbgen.index.exits import Exits, Reached
from tbgen.index.promotions import promoted_to
from tbgen.memory.disk_arrays import DiskArrays
from tbgen.store import TableFile
from tbgen.store.entry_cache import EntryCache
from tbgen.system.thresholds import is_large


class Reach(NamedTuple):
    exits: Exits
    sha256: dict[str, str]
    """The digest of each table's file, by its name. Another file may have that name by now."""


@contextmanager
def reach(material: Material, entry_cache: EntryCache, disk_arrays: DiskArrays) -> Iterator[Reach]:
    """Tables that the cache holds, and small ones, are there as a whole."""
    successors = material.successors()
    promoted = {one.normal for one in material.promotions()}
    parted = [one for one in successors if one in promoted and is_large(layout_of(one).size) and one not in entry_cache]
    whole = entry_cache.take([one for one in successors if one not in parted])
    sha256 = {one.name: entry_cache.sha256_of(one) for one in whole}
    with ExitStack() as stack:
        by_slice = {one: _BySlice(stack.enter_context(entry_cache.open(one)), disk_arrays) for one in parted}
        sha256 |= {one.name: table.sha256 for one, table in by_slice.items()}
        entries = whole | {one: table.entries for one, table in by_slice.items()}
        reached = [Reached(layout_of(one), entries[one]) for one in successors]
        layout = layout_of(material)
        yield Reach(Exits(layout, reached, fetch=_Fetching(layout, by_slice).fetch), sha256)


class _BySlice:
    """A table, of which some slices are there."""

    def __init__(self, table: TableFile, disk_arrays: DiskArrays) -> None:
        self._table = table
        self._sparse = disk_arrays.sparse(table.size, np.int32)
        self._there: set[int] = set()
        self.entries = self._sparse.array
        self.sha256 = table.sha256

    def fetch(self, slices: set[int]) -> None:
        for slice_ in sorted(slices - self._there):
            numbers = self._table.layout.numbers_in(slice_)
            place = self._sparse.fill(numbers)
            self._there.add(slice_)
            self._table.entries(numbers.start, numbers.stop, make=lambda count, kind, place=place: place)  # type: ignore[misc]

    def drop(self, others: set[int]) -> None:
        """Drop all but these."""
        for slice_ in self._there - others:
            self._sparse.drop(self._table.layout.numbers_in(slice_))
        self._there &= others


class _Fetching:
    """Has slices there when they are needed: those of a batch need the same ones again and again, those of another one
    hardly ever do."""

    def __init__(self, layout: Layout, tables: dict[Material, _BySlice]) -> None:
        self._layout = layout
        self._tables = tables
        self._batch: int | None = None

    def fetch(self, slices: Iterable[int]) -> None:
        slices = [*slices]
        if not slices or not self._tables:
            return
        needed = defaultdict[Material, set[int]](set)
        for slice_ in slices:
            for material, there in promoted_to(self._layout, slice_).items():
                needed[material] |= there
        batch = int(self._layout.pawns.to_go[slices[0]])
        for material, table in self._tables.items():
            if batch != self._batch:
                table.drop(needed[material])
            table.fetch(needed[material])
        self._batch = batch
