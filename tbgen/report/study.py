"""What whole tables know: statistics and the longest ways, counted when they are first asked for."""

from collections.abc import Iterator
from pathlib import Path
from typing import Any, Final

from tbgen.core import outcome
from tbgen.probe import Tablebase
from tbgen.report.census import Census, take
from tbgen.report.records import Longest, find
from tbgen.store import open_table

_POSITIONS: Final = 3
"""Of each longest way."""


def study(path: Path, tablebase: Tablebase) -> dict[str, Any]:
    """Both in one pass through the table."""
    with open_table(path) as table:
        census = take(table)
        holdings = find(table, census, _POSITIONS, tablebase)
    name = {"material": census.material.name, "rules": census.rules.value}
    return {
        "stats": name
        | {
            "positions": census.positions,
            "placements": census.placements,
            "mean_dtg": round(census.plies / census.positions, 4),
            "longest_dtg": census.longest,
            "record_matters": round(census.recorded[0] / census.positions, 6),
            "outcomes": list(_outcomes(census)),
        },
        "records": name | {"records": [_holding(one) for one in holdings]},
    }


def _outcomes(census: Census) -> Iterator[dict[str, Any]]:
    for (mover, value), spread in census.cases.items():
        yield {
            "to_move": census.to_move(mover).lower(),
            "gscore": outcome.text(value),
            "positions": spread.count,
            "placements": spread.weight,
            "share": round(spread.weight / census.totals[mover], 8),
            "mean_dtg": round(spread.plies / spread.count, 4),
            "longest_dtg": spread.longest,
            "histogram": spread.placements[: spread.longest + 1].tolist(),
        }


def _holding(one: Longest) -> dict[str, Any]:
    line = None
    if one.line is not None:
        line = [{"san": step.san, "record": outcome.text(step.record)} for step in one.line.steps]
    return {
        "gscore": outcome.text(one.outcome),
        "to_move": one.to_move.lower(),
        "dtg": one.dtg,
        "positions": one.count,
        "fens": list(one.fens),
        "line": line,
    }
