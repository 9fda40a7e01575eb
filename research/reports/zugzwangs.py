"""Reciprocal zugzwangs: positions in which whoever is to move does worse than if the other side were, record by record.

A placement counts under a record that can stand whoever is to move: its level is no higher than that of either side's
position. White's outcome with White to move is then worse for White than with Black to move.
"""

from collections import defaultdict
from collections.abc import Sequence
from functools import cache
from typing import Final, NamedTuple

import numpy as np
from numpy.typing import NDArray

from tbgen.core import outcome
from tbgen.core.material import Material
from tbgen.core.outcome import BASE, FIRST_RECORD
from tbgen.core.table_contents import DISTANCE_MASK, MOVER_HOLDS, OPPONENT_HOLDS, OUTCOME_SHIFT, Contents
from tbgen.index.layout import Layout
from tbgen.index.positions import Placed, fens, legal, placed
from tbgen.index.symmetry import HALVES, KINDS, SymmetryClasses
from tbgen.probe.levels import levels
from tbgen.probe.vector import PositionColumns, numbers
from tbgen.report.census import Tick
from tbgen.report.document import Remark, Section, Table, Value, columns
from tbgen.report.findings import listed, share
from tbgen.rules.scoring import Exponential
from tbgen.store import TableFile
from tbgen.system.parallel import pieces

_PIECE: Final = 1 << 16
Ints = NDArray[np.int64]

_REMARK: Final = Remark(
    "A reciprocal zugzwang: with White to move the outcome is worse for White than with Black to move, under the same "
    "record. Placements of which both are legal positions, each once up to symmetry of the board; where both sides "
    "have the same men, colours swapped make another one. Records are those that can stand in both. The swing is what "
    "the move costs White, in points by the exponential formula."
)


class Swing(NamedTuple):
    """The largest or the longest of a kind."""

    measure: float
    fen: str
    record: int
    white_to_move: int
    black_to_move: int


class Found(NamedTuple):
    material: Material
    placements: int
    """Legal with either side to move."""
    records: dict[int, tuple[int, int]]
    """By record: placements in which it can stand, and zugzwangs among them."""
    squeezes: int
    """Placements that are zugzwangs under some record."""
    mates: int
    """Under some record one of the outcomes is mate and the other is not: zugzwangs of chess as well."""
    largest: Swing | None
    longest: Swing | None


def find(table: TableFile, tick: Tick) -> Found:
    layout = table.layout
    symmetry, values = SymmetryClasses(layout), _Values(table.part(0, table.size))
    tally = _Tally(layout)
    for slice_ in range(layout.slices):
        first, half = int(layout.start[slice_]), int(layout.half_size[slice_])
        whole = layout.flip[slice_] >= 0
        for here in pieces(half, _PIECE):
            white, black, weight = _both(layout, symmetry, np.arange(first + here.start, first + here.stop))
            # colours swapped give another placement: of this slice's other half, unless it has none
            tally.add(values, white, black, weight * (2 if layout.material.even and not whole else 1))
            tick((here.stop - here.start) * (1 if whole else 2))
    return tally.found()


class _Values:
    """What a table says, record by record."""

    def __init__(self, contents: Contents) -> None:
        self.fresh = (contents.entries >> OUTCOME_SHIFT).astype(np.int16)
        self.distance = (contents.entries & DISTANCE_MASK).astype(np.uint16)
        self.staircase = contents.staircases
        self._steps = contents.steps
        self._of_step = np.repeat(np.arange(len(contents.steps.start) - 1), np.diff(contents.steps.start))
        self._known: dict[int, tuple[NDArray[np.int16], NDArray[np.uint16]]] = {}

    def under(self, side: "_Side", record: int) -> tuple[NDArray[np.int16], NDArray[np.uint16]]:
        """Outcome and distance of positions that this record can stand in, as the side to move sees them."""
        outcomes, plies = self._of_staircases(record)
        fresh, staircase = self.fresh[side.number], self.staircase[side.number]
        decided = (np.abs(fresh) > abs(record)) | (side.level - BASE == record)
        return (
            np.where(decided, fresh, outcomes[staircase]),
            np.where(decided, self.distance[side.number], plies[staircase]),
        )

    def _of_staircases(self, record: int) -> tuple[NDArray[np.int16], NDArray[np.uint16]]:
        """`[staircase]`: the same where the position's own goal does not decide."""
        if record not in self._known:
            holder = MOVER_HOLDS if record > 0 else OPPONENT_HOLDS
            steps, last = self._steps, outcome.level(record)
            count = len(steps.start) - 1
            value, plies = np.full(count, record, np.int16), np.zeros(count, np.uint16)
            rows = np.flatnonzero((steps.holder == holder) & (steps.level <= last))
            # in rising order of level within a staircase: the last one stays
            value[self._of_step[rows]], plies[self._of_step[rows]] = steps.outcome[rows], steps.distance[rows]
            lost = (value >= record) if record > 0 else (value <= record)
            value[lost], plies[lost] = record, 0
            self._known[record] = value, plies
        return self._known[record]


class _Side(NamedTuple):
    """Positions with one side to move."""

    number: Ints
    level: Ints


def _both(layout: Layout, symmetry: SymmetryClasses, one: Ints) -> tuple[_Side, _Side, Ints]:
    """The placements of these numbers, the first side's half of a slice, with either side to move."""
    men = placed(layout, one)
    other = Placed(men.squares, ~men.second_moves)
    good = legal(layout, men) & legal(layout, other)
    squares = [column[good] for column in men.squares]
    sides = []
    for second in (False, True):
        moves = np.full(int(good.sum()), second)
        given = PositionColumns(layout, squares, moves)
        own = levels(given) if len(moves) else np.zeros(0, np.int64)
        number = numbers(given) if len(moves) else np.zeros(0, np.int64)
        sides.append(_Side(number, own))
    keys = symmetry.keys(int(one[0]), int(one[-1]) + 1)[good] % KINDS
    return sides[0], sides[1], HALVES[keys]


class _Tally:
    """Adds up placements; each twice, as some are their own mirror images."""

    def __init__(self, layout: Layout) -> None:
        self._layout = layout
        self._records: defaultdict[int, Ints] = defaultdict(lambda: np.zeros(2, np.int64))
        self._totals = np.zeros(3, np.int64)
        self._best: list[Swing | None] = [None, None]

    def add(self, values: _Values, white: "_Side", black: "_Side", weight: Ints) -> None:
        if not len(weight):
            return
        squeezed, mated = np.zeros(len(weight), np.bool_), np.zeros(len(weight), np.bool_)
        top = np.minimum(white.level, black.level)
        for level in range(FIRST_RECORD, int(top.max()) + 1):
            rows = np.flatnonzero(top >= level)
            here = [_Side(*(column[rows] for column in side)) for side in (white, black)]
            for record in (outcome.held_by_white(level), outcome.held_by_black(level)):
                ours, far = values.under(here[0], record)
                theirs, other_far = values.under(here[1], -record)
                theirs = -theirs
                worse = ours < theirs
                self._records[record] += (weight[rows].sum(), weight[rows[worse]].sum())
                squeezed[rows] |= worse
                mated[rows] |= worse & ((abs(ours) == BASE) != (abs(theirs) == BASE))
                if worse.any():
                    self._keep(here[0].number[worse], record, ours[worse], theirs[worse],
                               np.maximum(far, other_far)[worse])  # fmt: skip
        self._totals += (weight.sum(), weight[squeezed].sum(), weight[mated].sum())

    def _keep(
        self, number: Ints, record: int, ours: NDArray[np.int16], theirs: NDArray[np.int16], far: NDArray[np.uint16]
    ) -> None:
        """The largest swing, and the longest distance."""
        points = _points()
        for place, measure in enumerate((points[theirs + BASE] - points[ours + BASE], far.astype(np.float64))):
            top = int(measure.argmax())
            known = self._best[place]
            if known is None or measure[top] > known.measure:
                fen = str(fens(self._layout, placed(self._layout, number[top : top + 1]))[0], "ascii")
                self._best[place] = Swing(float(measure[top]), fen, record, int(ours[top]), int(theirs[top]))

    def found(self) -> Found:
        records = {one: (int(pair[0]) // 2, int(pair[1]) // 2) for one, pair in self._records.items()}
        placements, squeezes, mates = (int(total) // 2 for total in self._totals)
        return Found(
            self._layout.material, placements, dict(sorted(records.items(), reverse=True)), squeezes, mates, *self._best
        )


@cache
def _points() -> NDArray[np.float64]:
    """`[outcome + BASE]`: White's."""
    rule, found = Exponential(), np.zeros(2 * BASE + 1)
    for level in range(outcome.MAX_LEVEL + 1):
        for held in (outcome.held_by_white(level), outcome.held_by_black(level)):
            found[held + BASE] = float(rule.points(held))
    return found


def section(found: Sequence[Found]) -> Section:
    table = Table(
        "zugzwangs",
        "Reciprocal zugzwangs",
        columns(
            ("material", "material"),
            ("placements", "placements", "count"),
            ("zugzwangs", "under some record", "count"),
            ("share", "share", "share"),
            ("of_chess", "of chess", "count"),
            ("swing", "largest swing", "points"),
            ("record", "record", "gscore"),
            ("white_to_move", "White to move", "gscore"),
            ("black_to_move", "Black to move", "gscore"),
            ("fen", "FEN", "fen"),
            ("longest", "longest", "plies"),
            ("longest_record", "its record", "gscore"),
            ("longest_fen", "its FEN", "fen"),
        ),
        tuple(map(_row, found)),
    )
    by_record = Table(
        "zugzwang-records",
        "Record by record",
        columns(
            ("material", "material"),
            ("record", "record", "gscore"),
            ("placements", "placements", "count"),
            ("zugzwangs", "zugzwangs", "count"),
        ),
        tuple((one.material.name, record, *pair) for one in found for record, pair in one.records.items()),
        detail=True,
    )
    return Section("zugzwangs", "Zugzwangs", (_REMARK, table, by_record), (_finding(found),))


def _row(one: Found) -> tuple[Value, ...]:
    rest: list[Value] = [None] * 8
    if one.largest is not None and one.longest is not None:
        swing, far = one.largest, one.longest
        rest = [swing.measure, *swing[2:], swing.fen, int(far.measure), far.record, far.fen]
    return (one.material.name, one.placements, one.squeezes, one.squeezes / one.placements, one.mates, *rest)


def _finding(found: Sequence[Found]) -> str:
    placements, squeezes = (sum(getattr(one, name) for one in found) for name in ("placements", "squeezes"))
    mates = sum(one.mates for one in found)
    most = sorted(found, key=lambda one: one.squeezes / one.placements, reverse=True)[:3]
    named = listed([f"{one.material.name} ({share(one.squeezes / one.placements)})" for one in most])
    return (
        f"Under some record, {share(squeezes / placements)} of the placements are reciprocal zugzwangs, most often in "
        f"{named}; {mates:,} of {squeezes:,} are so in chess as well."
    )
