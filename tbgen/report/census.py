"""A table counted in one pass: outcomes and distances by side to move, and where the longest are.

White is the first side of the material. Where both sides have the same men, White is always to move: a position with
Black to move is counted with colours swapped.
"""

from collections import Counter, defaultdict
from collections.abc import Callable, Iterable, Iterator, Mapping
from dataclasses import dataclass
from functools import cached_property
from typing import Final, Protocol

import numpy as np
from numpy.typing import NDArray

from tbgen.core.material import Material
from tbgen.core.table_rules import TableRules
from tbgen.index.symmetry import HALVES, KINDS, SymmetryClasses
from tbgen.report.counts import Counts
from tbgen.report.pairs import Among
from tbgen.store import TableFile

WHITE, BLACK = range(2)
"""Sides to move."""
MOVERS: Final = {WHITE: "White", BLACK: "Black"}

Case = tuple[int, int]
"""A side to move and an outcome (White's view)."""
Run = tuple[int, slice | NDArray[np.int64]]
"""Numbers with the same key."""
Tick = Callable[[int], None]
"""A callback that gets the count of numbers read since its last call."""


class Sums(Protocol):
    """What the positions of one case come to."""

    @property
    def count(self) -> int:
        """Positions, each once up to symmetry."""

    @property
    def weight(self) -> int:
        """All placements that they stand for."""

    @property
    def on_board(self) -> float:
        """The share of placements that no play changes."""

    @property
    def plies(self) -> float:
        """The distances of all positions together."""

    @property
    def longest(self) -> int:
        """The longest distance."""


@dataclass(frozen=True)
class Spread:
    """The positions of one case by distance."""

    positions: NDArray[np.int64]
    """`[distance]`: each once up to symmetry."""
    placements: NDArray[np.int64]
    """`[distance]`: all placements that they stand for."""
    blocks: tuple[int, ...]
    """The first numbers of the pieces where those with the longest distance are."""

    @property
    def longest(self) -> int:
        return int(np.flatnonzero(self.positions)[-1])

    @property
    def count(self) -> int:
        return int(self.positions.sum())

    @property
    def weight(self) -> int:
        return int(self.placements.sum())

    @property
    def on_board(self) -> float:
        return int(self.placements[0]) / self.weight

    @property
    def plies(self) -> int:
        return int((self.positions * np.arange(len(self.positions))).sum())


@dataclass(frozen=True)
class Tally:
    """The figures of a table, whether it was counted just now or its figures were kept."""

    material: Material
    rules: TableRules
    cases: Mapping[Case, Sums]
    recorded: tuple[int, int]
    """Positions, and placements, with a staircase: their outcome under some record is not simply the better of that
    record and the fresh outcome."""

    @cached_property
    def positions(self) -> int:
        """Legal positions, each once up to symmetry."""
        return sum(spread.count for spread in self.cases.values())

    @cached_property
    def placements(self) -> int:
        """Legal placements of the men with White on the first side, for both sides to move."""
        return sum(spread.weight for spread in self.cases.values())

    @cached_property
    def totals(self) -> Mapping[int, int]:
        """Placements by the side to move."""
        found = Counter[int]()
        for (mover, _), spread in self.cases.items():
            found[mover] += spread.weight
        return found

    def to_move(self, mover: int) -> str:
        """The side to move in a word: either, where both sides have the same men."""
        return "either" if self.material.even else MOVERS[mover]

    @cached_property
    def weights(self) -> Mapping[Case, float]:
        """Placements by side to move and outcome, White and Black told apart where both sides have the same men."""
        found: defaultdict[Case, float] = defaultdict(float)
        for (mover, value), spread in self.cases.items():
            parts = [(mover, value, 1.0)]
            if self.material.even:  # with Black to move it is the same, colours swapped
                parts = [(WHITE, value, 0.5), (BLACK, -value, 0.5)]
            for side, result, part in parts:
                found[side, result] += part * spread.weight
        return dict(found)

    @cached_property
    def longest(self) -> int:
        return max(spread.longest for spread in self.cases.values())

    @property
    def plies(self) -> float:
        return sum(spread.plies for spread in self.cases.values())


@dataclass(frozen=True)
class Census(Tally):
    """A table counted in one pass: how many positions are how far, too."""

    cases: Mapping[Case, Spread]


def total_weights(tallies: Iterable[Tally]) -> dict[Case, float]:
    """Placements by side to move and outcome, added up."""
    found: defaultdict[Case, float] = defaultdict(float)
    for tally in tallies:
        for case, weight in tally.weights.items():
            found[case] += weight
    return dict(found)


def take(table: TableFile, tick: Tick = lambda numbers: None, among: Among | None = None) -> Census:
    """Count a table, or those of its numbers that are `among` what is asked for."""
    symmetry, counts = SymmetryClasses(table.layout), Counts()
    longest = _Longest()
    for here, bulk in table.in_order(0, table.size, fresh=True):
        runs = symmetry.runs(here.start, here.stop)
        if among is not None:
            runs = _only(among(here.start, here.stop), runs)
        for key, new in counts.add(bulk, runs):
            longest.add(here.start, key // KINDS, counts.farthest(new))
        tick(here.stop - here.start)
    cases = {}
    for relative, found in counts.by_outcome():
        for mover in (WHITE, BLACK):
            of_case = found[KINDS * mover : KINDS * (mover + 1)]
            if of_case.any():
                cases[mover, relative if mover == WHITE else -relative] = Spread(
                    HALVES @ of_case // 2, symmetry.placements @ of_case, tuple(longest.blocks[mover, relative])
                )
    inside = symmetry.count(counts.with_staircase())
    return Census(table.material, table.rules, dict(sorted(cases.items(), key=_best_first)), inside)


def _only(wanted: NDArray[np.bool_], runs: Iterable[Run]) -> Iterator[Run]:
    everything = np.arange(len(wanted))
    for key, here in runs:
        yield key, everything[here][wanted[here]]


def _best_first(case: tuple[Case, Spread]) -> tuple[int, int]:
    (mover, outcome), _ = case
    return mover, -outcome


class _Longest:
    """In which blocks the longest distances are, by side to move and relative outcome."""

    def __init__(self) -> None:
        self._distance: dict[tuple[int, int], int] = {}
        self.blocks: dict[tuple[int, int], list[int]] = {}

    def add(self, start: int, mover: int, farthest: Iterable[tuple[int, int]]) -> None:
        for relative, distance in farthest:
            known = self._distance.get((mover, relative), -1)
            if distance > known:
                self._distance[mover, relative] = distance
                self.blocks[mover, relative] = [start]
            elif distance == known and self.blocks[mover, relative][-1] != start:
                self.blocks[mover, relative].append(start)
