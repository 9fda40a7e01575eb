"""What the 50-move rule takes away: exact outcomes with the halfmove clock beside those of the tables.

A table's outcomes are those of a game without the rule. Here each position has its own goal as the record, and the game
goes on from some clock.
"""

from collections.abc import Callable, Sequence
from typing import Final, NamedTuple

import numpy as np
from numpy.typing import NDArray

from research.clock.layers import CLOCK
from research.clock.solve import Layer, Solver
from tbgen.core.material import Material
from tbgen.core.outcome import BASE
from tbgen.core.table_contents import DISTANCE_MASK, OUTCOME_SHIFT
from tbgen.index.symmetry import HALVES, KINDS, SymmetryClasses
from tbgen.report.document import Remark, Section, Table, Value, columns
from tbgen.report.findings import listed, share
from tbgen.report.records import fen_of
from tbgen.store import TableFile

MOST_MEN: Final = 4
"""Five would take more memory and time than most machines have."""
SHOWN: Final = (0, 20, 40, 50, 60, 70, 80, 90)
"""Clocks that have a column."""

_REMARK: Final = Remark(
    "With the clock a game ends 100 plies after the last capture or pawn move, and the record stands; mate and "
    "stalemate count on the closing ply, other goals do not (rule set W). Shares are of placements whose outcome is "
    "the table's, with the position's own goal as the record, although the clock has come so far. The other columns "
    "are about clock 0, where positions are counted once up to symmetry: those that change, of these those from which "
    "the goal takes 100 plies or less, how many take more, of these those that keep their outcome all the same, and "
    "one that changes."
)


class Kept(NamedTuple):
    """A table beside the same with the clock."""

    material: Material
    placements: int
    same: NDArray[np.int64]
    """`[clock]`, for those in `SHOWN`: placements with the table's outcome."""
    mates: NDArray[np.int64]
    """The same: placements from which one side mates in time."""
    table_mates: int
    turned: int
    """At clock 0, positions each once up to symmetry: the other side wins."""
    changed: int
    """The outcome is another one."""
    in_time: int
    """It is, though the distance is 100 plies or less."""
    late: int
    """The distance is above 100 plies."""
    late_same: int
    """It is, and the outcome is the same."""
    first: str
    """A position that changes, one of those with the shortest distance; none if all stay."""


class _Counts:
    """Counts the layers of a table, slice after slice."""

    def __init__(self, table: TableFile) -> None:
        self._start = table.layout.start
        entries = table.entries()
        self.outcome = (entries >> OUTCOME_SHIFT).astype(np.int16)
        self.distance = (entries & DISTANCE_MASK).astype(np.int64)
        symmetry = SymmetryClasses(table.layout)
        kinds = symmetry.keys(0, table.size) % KINDS
        self.weight, self.halves = symmetry.placements[kinds], HALVES[kinds]
        self.by_clock = np.zeros((CLOCK, 2), np.int64)
        """Placements that keep their outcome, and mates."""

    def see(self, layer: Layer) -> None:
        here = slice(*(int(number) for number in self._start[layer.slice : layer.slice + 2]))
        fresh, outcome = layer.fresh()[: here.stop - here.start], self.outcome[here]
        there = outcome != 0
        for place, rows in enumerate((fresh == outcome, abs(fresh) == BASE)):
            self.by_clock[layer.clock, place] += int((rows & there) @ self.weight[here])


def kept(solver: Solver, table: TableFile, see: Callable[[Layer], None] = lambda layer: None) -> Kept:
    """Solve a table with the clock. The solver has those that its resets lead to. `see` is told of the layers too."""
    counts = _Counts(table)

    def both(layer: Layer) -> None:
        if layer.clock in SHOWN:
            counts.see(layer)
        see(layer)

    solver.solve(table.material, both)
    same, mates = counts.by_clock.T
    fresh = solver.found[table.material] >> OUTCOME_SHIFT
    outcome, distance = counts.outcome, counts.distance
    changed, late = fresh != outcome, distance > CLOCK
    rows = np.flatnonzero(changed)

    def positions(chosen: NDArray[np.bool_]) -> int:
        return int((chosen @ counts.halves) // 2)

    return Kept(
        table.material,
        placements=int((outcome != 0) @ counts.weight),
        same=same,
        mates=mates,
        table_mates=int((abs(outcome) == BASE) @ counts.weight),
        turned=positions(fresh * outcome < 0),
        changed=positions(changed),
        in_time=positions(changed & ~late),
        late=positions(late),
        late_same=positions(late & ~changed),
        first=fen_of(table.layout, int(rows[distance[rows].argmin()])) if len(rows) else "",
    )


def section(found: Sequence[Kept]) -> Section:
    table = Table(
        "fifty",
        "Outcomes that the 50-move rule leaves",
        columns(
            ("material", "material"),
            *((f"kept_{clock}", f"clock {clock}", "share") for clock in SHOWN),
            ("changed", "changed", "count"),
            ("turned", "other side wins", "count"),
            ("changed_in_time", "of them in 100 plies", "count"),
            ("late", "late", "count"),
            ("late_kept", "late and kept", "count"),
            ("fen", "FEN", "fen"),
        ),
        tuple(map(row, found)),
    )
    return Section("fifty", "The 50-move rule", (_REMARK, table), (_finding(found),))


def row(one: Kept) -> tuple[Value, ...]:
    shares = (int(one.same[clock]) / one.placements for clock in SHOWN)
    return (one.material.name, *shares, one.changed, one.turned, one.in_time, one.late, one.late_same, one.first)


def cursed_section(found: Sequence[tuple[Kept, Kept]]) -> Section:
    """Of pairs under the rule sets W and C."""
    table = Table(
        "cursed",
        "Mates that come too late, and those that rule C saves",
        columns(
            ("material", "material"),
            ("clock", "clock", "plies"),
            ("mates", "mates in the table", "count"),
            ("cursed", "cursed under W", "count"),
            ("saved", "mates under C", "count"),
        ),
        tuple(cursed_row(w, c, clock) for w, c in found if w.table_mates for clock in SHOWN),
        note="Placements, with the position's own goal as the record.",
    )
    return Section("cursed", "Cursed mates", (_CURSED, table), (_cursed_finding(found),))


_CURSED: Final = Remark(
    "A cursed mate is one that the table knows and the 50-move rule prevents. Rule set C restarts the clock where a "
    "record below G6.0 is bettered, and a side may have such goals on its way to mate."
)


def cursed_row(w: Kept, c: Kept, clock: int) -> tuple[Value, ...]:
    in_time, saved = int(w.mates[clock]), int(c.mates[clock])
    return (w.material.name, clock, w.table_mates, w.table_mates - in_time, saved - in_time)


def _finding(found: Sequence[Kept]) -> str:
    placements = sum(one.placements for one in found)
    same = sum(int(one.same[0]) for one in found)
    most = sorted((one for one in found if one.changed), key=lambda one: int(one.same[0]) / one.placements)[:3]
    if not most:
        return "From clock 0, the 50-move rule changes no outcome."
    named = listed([f"{one.material.name} ({share(1 - int(one.same[0]) / one.placements)})" for one in most])
    return (
        f"From clock 0, the 50-move rule leaves {share(same / placements)} of the outcomes; it takes most in {named}."
    )


def _cursed_finding(found: Sequence[tuple[Kept, Kept]]) -> str:
    cursed = sum(w.table_mates - int(w.mates[clock]) for w, _ in found for clock in SHOWN)
    saved = sum(int(c.mates[clock]) - int(w.mates[clock]) for w, c in found for clock in SHOWN)
    clocks = f"{SHOWN[0]}, {SHOWN[1]} ... {SHOWN[-1]}"
    if not cursed:
        return f"At clocks {clocks} no mate is cursed."
    return f"At clocks {clocks} rule C makes actual mates of {share(saved / cursed)} of the cursed ones."
