"""`tbgen info`: which tables there are, and what they hold."""

import argparse
from collections.abc import Sequence
from itertools import chain
from pathlib import Path

from tbgen.cli import digests
from tbgen.cli.common import add_json, add_tables, is_quiet, named, no_such_tables, present_tables_directory, remark
from tbgen.cli.info_rows import LOCAL, TABLES, local_rows, print_rows, table_rows
from tbgen.errors import CorruptTable, MissingTable
from tbgen.store import BUNDLED, build_some, list_slim, readable_tables
from tbgen.store.directory import Listed, build_command
from tbgen.store.leftovers import Leftover, find_leftovers, workspace_of
from tbgen.store.local import LocalFile, list_local, local_named
from tbgen.system.parallel import cores
from tbgen.system.text import say, to_json

EPILOG = """\
examples:
  tbgen info                    every table in the directory, and in the package
  tbgen info KRvKP KPvK         only these, under both rules
  tbgen info --json             for programs, one object per table
  tbgen info --digests > FILE   a digest of what each table says, for tbgen verify --digests FILE

The package has tables of two and three men of its own. Those that the directory lacks are listed below its own
("bundled" in JSON): commands that ask tables read them there. tbgen build, verify and pack do not.

Slim tables, which tbgen pack --slim makes, are listed with the side to move that they keep.

Local tables, which tbgen solve --keep leaves, are listed with their bound for the side that is named first: exact, its
worst or its best; with their slices, one for each placement of pawns; and with the placement that has most steps to go,
the side that is named first playing up the board. --json has "local", the file, for these.

Half-built tables are listed with their size and what happens to them next.

"positions" counts legal positions, each once up to symmetry. "stored entries" counts some twice: those whose kings both
stand on the long diagonal, and which are not their own mirror images. "numbers" has room for illegal positions as well.
"""


def add_arguments(parser: argparse.ArgumentParser) -> None:
    parser.add_argument("material", nargs="*", help="only these (default: all)")
    add_tables(parser)
    parser.add_argument("--digests", action="store_true", help="print only the digest of what each table says")
    add_json(parser)


def run(args: argparse.Namespace) -> int:
    directory = present_tables_directory(args)
    wanted = named(args.material)
    tables = chain(readable_tables(directory), list_slim(directory))
    listed = [one for one in tables if not wanted or one.material in wanted]
    unfinished = [one for one in find_leftovers(directory) if not wanted or one.table.material in wanted]
    local = [one for one in list_local(directory) if not wanted or one.material in wanted]
    if not listed and not unfinished and not local:
        raise no_such_tables(directory, wanted)
    if args.digests:
        code = digests.print_digests(listed, threads=cores(), json=args.json, quiet=is_quiet(args))
    else:
        code = _show(directory, listed, unfinished, local, some=bool(wanted), json=args.json)
    found = (listed, local, [one.table for one in unfinished])
    there = {one.material for some in found for one in some}
    lacking = [material.name for material in wanted if material not in there]
    if lacking:
        remark(f"no such tables in {directory}: {', '.join(lacking)}")
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
    rows, of_local = list(table_rows(listed)), list(local_rows(local))
    if json:
        for row in (*rows, *of_local, *map(_as_dict, unfinished)):
            say(to_json(row))
    else:
        ours, bundled = ([row for row in rows if row["bundled"] == packaged] for packaged in (False, True))
        if ours or unfinished:
            say(str(directory))
        elif not some and not local:
            say(f"no tables in {directory} (to build some: {build_some(directory)})")
        if ours:
            print_rows(TABLES, ours, totals=True)
        for one in unfinished:
            say(_in_words(one))
        if local:
            say(f"local tables, in {local[0].path.parent}")
            print_rows(LOCAL, of_local, totals=False)
        if bundled:
            say(f"in the package, {BUNDLED}")
            print_rows(TABLES, bundled, totals=True)
    return CorruptTable.exit_code if any("error" in row for row in (*rows, *of_local)) else 0


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
