"""Counting by three numbers at once, two of which may grow."""

import numpy as np
from numpy.typing import NDArray

from tbgen import outcome

_FIRST_SIZE = 64


class Slots:
    """Outcomes as small numbers, in the order of their first appearance."""

    def __init__(self) -> None:
        self._slot = np.full(2 * outcome.BASE + 1, -1, np.int64)
        self.outcomes: list[int] = []
        """`[slot]`."""

    def of(self, outcomes: NDArray[np.integer]) -> NDArray[np.int64]:
        places = outcomes.astype(np.int64) + outcome.BASE
        found = self._slot.take(places)
        if found.min(initial=0) < 0:
            for place in np.unique(places[found < 0]).tolist():
                self._slot[place] = len(self.outcomes)
                self.outcomes.append(place - outcome.BASE)
            found = self._slot.take(places)
        return found


class Tally:
    """`counts[key, row, column]`."""

    def __init__(self, keys: int) -> None:
        self.counts: NDArray[np.int64] = np.zeros((keys, _FIRST_SIZE, _FIRST_SIZE), np.int64)

    def add(self, keys: NDArray[np.int64], rows: NDArray[np.int64], columns: NDArray[np.integer]) -> NDArray[np.int64]:
        """Count these, and return their counts alone."""
        self._make_room(1, int(rows.max(initial=0)))
        self._make_room(2, int(columns.max(initial=0)))
        size = self.counts.shape
        codes = keys * size[1]
        codes += rows
        codes *= size[2]
        codes += columns
        new = np.bincount(codes, minlength=self.counts.size).reshape(size)
        self.counts += new
        return new

    def _make_room(self, axis: int, largest: int) -> None:
        size = self.counts.shape[axis]
        while size <= largest:
            size *= 2
        if size > self.counts.shape[axis]:
            wider = [(0, 0)] * 3
            wider[axis] = (0, size - self.counts.shape[axis])
            self.counts = np.pad(self.counts, wider)
