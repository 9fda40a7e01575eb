"""Pictures of what all tables hold: whose the outcomes are, which G-scores, and how long the longest ways are."""

from collections import defaultdict
from collections.abc import Iterable, Iterator, Mapping, Sequence
from typing import Final, Generic, NamedTuple, TypeVar

from tbgen.core import outcome
from tbgen.report.census import Tally, total_weights
from tbgen.report.charts import Bar, HeatMap, Stack, View
from tbgen.report.grades import GRADES, colour_class

T = TypeVar("T", bound=Tally)

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
ALL: Final = "all"


class Whole(NamedTuple, Generic[T]):
    """The censuses of one row of a picture."""

    label: str
    censuses: Sequence[T]

    def weights(self) -> dict[int, float]:
        """Placements by outcome, as a share of all."""
        found: dict[int, float] = {}
        for (_, value), weight in total_weights(self.censuses).items():
            found[value] = found.get(value, 0) + weight
        total = sum(found.values())
        return {value: weight / total for value, weight in found.items()}


def wholes(censuses: Sequence[T]) -> list[Whole[T]]:
    """A row for each material; the first is all of them together, where there are several."""
    rows = [Whole(census.material.name, [census]) for census in censuses]
    return [Whole(ALL, censuses), *rows] if len(censuses) > 1 else rows


def holders(censuses: Sequence[Tally]) -> Stack:
    """Who wins, and roughly by what."""
    bars = tuple(Bar(row.label, graded(row)) for row in wholes(censuses))
    return Stack("holders", "Who forces what", _PARTS, bars, "All placements, with either side to move.")


def holders_beside(first: Sequence[Tally], second: Sequence[Tally]) -> Stack:
    """Who wins under two sets of rules, a pair of bars for each material."""
    bars = tuple(
        Bar(row.label, graded(row), row.censuses[0].rules)
        for pair in zip(wholes(first), wholes(second), strict=True)
        for row in pair
    )
    return Stack("holders-beside", "Who forces what under each", _PARTS, bars)


def graded(row: Whole[T]) -> tuple[float, ...]:
    """Shares of the grades of both sides."""
    return tuple(graded_by_name(row).values())


def graded_by_name(row: Whole[T]) -> dict[str, float]:
    found = dict.fromkeys((name for name, _ in _PARTS), 0.0)
    for value, share in row.weights().items():
        found[colour_class(value)] += share
    return found


def heat_map(censuses: Sequence[Tally]) -> HeatMap:
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


def heat_map_of_differences(first: Sequence[Tally], second: Sequence[Tally]) -> HeatMap:
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
        f"Share under {names[1]} less share under {names[0]}, in points of percentage of all placements.", "difference",
    )  # fmt: skip


def _row(weights: dict[int, float], bins: Sequence[tuple[int, int]], signs: tuple[int, ...]) -> tuple[float, ...]:
    return tuple(
        sum(
            weights.get(sign * outcome.held_by_white(level), 0) for level in range(low, high + 1) for sign in signs
        )
        for low, high in bins
    )  # fmt: skip


def _bins(rows: Iterable[dict[int, float]]) -> list[tuple[int, int]]:
    """First and last level of each column, for rows by outcome."""
    return _bins_of(outcome.level(value) for weights in rows for value in weights)


def _bins_of(levels: Iterable[int]) -> list[tuple[int, int]]:
    """Those that have something to show."""
    there = set(levels)
    single = [(level, level) for level in range(_SINGLE)]
    bins = [*single, *_WIDER, (_WIDER[-1][1] + 1, outcome.MAX_LEVEL)]
    return [(low, high) for low, high in bins if there & set(range(low, high + 1))]


def _named(one: tuple[int, int]) -> str:
    low, high = (outcome.gscore(level) for level in one)
    if low == high:
        return low
    return f"{low}+" if one[1] == outcome.MAX_LEVEL else f"{low}–{high.removeprefix('G')}"


_WINNERS: Final = (
    ("White mates", ("w0",)),
    ("White wins otherwise", ("w1", "w2", "w3")),
    ("Black wins", ("b0", "b1", "b2", "b3")),
)
"""Who wins by which grades."""


def two_against_one(censuses: Sequence[Tally]) -> Iterator[HeatMap]:
    """Who wins with two men against one, White's down and Black's across, where there are several of either."""
    found = {
        (census.material.first, census.material.second): graded_by_name(Whole("", [census]))
        for census in censuses
        if (len(census.material.first), len(census.material.second)) == (2, 1)
    }
    rows, columns = (tuple(dict.fromkeys(names)) for names in zip(*found, strict=True)) if found else ((), ())
    if len(rows) < 2 or len(columns) < 2:
        return
    views = tuple(
        View(title, tuple(tuple(_won(found.get((row, column)), grades) for column in columns) for row in rows))
        for title, grades in _WINNERS
    )
    yield HeatMap(
        "two-against-one", "Two men against one", tuple(f"K{row}" for row in rows),
        tuple(f"vK{column}" for column in columns), views, "Percent of all placements. White has the two.",
    )  # fmt: skip


def _won(grades: Mapping[str, float] | None, wanted: Iterable[str]) -> float | None:
    return None if grades is None else sum(grades[name] for name in wanted)


def longest(ways: Iterable[tuple[str, int, int]]) -> HeatMap:
    """The longest way by label and G-score; each way is told by label, outcome and plies."""
    found: defaultdict[str, dict[int, int]] = defaultdict(dict)
    for label, value, dtg in ways:
        for row in (ALL, label):
            level = outcome.level(value)
            found[row][level] = max(found[row].get(level, 0), dtg)
    labels = tuple(found) if len(found) > 2 else tuple(found)[1:]
    bins = _bins_of(level for row in found.values() for level in row)
    view = View("either side’s", tuple(tuple(_most(found[label], *one) for one in bins) for label in labels))
    return HeatMap(
        "longest", "The longest way to each G-score", labels, tuple(map(_named, bins)), (view,),
        "Plies, whichever side forces it.", "plies",
    )  # fmt: skip


def _most(plies: Mapping[int, int], low: int, high: int) -> int | None:
    return max((dtg for level, dtg in plies.items() if low <= level <= high), default=None)
