"""The dictionaries of all units in memory, one behind the other, as kernels take them."""

from typing import Final, NamedTuple

import numpy as np
from numpy.typing import NDArray

from tbgen.core.table_rules import TableRules
from tbgen.memory.arrays import Make, in_memory
from tbgen.verify.values import Dictionary, dictionary_of, find_highest

_SPARE: Final = 1.25
"""Room is made for so many times what there will be if other units are like those before them."""


class _Place(NamedTuple):
    staircases: slice
    steps: slice


class Joined:
    def __init__(self, rules: TableRules, most: int = 1, make: Make = in_memory) -> None:
        """`most`: units that are expected to be there at the same time, at most."""
        self._rules = rules
        self._most = most
        self._make = make
        self._places: dict[int, _Place] = {}
        """`[unit]`, in the order in which they lie."""
        self._first: NDArray[np.int64] = make(1, np.int64)
        self._step: NDArray[np.int64] = make(0, np.int64)
        self._highest: NDArray[np.int32] = make(0, np.int32)
        self._count = self._used = 0

    def dictionary(self) -> Dictionary:
        return dictionary_of(self._first[: self._count + 1], self._step[: self._used], self._rules)

    def highest(self) -> NDArray[np.int32]:
        """`[staircase]`: see `find_highest`."""
        return self._highest[: self._count]

    def first(self, unit: int) -> int:
        """The number of a unit's first staircase."""
        return self._places[unit].staircases.start

    def add(self, unit: int, start: NDArray[np.int64], steps: NDArray[np.int64]) -> bool:
        """Add a unit, whose staircases begin at these of its steps. Returns whether the others have moved."""
        count, used = len(start) - 1, len(steps)
        is_full = self._count + count >= len(self._first) or self._used + used > len(self._step)
        if is_full:
            self._make_room(count, used)
        self._step[self._used : self._used + used] = steps
        self._enter(unit, start, used)
        return is_full

    def drop(self, unit: int) -> None:
        del self._places[unit]

    def _enter(self, unit: int, start: NDArray[np.int64], used: int) -> None:
        """Put a unit last, whose staircases begin at these of its steps; those are there already."""
        staircases = slice(self._count, self._count + len(start) - 1)
        first = self._first[staircases.start : staircases.stop + 1]
        first[:] = start
        first += self._used
        find_highest(first, self._step, self._highest[staircases])
        self._places[unit] = _Place(staircases, slice(self._used, self._used + used))
        self._count, self._used = staircases.stop, self._used + used

    def _make_room(self, count: int, used: int) -> None:
        """Make room for a unit and those to come, and move those that have not been dropped together."""
        places, first, step = self._places, self._first, self._step
        count += sum(one.staircases.stop - one.staircases.start for one in places.values())
        used += sum(one.steps.stop - one.steps.start for one in places.values())
        share = _SPARE * max(1, self._most / (1 + len(places)))
        self._first, self._step = self._make(int(share * count) + 1, np.int64), self._make(int(share * used), np.int64)
        self._highest = self._make(int(share * count), np.int32)
        self._places, self._count, self._used = {}, 0, 0
        for unit, (staircases, steps) in places.items():
            self._step[self._used : self._used + steps.stop - steps.start] = step[steps]
            starts = first[staircases.start : staircases.stop + 1] - steps.start
            self._enter(unit, starts, steps.stop - steps.start)
