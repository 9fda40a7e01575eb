"""Pictures of what all tables hold: whose the outcomes are, which G-scores, and how far away."""

from collections.abc import Iterable, Sequence
from typing import Final, NamedTuple

import numpy as np
from numpy.typing import NDArray

from tbgen import outcome
from tbgen.report.census import WHITE, Census, total_weights
from tbgen.report.charts import Bar, Curve, Distances, HeatMap, Panel, Stack, View
from tbgen.report.document import written
from tbgen.report.grades import GRADES, colour_class
from tbgen.text import plies

_SINGLE: Final = 16
"""Levels below this have a column each: mate, stalemate ... G7.5."""
_WIDER: Final = ((16, 19), (20, 23), (24, 27))
"""Levels that share a column; those above share the last one."""
_SIDES: Final = (("w", "White’s"), ("b", "Black’s"))
_PARTS: Final = tuple(
    (f"{letter}{grade}", f"{whose} {GRADES[grade]}")
    for letter, whose, grades in ((*_SIDES[0], range(4)), (*_SIDES[1], range(3, -1, -1)))
    for grade in grades
)
"""The grades of both sides, from White's best to Black's."""
_ALL: Final = "all"
AT_ONCE: Final = 2
"""Plies. What is decided within them would dwarf all else."""
_DRAWN: Final = 0.998
"""The share of placements whose distances are drawn: the longest tails are of a few."""


class Whole(NamedTuple):
    """The censuses of one row of a picture."""

    label: str
    censuses: Sequence[Census]

    def weights(self) -> dict[int, float]:
        """Placements by outcome, as a share of all."""
        found: dict[int, float] = {}
        for (_, value), weight in total_weights(self.censuses).items():
            found[value] = found.get(value, 0) + weight
        total = sum(found.values())
        return {value: weight / total for value, weight in found.items()}


def wholes(censuses: Sequence[Census]) -> list[Whole]:
    """A row for each material; the first is all of them together, where there are several."""
    rows = [Whole(census.material.name, [census]) for census in censuses]
    return [Whole(_ALL, censuses), *rows] if len(censuses) > 1 else rows


def holders(censuses: Sequence[Census]) -> Stack:
    """Who wins, and roughly by what."""
    bars = tuple(Bar(row.label, graded(row)) for row in wholes(censuses))
    return Stack("holders", "Who forces what", _PARTS, bars, "All placements, with either side to move.")


def holders_beside(first: Sequence[Census], second: Sequence[Census]) -> Stack:
    """Who wins under two sets of rules, a pair of bars for each material."""
    bars = tuple(
        Bar(row.label, graded(row), row.censuses[0].rules)
        for pair in zip(wholes(first), wholes(second), strict=True)
        for row in pair
    )
    return Stack("holders-beside", "Who forces what under each", _PARTS, bars)


def graded(row: Whole) -> tuple[float, ...]:
    """Shares of the grades of both sides."""
    found = dict.fromkeys((name for name, _ in _PARTS), 0.0)
    for value, share in row.weights().items():
        found[colour_class(value)] += share
    return tuple(found.values())


def heat_map(censuses: Sequence[Census]) -> HeatMap:
    """Material by G-score: either side's, White's and Black's."""
    rows = wholes(censuses)
    weights = [row.weights() for row in rows]
    bins = _bins(weights)
    views = tuple(
        View(title, tuple(_row(one, bins, signs) for one in weights))
        for title, signs in (("either side’s", (1, -1)), ("White’s", (1,)), ("Black’s", (-1,)))
    )
    return HeatMap(
        "gscores", "Which G-scores", tuple(row.label for row in rows), tuple(map(_named, bins)), views,
        "Percent of all placements.",
    )  # fmt: skip


def heat_map_of_differences(first: Sequence[Census], second: Sequence[Census]) -> HeatMap:
    """What the second rules make more or less frequent, in points of percentage."""
    rows = wholes(first)
    pairs = [(one.weights(), other.weights()) for one, other in zip(rows, wholes(second), strict=True)]
    bins = _bins(weights for pair in pairs for weights in pair)
    names = first[0].rules, second[0].rules
    found = tuple(
        tuple(
            after - before for before, after in zip(_row(one, bins, (1, -1)), _row(other, bins, (1, -1)), strict=True)
        )
        for one, other in pairs
    )
    return HeatMap(
        "differences", f"Which G-scores {names[1]} has more of than {names[0]}", tuple(row.label for row in rows),
        tuple(map(_named, bins)), (View("either side’s", found),),
        f"Share under {names[1]} less share under {names[0]}, in points of percentage of all placements.", signed=True,
    )  # fmt: skip


def _row(weights: dict[int, float], bins: Sequence[tuple[int, int]], signs: tuple[int, ...]) -> tuple[float, ...]:
    return tuple(
        sum(
            weights.get(sign * outcome.held_by_white(level), 0) for level in range(low, high + 1) for sign in signs
        )
        for low, high in bins
    )  # fmt: skip


def _bins(rows: Iterable[dict[int, float]]) -> list[tuple[int, int]]:
    """First and last level of each column that has something to show."""
    levels = {outcome.level(value) for weights in rows for value in weights}
    single = [(level, level) for level in range(_SINGLE)]
    bins = [*single, *_WIDER, (_WIDER[-1][1] + 1, outcome.MAX_LEVEL)]
    return [(low, high) for low, high in bins if levels & set(range(low, high + 1))]


def _named(one: tuple[int, int]) -> str:
    low, high = (outcome.text(outcome.held_by_white(level)) for level in one)
    if low == high:
        return low
    return f"{low}+" if one[1] == outcome.MAX_LEVEL else f"{low}–{high.removeprefix('G')}"


def distances(first: Sequence[Census], second: Sequence[Census] = ()) -> Distances:
    """How far away the goal that decides is, by material; under other rules as well, if they are given."""
    others = {row.label: row for row in wholes(second)} if second else {}
    if len(second) != len(first):
        others.pop(_ALL, None)  # of other materials
    panels = tuple(_panel((row, others[row.label]) if row.label in others else (row,)) for row in wholes(first))
    rules = tuple(censuses[0].rules for censuses in (first, second) if censuses)
    return Distances(
        "distances", "How far away the goal that decides is", panels,
        rules,
        "Placements by DTG, two plies to a step: White’s upwards, Black’s downwards. Each picture has its own scales. "
        f"What is decided within {AT_ONCE} plies is written, not drawn, and so is the last {100 * (1 - _DRAWN):.1f} %.",
    )  # fmt: skip


def _panel(rows: Sequence[Whole]) -> Panel:
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
