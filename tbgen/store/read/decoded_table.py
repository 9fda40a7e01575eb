"""A whole table in memory, decoded, for callers that need a large part of it."""

from collections.abc import Callable, Iterator

import numpy as np
from numpy.typing import NDArray

from tbgen.store.format.schema import shape_type
from tbgen.store.read.bulk import Bulk
from tbgen.store.read.chunk import ChunkFormat
from tbgen.store.read.positions import Positions

InOrder = Callable[[bool], Iterator[tuple[slice, Bulk]]]
"""Gives all numbers piece by piece, and what they hold: with the fresh distances alone, or with all."""


class DecodedTable(Positions):
    """All columns are indexed by number."""

    def __init__(self, chunk_format: ChunkFormat, size: int, in_order: InOrder) -> None:
        self._chunk_format = chunk_format
        self._in_order = in_order
        self.shape_table = chunk_format.shape_table
        self.entries = np.empty(size, np.int32)
        self.shapes = np.empty(size, shape_type(self.shape_table.count))
        for numbers, bulk in in_order(True):
            self.entries[numbers] = bulk.entries
            self.shapes[numbers] = bulk.shapes
        self._halves: NDArray[np.unsignedinteger] | None = None

    @staticmethod
    def bytes_for(chunk_format: ChunkFormat, size: int) -> int:
        """Memory that it takes."""
        return size * (8 + (1 + chunk_format.shape_table.width) * chunk_format.distance_planes)

    def halves(self) -> NDArray[np.unsignedinteger]:
        if self._halves is None:
            kind = np.uint8 if self._chunk_format.distance_planes == 1 else np.uint16
            table = np.zeros((1 + self.shape_table.width, len(self.entries)), kind)
            for numbers, bulk in self._in_order(False):
                halves = bulk.halves()
                table[: len(halves), numbers] = halves
            self._halves = table
        return self._halves
