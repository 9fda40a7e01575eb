"""What tables that were built have taken: figures of every table of up to four men, and of those of five men so far.

`scripts/record` writes recorded.csv from what `tbgen build --json` prints.
"""

import csv
from functools import cache
from importlib.resources import files
from typing import Final, NamedTuple

from tbgen.table_rules import TableRules

COLUMNS: Final = "material", "rules", "positions", "bytes", "cpu_seconds"


class Recorded(NamedTuple):
    positions: int
    """Legal ones, each once up to symmetry."""
    bytes: int
    cpu_seconds: float
    """At a pace of 1 (yardstick.py)."""


def recorded(material: str, rules: TableRules) -> Recorded | None:
    """The figures of a table; those of the rules `r` where it has been built under these only."""
    return _all().get((material, rules)) or _all().get((material, TableRules.RESET))


@cache
def _all() -> dict[tuple[str, str], Recorded]:
    lines = files("tbgen.generate").joinpath("recorded.csv").read_text().splitlines()
    return {
        (row["material"], row["rules"]): Recorded(int(row["positions"]), int(row["bytes"]), float(row["cpu_seconds"]))
        for row in csv.DictReader(lines)
    }
