"""Counting a table by shape and distance, without spelling out its entries."""

from collections.abc import Iterable, Iterator

import numpy as np
from numpy.typing import NDArray

from tbgen.index.symmetry import KEYS
from tbgen.store import Bulk, TableFile

_FIRST_SIZE = 64


class Counts:
    """How many numbers of each key have which fresh outcome and distance, and whether they have a staircase.

    A sort is what these depend on in a shape: outcome, whether the distance is odd, whether there is a staircase."""

    def __init__(self, table: TableFile) -> None:
        shapes, inside = table.shape_table.shapes, table.shape_table.inside
        lowest = int(shapes.outcome.min())
        keys = (shapes.outcome.astype(np.int32) - lowest) << 2 | shapes.odd << 1 | inside
        there = np.bincount(keys) > 0  # no sorting: there may be millions of shapes, and few keys
        found = np.flatnonzero(there)
        self._sorts = np.stack((lowest + (found >> 2), found >> 1 & 1, found & 1), axis=1)
        """`[sort]`: outcome, odd, inside."""
        self._of_shape: NDArray[np.uint16] = (np.cumsum(there) - 1).astype(np.uint16)[keys]
        self._counts: NDArray[np.int64] = np.zeros((KEYS, len(self._sorts), _FIRST_SIZE), np.int64)
        """`[key, sort, half of a distance]`."""

    def add(
        self, bulk: Bulk, runs: Iterable[tuple[int, slice | NDArray[np.int64]]]
    ) -> Iterator[tuple[int, NDArray[np.int64]]]:
        """Count these, run by run of numbers with a key. Gives, for each run, the key and `[sort, half]`."""
        width = int(bulk.halves()[0].max()) + 1
        self._make_room(width)
        for key, here in runs:
            new = np.zeros((len(self._sorts), width), np.int64)
            bulk.count(here, self._of_shape, new)
            self._counts[key, :, :width] += new
            yield key, new

    def _make_room(self, width: int) -> None:
        size = self._counts.shape[2]
        if width > size:
            more = max(width, 2 * size) - size
            self._counts = np.pad(self._counts, ((0, 0), (0, 0), (0, more)))

    def farthest(self, new: NDArray[np.int64]) -> Iterator[tuple[int, int]]:
        """Outcomes that occur in a run, each with its longest distance; an outcome may come twice."""
        seen = new > 0
        last = new.shape[1] - 1 - seen[:, ::-1].argmax(axis=1)
        for sort in np.flatnonzero(seen.any(axis=1)).tolist():
            relative, odd, _ = self._sorts[sort].tolist()
            if relative:
                yield relative, 2 * int(last[sort]) + odd

    def by_outcome(self) -> Iterator[tuple[int, NDArray[np.int64]]]:
        """Each outcome, relative to the side to move, with `[key, distance]`."""
        for relative in np.unique(self._sorts[:, 0]).tolist():
            if relative:
                found = np.zeros((KEYS, 2 * self._counts.shape[2]), np.int64)
                for sort in np.flatnonzero(self._sorts[:, 0] == relative).tolist():
                    found[:, self._sorts[sort, 1] :: 2] += self._counts[:, sort]
                yield relative, found

    def with_staircase(self) -> NDArray[np.int64]:
        """`[key]`: how many numbers have one."""
        found: NDArray[np.int64] = self._counts[:, self._sorts[:, 2] > 0].sum(axis=(1, 2))
        return found
