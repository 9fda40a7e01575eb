"""Shapes: all that a position says but for how many plies things take.

A shape is a fresh outcome and the steps of a staircase, each with its holder, level and outcome. Whether a
distance is odd follows from who scores at its end, so the shape knows it, and only half of it is stored with the
position. Often a distance is the fresh one again or that of the step before: then the shape says so and nothing
is stored at all. Tables have hundreds or thousands of shapes and a hundred times as many staircases.
"""

from collections.abc import Callable, Iterable, Mapping
from functools import cached_property
from typing import Final, NamedTuple, TypeVar

import numpy as np
from numpy.typing import NDArray

FRESH, BEFORE, EVEN, ODD = range(4)
"""Where a step's distance comes from: the fresh one, that of the step before, or one stored with the position."""

NAMES: Final = ("outcome", "odd", "steps", "holder", "level", "step_outcome", "source")


class Columns(NamedTuple):
    """`[shape, step]`, filled up with zeros behind the last step of a shape."""

    holder: NDArray[np.uint8]
    level: NDArray[np.uint8]
    outcome: NDArray[np.int16]
    column: NDArray[np.uint8]
    """0 for the fresh distance, n for the nth that is stored with the position."""
    odd: NDArray[np.uint8]


class Shapes(NamedTuple):
    """As the file has them, the commonest first; number 0 stands for no legal position."""

    outcome: NDArray[np.int16]
    odd: NDArray[np.uint8]
    """Whether the fresh distance is odd."""
    steps: NDArray[np.uint8]
    """How many steps there are."""
    holder: NDArray[np.uint8]
    """This and the next three: step by step, shape after shape."""
    level: NDArray[np.uint8]
    step_outcome: NDArray[np.int16]
    source: NDArray[np.uint8]


class Lore:
    """What a reader works out of the shapes once."""

    def __init__(self, shapes: Shapes) -> None:
        self.shapes = shapes
        self.count = len(shapes.outcome)
        self.base: NDArray[np.int32] = (shapes.outcome.astype(np.int32) << 16) + shapes.odd
        self.inside: NDArray[np.bool_] = shapes.steps > 0
        self._start = np.concatenate(([0], np.cumsum(shapes.steps, dtype=np.int64)))
        stored = np.concatenate(([0], np.cumsum(shapes.source >= EVEN)))
        self.stored: NDArray[np.uint8] = (stored[self._start[1:]] - stored[self._start[:-1]]).astype(np.uint8)
        """`[shape]`: how many distances are stored beside the fresh one."""
        self.width = int(self.stored.max(initial=0))

    @cached_property
    def columns(self) -> Columns:
        shapes = self.shapes
        size = (self.count, int(shapes.steps.max(initial=0)))
        shape = np.repeat(np.arange(self.count), shapes.steps)
        step = np.arange(len(shape)) - self._start[shape]
        tables = [np.zeros(size, kind) for kind in (np.uint8, np.uint8, np.int16, np.uint8, np.uint8)]
        for table, values in zip(tables, (shapes.holder, shapes.level, shapes.step_outcome), strict=False):
            table[shape, step] = values
        source = np.zeros(size, np.uint8)
        source[shape, step] = shapes.source
        column, odd = tables[3:]
        stored = np.cumsum(source >= EVEN, axis=1)
        for nth in range(size[1]):
            here = source[:, nth]
            column[:, nth] = np.where(here >= EVEN, stored[:, nth], 0)
            odd[:, nth] = np.where(here >= EVEN, here == ODD, shapes.odd)
            if nth:
                again = here == BEFORE
                column[again, nth] = column[again, nth - 1]
                odd[again, nth] = odd[again, nth - 1]
        return Columns(*tables)

    def steps_of(self, shape: int) -> list[tuple[int, int, int, int, int]]:
        """Holder, level, outcome, column and whether the distance is odd: what `columns` says of all shapes, for who
        looks at one position in a table of a million shapes."""
        shapes, here = self.shapes, slice(self._start[shape], self._start[shape + 1])
        column, odd, stored, found = 0, int(shapes.odd[shape]), 0, []
        for holder, level, outcome, source in zip(*(part[here].tolist() for part in shapes[3:]), strict=True):
            if source == FRESH:
                column, odd = 0, int(shapes.odd[shape])
            elif source != BEFORE:
                stored += 1
                column, odd = stored, int(source == ODD)
            found.append((holder, level, outcome, column, odd))
        return found

    @cached_property
    def forms(self) -> tuple[NDArray[np.int64], NDArray[np.int64]]:
        """Shapes whose steps have different holders, levels or outcomes, and `[shape]`: which of those it equals."""
        return unique_rows(np.where(self._is_step, self._words, 0))

    @cached_property
    def makings(self) -> tuple[NDArray[np.int64], NDArray[np.int32]]:
        """`[shape]`: equal where equal distances make equal staircases; and which bits of the fresh one are among
        these."""
        columns, is_step = self.columns, self._is_step
        words = self._words | columns.odd.astype(np.int64) << 26 | columns.column.astype(np.int64) << 27
        repeats_fresh = (is_step & (columns.column == 0)).any(axis=1)
        return unique_rows(np.where(is_step, words, 0))[1], np.where(repeats_fresh, 0xFFFE, 0).astype(np.int32)

    @property
    def _is_step(self) -> NDArray[np.bool_]:
        """`[shape, step]`: whether the shape has so many."""
        mask: NDArray[np.bool_] = np.arange(self.columns.level.shape[1]) < self.shapes.steps[:, None]
        return mask

    @property
    def _words(self) -> NDArray[np.int64]:
        """`[shape, step]`: holder, level and outcome in one."""
        columns = self.columns
        words = 1 | columns.holder.astype(np.int64) << 1 | columns.level.astype(np.int64) << 2
        return words | (columns.outcome.astype(np.int64) & 0xFFFF) << 10


def from_arrays(arrays: Mapping[str, NDArray[np.generic]]) -> Shapes:
    """Shapes as read from a file; ValueError where they do not fit together."""
    shapes = Shapes(*(np.ascontiguousarray(arrays[name]) for name in NAMES))
    steps = int(shapes.steps.sum())
    if len({len(part) for part in shapes[:3]}) != 1 or {len(part) for part in shapes[3:]} != {steps}:
        raise ValueError("its shapes do not fit together")
    return shapes


_Any = TypeVar("_Any", bound=np.generic)


def unique(values: NDArray[_Any]) -> tuple[NDArray[_Any], NDArray[np.int64]]:
    """`np.unique` with the inverse, in a third of its time: a plain sort, then a search."""
    rising = np.sort(values)
    different = rising[np.flatnonzero(np.append(True, rising[1:] != rising[:-1])[: len(rising)])]
    return different, np.searchsorted(different, values)


def unique_rows(rows: NDArray[np.int64]) -> tuple[NDArray[np.int64], NDArray[np.int64]]:
    """The first place of each different row, and for every row which of those it equals."""
    return unique_columns(len(rows), lambda: iter(rows.T))


def unique_columns(
    count: int, columns: Callable[[], Iterable[NDArray[np.integer]]]
) -> tuple[NDArray[np.int64], NDArray[np.int64]]:
    """The same for so many rows of which the columns are at hand one by one, as often as asked for.

    By a hash of each row, and then by comparing: two rows that only share a hash are told apart the slow way."""
    mixed = np.zeros(count, np.uint64)
    for column in columns():
        mixed ^= column.astype(np.uint64)
        mixed *= np.uint64(0x9E3779B97F4A7C15)
        mixed ^= mixed >> np.uint64(29)
    different, which = unique(mixed)
    first = first_of(which, len(different))
    if not all((column[first][which] == column).all() for column in columns()):
        rows = np.stack([column.astype(np.int64) for column in columns()], axis=1)
        _, which = np.unique(rows, axis=0, return_inverse=True)
        which = which.reshape(-1)
        first = first_of(which, int(which.max(initial=-1)) + 1)
    return first, which


def first_of(which: NDArray[np.int64], count: int) -> NDArray[np.int64]:
    """Where each number up to `count` stands first."""
    first = np.empty(count, np.int64)
    first[which[::-1]] = np.arange(len(which))[::-1]  # the last to write is the first in the row
    return first
