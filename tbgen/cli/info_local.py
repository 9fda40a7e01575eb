"""Local tables in `tbgen info`."""

from collections.abc import Iterator, Sequence
from typing import Final

import chess

from tbgen.cli.common import print_table
from tbgen.columns import Column
from tbgen.errors import CorruptTable, MissingTable
from tbgen.local.walks import Placement, to_go
from tbgen.store import open_table
from tbgen.store.local import LocalFile
from tbgen.text import say

_COLUMNS: Final = {
    "material": Column("material", left=True),
    "bound": Column("bound", left=True),
    "slices": Column("slices"),
    "pawns": Column("pawns at first", left=True, spare=2),
    "positions": Column("positions", spare=1),
    "bytes": Column("bytes"),
    "local": Column("file", left=True, spare=3),
}
"""By their names in JSON."""

Row = dict[str, str | int | float]


def local_rows(files: Sequence[LocalFile]) -> Iterator[Row]:
    """What each holds, or what is wrong with it."""
    for one in files:
        row: Row = {"material": one.material.name, "rules": "r", "local": one.path.name, "bound": one.name.bound.value}
        try:
            with open_table(one.path) as table:
                assert table.local is not None, "its name says so"
                whites = one.material.first.count("P")
                placements = [(pawns[:whites], pawns[whites:]) for pawns in table.local.placements]
                row |= {
                    "slices": len(placements),
                    "pawns": _text(max(placements, key=to_go)),
                    "positions": table.positions,
                    "numbers": table.size,
                    "bytes": int(table.header["bytes"]),
                    "program": str(table.header["program"]),
                }
        except MissingTable:  # another process has just removed it
            continue
        except CorruptTable as error:
            row["error"] = str(error)
        yield row


def print_local(rows: Sequence[Row]) -> None:
    """For people."""
    cells = [[_cell(row[name]) for name in _COLUMNS] for row in rows if "error" not in row]
    print_table(tuple(_COLUMNS.values()), cells)
    for row in rows:
        if "error" in row:
            say(str(row["error"]))


def _text(pawns: Placement) -> str:
    """As in `a4 v h7`: the first side plays up the board."""
    return " v ".join(" ".join(map(chess.square_name, side)) for side in pawns).strip()


def _cell(value: str | int | float) -> str:
    return f"{value:,}" if isinstance(value, int) else str(value)
