"""Where two sets of rules differ: tables of the same material have the same numbers, so they are read side by side."""

from collections import defaultdict
from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from typing import Final

import numpy as np
from numpy.typing import NDArray

from tbgen.core import outcome, position
from tbgen.core.material import Material
from tbgen.core.table_contents import distances, outcomes
from tbgen.core.table_rules import TableRules
from tbgen.index.symmetry import KEYS, SymmetryClasses
from tbgen.probe import Tablebase
from tbgen.report.census import Tick
from tbgen.report.document import Line
from tbgen.report.lines import best_line
from tbgen.report.records import fen_of
from tbgen.store import TableFile

SAME, SLOWER, LOWER, HIGHER, OTHER = range(5)
"""Same outcome and distance; other distance; the same side gets a lower G-score by the first rules than by the
second; a higher one; the other side gets it."""
KINDS: Final = (SAME, SLOWER, LOWER, HIGHER, OTHER)
TITLES: Final = ("the same", "other DTG", "lower G-score", "higher G-score", "other side")


@dataclass(frozen=True)
class Change:
    """Positions whose outcome is one by the first rules and another by the second, seen from the side to move."""

    first: int
    second: int
    positions: int
    placements: int

    @property
    def kind(self) -> int:
        if (self.first > 0) != (self.second > 0):
            return OTHER
        return LOWER if outcome.level(self.first) < outcome.level(self.second) else HIGHER

    @property
    def size(self) -> int:
        """The size in levels: twice the difference of the G-scores. Between two sides: the sum of both worths."""
        if self.kind == OTHER:
            return abs(self.first) + abs(self.second)
        return abs(abs(self.first) - abs(self.second))


@dataclass(frozen=True)
class Example:
    """A position with the largest change of a kind, and best play from it by either rules."""

    material: Material
    kind: int
    size: int
    """The size as in `Change`; plies, where only the distance is another."""
    fen: str
    lines: tuple[Line | None, Line | None]


@dataclass(frozen=True)
class Kinds:
    """How often two tables of one material differ, in which way and by how much."""

    material: Material
    rules: tuple[TableRules, TableRules]
    positions: int
    placements: int
    shares: tuple[float, ...]
    """By kind, of all placements."""
    mean_difference: float | None
    """Of both G-scores, where the side is the same; None where they never differ so."""
    counted: int
    """Over how many positions; 0 where that was not kept."""

    def share(self, kind: int) -> float:
        return self.shares[kind]


@dataclass(frozen=True)
class Comparison:
    material: Material
    rules: tuple[TableRules, TableRules]
    positions: int
    placements: int
    slower: tuple[int, int]
    """Positions and placements where only the distance is another."""
    changes: tuple[Change, ...]
    examples: tuple[Example, ...]

    def share(self, kind: int) -> float:
        """The share of all placements."""
        if kind == SLOWER:
            return self.slower[1] / self.placements
        if kind == SAME:
            return 1 - sum(self.share(other) for other in (SLOWER, LOWER, HIGHER, OTHER))
        return sum(change.placements for change in self.changes if change.kind == kind) / self.placements

    @property
    def kinds(self) -> Kinds:
        same_side = [change for change in self.changes if change.kind != OTHER]
        counted = sum(change.positions for change in same_side)
        mean = sum(change.size * change.positions for change in same_side) / counted / 2 if counted else None
        shares = tuple(self.share(kind) for kind in KINDS)
        return Kinds(self.material, self.rules, self.positions, self.placements, shares, mean, counted)


def compare(tables: tuple[TableFile, TableFile], bases: tuple[Tablebase, Tablebase], tick: Tick) -> Comparison:
    """Read two tables of one material side by side."""
    first, second = tables
    layout = first.layout
    symmetry = SymmetryClasses(layout)
    legal, slower = np.zeros(KEYS, np.int64), np.zeros(KEYS, np.int64)
    counts: defaultdict[tuple[int, int], NDArray[np.int64]] = defaultdict(lambda: np.zeros(KEYS, np.int64))
    seen: dict[tuple[int, int], int] = {}
    largest_gap, gap_at = 0, -1
    for (here, bulk), (_, beside) in zip(*(table.in_order(0, table.size, fresh=True) for table in tables), strict=True):
        start, end = here.start, here.stop
        entries = bulk.entries, beside.entries
        keys = symmetry.keys(start, end)
        legal += np.bincount(keys[entries[0] != 0], minlength=KEYS)
        different = np.flatnonzero(entries[0] != entries[1])
        before, after = (outcomes(part[different]) for part in entries)
        changed = before != after
        where = different[changed]
        for key, pair, count, place in grouped(keys[where], before[changed], after[changed]):
            counts[pair][key] += count
            number = start + int(where[place])
            seen[pair] = min(seen.get(pair, number), number)
        same = different[~changed]
        slower += np.bincount(keys[same], minlength=KEYS)
        gaps = abs(distances(entries[0][same]).astype(np.int64) - distances(entries[1][same]))
        if len(gaps) and gaps.max() > largest_gap:
            largest_gap, gap_at = int(gaps.max()), start + int(same[gaps.argmax()])
        tick(end - start)
    changes = tuple(Change(*pair, *symmetry.count(by_key)) for pair, by_key in counts.items())
    chosen = list(_largest(changes, seen))
    if gap_at >= 0:
        chosen.append((SLOWER, largest_gap, gap_at))
    examples = tuple(
        Example(first.material, kind, size, *_lines_from(fen_of(layout, number), first.material, kind, bases))
        for kind, size, number in sorted(chosen, reverse=True)
    )
    return Comparison(
        first.material, (first.rules, second.rules), *symmetry.count(legal), symmetry.count(slower), changes, examples
    )


def grouped(
    keys: NDArray[np.int64], before: NDArray[np.integer], after: NDArray[np.integer]
) -> Iterator[tuple[int, tuple[int, int], int, int]]:
    """Each key and change that there is: how often, and where first."""
    codes = (keys << 32) + (before.astype(np.int64) + outcome.BASE << 16) + after + outcome.BASE
    found, places, counts = np.unique(codes, return_index=True, return_counts=True)
    for code, place, count in zip(found.tolist(), places.tolist(), counts.tolist(), strict=True):
        yield code >> 32, ((code >> 16 & 0xFFFF) - outcome.BASE, (code & 0xFFFF) - outcome.BASE), count, place


def _largest(changes: Sequence[Change], numbers: dict[tuple[int, int], int]) -> Iterator[tuple[int, int, int]]:
    """For each kind, the largest change and the number of a position that has it."""
    for kind in (LOWER, HIGHER, OTHER):
        of_kind = [change for change in changes if change.kind == kind]
        if of_kind:
            largest = max(of_kind, key=lambda change: (change.size, change.positions))
            yield kind, largest.size, numbers[largest.first, largest.second]


def _lines_from(
    text: str, material: Material, kind: int, bases: tuple[Tablebase, Tablebase]
) -> tuple[str, tuple[Line | None, Line | None]]:
    board = position.of_tables(text)
    found = []
    for base in bases:
        key = f"{material}-{TITLES[kind].replace(' ', '-')}-{base.rules}"
        found.append(best_line(base, board, key, f"{material}, {TITLES[kind]}: under {base.rules}"))
    return text, (found[0], found[1])
