"""Shapes: all that a table says of a position but for distances.

A shape is a fresh outcome and the steps of a staircase, each with its holder, level and outcome. Whether a
distance is odd follows from the side that scores at its end, so the shape knows it, and only half of the distance is
stored with the position. Often a distance equals the fresh one or that of the step before: then the shape says so, and
nothing is stored. Tables have hundreds or thousands of shapes, and a hundred times as many staircases.
"""

from collections.abc import Iterator
from functools import cached_property
from typing import Final, NamedTuple, TypeVar

import numpy as np
from numpy.typing import NDArray

from tbgen.contents import OUTCOME_SHIFT
from tbgen.outcome import BASE
from tbgen.store.format.forms import find_forms, pieces

FRESH, BEFORE, EVEN, ODD = range(4)
"""Where a step's distance comes from: the fresh one, that of the step before, or one stored with the position."""

MOST_STEPS: Final = 254
"""Steps of a shape, at most, so that the number of its distances fits into a byte."""
KINDS: Final = {"outcome": "<i2", "odd": "u1", "steps": "u1"}
"""Columns with a row per shape."""
STEP_KINDS: Final = {"holder": "u1", "level": "u1", "step_outcome": "<i2", "source": "u1"}
"""Columns with a row per step."""


class Shapes(NamedTuple):
    """Shapes as the file has them, the commonest first; number 0 stands for "no legal position"."""

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


class ShapeTable:
    """What a reader derives from the shapes once: when it opens a table, or on first use."""

    def __init__(self, shapes: Shapes) -> None:
        self.shapes = shapes
        self.count = len(shapes.outcome)
        self.base: NDArray[np.int32] = (shapes.outcome.astype(np.int32) << OUTCOME_SHIFT) + shapes.odd
        self.inside: NDArray[np.bool_] = shapes.steps > 0
        self.start: NDArray[np.int64] = np.cumsum(shapes.steps, dtype=np.int64) - shapes.steps
        """`[shape]`: where its steps begin."""

    @cached_property
    def stored(self) -> NDArray[np.uint8]:
        """`[shape]`: how many distances are stored beside the fresh one."""
        stored = np.empty(self.count, np.uint8)
        for shapes, steps in self._pieces():
            before = np.append(0, np.cumsum(self.shapes.source[steps] >= EVEN, dtype=np.int32))
            start = self.start[shapes] - steps.start
            stored[shapes] = before[start + self.shapes.steps[shapes]] - before[start]
        return stored

    @cached_property
    def held(self) -> NDArray[np.uint8]:
        """`[shape]`: how many distances a position of it has in the file: none if it stands for no position, else the
        fresh one and those stored beside it."""
        held = self.stored + np.uint8(1)
        held[0] = 0
        return held

    @cached_property
    def width(self) -> int:
        return int(self.stored.max(initial=0))

    @cached_property
    def distances(self) -> tuple[NDArray[np.uint8], NDArray[np.uint8]]:
        """`[step]`: where its distance is, 0 for the fresh one and n for the nth that is stored with the position. And
        `[step]`: whether the distance is odd."""
        column, odd = np.empty((2, len(self.shapes.source)), np.uint8)
        for shapes, steps in self._pieces():
            source, length = self.shapes.source[steps], self.shapes.steps[shapes]
            start = self.start[shapes] - steps.start
            own = source >= EVEN
            nth = np.append(0, np.cumsum(own, dtype=np.int32))
            nth = nth[1:] - np.repeat(nth[start], length)
            # a distance that repeats the step before is where the last one lies that does not repeat
            first = np.zeros(len(source), np.bool_)
            first[start[length > 0]] = True
            said = np.maximum.accumulate(np.where((source != BEFORE) | first, np.arange(len(source)), 0))
            column[steps] = np.where(own, nth, 0)[said]
            odd[steps] = np.where(own, source == ODD, np.repeat(self.shapes.odd[shapes], length))[said]
        return column, odd

    def _pieces(self) -> Iterator[tuple[slice, slice]]:
        """Shapes, and their steps."""
        for here in pieces(self.count):
            last = here.stop - 1
            yield here, slice(int(self.start[here.start]), int(self.start[last]) + int(self.shapes.steps[last]))

    def steps_of(self, shape: int) -> list[tuple[int, int, int, int, int]]:
        """Holder, level, outcome, column and whether the distance is odd, as in `distances`: quick for one position in
        a table of a million shapes."""
        shapes, start = self.shapes, int(self.start[shape])
        here = slice(start, start + int(shapes.steps[shape]))
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
    def forms(self) -> tuple[NDArray[np.int32], NDArray[np.int64]]:
        """`[shape]`: its form, equal if the steps have the same holders, levels and outcomes. And `[form]`: a shape
        that has it."""
        return find_forms(self.start, self.shapes.steps, self._words)

    @cached_property
    def makings(self) -> tuple[NDArray[np.int32], NDArray[np.int32]]:
        """`[shape]`: a number, equal if equal distances make equal staircases. And `[shape]`: the bits of the fresh
        distance that are among these."""
        column, odd = self.distances

        def words(at: NDArray[np.int64]) -> NDArray[np.uint64]:
            words = self._words(at)
            words |= odd[at].astype(np.uint64) << 26
            words |= column[at].astype(np.uint64) << 27
            return words

        repeats_fresh = np.zeros(self.count, np.int32)
        for shapes, steps in self._pieces():
            which = np.repeat(np.arange(shapes.start, shapes.stop), self.shapes.steps[shapes])
            repeats_fresh[which[column[steps] == 0]] = 0xFFFE
        return find_forms(self.start, self.shapes.steps, words)[0], repeats_fresh

    def _words(self, at: NDArray[np.int64]) -> NDArray[np.uint64]:
        """Holder, level and outcome in one."""
        words = self.shapes.holder[at].astype(np.uint64)
        words += words + np.uint64(1)
        words |= self.shapes.level[at].astype(np.uint64) << 2
        words |= (self.shapes.step_outcome[at].astype(np.uint64) & 0xFFFF) << 10
        return words


def check(shapes: Shapes) -> None:
    """ValueError if no table can have such shapes."""
    if len(shapes.outcome) == 0 or shapes.outcome[0] or shapes.steps[0]:
        raise ValueError("its first shape is not that of no position")
    if shapes.steps.max() > MOST_STEPS:
        raise ValueError(f"a shape has more than {MOST_STEPS} steps")
    for name, least, most in (
        ("outcome", -BASE, BASE), ("odd", 0, 1), ("holder", 0, 1), ("step_outcome", -BASE, BASE), ("source", FRESH, ODD)
    ):  # fmt: skip
        values = getattr(shapes, name)
        if len(values) and not least <= values.min() <= values.max() <= most:
            raise ValueError(f"its shapes have a {name} that cannot be")


_Any = TypeVar("_Any", bound=np.generic)


def unique(values: NDArray[_Any]) -> tuple[NDArray[_Any], NDArray[np.int64]]:
    """`np.unique` with the inverse, in a third of its time: a plain sort, then a search."""
    rising = np.sort(values)
    different = rising[np.flatnonzero(np.append(True, rising[1:] != rising[:-1])[: len(rising)])]
    return different, np.searchsorted(different, values)


def unique_columns(rows: NDArray[np.int32]) -> tuple[NDArray[np.int64], NDArray[np.int64]]:
    """The first place of each different column, and for every column the one of those that it equals.

    Columns are compared by a hash first. If two differ in spite of equal hashes, all are compared the slow way."""
    mixed = np.zeros(rows.shape[1], np.uint64)
    for row in rows:
        mixed ^= row.astype(np.uint64)
        mixed *= np.uint64(0x9E3779B97F4A7C15)
        mixed ^= mixed >> np.uint64(29)
    different, which = unique(mixed)
    first = first_of(which, len(different))
    if not all((row[first][which] == row).all() for row in rows):
        _, which = np.unique(rows, axis=1, return_inverse=True)
        which = which.reshape(-1)
        first = first_of(which, int(which.max(initial=-1)) + 1)
    return first, which


def first_of(which: NDArray[np.int64], count: int) -> NDArray[np.int64]:
    """`[number]`: the first place at which it stands, for numbers below `count`."""
    first = np.empty(count, np.int64)
    first[which[::-1]] = np.arange(len(which))[::-1]  # written backwards, so that the first place is written last
    return first
