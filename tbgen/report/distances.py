"""How far away the goals are that decide: a small picture for each material."""

from collections.abc import Sequence
from typing import Final

import numpy as np
from numpy.typing import NDArray

from tbgen.report.census import WHITE, Census
from tbgen.report.charts import Curve, Distances, Panel
from tbgen.report.document import written
from tbgen.report.overview import ALL, Whole, wholes
from tbgen.system.text import plies

AT_ONCE: Final = 2
"""Plies. What is decided within them would dwarf all else."""
_DRAWN: Final = 0.998
"""The share of placements whose distances are drawn: the longest tails are of a few."""


def distances(first: Sequence[Census], second: Sequence[Census] = ()) -> Distances:
    """How far away the goal that decides is, by material; under other rules as well, if they are given."""
    others = {row.label: row for row in wholes(second)} if second else {}
    if len(second) != len(first):
        others.pop(ALL, None)  # of other materials
    panels = tuple(_panel((row, others[row.label]) if row.label in others else (row,)) for row in wholes(first))
    rules = tuple(censuses[0].rules for censuses in (first, second) if censuses)
    return Distances(
        "distances", "How far away the goal that decides is", panels,
        rules,
        "Placements by DTG, two plies to a step: White’s upwards, Black’s downwards. Each picture has its own scales. "
        f"What is decided within {AT_ONCE} plies is written, not drawn, and so is the last {100 * (1 - _DRAWN):.1f} %.",
    )  # fmt: skip


def _panel(rows: Sequence[Whole[Census]]) -> Panel:
    """The first row's figures in words; the curves of all."""
    by_side = [_by_distance(row.censuses) for row in rows]
    first = by_side[0].sum(axis=0)
    half = int(np.searchsorted(first.cumsum(), 0.5))
    most = int(np.flatnonzero(first)[-1])
    words = f"{written(float(first[: AT_ONCE + 1].sum()), 'share')} within {plies(AT_ONCE)}, "
    words += f"half in {half}, " if half > AT_ONCE else ""
    seen = max(int(np.searchsorted(one.sum(axis=0).cumsum(), _DRAWN)) for one in by_side)
    return Panel(rows[0].label, f"{words}all in {most}", tuple(_curve(one, seen) for one in by_side))


def _by_distance(censuses: Sequence[Census]) -> NDArray[np.float64]:
    """`[side, distance]`: shares of placements."""
    found = np.zeros((2, max(census.longest for census in censuses) + 1))
    for census in censuses:
        for (_, value), spread in census.cases.items():
            counts = spread.placements[: found.shape[1]]
            if census.material.even:  # with Black to move it is the same, colours swapped
                found[:, : len(counts)] += counts / 2
            else:
                found[WHITE if value > 0 else 1 - WHITE, : len(counts)] += counts
    shares: NDArray[np.float64] = found / found.sum()
    return shares


def _curve(shares: NDArray[np.float64], longest: int) -> Curve:
    """Steps of two plies: one side or the other has moved last in turn."""
    drawn = shares[:, AT_ONCE + 1 : longest + 1]
    pairs = np.pad(drawn, ((0, 0), (0, drawn.shape[1] % 2))).reshape(2, -1, 2).sum(axis=2)
    return Curve(tuple(pairs[0].tolist()), tuple(pairs[1].tolist()))
