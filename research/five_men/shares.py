"""What the tables of five men hold, as it was counted when they were built: outcomes.csv."""

import csv
from collections.abc import Iterator
from pathlib import Path
from typing import Final

from research.five_men import figures
from tbgen.core.table_rules import TableRules
from tbgen.report.potential import Shares, shares

OUTCOMES: Final = Path(__file__).resolve().parent / "outcomes.csv"


def stored() -> Iterator[tuple[Shares, TableRules]]:
    with OUTCOMES.open(newline="") as file:
        rows = list(csv.DictReader(file))
    for rules in TableRules:
        yield from ((shares(one), rules) for one in figures.tallies(rows, rules))
