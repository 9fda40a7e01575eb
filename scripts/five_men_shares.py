"""What the tables of five men hold, as it was counted when they were built: docs/five-men/outcomes.csv."""

import csv
from collections import defaultdict
from collections.abc import Iterator
from pathlib import Path
from typing import Final

from tbgen import outcome
from tbgen.material import parse
from tbgen.report.census import BLACK, WHITE
from tbgen.report.potential import Shares
from tbgen.table_rules import TableRules

OUTCOMES: Final = Path(__file__).resolve().parent.parent / "docs" / "five-men" / "outcomes.csv"


def stored() -> Iterator[tuple[Shares, TableRules]]:
    found: defaultdict[tuple[str, str], defaultdict[tuple[int, int], float]]
    found = defaultdict(lambda: defaultdict(float))
    with OUTCOMES.open(newline="") as file:
        for line in csv.DictReader(file):
            value, weight = outcome.parse(line["gscore"]), float(line["placements"])
            weights = found[line["material"], line["rules"]]
            if line["to_move"] == "either":
                weights[WHITE, value] += weight / 2
                weights[BLACK, -value] += weight / 2
            else:
                weights[WHITE if line["to_move"].lower() == "white" else BLACK, value] += weight
    for (name, rules), weights in found.items():
        yield Shares(name, parse(name), weights), TableRules(rules)
