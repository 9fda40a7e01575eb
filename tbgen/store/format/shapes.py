"""Shapes: all that a table says of a position but for distances.

A shape is a fresh outcome and a form. A form is a staircase without its distances: the steps, each with its holder,
level and outcome. Whether a distance is odd follows from the side that scores at its end, so the shape and the form
know it, and only half of the distance is stored with the position. Often a distance equals the fresh one or that of the
step before: then the form says so, and nothing is stored. Tables have hundreds or thousands of forms, and a hundred
times as many staircases.
"""

from collections.abc import Callable, Iterator
from functools import cached_property
from typing import Final, NamedTuple

import numpy as np
from numpy.typing import NDArray

from tbgen.core.outcome import BASE
from tbgen.core.table_contents import OUTCOME_SHIFT, places_of
from tbgen.system.parallel import pieces

FRESH, BEFORE, EVEN, ODD = range(4)
"""Where a step's distance comes from: the fresh one, that of the step before, or one stored with the position."""

# bits of words that stand for steps, above the lowest one, which is set
WORD_HOLDER_AT: Final = 1
WORD_LEVEL_AT: Final = 2
WORD_OUTCOME_AT: Final = 10
WORD_END: Final = 26

MOST_STEPS: Final = 254
"""Steps of a form, at most, so that the number of its distances fits into a byte."""
_PIECE: Final = 1 << 18
"""Forms whose steps are worked out together."""
AS_FRESH: Final = 0
"""The column of a distance that is the fresh one."""


class Forms(NamedTuple):
    """Forms, and their steps one after the other. Number 0 has no step."""

    steps: NDArray[np.uint8]
    """`[form]`: how many steps it has."""
    holder: NDArray[np.uint8]
    """`[step]`, like all that follow."""
    level: NDArray[np.uint8]
    outcome: NDArray[np.int16]
    source: NDArray[np.uint8]

    @property
    def start(self) -> NDArray[np.int64]:
        """`[form]`: where its steps begin."""
        return np.cumsum(self.steps, dtype=np.int64) - self.steps

    def taken(self, forms: NDArray[np.integer], start: NDArray[np.int64] | None = None) -> "Forms":
        """Some of them, in this order. `start`: what `start` would give, where it is known."""
        at = places_of((self.start if start is None else start)[forms], self.steps[forms])
        return Forms(self.steps[forms], self.holder[at], self.level[at], self.outcome[at], self.source[at])

    def parts(self) -> Iterator[tuple[slice, "Forms"]]:
        """Some at a time, in order: what is worked out for each step takes many times what a step does."""
        end = 0
        for here in pieces(len(self.steps), _PIECE):
            at = slice(end, end + int(self.steps[here].sum(dtype=np.int64)))
            end = at.stop
            yield here, Forms(self.steps[here], self.holder[at], self.level[at], self.outcome[at], self.source[at])

    def distances(self) -> tuple[NDArray[np.uint8], NDArray[np.uint8]]:
        """`[step]`: where its distance is, AS_FRESH or n for the nth that is stored with the position. And `[step]`:
        whether a stored distance is odd."""
        length = self.steps.astype(np.int64)
        own = self.source >= EVEN
        nth = np.append(0, np.cumsum(own, dtype=np.int64))
        nth = nth[1:] - np.repeat(nth[self.start], length)
        # a distance that repeats the step before is where the last one lies that does not repeat
        first = np.zeros(len(own), np.bool_)
        first[self.start[length > 0]] = True
        said = np.maximum.accumulate(np.where((self.source != BEFORE) | first, np.arange(len(own)), 0))
        column = np.where(own, nth, AS_FRESH)[said]
        return column.astype(np.uint8), (self.source == ODD)[said].astype(np.uint8)

    def stored(self) -> NDArray[np.uint8]:
        """`[form]`: how many distances are stored beside the fresh one."""
        if len(self.steps) == 1:  # a tenth of the time
            return np.array([np.count_nonzero(self.source >= EVEN)], np.uint8)
        before = np.append(0, np.cumsum(self.source >= EVEN, dtype=np.int64))
        found: NDArray[np.uint8] = (before[self.start + self.steps] - before[self.start]).astype(np.uint8)
        return found


def words_of(holder: NDArray[np.uint8], level: NDArray[np.uint8], outcome: NDArray[np.int16]) -> NDArray[np.uint64]:
    """Holder, level and outcome of steps, each in one number that is not 0."""
    words = holder.astype(np.uint64)
    words <<= WORD_HOLDER_AT
    words += np.uint64(1)
    words |= level.astype(np.uint64) << WORD_LEVEL_AT
    words |= (outcome.astype(np.uint64) & 0xFFFF) << WORD_OUTCOME_AT
    return words


def no_forms() -> Forms:
    """The form without steps alone."""
    none = np.zeros(0, np.uint8)
    return Forms(np.zeros(1, np.uint8), none, none, np.zeros(0, np.int16), none)


Load = Callable[[NDArray[np.int64], NDArray[np.uint8]], Forms]
"""Gives the forms that have these numbers in the file, in this order, if they store so many distances each."""


class Shape(NamedTuple):
    """One of them. See `ShapeTable`."""

    base: int
    held: int
    form: int


class ShapeTable:
    """Shapes by number; number 0 stands for "no legal position". Forms are loaded when they are needed."""

    def __init__(self, base: NDArray[np.int32], held: NDArray[np.uint8], form: NDArray[np.int64], load: Load) -> None:
        self.count = len(base)
        self.base = base
        """`[shape]`: the entry of a position of it whose fresh distance is 0 or 1."""
        self.held = held
        """`[shape]`: how many distances a position of it has in the file: none if it stands for no position, else the
        fresh one and those stored beside it."""
        self.form = form
        """`[shape]`: which form it has, by the number that the file gives it; 0 for none."""
        self._load = load

    def one(self, shape: int) -> Shape:
        return Shape(int(self.base[shape]), int(self.held[shape]), int(self.form[shape]))

    @cached_property
    def inside(self) -> NDArray[np.bool_]:
        """`[shape]`: whether it has steps."""
        return self.form > 0

    @cached_property
    def width(self) -> int:
        """The most distances that are stored beside a fresh one."""
        return max(0, int(self.held.max(initial=1)) - 1)

    @cached_property
    def stored(self) -> NDArray[np.uint8]:
        """`[shape]`: how many distances are stored beside the fresh one."""
        return (self.held - (self.held > 0)).astype(np.uint8)

    @cached_property
    def steps(self) -> "Steps":
        forms = self.forms_of(slice(None))
        return Steps(forms, forms.start, *forms.distances())

    def forms_of(self, some: slice) -> Forms:
        """The forms of some of them, read anew."""
        return self._load(self.form[some], self.stored[some])

    def steps_of(self, shape: int) -> list[tuple[int, int, int, int, int]]:
        """Holder, level, outcome, column and whether the distance is odd: quick for one position."""
        base, held, form = self.one(shape)
        forms = self._load(np.array([form]), np.array([held - (held > 0)], np.uint8))
        column, odd, stored, found = AS_FRESH, base & 1, 0, []
        for holder, level, outcome, source in zip(*(part.tolist() for part in forms[1:]), strict=True):
            if source == FRESH:
                column, odd = AS_FRESH, base & 1
            elif source != BEFORE:
                stored += 1
                column, odd = stored, int(source == ODD)
            found.append((holder, level, outcome, column, odd))
        return found


class Steps(NamedTuple):
    """The steps of shapes."""

    forms: Forms
    """`[shape]`."""
    start: NDArray[np.int64]
    """`[shape]`: where its steps begin."""
    column: NDArray[np.uint8]
    """`[step]`: see `Forms.distances`."""
    odd: NDArray[np.uint8]


def by_step(
    start: NDArray[np.integer], length: NDArray[np.integer]
) -> Iterator[tuple[NDArray[np.int64], NDArray[np.int64]]]:
    """For the first step, the second and so on: the rows that have it, and where it is."""
    for step in range(int(length.max(initial=0))):
        having: NDArray[np.int64] = np.flatnonzero(length > step)
        yield having, start[having].astype(np.int64) + step


def pack_base(outcome: NDArray[np.integer], odd: NDArray[np.integer]) -> NDArray[np.int32]:
    return (outcome.astype(np.int32) << OUTCOME_SHIFT) + odd.astype(np.int32)


def check(forms: Forms) -> None:
    """ValueError if no table can have such forms."""
    if forms.steps.max(initial=0) > MOST_STEPS:
        raise ValueError(f"a form has more than {MOST_STEPS} steps")
    for name, least, most in (("holder", 0, 1), ("outcome", -BASE, BASE), ("source", FRESH, ODD)):
        values = getattr(forms, name)
        if len(values) and not least <= values.min() <= values.max() <= most:
            raise ValueError(f"its forms have a {name} that cannot be")
