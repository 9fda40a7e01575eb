"""The rows that are kept of the tables of five men, in CSV files."""

import csv
from collections.abc import Mapping
from pathlib import Path
from typing import Any, Final

import record

from research.five_men.figures import order

FOLDER: Final = Path(__file__).resolve().parent
MEN: Final = 5

SHARES: Final = ("mate", "stalemate", "G1.0", "G1.5", "G2.0", "G2.5", "G3.0", "more")
COLUMNS: Final = {
    "tables": (
        "material", "rules", "positions", "stored_entries", "staircases", "bytes", "longest_dtg", *SHARES, "mean_dtg",
        "record_matters", "cpu_seconds", "seconds", "peak_memory", "planned_cpu_seconds", "planned_bytes",
        "last_cpu_seconds", "verified", "verified_on", "verified_seconds",
    ),
    "outcomes": (
        "material", "rules", "to_move", "gscore", "positions", "placements", "share", "on_board", "mean_dtg",
        "longest_dtg",
    ),
    "records": ("material", "rules", "gscore", "to_move", "longest_dtg", "positions", "fen", "line"),
    "compare": (
        "material", "rules", "share_same", "share_slower", "share_lower", "share_higher", "share_other",
        "mean_difference", "change_r", "change_wg", "change_share", "other_fen", "other_r", "other_r_dtg", "other_wg",
        "other_wg_dtg",
    ),
}  # fmt: skip
"""The CSV files beside this, and what is in them. Rows of `compare` have those rules that are compared with `r`:
shares of placements, the commonest change of the outcome, and a largest one after which the other side wins."""

Row = dict[str, Any]


def read(name: str) -> list[Row]:
    path = FOLDER / f"{name}.csv"
    if not path.exists():
        return []
    with path.open(newline="") as file:
        return [dict.fromkeys(COLUMNS[name], "") | row for row in csv.DictReader(file)]


def write(data: Mapping[str, list[Row]]) -> None:
    """Put the rows in order, and write them."""
    for name, rows in data.items():
        rows.sort(key=lambda row: (row["rules"], order(row["material"])))
        record.write_csv(FOLDER / f"{name}.csv", COLUMNS[name], rows)
