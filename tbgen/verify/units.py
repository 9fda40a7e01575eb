"""The table that is checked lies in memory by units: neighbouring slices that are read together, or a part of a long
one, with a dictionary of their staircases. However large the table, only those units have to be there that moves lead
to."""

import math
from collections import OrderedDict
from collections.abc import Callable, Iterable, Iterator, Mapping, Set
from itertools import islice
from typing import Final, NamedTuple, Protocol

import numpy as np
from numpy.typing import NDArray

from tbgen.core.material import Material
from tbgen.core.packed_steps import pack_steps
from tbgen.core.table_contents import Contents, Steps
from tbgen.core.table_rules import TableRules
from tbgen.index.layout import Layout
from tbgen.memory.arrays import Make, in_memory
from tbgen.system.parallel import pieces, ranges
from tbgen.verify.arrivals import Tables
from tbgen.verify.dictionary import faults, is_readable
from tbgen.verify.finding import Finding
from tbgen.verify.joined import Joined
from tbgen.verify.values import Dictionary

_LEAST: Final = 1 << 20
"""Numbers of a unit at least; the last one may have fewer."""
_KEPT: Final = 1 << 26
"""Numbers that are kept; above this, units that are not needed now are dropped."""
KEPT_LONG: Final = 1 << 28
"""The same where slices are divided, at least: moves lead from a unit to some fifteen others."""
_NEAR: Final = 1 << 27
"""Of these, numbers that are likely to be in memory: those that were needed last."""
_COLUMNS: Final = 8
"""Bytes of a number: its entry and its staircase."""
_NO_STAIRCASE: Final = -1


class Memory(NamedTuple):
    """Where the table lies while it is checked."""

    make: Make = in_memory
    """Gives large arrays."""
    divides: bool = True
    """Long slices are read in parts, so that they need not fit into memory."""
    numbers: int = KEPT_LONG
    """Numbers that there is room for where slices are divided. What is dropped may have to be read again."""
    room: float = math.inf
    """Bytes of memory for the table. Where it does not fit, fewer units are kept, and a sample of what is not divided
    is drawn from numbers that lie together."""

    def holds(self, numbers: int) -> bool:
        """Whether so many fit into memory, with staircases."""
        return _COLUMNS * numbers <= self.room


IN_MEMORY: Final = Memory()


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


class _Held(NamedTuple):
    """A unit in memory."""

    start: int
    """Its first number."""
    entries: NDArray[np.int32]
    staircases: NDArray[np.int32]


class _Span(NamedTuple):
    """What belongs to a unit."""

    slices: range
    pieces: range
    """As in `Tables`."""
    numbers: range


class _Room:
    """Room for the units of long slices, in two large arrays, so that it may lie in files (store/disk_arrays.py)."""

    def __init__(self, size: int, count: int, make: Make) -> None:
        self._size = size
        self._arrays = make(size * count, np.int32), make(size * count, np.int32)
        self._free = list(range(count))
        self._taken: dict[int, int] = {}

    def put(self, unit: int, held: _Held) -> _Held:
        """The same where it may leave memory, if there is room."""
        if not self._free:
            return held
        place = self._taken[unit] = self._free.pop()
        entries, staircases = (array[place * self._size :][: len(held.entries)] for array in self._arrays)
        entries[:], staircases[:] = held.entries, held.staircases
        return _Held(held.start, entries, staircases)

    def drop(self, unit: int) -> None:
        if unit in self._taken:
            self._free.append(self._taken.pop(unit))


class Units:
    def __init__(
        self,
        source: Source,
        layout: Layout,
        tables: Tables,
        note: Callable[[Iterable[Finding]], None],
        memory: Memory = IN_MEMORY,
    ) -> None:
        """`note` is called with what is wrong with dictionaries by themselves."""
        self._source = source
        self._start: list[int] = layout.start.tolist()
        self._tables = tables
        self._note = note
        self._make = memory.make
        self.spans = list(_divided(self._start, tables.shift))
        """`[unit]`"""
        self._kept = memory.numbers if self.divides else int(min(_KEPT, max(_LEAST, memory.room / _COLUMNS)))
        self._unit_of_piece = np.repeat(np.arange(len(self.spans)), [len(one.pieces) for one in self.spans])
        self._first_numbers = [one.numbers.start for one in self.spans]
        size = 1 << tables.shift if self.divides else _LEAST
        most = min(self._kept // size, len(self.spans))
        self._room = _Room(size, most if self.divides else 0, memory.make)
        self._held: OrderedDict[int, _Held] = OrderedDict()
        self._judged: set[int] = set()
        self._joined = Joined(source.rules, most, memory.make)

    @property
    def dictionary(self) -> Dictionary:
        return self._joined.dictionary()

    @property
    def highest(self) -> NDArray[np.int32]:
        return self._joined.highest()

    def of(self, numbers: NDArray[np.int64]) -> NDArray[np.int64]:
        """The units of these numbers."""
        return np.searchsorted(self._first_numbers, numbers, side="right") - 1

    @property
    def divides(self) -> bool:
        """Whether a slice is divided."""
        return len(self._tables.entries) > len(self._start) - 1

    def order(self, needs: Mapping[int, Set[int]]) -> Iterator[int]:
        """All units, one after another. Next comes the one that lacks the fewest others in memory, as far as `needs`
        says. Without `needs`, those in memory come first, then the last: pawns lead to earlier ones."""
        left, near = set(range(len(self.spans))), _NEAR >> self._tables.shift
        while left:
            there = set(islice(reversed(self._held), near) if self.divides else self._held)
            unit = min(left, key=lambda one: (len(needs.get(one, {one}) - there), -one))
            left.remove(unit)
            yield unit

    def asked_for(self) -> set[int]:
        """The units that kernels have asked for since this was called last."""
        asked = np.flatnonzero(self._tables.asked)
        self._tables.asked[:] = 0
        return set(self._unit_of_piece[asked].tolist())

    def fetch(self, needed: Set[int]) -> None:
        """Bring units into memory; those that are there, and needed, stay."""
        new = sorted(needed - self._held.keys())
        for unit in needed & self._held.keys():
            self._held.move_to_end(unit)
        if new:
            self._shed(needed, sum(len(self.spans[unit].numbers) for unit in new))
        for unit in new:
            self._held[unit], steps = self._read(unit)
            have_moved = self._joined.add(unit, *steps)
            for one in self._held if have_moved else [unit]:
                self._publish(one)

    def _read(self, unit: int) -> tuple[_Held, tuple[NDArray[np.int64], NDArray[np.int64]]]:
        """A unit, and its staircases: where their steps begin, and these, each in one integer."""
        start, end = self.spans[unit].numbers.start, self.spans[unit].numbers.stop
        contents = self._source.part(start, end)
        entries = np.ascontiguousarray(contents.entries, np.int32)
        staircases = np.ascontiguousarray(contents.staircases, np.int32)
        if len(entries) != end - start or len(staircases) != end - start:
            raise ValueError(f"{self._source.material} has not as many entries as numbers")
        if not is_readable(contents.steps):
            raise Unreadable
        count = len(contents.steps.start) - 1
        held = _with_staircases(_Held(start, entries, staircases), count)
        dictionary = contents.steps.start, _packed(contents.steps, self._make)
        if unit not in self._judged:
            self._judged.add(unit)
            self._note(_found(held, fault) for fault in [*faults(*dictionary), *_unused(held, count)])
        return self._room.put(unit, held), dictionary

    def _shed(self, needed: Set[int], new: int) -> None:
        """Drop the units that were needed longest ago, so that there is room for so many new numbers."""
        numbers = new + sum(len(held.entries) for held in self._held.values())
        for unit in [*self._held.keys()]:
            if numbers > self._kept and unit not in needed:
                numbers -= len(self._held.pop(unit).entries)
                self._joined.drop(unit)
                self._room.drop(unit)
                gone = self.spans[unit].pieces
                self._tables.entries[gone.start : gone.stop] = 0

    def _publish(self, unit: int) -> None:
        """Tell the kernels where a unit is."""
        tables, span, held = self._tables, self.spans[unit], self._held[unit]
        for slice_ in span.slices:
            begin, end = (int(tables.piece[slice_ + after]) for after in (0, 1))
            for piece in range(max(begin, span.pieces.start), min(end, span.pieces.stop)):
                place = self._start[slice_] + (piece - begin << tables.shift) - held.start
                tables.entries[piece] = held.entries.ctypes.data + place * held.entries.itemsize
                tables.staircases[piece] = held.staircases.ctypes.data + place * held.staircases.itemsize
                tables.first_staircase[piece] = self._joined.first(unit)


def _divided(start: list[int], shift: int) -> Iterator[_Span]:
    piece, size = 0, 1 << shift
    for slices in _runs(start, size):
        begin, end = start[slices.start], start[slices.stop]
        if len(slices) > 1:
            yield _Span(slices, range(piece, piece + len(slices)), range(begin, end))
            piece += len(slices)
        else:
            for numbers in ranges(range(begin, end), size):
                yield _Span(slices, range(piece, piece + 1), numbers)
                piece += 1


def _runs(start: list[int], longest: int) -> Iterator[range]:
    """Slices that are read together. One that is longer than `longest` is read by itself."""
    first = 0
    for slice_ in range(len(start) - 1):
        end, is_long = start[slice_ + 1], start[slice_ + 1] - start[slice_] > longest
        if is_long and first < slice_:
            yield range(first, slice_)
            first = slice_
        if is_long or end - start[first] >= _LEAST or slice_ + 2 == len(start):
            yield range(first, slice_ + 1)
            first = slice_ + 1


def _with_staircases(held: _Held, count: int) -> _Held:
    """The unit with _NO_STAIRCASE for numbers outside its dictionary: they would lie in another unit's."""
    for here in pieces(len(held.staircases)):
        piece = held.staircases[here]
        if ((piece < 0) | (piece >= count)).any():
            own = held.staircases.copy()
            own[(own < 0) | (own >= count)] = _NO_STAIRCASE
            return held._replace(staircases=own)
    return held


def _packed(steps: Steps, make: Make) -> NDArray[np.int64]:
    packed: NDArray[np.int64] = make(len(steps.level), np.int64)
    for here in pieces(len(packed)):
        packed[here] = pack_steps(*(column[here] for column in steps[1:]))
    return packed


def _unused(held: _Held, count: int) -> list[Finding]:
    used = np.zeros(count, np.bool_)
    for here in pieces(len(held.staircases)):
        piece = held.staircases[here]
        some = np.concatenate([piece[:1], piece[1:][piece[1:] != piece[:-1]]])  # neighbours often share theirs
        used[some[some >= 0]] = True
    return [Finding("no position has it", staircase=int(one)) for one in np.flatnonzero(~used[1:]) + 1]


def _found(held: _Held, fault: Finding) -> Finding:
    """The fault with the first position that has the staircase, so that a user can find it."""
    for here in pieces(len(held.staircases)):
        places = np.flatnonzero(held.staircases[here] == fault.staircase)
        if len(places):
            return Finding(fault.problem, held.start + here.start + int(places[0]), fault.staircase)
    return fault
