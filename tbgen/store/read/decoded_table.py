"""A whole table in memory, decoded, for callers that need a large part of it."""

from collections.abc import Callable, Iterator
from typing import Final

import numpy as np
from numpy.typing import NDArray

from tbgen.store.format.shapes import Load, ShapeTable
from tbgen.store.read.bulk import Bulk
from tbgen.store.read.keys import Keys
from tbgen.store.read.positions import Positions

InOrder = Callable[[bool], Iterator[tuple[slice, Bulk]]]
"""Gives all numbers piece by piece, and what they hold: with the fresh distances alone, or with all."""
_WORTH_BITS: Final = 12
"""Bits of an outcome and of whether its distance is odd."""


class AllShapes:
    """The shapes of all groups that were seen, each once."""

    def __init__(self, load: Load) -> None:
        self._load = load
        self._keys = Keys()
        self._seen: list[tuple[NDArray[np.int32], NDArray[np.uint8], NDArray[np.int64]]] = []
        self._latest: tuple[ShapeTable, NDArray[np.int32]] | None = None
        self.add(ShapeTable(np.zeros(1, np.int32), np.zeros(1, np.uint8), np.zeros(1, np.int64), load))

    def add(self, shape_table: ShapeTable) -> NDArray[np.int32]:
        """`[shape of a group]`: its number here."""
        latest = self._latest  # another thread may replace it
        if latest and latest[0] is shape_table:
            return latest[1]
        worth = (shape_table.base >> 15 & ~1 | shape_table.base & 1).astype(np.int64)
        keys = (shape_table.form << _WORTH_BITS) + (worth & (1 << _WORTH_BITS) - 1)
        numbers, new = self._keys.number(keys)
        if len(new):
            self._seen.append((shape_table.base[new], shape_table.held[new], shape_table.form[new]))
        self._latest = shape_table, numbers
        return numbers

    def __len__(self) -> int:
        return len(self._keys)

    def table(self) -> ShapeTable:
        base, held, form = zip(*self._seen, strict=True)
        return ShapeTable(np.concatenate(base), np.concatenate(held), np.concatenate(form), self._load)


class DecodedTable(Positions):
    """All columns are indexed by number."""

    def __init__(self, size: int, in_order: InOrder, load: Load) -> None:
        self._in_order = in_order
        self.entries = np.empty(size, np.int32)
        self.shapes = np.empty(size, np.uint32)
        every = AllShapes(load)
        for numbers, bulk in in_order(True):
            self.entries[numbers] = bulk.entries
            self.shapes[numbers] = every.add(bulk.shape_table).take(bulk.shapes)
        self.shape_table = every.table()
        self._halves: NDArray[np.unsignedinteger] | None = None

    def halves(self) -> NDArray[np.unsignedinteger]:
        if self._halves is None:
            found: NDArray[np.unsignedinteger] | None = None
            for numbers, bulk in self._in_order(False):
                halves = bulk.halves()
                if found is None:
                    found = np.zeros((1 + self.shape_table.width, len(self.entries)), halves.dtype)
                found[: len(halves), numbers] = halves
            assert found is not None, "every table has numbers"
            self._halves = found  # all of it: another thread may ask meanwhile, and this one may be stopped
        return self._halves
