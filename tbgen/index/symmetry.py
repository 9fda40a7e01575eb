"""What a number of a table stands for: how many placements, and whether their mirror image has a number too.

A position is stored once up to symmetry: eight symmetries without pawns, two with pawns, and twice as many where both
sides have the same men, since colours can then be swapped. There is one exception. Where both kings stand on the
diagonal a1-h8, its reflection leaves the kings in place: a placement and its mirror image then have a number each,
unless they are the same placement.
"""

from collections.abc import Iterator
from functools import cached_property
from typing import Final

import numpy as np
from numpy.typing import NDArray

from tbgen.board.geometry import GEOMETRY, TRANSPOSED
from tbgen.index.groups import choices
from tbgen.index.kings import FREE, kings
from tbgen.index.layout import Layout
from tbgen.system.parallel import ranges

PLAIN, TWICE, MIRROR = range(3)
"""Kinds of numbers: the only one of its symmetry class, one of two, its own mirror image."""
KINDS: Final = 3
HALVES: Final = np.array([2, 1, 2])
"""`[kind]`: the halves of a symmetry class that a number stands for."""
KEYS: Final = 2 * KINDS
"""A key is `side to move * KINDS + kind`."""

_TOGETHER: Final = 1 << 18
"""Numbers that are looked at together."""
_DIAGONAL: Final = 9
"""The squares of the diagonal a1-h8 are its multiples."""


class SymmetryClasses:
    """The key of each number of a material, and how many placements the numbers of a key stand for.

    Where both sides have the same men, every position counts as one with White (the first side) to move."""

    def __init__(self, layout: Layout) -> None:
        self._layout = layout
        order = (2 if layout.material.pawns else 8) * (2 if layout.material.even else 1)
        self.placements: NDArray[np.int64] = np.array([order, order // 2, order // 2])
        """`[kind]`: how many placements a number stands for, the sides to move and the colours swapped included."""
        self._start, self._key = self._runs()

    def keys(self, start: int, end: int) -> NDArray[np.int64]:
        """The key of each number in a range."""
        found = np.empty(end - start, np.int64)
        for key, here in self.runs(start, end):
            found[here] = key
        return found

    def runs(self, start: int, end: int) -> Iterator[tuple[int, slice | NDArray[np.int64]]]:
        """The numbers of a range, counted from its start, run by run of those with the same key."""
        first, last = np.searchsorted(self._start, [start, end - 1], "right") - 1
        bounds = [start, *self._start[first + 1 : last + 1].tolist(), end]
        for key, begin, stop in zip(self._key[first : last + 1].tolist(), bounds[:-1], bounds[1:], strict=True):
            low, high = np.searchsorted(self._mirrors, [begin, stop])
            if low == high:
                yield key, slice(begin - start, stop - start)
            else:
                mirrors = self._mirrors[low:high] - start
                yield key + MIRROR - TWICE, mirrors
                yield key, np.delete(np.arange(begin - start, stop - start), mirrors - (begin - start))

    def movers(self, numbers: NDArray[np.int64]) -> NDArray[np.int64]:
        """The side to move of each of these numbers."""
        return self._key[np.searchsorted(self._start, numbers, "right") - 1] // KINDS

    def count(self, by_key: NDArray[np.int64]) -> tuple[int, int]:
        """Positions, each once up to symmetry, and placements, from how many numbers have each key."""
        by_kind = by_key.reshape(2, KINDS).sum(axis=0)
        return int(HALVES @ by_kind) // 2, int(self.placements @ by_kind)

    def twice(self) -> Iterator[NDArray[np.int64]]:
        """The numbers of those that are one of two, some at a time."""
        for some in ranges(range(self._layout.size), _TOGETHER):
            for key, here in self.runs(some.start, some.stop):
                if key % KINDS == TWICE:
                    yield some.start + (np.arange(here.start, here.stop) if isinstance(here, slice) else here)

    def _runs(self) -> tuple[NDArray[np.int64], NDArray[np.int64]]:
        """Where runs of numbers with the same key start, and the keys, mirror images left out."""
        layout = self._layout
        starts = layout.start[:-1]
        movers = np.zeros(len(starts), np.int64)
        second = np.flatnonzero(layout.flip < 0)  # a half of their own for the second side to move
        starts = np.concatenate((starts, starts[second] + layout.half_size[second]))
        movers = np.concatenate((movers, np.full(len(second), 0 if layout.material.even else 1)))
        kinds = np.zeros((len(starts), 1), np.int64)
        offsets = np.zeros(1, np.int64)
        if not layout.material.pawns:
            on_diagonal = _on_diagonal()
            kinds = np.where(on_diagonal, TWICE, PLAIN)[None, :]
            offsets = np.arange(len(on_diagonal)) * layout.inner
        start = (starts[:, None] + offsets).reshape(-1)
        key = (movers[:, None] * KINDS + kinds).reshape(-1)
        order = np.argsort(start)
        return start[order], key[order]

    @cached_property
    def _mirrors(self) -> NDArray[np.int64]:
        """The numbers of placements that are their own mirror images, in rising order."""
        layout = self._layout
        if layout.material.pawns:
            return np.zeros(0, np.int64)
        found = np.flatnonzero(_on_diagonal()) * layout.inner
        for group in layout.groups:
            found = (found[:, None] + _own_mirrors(group.count) * group.stride).reshape(-1)
        halves = layout.start[0] + np.arange(1 if layout.material.even else 2) * layout.half_size[0]
        return np.sort((halves[:, None] + found).reshape(-1))


def _on_diagonal() -> NDArray[np.bool_]:
    """`[pair of kings]`: whether both stand on the diagonal a1-h8."""
    table = kings(FREE)
    both: NDArray[np.bool_] = (table.first % _DIAGONAL == 0) & (table.second % _DIAGONAL == 0)
    return both


def _own_mirrors(count: int) -> NDArray[np.int64]:
    """The numbers of groups of like men that are their own mirror images."""
    squares = choices().squares[count].reshape(-1, count)
    image = np.sort(GEOMETRY.image[TRANSPOSED][squares], axis=1)
    return np.flatnonzero((image == np.sort(squares, axis=1)).all(axis=1))
