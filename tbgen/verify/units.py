"""The table that is checked lies in memory by units: neighbouring slices that are read together, with a dictionary of
their staircases. However large the table, only the units that pawns lead to have to be there."""

from collections import OrderedDict
from collections.abc import Callable, Iterable, Iterator
from typing import Final, NamedTuple, Protocol

import numpy as np
from numpy.typing import NDArray

from tbgen.contents import Contents, Steps
from tbgen.index.layout import Layout
from tbgen.material import Material
from tbgen.table_rules import TableRules
from tbgen.turns import pieces
from tbgen.verify.arrivals import Tables
from tbgen.verify.dictionary import Finding, faults, is_readable
from tbgen.verify.values import Dictionary, make_dictionary

_LEAST: Final = 1 << 20
"""Numbers of a unit at least; the last one may have fewer."""
_KEPT: Final = 1 << 26
"""Numbers that may be in memory; above this, units that are not needed now are dropped."""
_NO_STAIRCASE: Final = -(1 << 30)
"""Stays negative when the number of a dictionary's first staircase is added."""


class Source(Protocol):
    """A table that can be read range by range: a file, or contents in memory."""

    @property
    def material(self) -> Material: ...

    @property
    def rules(self) -> TableRules: ...

    def part(self, start: int, end: int) -> Contents:
        """A range of numbers, with a dictionary of the staircases in it."""
        ...


class Unreadable(Exception):
    """A dictionary is not well formed."""


class Unit(NamedTuple):
    start: int
    """Its first number."""
    entries: NDArray[np.int32]
    staircases: NDArray[np.int32]
    steps: Steps


class Units:
    def __init__(
        self, source: Source, layout: Layout, tables: Tables, note: Callable[[Iterable[Finding]], None]
    ) -> None:
        """`note` is called with what is wrong with dictionaries by themselves."""
        self._source = source
        self._start: list[int] = layout.start.tolist()
        self._tables = tables
        self._note = note
        self.slices = list(_divided(self._start))
        """`[unit]`: its slices."""
        self.unit_of = np.repeat(np.arange(len(self.slices)), [len(slices) for slices in self.slices])
        """`[slice]`"""
        self._held: OrderedDict[int, Unit] = OrderedDict()
        self._judged: set[int] = set()
        self.dictionary: Dictionary = make_dictionary([], source.rules)

    def in_turn(self) -> Iterator[range]:
        """The slices of each unit in turn: a unit before those that its pawns lead to, and those in memory next."""
        left = set(range(len(self.slices)))
        while left:
            unit = max(left & self._held.keys() or left)
            left.remove(unit)
            yield self.slices[unit]

    def fetch(self, slices: Iterable[int]) -> None:
        """Bring these slices into memory."""
        needed = {int(self.unit_of[slice_]) for slice_ in slices}
        new = sorted(needed - self._held.keys())
        for unit in new:
            self._held[unit] = self._read(unit)
        for unit in needed:
            self._held.move_to_end(unit)
        if new:
            self._shed(len(needed))
            self._publish()

    def _read(self, number: int) -> Unit:
        slices = self.slices[number]
        start, end = self._start[slices.start], self._start[slices.stop]
        contents = self._source.part(start, end)
        entries = np.ascontiguousarray(contents.entries, np.int32)
        staircases = np.ascontiguousarray(contents.staircases, np.int32)
        if len(entries) != end - start or len(staircases) != end - start:
            raise ValueError(f"{self._source.material} has not as many entries as numbers")
        if not is_readable(contents.steps):
            raise Unreadable
        unit = _with_staircases(Unit(start, entries, staircases, contents.steps))
        if number not in self._judged:
            self._judged.add(number)
            self._note(_found(unit, fault) for fault in [*faults(unit.steps), *_unused(unit)])
        return unit

    def _shed(self, needed: int) -> None:
        """Drop the units that were needed longest ago."""
        spare = list(self._held)[: len(self._held) - needed]
        held = sum(len(unit.entries) for unit in self._held.values())
        for number in spare:
            if held > _KEPT:
                held -= len(self._held.pop(number).entries)

    def _publish(self) -> None:
        """Join the dictionaries of the units in memory, and tell the kernels the addresses."""
        tables = self._tables
        tables.entries[:] = tables.staircases[:] = 0
        self.dictionary = make_dictionary([unit.steps for unit in self._held.values()], self._source.rules)
        first = 0
        for number, unit in self._held.items():
            for slice_ in self.slices[number]:
                node = self._start[slice_] - unit.start
                tables.entries[slice_] = unit.entries.ctypes.data + node * unit.entries.itemsize
                tables.staircases[slice_] = unit.staircases.ctypes.data + node * unit.staircases.itemsize
                tables.first_staircase[slice_] = first
            first += len(unit.steps.start) - 1


def _divided(start: list[int]) -> Iterator[range]:
    first = 0
    for slice_ in range(len(start) - 1):
        if start[slice_ + 1] - start[first] >= _LEAST or slice_ + 2 == len(start):
            yield range(first, slice_ + 1)
            first = slice_ + 1


def _with_staircases(unit: Unit) -> Unit:
    """The unit with _NO_STAIRCASE for numbers outside its dictionary: they would lie in another unit's."""
    count = len(unit.steps.start) - 1
    for here in pieces(len(unit.staircases)):
        piece = unit.staircases[here]
        if ((piece < 0) | (piece >= count)).any():
            own = unit.staircases.copy()
            own[(own < 0) | (own >= count)] = _NO_STAIRCASE
            return unit._replace(staircases=own)
    return unit


def _unused(unit: Unit) -> list[Finding]:
    used = np.zeros(len(unit.steps.start) - 1, np.bool_)
    for here in pieces(len(unit.staircases)):
        piece = unit.staircases[here]
        used[piece[piece >= 0]] = True
    return [Finding("no position has it", staircase=int(one)) for one in np.flatnonzero(~used[1:]) + 1]


def _found(unit: Unit, fault: Finding) -> Finding:
    """The fault with the first position that has the staircase, so that a user can find it."""
    for here in pieces(len(unit.staircases)):
        places = np.flatnonzero(unit.staircases[here] == fault.staircase)
        if len(places):
            return Finding(fault.problem, unit.start + here.start + int(places[0]), fault.staircase)
    return fault
