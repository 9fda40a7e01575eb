"""`tbgen info`: which tables are in a directory, and what they hold."""

import argparse
import json

from tbgen.cli.common import add_json, add_tables, console, tables_directory
from tbgen.errors import CorruptTable, MissingTable
from tbgen.material import parse
from tbgen.store import list_tables, open_table

EPILOG = """\
examples:
  tbgen info                    every table in the directory
  tbgen info KRvKP KPvK         these, under both sets of rules
  tbgen info --json             for programs, one object a table

"positions" are legal ones, each once up to symmetry; "entries" are what the file stores, other numbers included.
"""

COLUMNS = ("material", "rules", "positions", "entries", "staircases", "bytes", "bytes/position", "program")


def add_arguments(parser: argparse.ArgumentParser) -> None:
    parser.add_argument("material", nargs="*", help="only these")
    add_tables(parser)
    add_json(parser)
    parser.epilog = EPILOG


def run(args: argparse.Namespace) -> int:
    directory = tables_directory(args)
    wanted = [parse(word) for word in args.material]
    listed = [one for one in list_tables(directory) if not wanted or one.material in wanted]
    if not listed:
        raise MissingTable(f"no such tables in {directory} (to build some: tbgen build --all 3)")
    rows: list[dict[str, str | int | float]] = []
    code = 0
    for path, material, rules in listed:
        try:
            with open_table(path) as table:
                header = table.header
                rows.append(
                    {
                        "material": material.name,
                        "rules": rules,
                        "positions": int(header["legal"]),
                        "entries": int(header["size"]),
                        "staircases": int(header["staircases"]),
                        "bytes": int(header["bytes"]),
                        "bytes/position": round(int(header["bytes"]) / int(header["legal"]), 3),
                        "program": str(header["program"]),
                    }
                )
        except CorruptTable as error:
            rows.append({"material": material.name, "rules": rules, "error": str(error)})
            code = CorruptTable.exit_code
    if args.json:
        for row in rows:
            print(json.dumps(row))
    else:
        _print_table(rows, str(directory))
    return code


def _print_table(rows: list[dict[str, str | int | float]], directory: str) -> None:
    from rich.table import Table

    whole = [row for row in rows if "error" not in row]
    table = Table(*COLUMNS, title=directory, show_footer=len(whole) > 1)
    for column in table.columns[2:-1]:
        column.justify = "right"
    for row in whole:
        table.add_row(*(f"{row[name]:,}" if isinstance(row[name], int) else str(row[name]) for name in COLUMNS))
    if len(whole) > 1:
        total = {name: sum(int(row[name]) for row in whole) for name in ("positions", "entries", "bytes")}
        table.columns[0].footer = f"{len(whole)} tables"
        for column in table.columns:
            if str(column.header) in total:
                column.footer = f"{total[str(column.header)]:,}"
        table.columns[6].footer = f"{total['bytes'] / total['positions']:.3f}"
    out = console()
    out.print(table)
    for row in rows:
        if "error" in row:
            out.print(f"{row['material']} ({row['rules']}): {row['error']}", markup=False, soft_wrap=True)
