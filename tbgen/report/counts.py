"""Counting a table by shape and distance, without spelling out its entries."""

from collections.abc import Iterable, Iterator

import numpy as np
from numpy.typing import NDArray

from tbgen.core.table_contents import OUTCOME_SHIFT
from tbgen.index.symmetry import KEYS
from tbgen.store import Bulk

_FIRST_SIZE = 64


class Counts:
    """How many numbers of each key have which fresh outcome and distance, and whether they have a staircase.

    A sort is what these depend on in a shape: outcome, whether the distance is odd, whether there is a staircase. Sorts
    are numbered as they come."""

    def __init__(self) -> None:
        self._sorts = np.zeros((0, 3), np.int64)
        """`[sort]`: outcome, odd, inside."""
        self._number: dict[int, int] = {}
        """A sort's number, by what it is."""
        self._counts: NDArray[np.int64] = np.zeros((KEYS, 0, _FIRST_SIZE), np.int64)
        """`[key, sort, half of a distance]`."""

    def add(
        self, bulk: Bulk, runs: Iterable[tuple[int, slice | NDArray[np.int64]]]
    ) -> Iterator[tuple[int, NDArray[np.int64]]]:
        """Count these, run by run of numbers with a key. Gives, for each run, the key and `[sort, half]`."""
        shapes, width = bulk.shape_table, int(bulk.halves()[0].max()) + 1
        of_shape = self._sorts_of(shapes.base, shapes.inside)
        self._make_room(width)
        for key, here in runs:
            new = np.zeros((len(self._sorts), width), np.int64)
            bulk.count(here, of_shape, new)
            self._counts[key, :, :width] += new
            yield key, new

    def _sorts_of(self, base: NDArray[np.int32], inside: NDArray[np.bool_]) -> NDArray[np.uint16]:
        """`[shape]`: its sort."""
        different, which = np.unique(base.astype(np.int64) << 1 | inside, return_inverse=True)
        numbers = [self._number.setdefault(sort, len(self._number)) for sort in different.tolist()]
        known = np.array([*self._number], np.int64)
        self._sorts = np.stack((known >> OUTCOME_SHIFT + 1, known >> 1 & 1, known & 1), axis=1)
        return np.array(numbers, np.uint16)[which]

    def _make_room(self, width: int) -> None:
        _, sorts, size = self._counts.shape
        more = max(width, 2 * size) - size if width > size else 0
        if more or sorts < len(self._sorts):
            self._counts = np.pad(self._counts, ((0, 0), (0, len(self._sorts) - sorts), (0, more)))

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
