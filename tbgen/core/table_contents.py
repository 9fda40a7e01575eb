"""What a finished table says, by number: handed from the solver to the store, from the store to probe and verifier."""

from dataclasses import dataclass
from typing import Any, Final, NamedTuple, Protocol

import numpy as np
from numpy.typing import NDArray

from tbgen.core.material import Material
from tbgen.core.table_rules import TableRules
from tbgen.system.parallel import pieces

_PIECE: Final = 1 << 18
"""Numbers, or staircases, handled at a time: tables may have many millions."""

OUTCOME_SHIFT: Final = 16
DISTANCE_MASK: Final = (1 << OUTCOME_SHIFT) - 1
"""An entry is a fresh relative outcome and its distance: `outcome << OUTCOME_SHIFT | distance`; 0 where there is no
legal position."""

OPPONENT_HOLDS = 0
MOVER_HOLDS = 1


class Steps(NamedTuple):
    """All staircases one after the other, column by column; each in rising order of level.

    A step gives the relative outcome and the distance in plies for records of its holder, from its level on until
    the holder's next step. The record stands before the first step, and wherever the step's outcome is no better
    than the record for the side that does not hold it."""

    start: NDArray[np.int64]
    """`[staircase]`: where its steps begin; one more entry than staircases. Staircase 0 has none."""
    holder: NDArray[np.uint8]
    """OPPONENT_HOLDS or MOVER_HOLDS."""
    level: NDArray[np.uint8]
    outcome: NDArray[np.int16]
    distance: NDArray[np.uint16]


class Column(Protocol):
    """A value for each number, in an array or elsewhere."""

    def __len__(self) -> int: ...

    def __getitem__(self, numbers: slice, /) -> NDArray[np.int32]: ...


class Told(Protocol):
    """What a table says, wherever its columns lie. Those of `Contents` are arrays."""

    @property
    def material(self) -> Material: ...

    @property
    def rules(self) -> TableRules: ...

    @property
    def entries(self) -> Column: ...

    @property
    def staircases(self) -> Column: ...

    @property
    def steps(self) -> Steps: ...

    def part(self, start: int, end: int, /) -> "Contents": ...


@dataclass(frozen=True)
class Contents:
    material: Material
    rules: TableRules
    entries: NDArray[np.int32]
    """`[number]`: fresh relative outcome and distance, packed; 0 where there is no legal position."""
    staircases: NDArray[np.int32]
    """`[number]`: which staircase holds while the record is better than or equal to the fresh outcome."""
    steps: Steps

    def part(self, start: int, end: int) -> "Contents":
        """A range of numbers, with the staircases that are found there and no others."""
        return self if (start, end) == (0, len(self.entries)) else _part(self, start, end)


@dataclass(frozen=True)
class FarContents:
    """The same, with columns that are not in arrays."""

    material: Material
    rules: TableRules
    entries: Column
    staircases: Column
    steps: Steps

    def part(self, start: int, end: int) -> Contents:
        return _part(self, start, end)


def _part(whole: Told, start: int, end: int) -> Contents:
    here = whole.staircases[start:end]
    rising = np.sort(np.append(np.zeros(1, np.int32), here))
    used = rising[np.append(True, rising[1:] != rising[:-1])]
    staircases = np.empty(len(here), np.int32)
    for piece in pieces(len(here), _PIECE):  # `np.unique` takes 30 bytes a number more
        staircases[piece] = np.searchsorted(used, here[piece])
    return Contents(whole.material, whole.rules, whole.entries[start:end], staircases, selected(whole.steps, used))


def no_positions(material: Material, size: int) -> Contents:
    """Of a table of so many numbers, none of which is a legal position."""
    nothing = np.zeros(size, np.int32)
    bytes_, outcome, distance = np.zeros(0, np.uint8), np.zeros(0, np.int16), np.zeros(0, np.uint16)
    steps = Steps(np.zeros(2, np.int64), bytes_, bytes_, outcome, distance)
    return Contents(material, TableRules.RESET, nothing, nothing, steps)


def selected(steps: Steps, staircases: NDArray[np.integer]) -> Steps:
    """Some staircases, in this order."""
    start = np.append(0, np.cumsum(steps.start[staircases + 1] - steps.start[staircases])).astype(np.int64)
    all_of_them: tuple[NDArray[Any], ...] = steps[1:]
    columns = [np.empty(start[-1], column.dtype) for column in all_of_them]
    for here in pieces(len(staircases), _PIECE):
        ends = start[here.start : here.stop + 1]
        source = places_of(steps.start[staircases[here]], np.diff(ends))
        for column, values in zip(columns, all_of_them, strict=True):
            column[ends[0] : ends[-1]] = values[source]
    return Steps(start, *columns)


def places_of(begin: NDArray[np.int64], length: NDArray[np.integer]) -> NDArray[np.int64]:
    """Where the steps of some rows are, one row after the other."""
    ends = np.cumsum(length, dtype=np.int64)
    places: NDArray[np.int64] = np.repeat(begin - (ends - length), length) + np.arange(ends[-1] if len(ends) else 0)
    return places


def outcomes(entries: NDArray[np.int32]) -> NDArray[np.int16]:
    """The fresh relative outcomes in entries."""
    return (entries >> OUTCOME_SHIFT).astype(np.int16)


def distances(entries: NDArray[np.int32]) -> NDArray[np.uint16]:
    return (entries & DISTANCE_MASK).astype(np.uint16)
