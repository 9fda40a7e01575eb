"""The rows that `research/run five_men` has collected, as the figures of tables that reports are made of."""

from collections import defaultdict
from collections.abc import Callable, Iterable, Mapping, Sequence
from dataclasses import dataclass, replace
from typing import Any, Final

from tbgen.core import outcome
from tbgen.core.material import build_key, parse
from tbgen.core.table_rules import TableRules
from tbgen.report.census import MOVERS, WHITE, Case, Tally
from tbgen.report.compare import Kinds
from tbgen.report.document import Line
from tbgen.report.lines import kept_line
from tbgen.report.records import Longest

Row = Mapping[str, Any]
Data = Mapping[str, Sequence[Row]]
"""The rows of each file."""

COMPARED: Final = (TableRules.RESET, TableRules.WHOLE_GAME)
_SIDES: Final = {name: side for side, name in MOVERS.items()} | {"either": WHITE}
_KINDS: Final = ("same", "slower", "lower", "higher", "other")


@dataclass(frozen=True)
class KeptSums:
    """What a row of outcomes.csv says."""

    count: int
    weight: int
    on_board: float
    plies: float
    longest: int


def tallies(outcomes: Iterable[Row], rules: TableRules, tables: Iterable[Row] = ()) -> list[Tally]:
    """Of each material, in the order of the rows; `tables` say how often the record matters."""
    cases: defaultdict[str, dict[Case, KeptSums]] = defaultdict(dict)
    for row in outcomes:
        if row["rules"] == rules:
            case = _SIDES[row["to_move"]], outcome.parse(row["gscore"])
            count = int(row["positions"])
            plies = float(row["mean_dtg"]) * count
            sums = KeptSums(count, int(row["placements"]), float(row["on_board"]), plies, int(row["longest_dtg"]))
            cases[row["material"]][case] = sums
    matters = {row["material"]: float(row["record_matters"]) for row in tables if row["rules"] == rules}
    found = []
    for name, of_material in cases.items():
        share = matters.get(name, 0)
        counts, weights = (sum(getattr(one, of) for one in of_material.values()) for of in ("count", "weight"))
        recorded = round(share * counts), round(share * weights)
        found.append(Tally(parse(name), rules, of_material, recorded))
    return found


def ways(
    records: Iterable[Row], rules: TableRules, lined: Callable[[Longest], bool] = lambda way: False
) -> list[Longest]:
    """The longest way to each G-score in each material, either side's, and the lines of those that are to have one."""
    found = []
    for row in records:
        if row["rules"] == rules:
            way = Longest(
                parse(row["material"]), _SIDES[row["to_move"]], row["to_move"], outcome.parse(row["gscore"]),
                int(row["longest_dtg"]), int(row["positions"]), (row["fen"],),
            )  # fmt: skip
            found.append(replace(way, line=_line(way, rules, row["line"])) if row["line"] and lined(way) else way)
    return found


def _line(way: Longest, rules: TableRules, moves: str) -> Line:
    """Best play, replayed move by move."""
    key = way.key if rules == TableRules.RESET else f"{way.key}-{rules}"
    return kept_line(Line(key, way.title, way.fens[0], way.outcome, (), rules), moves.split())


def kinds(compare: Iterable[Row], counted: Iterable[Tally]) -> list[Kinds]:
    """How often both rules differ in each material. Over how many positions they do was not kept."""
    known = {one.material.name: one for one in counted}
    return [
        Kinds(
            known[row["material"]].material, COMPARED, known[row["material"]].positions,
            known[row["material"]].placements, tuple(float(row[f"share_{kind}"]) for kind in _KINDS),
            float(row["mean_difference"]) if row["mean_difference"] else None, 0,
        )
        for row in compare
    ]  # fmt: skip


def order(material: str) -> tuple[Any, ...]:
    """Return a key that puts materials in the order in which they are built."""
    return tuple(build_key(parse(material)))
