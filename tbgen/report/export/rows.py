"""The rows of an export: the positions of a table that are wanted, piece by piece, column by column."""

from collections.abc import Callable, Iterator, Sequence
from dataclasses import dataclass
from typing import Any, Final, NamedTuple

import numpy as np
from numpy.typing import NDArray

from tbgen.core import outcome
from tbgen.core.table_contents import DISTANCE_MASK, OUTCOME_SHIFT
from tbgen.index import Layout
from tbgen.index.positions import Placed, fens, first_to_move, placed
from tbgen.index.symmetry import KINDS, SymmetryClasses
from tbgen.store import Bulk, TableFile

Columns = dict[str, NDArray[Any]]


class _Piece(NamedTuple):
    """Some positions, column by column; White is to move where both sides have the same men."""

    layout: Layout
    numbers: NDArray[np.int64]
    men: Placed
    outcomes: NDArray[np.int32]
    dtg: NDArray[np.int32]
    inside: NDArray[np.bool_]
    placements: NDArray[np.int64]


@dataclass(frozen=True)
class Wanted:
    """Which positions; all, unless told otherwise."""

    turn: bool | None = None
    """White's or Black's."""
    outcomes: tuple[int, ...] = ()
    """White's view."""
    least: int = 0
    most: int = DISTANCE_MASK
    """Plies."""

    def rows(self, one: _Piece) -> NDArray[np.bool_]:
        kept: NDArray[np.bool_] = (one.dtg >= self.least) & (one.dtg <= self.most)
        if self.turn is not None:
            kept &= one.men.second_moves != self.turn
        if self.outcomes:
            kept &= np.isin(one.outcomes, self.outcomes)
        return kept


_TEXTS: Final = np.array([outcome.text(value).encode() for value in range(-outcome.BASE, outcome.BASE + 1)])
_MADE: Final[dict[str, Callable[[_Piece], NDArray[Any]]]] = {
    "number": lambda one: one.numbers,
    "fen": lambda one: fens(one.layout, one.men),
    "gscore": lambda one: _TEXTS[one.outcomes + outcome.BASE],
    "outcome": lambda one: one.outcomes.astype(np.int16),
    "dtg": lambda one: one.dtg.astype(np.uint16),
    "staircase": lambda one: one.inside.astype(np.uint8),
    "placements": lambda one: one.placements.astype(np.uint8),
}


def rows(
    table: TableFile, wanted: Wanted, names: Sequence[str], report: Callable[[int], None] = lambda numbers: None
) -> Iterator[Columns]:
    """The columns of these names, some rows after the other. `report` is called with the numbers that were read."""
    symmetry = SymmetryClasses(table.layout)
    for here, bulk in table.in_order(0, table.size, fresh=True):
        placements = symmetry.placements[symmetry.keys(here.start, here.stop) % KINDS]
        at = np.flatnonzero(bulk.entries)
        at = at[wanted.rows(_piece(table.layout, here.start, bulk, placements, at))]
        chosen = _piece(table.layout, here.start, bulk, placements, at)
        yield {name: _MADE[name](chosen) for name in names}
        report(here.stop - here.start)


def _piece(layout: Layout, start: int, bulk: Bulk, placements: NDArray[np.int64], at: NDArray[np.int64]) -> _Piece:
    numbers, entries = start + at, bulk.entries[at]
    men = placed(layout, numbers)
    if layout.material.even:
        men = first_to_move(layout, men)
    relative = entries >> OUTCOME_SHIFT
    outcomes = np.where(men.second_moves, -relative, relative)
    return _Piece(layout, numbers, men, outcomes, entries & DISTANCE_MASK, bulk.inside(at), placements[at])
