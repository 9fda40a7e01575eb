"""What `tbgen info` says of each table: a row of values by their names in JSON, and all rows set out for people."""

from collections.abc import Iterable, Iterator, Mapping, Sequence
from typing import Final

import chess

from tbgen.beyond.local.walks import Pawns, to_go
from tbgen.cli.common import print_table
from tbgen.errors import CorruptTable, MissingTable
from tbgen.store import BUNDLED, SlimFile, open_table
from tbgen.store.directory import Listed
from tbgen.store.local import LocalFile
from tbgen.system.text import say
from tbgen.system.text_tables import Column

Row = dict[str, str | int | float]
Columns = Mapping[str, Column]
"""By their names in JSON."""

TABLES: Final = {
    "material": Column("material", left=True),
    "rules": Column("rules"),
    "slim": Column("side kept", spare=5),
    "positions": Column("positions"),
    "stored_entries": Column("stored entries", spare=2),
    "numbers": Column("numbers", spare=3),
    "staircases": Column("staircases", spare=1),
    "bytes": Column("bytes"),
    "bytes_per_position": Column("bytes per position"),
    "program": Column("program", spare=4),
}
LOCAL: Final = {
    "material": Column("material", left=True),
    "bound": Column("bound", left=True),
    "slices": Column("slices"),
    "pawns": Column("pawns at first", left=True, spare=2),
    "positions": Column("positions", spare=1),
    "bytes": Column("bytes"),
    "local": Column("file", left=True, spare=3),
}
_ADDED_UP: Final = ("positions", "stored_entries", "numbers", "bytes")


def table_rows(tables: Iterable[Listed]) -> Iterator[Row]:
    """What each holds, or what is wrong with it."""
    for path, material, rules in tables:
        row: Row = {"material": material.name, "rules": rules}
        try:
            with open_table(path) as table:
                size = table.head.size
                row |= {
                    "stored_entries": table.stored_entries,
                    "numbers": table.size,
                    "staircases": table.head.staircases,
                    "bytes": size,
                    "program": table.head.program,
                }
                if material.fairy:
                    row["men"] = " ".join(map(str, material.fairy))
                if isinstance(table, SlimFile):
                    row["slim"] = table.head.keeps
                else:
                    row |= {
                        "positions": table.positions,
                        "bytes_per_position": round(size / max(1, table.positions), 3),
                    }
        except CorruptTable as error:
            row["error"] = str(error)
        yield row | {"bundled": path.parent == BUNDLED}


def local_rows(tables: Iterable[LocalFile]) -> Iterator[Row]:
    """A row for each local table."""
    for one in tables:
        row: Row = {"material": one.material.name, "rules": "r", "local": one.path.name, "bound": one.name.bound.value}
        try:
            with open_table(one.path) as table:
                assert table.local is not None, "its name says so"
                whites = one.material.first.count("P")
                slices = [(pawns[:whites], pawns[whites:]) for pawns in table.local.slices]
                row |= {
                    "slices": len(slices),
                    "pawns": _text(max(slices, key=to_go)),
                    "positions": table.positions,
                    "numbers": table.size,
                    "bytes": table.head.size,
                    "program": table.head.program,
                }
        except MissingTable:  # another process has just removed it
            continue
        except CorruptTable as error:
            row["error"] = str(error)
        yield row


def print_rows(columns: Columns, rows: Sequence[Row], *, totals: bool) -> None:
    """Print a table for people; `totals`: with a last line, if there are several."""
    whole = [row for row in rows if "error" not in row]
    lines = [[_cell(row.get(name, "")) for name in columns] for row in whole]
    print_table(tuple(columns.values()), lines, _totals(columns, whole) if totals and len(whole) > 1 else ())
    for man in sorted({man for row in whole for man in str(row.get("men", "")).split()}):
        say(man)
    for row in rows:
        if "error" in row:
            say(f"{row['material']} ({row['rules']}): {row['error']}")


def _totals(columns: Columns, rows: Sequence[Row]) -> list[str]:
    total: Row = {name: sum(int(row.get(name, 0)) for row in rows) for name in _ADDED_UP}
    total["material"] = f"{len(rows)} tables"
    total["bytes_per_position"] = int(total["bytes"]) / max(1, int(total["positions"]))
    return [_cell(total.get(name, "")) for name in columns]


def _text(pawns: Pawns) -> str:
    """Write pawns as `a4 v h7`: the first side plays up the board."""
    return " v ".join(" ".join(map(chess.square_name, side)) for side in pawns).strip()


def _cell(value: str | int | float) -> str:
    if isinstance(value, float):
        return f"{value:.3f}"
    return f"{value:,}" if isinstance(value, int) else value
