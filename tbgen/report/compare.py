"""Where two sets of rules differ: tables of the same material have the same numbers, so they are read side by side."""

from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from typing import Final

import chess
import numpy as np
from numpy.typing import NDArray

from tbgen import outcome
from tbgen.index.contents import distances, outcomes
from tbgen.material import Material
from tbgen.probe import Tablebase
from tbgen.report.census import Tick, blocks
from tbgen.report.document import Block, Line, Lines, Remark, Section, Table, Value, columns
from tbgen.report.lines import best_line
from tbgen.report.records import told
from tbgen.report.symmetry import HALVES, KEYS, KINDS, Symmetry
from tbgen.report.tally import Slots, Tally
from tbgen.store import TableFile

SAME, SLOWER, LOWER, HIGHER, OTHER = range(5)
"""Same outcome and distance; other distance; the same side gets a lower G-score by the first rules than by the
second; a higher one; the other side gets it."""
TITLES: Final = ("the same", "other DTG", "lower G-score", "higher G-score", "other side")

_TOP: Final = 30
"""Changes of outcome that are listed."""


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
        """By how much: in levels, twice the difference of G-scores; for another side, how good what it now has is."""
        if self.kind == OTHER:
            return abs(self.first) + abs(self.second)
        return abs(abs(self.first) - abs(self.second))


@dataclass(frozen=True)
class Example:
    """One position of a kind, and best play from it by either rules."""

    kind: int
    fen: str
    lines: tuple[Line | None, Line | None]


@dataclass(frozen=True)
class Comparison:
    material: Material
    rules: tuple[str, str]
    positions: int
    placements: int
    slower: tuple[int, int]
    """Positions and placements where only the distance is another."""
    changes: tuple[Change, ...]
    examples: tuple[Example, ...]

    def share(self, kind: int) -> float:
        """Of all placements."""
        if kind == SLOWER:
            return self.slower[1] / self.placements
        if kind == SAME:
            return 1 - sum(self.share(other) for other in (SLOWER, LOWER, HIGHER, OTHER))
        return sum(change.placements for change in self.changes if change.kind == kind) / self.placements


def compare(tables: tuple[TableFile, TableFile], bases: tuple[Tablebase, Tablebase], tick: Tick) -> Comparison:
    """Read two tables of one material side by side."""
    first, second = tables
    layout = first.layout
    symmetry = Symmetry(layout)
    slots, tally = Slots(), Tally(KEYS)
    legal, slower = np.zeros(KEYS, np.int64), np.zeros(KEYS, np.int64)
    seen: dict[tuple[int, int], int] = {}
    largest_gap, gap_at = 0, -1
    for start, end in blocks(first.size):
        entries = first.entries(start, end), second.entries(start, end)
        keys = symmetry.keys(start, end)
        legal += np.bincount(keys[entries[0] != 0], minlength=KEYS)
        different = np.flatnonzero(entries[0] != entries[1])
        rows, cols = (slots.of(outcomes(part[different])) for part in entries)
        changed = rows != cols
        _first_seen(seen, rows[changed], cols[changed], start + different[changed])
        tally.add(keys[different[changed]], rows[changed], cols[changed])
        same = different[~changed]
        slower += np.bincount(keys[same], minlength=KEYS)
        gaps = abs(distances(entries[0][same]).astype(np.int64) - distances(entries[1][same]))
        if len(gaps) and gaps.max() > largest_gap:
            largest_gap, gap_at = int(gaps.max()), start + int(same[gaps.argmax()])
        tick(end - start)
    changes = tuple(_changes(tally, slots, symmetry))
    chosen = dict(_largest(changes, {_pair(slots, *cell): number for cell, number in seen.items()}))
    if gap_at >= 0:
        chosen[SLOWER] = gap_at
    examples = tuple(
        _example(kind, told(layout, chosen[kind]), first.material, bases) for kind in sorted(chosen, reverse=True)
    )
    return Comparison(
        first.material, (first.rules, second.rules), *_both(symmetry, legal), _both(symmetry, slower), changes, examples
    )


def _both(symmetry: Symmetry, keyed: NDArray[np.int64]) -> tuple[int, int]:
    """Positions and placements."""
    by_kind = keyed.reshape(2, KINDS).sum(axis=0)
    return int(HALVES @ by_kind) // 2, int(symmetry.placements @ by_kind)


def _first_seen(
    seen: dict[tuple[int, int], int], rows: NDArray[np.int64], cols: NDArray[np.int64], numbers: NDArray[np.int64]
) -> None:
    """Remember the first number of each change."""
    cells, places = np.unique(rows << 32 | cols, return_index=True)
    for cell, place in zip(cells.tolist(), places.tolist(), strict=True):
        seen.setdefault((cell >> 32, cell & 0xFFFFFFFF), int(numbers[place]))


def _pair(slots: Slots, row: int, col: int) -> tuple[int, int]:
    return slots.outcomes[row], slots.outcomes[col]


def _changes(tally: Tally, slots: Slots, symmetry: Symmetry) -> Iterator[Change]:
    for row, col in np.argwhere(tally.counts.any(axis=0)).tolist():
        yield Change(*_pair(slots, row, col), *_both(symmetry, tally.counts[:, row, col]))


def _largest(changes: Sequence[Change], numbers: dict[tuple[int, int], int]) -> Iterator[tuple[int, int]]:
    """For each kind, a position with the largest change."""
    for kind in (LOWER, HIGHER, OTHER):
        of_kind = [change for change in changes if change.kind == kind]
        if of_kind:
            largest = max(of_kind, key=lambda change: (change.size, change.positions))
            yield kind, numbers[largest.first, largest.second]


def _example(kind: int, text: str, material: Material, bases: tuple[Tablebase, Tablebase]) -> Example:
    board = chess.Board(text)
    found = []
    for base in bases:
        key = f"{material}-{TITLES[kind].replace(' ', '-')}-{base.rules}"
        found.append(best_line(base, board, key, f"{material}, {TITLES[kind]}: under {base.rules}"))
    return Example(kind, text, (found[0], found[1]))


def section(comparisons: Sequence[Comparison]) -> Section:
    """All of it."""
    first, second = comparisons[0].rules
    remark = Remark(
        f"Fresh outcomes under {first} (captures and pawn moves reset the record) beside those under {second} (nothing "
        f"does), position by position; shares are of placements. “Lower G-score”: the same side forces a lower one "
        f"under {first} than under {second}. “By” is the mean difference of the two G-scores, over positions where the "
        "side is the same."
        if (first, second) == ("r", "wg")
        else f"Fresh outcomes under {first} beside those under {second}, position by position."
    )
    lines = tuple(line for one in comparisons for example in one.examples for line in example.lines if line is not None)
    blocks: tuple[Block, ...] = (
        remark,
        _shares(comparisons),
        _top(comparisons),
        _examples(comparisons),
        Lines("compare-lines", "Lines of the examples", lines, detail=True),
    )
    return Section("compare", f"Rules compared: {first} and {second}", blocks)


def _shares(comparisons: Sequence[Comparison]) -> Table:
    return Table(
        "compare",
        "How often they differ",
        columns(
            ("material", "material"),
            ("positions", "positions", "count"),
            ("share_same", "the same", "share"),
            ("share_slower", "other DTG", "share"),
            ("share_lower", "lower G-score", "share"),
            ("share_higher", "higher G-score", "share"),
            ("share_other", "other side", "share"),
            ("mean_difference", "by", "mean"),
        ),
        tuple(
            (
                one.material.name,
                one.positions,
                *(one.share(kind) for kind in (SAME, SLOWER, LOWER, HIGHER, OTHER)),
                _mean_difference([one]),
            )
            for one in comparisons
        ),
        total=_shares_of_all(comparisons) if len(comparisons) > 1 else (),
    )


def _shares_of_all(comparisons: Sequence[Comparison]) -> tuple[Value, ...]:
    placements = sum(one.placements for one in comparisons)
    shares = [
        sum(one.share(kind) * one.placements for one in comparisons) / placements
        for kind in (SAME, SLOWER, LOWER, HIGHER, OTHER)
    ]
    return "all", sum(one.positions for one in comparisons), *shares, _mean_difference(comparisons)


def _mean_difference(comparisons: Sequence[Comparison]) -> float | None:
    """In G-scores, where the side is the same."""
    same_side = [change for one in comparisons for change in one.changes if change.kind != OTHER]
    positions = sum(change.positions for change in same_side)
    if not positions:
        return None
    return sum(change.size * change.positions for change in same_side) / positions / 2


def _top(comparisons: Sequence[Comparison]) -> Table:
    """The commonest changes, added up over all materials."""
    first, second = comparisons[0].rules
    added: dict[tuple[int, int], list[int]] = {}
    for one in comparisons:
        for change in one.changes:
            counts = added.setdefault((change.first, change.second), [0, 0])
            counts[0] += change.positions
            counts[1] += change.placements
    total = sum(one.placements for one in comparisons)
    ranked = sorted(added.items(), key=lambda item: -item[1][1])[:_TOP]
    return Table(
        "changes",
        "The commonest changes",
        columns(
            ("first", f"under {first}", "gscore"),
            ("second", f"under {second}", "gscore"),
            ("positions", "positions", "count"),
            ("placements", "placements", "count"),
            ("share", "share", "share"),
        ),
        tuple((*pair, *counts, counts[1] / total) for pair, counts in ranked),
        note="Seen from the side to move: a G-score without a sign is its own.",
    )


def _examples(comparisons: Sequence[Comparison]) -> Table:
    first, second = comparisons[0].rules
    return Table(
        "examples",
        "Examples: the largest change of each kind",
        columns(
            ("material", "material"),
            ("kind", "kind"),
            ("first", f"under {first}", "gscore"),
            ("first_dtg", "DTG", "plies"),
            ("second", f"under {second}", "gscore"),
            ("second_dtg", "DTG", "plies"),
            ("fen", "FEN", "fen"),
            ("first_line", f"{first} line", "link"),
            ("second_line", f"{second} line", "link"),
        ),
        tuple(row for one in comparisons for row in _example_rows(one)),
        detail=len(comparisons) > 1,
    )


def _example_rows(one: Comparison) -> Iterator[tuple[Value, ...]]:
    for example in one.examples:
        told_lines: list[tuple[int | None, int | None]] = [
            (None, None) if line is None else (line.outcome, len(line.steps)) for line in example.lines
        ]
        links = [None if line is None else line.key for line in example.lines]
        yield (
            one.material.name, TITLES[example.kind], *told_lines[0], *told_lines[1], example.fen, *links,
        )  # fmt: skip
