"""`tbgen info`: which tables there are, and what they hold."""

import argparse
import sys
from collections.abc import Sequence
from pathlib import Path
from typing import Final

from tbgen.cli import digests
from tbgen.cli.common import add_json, add_tables, named, present_tables_directory, print_table
from tbgen.cli.info_local import local_rows, print_local
from tbgen.columns import Column
from tbgen.errors import CorruptTable, MissingTable
from tbgen.store import BUNDLED, build_some, open_table, readable_tables
from tbgen.store.directory import Listed, build_command
from tbgen.store.leftovers import Leftover, find_leftovers, workspace_of
from tbgen.store.local import LocalFile, list_local, local_named
from tbgen.text import say, to_json
from tbgen.turns import cores

EPILOG = """\
examples:
  tbgen info                    every table in the directory, and in the package
  tbgen info KRvKP KPvK         only these, under both rules
  tbgen info --json             for programs, one object per table
  tbgen info --digests > FILE   a digest of what each table says, for tbgen verify --digests FILE

The package has tables of two and three men of its own. Those that the directory lacks are listed below its own
("bundled" in JSON): commands that ask tables read them there. tbgen build, verify and pack do not.

Local tables, which tbgen solve --keep leaves, are listed with their bound for the side that is named first: exact, its
worst or its best; with their slices, one for each placement of pawns; and with the placement that has most steps to go,
the side that is named first playing up the board. --json has "local", the file, for these.

Half-built tables are listed with their size and what happens to them next.

"positions" counts legal positions, each once up to symmetry. "stored entries" counts some twice: those whose kings both
stand on the long diagonal, and which are not their own mirror images. "numbers" has room for illegal positions as well.
"""

COLUMNS: Final = {
    "material": Column("material", left=True),
    "rules": Column("rules"),
    "positions": Column("positions"),
    "stored_entries": Column("stored entries", spare=2),
    "numbers": Column("numbers", spare=3),
    "staircases": Column("staircases", spare=1),
    "bytes": Column("bytes"),
    "bytes_per_position": Column("bytes per position"),
    "program": Column("program", spare=4),
}
"""The columns by their names in JSON."""
_ADDED_UP: Final = ("positions", "stored_entries", "numbers", "bytes")

_Row = dict[str, str | int | float]


def add_arguments(parser: argparse.ArgumentParser) -> None:
    parser.add_argument("material", nargs="*", help="only these (default: all)")
    add_tables(parser)
    parser.add_argument("--digests", action="store_true", help="print only the digest of what each table says")
    add_json(parser)
    parser.epilog = EPILOG


def run(args: argparse.Namespace) -> int:
    directory = present_tables_directory(args)
    wanted = named(args.material)
    listed = [one for one in readable_tables(directory) if not wanted or one.material in wanted]
    unfinished = [one for one in find_leftovers(directory) if not wanted or one.table.material in wanted]
    local = [one for one in list_local(directory) if not wanted or one.material in wanted]
    if not listed and not unfinished and not local:
        raise MissingTable(f"no such tables in {directory} (to build some: {build_some(directory, wanted)})")
    if args.digests:
        code = digests.print_digests(listed, threads=cores(), json=args.json)
    else:
        code = _show(directory, listed, unfinished, local, some=bool(wanted), json=args.json)
    found = (listed, local, [one.table for one in unfinished])
    there = {one.material for some in found for one in some}
    lacking = [material.name for material in wanted if material not in there]
    if lacking:
        say(f"tbgen: no such tables in {directory}: {', '.join(lacking)}", file=sys.stderr)
    return max(code, MissingTable.exit_code if lacking else 0)


def _show(
    directory: Path,
    listed: Sequence[Listed],
    unfinished: Sequence[Leftover],
    local: Sequence[LocalFile],
    *,
    some: bool,
    json: bool,
) -> int:
    """Print all of these; `some`: only what was named. Returns the exit code."""
    rows: list[_Row] = []
    code = 0
    for path, material, rules in listed:
        try:
            with open_table(path) as table:
                size = int(table.header["bytes"])
                rows.append(
                    {
                        "material": material.name,
                        "rules": rules,
                        "positions": table.positions,
                        "stored_entries": table.stored_entries,
                        "numbers": table.size,
                        "staircases": int(table.header["staircases"]),
                        "bytes": size,
                        "bytes_per_position": round(size / max(1, table.positions), 3),
                        "program": str(table.header["program"]),
                        "bundled": path.parent == BUNDLED,
                    }
                )
        except CorruptTable as error:
            rows.append(
                {
                    "material": material.name,
                    "rules": rules,
                    "error": str(error),
                    "bundled": path.parent == BUNDLED,
                }
            )
            code = CorruptTable.exit_code
    of_local = list(local_rows(local))
    if any("error" in row for row in of_local):
        code = CorruptTable.exit_code
    if json:
        for row in (*rows, *of_local, *map(_as_dict, unfinished)):
            say(to_json(row))
        return code
    ours, bundled = ([row for row in rows if row["bundled"] == packaged] for packaged in (False, True))
    if ours or unfinished:
        say(str(directory))
        _print(ours)
        for one in unfinished:
            say(_in_words(one))
    elif not some and not local:
        say(f"no tables in {directory} (to build some: {build_some(directory)})")
    if local:
        say(f"local tables, in {local[0].path.parent}")
        print_local(of_local)
    if bundled:
        say(f"in the package, {BUNDLED}")
        _print(bundled)
    return code


def _as_dict(one: Leftover) -> dict[str, str | int | bool]:
    found: dict[str, str | int | bool] = {
        "material": one.table.material.name,
        "rules": one.table.rules,
        "unfinished": one.bytes,
        "building": one.busy,
        "resumable": one.resumable,
    }
    return found | {"local": one.table.path.name} if local_named(one.table.path) else found


def _in_words(one: Leftover) -> str:
    """What lies beside a table, and what the user can do about it."""
    name = f"{one.table.material} ({one.table.rules})"
    if one.busy:
        return f"{name}: being built now" + (f", {one.bytes:,} bytes so far" if one.bytes else "")
    if local_named(one.table.path) and one.resumable:
        what = f"the same tbgen solve --keep goes on with it; if nobody wants it, remove {workspace_of(one.table.path)}"
    elif one.resumable:
        what = f"a build was stopped; this goes on with it: {build_command(one.table.path)}"
    else:
        what = "left by a build that was killed; the next build removes it"
    return f"{name}: {one.bytes:,} bytes of a half-built table, {what}"


def _cell(value: str | int | float) -> str:
    if isinstance(value, float):
        return f"{value:.3f}"
    return f"{value:,}" if isinstance(value, int) else value


def _print(rows: list[_Row]) -> None:
    if not rows:
        return
    whole = [row for row in rows if "error" not in row]
    lines = [[_cell(row[name]) for name in COLUMNS] for row in whole]
    total = {name: sum(int(row[name]) for row in whole) for name in _ADDED_UP}
    footer = [f"{total[name]:,}" if name in total else "" for name in COLUMNS]
    if len(whole) > 1:
        footer[0] = f"{len(whole)} tables"
        footer[list(COLUMNS).index("bytes_per_position")] = _cell(total["bytes"] / max(1, total["positions"]))
    print_table(tuple(COLUMNS.values()), lines, footer if len(whole) > 1 else ())
    for row in rows:
        if "error" in row:
            say(f"{row['material']} ({row['rules']}): {row['error']}")
