"""Write whole-game.csv: whole-game mobility, a row for each material of two to five men.

Tables of two to four men are counted; of five men it takes what the study five_men has collected. Each outcome has a
column, with the placements in which it is forced, either side to move.
"""

import argparse
import sys
from collections import defaultdict
from collections.abc import Iterable, Iterator, Sequence
from pathlib import Path
from typing import Any, Final

import record

from research.five_men import figures, rows
from tbgen.core import outcome
from tbgen.core.table_rules import TableRules
from tbgen.report.census import Tally, take
from tbgen.report.records import Longest, find
from tbgen.store import list_tables, open_table

FILE: Final = Path(__file__).resolve().parent / "whole-game.csv"
SMALL: Final = rows.MEN - 1
HEAD: Final = (
    "material", "men", "positions", "placements", "white_wins", "black_wins", "mean_dtg", "longest_dtg",
    "longest_gscore", "longest_to_move", "longest_fen",
)  # fmt: skip

Row = dict[str, Any]


def main() -> None:
    parser = argparse.ArgumentParser(prog="research/run whole_game", description=__doc__)
    parser.add_argument("--tables", type=Path, metavar="DIR", required=True, help="where tables of two to four men are")
    args = parser.parse_args()
    outcome_rows = sorted([*counted(args.tables), *kept()], key=lambda row: figures.order(row["material"]))
    columns = outcomes(outcome_rows)
    record.write_csv(FILE, [*HEAD, *columns], ({**dict.fromkeys(columns, 0), **row} for row in outcome_rows))
    print(f"{len(outcome_rows)} materials in {FILE}", file=sys.stderr)


def counted(directory: Path) -> Iterator[Row]:
    """Of each table of two to four men."""
    for path, material, rules in list_tables(directory):
        if rules == TableRules.WHOLE_GAME and material.men <= SMALL:
            print(f"counting {path.name}", file=sys.stderr)
            with open_table(path) as table:
                census = take(table)
                yield row_of(census, find(table, census, 1))


def kept() -> Iterator[Row]:
    """Of each table of five men."""
    rules = TableRules.WHOLE_GAME
    ways: defaultdict[str, list[Longest]] = defaultdict(list)
    for way in figures.ways(rows.read("records"), rules):
        ways[way.material.name].append(way)
    for tally in figures.tallies(rows.read("outcomes"), rules):
        yield row_of(tally, ways[tally.material.name])


def row_of(tally: Tally, ways: Sequence[Longest]) -> Row:
    found: defaultdict[int, float] = defaultdict(float)
    for (_, value), weight in tally.weights.items():
        found[value] += weight
    longest = max(ways, key=lambda way: (way.dtg, abs(way.outcome)))
    white = sum(weight for value, weight in found.items() if value > 0) / tally.placements
    head = (
        tally.material.name, tally.material.men, tally.positions, tally.placements, round(white, 6),
        round(1 - white, 6), round(tally.plies / tally.positions, 4), longest.dtg, outcome.text(longest.outcome),
        longest.to_move, longest.fens[0],
    )  # fmt: skip
    return dict(zip(HEAD, head, strict=True)) | {outcome.text(value): round(weight) for value, weight in found.items()}


def outcomes(rows: Iterable[Row]) -> list[str]:
    """Those that occur, White's best first."""
    names = {name for row in rows for name in row if name not in HEAD}
    return sorted(names, key=outcome.parse, reverse=True)
