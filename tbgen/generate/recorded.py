"""What tables that were built have taken: figures of every table of up to five men.

`scripts/record` writes recorded.csv from what `tbgen build --json` prints.
"""

import csv
from functools import cache
from importlib.resources import files
from typing import Final, NamedTuple

from tbgen.core.table_rules import TableRules

COLUMNS: Final = "material", "rules", "positions", "bytes", "cpu_seconds"


class Recorded(NamedTuple):
    positions: int
    """Legal ones, each once up to symmetry."""
    bytes: int
    cpu_seconds: float
    """CPU seconds at a pace of 1 (calibration.py)."""


def recorded(material: str, rules: TableRules) -> Recorded | None:
    """The figures of a table."""
    return _all().get((material, rules))


@cache
def _all() -> dict[tuple[str, str], Recorded]:
    lines = files("tbgen.generate").joinpath("recorded.csv").read_text().splitlines()
    return {
        (row["material"], row["rules"]): Recorded(int(row["positions"]), int(row["bytes"]), float(row["cpu_seconds"]))
        for row in csv.DictReader(lines)
    }
