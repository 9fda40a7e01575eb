"""`tbgen pack`: slim tables, in a third to a half of the room, to keep or to send."""

import argparse
from contextlib import closing
from pathlib import Path

from tbgen.cli import common
from tbgen.cli.limits import check_memory
from tbgen.core.material import Material
from tbgen.errors import BadInput
from tbgen.system.command_name import called_as
from tbgen.system.text import say, to_json

EPILOG = """\
A slim table, such as KRvKN.r.slim.h5, holds the positions with one side to move; the others follow from them by a ply
of forward moves. It comes to a third to a half of the whole table. tbgen probe and all others that look up positions
read it as any table, wherever there is no whole one in the directory; what is left out takes them a millisecond or two.

tbgen unpack makes the whole table again, byte for byte. For that it needs the tables that captures and pawn moves lead
to. A table of pieces with the same men on both sides stores one side to move anyhow: it stays as it is.

examples:
  tbgen pack KRvKN                   data/KRvKN.r.slim.h5
  tbgen pack --all 5 -o /mnt/disk    all that are there, of up to five men
  tbgen unpack --check data/KRvKN.r.slim.h5
                                     whether it gives the table again: before you remove that
"""


def add_arguments(parser: argparse.ArgumentParser) -> None:
    parser.add_argument("material", nargs="*", help="such as KRvKN")
    common.add_all(parser, "table in the directory")
    parser.add_argument(
        "-o", "--output", type=common.directory, metavar="DIR", help="where to put them (default: beside the tables)"
    )
    parser.add_argument("--slim", action="store_true", help=argparse.SUPPRESS)  # the only form by now
    common.add_tables(parser, bundled=False)
    common.add_rules(parser)
    common.add_work(parser)
    common.add_output(parser)


def run(args: argparse.Namespace) -> int:
    check_memory(args.memory)
    from tbgen.store.leftovers import tidy

    directory = common.tables_directory(args)
    place: Path = args.output or directory
    if not directory.is_dir():
        raise common.no_such_tables(directory, common.materials_of(args.material))
    if not place.is_dir():
        raise BadInput(f"no such directory: {place}")
    tidy(place)
    for material in _chosen(args, directory):
        _pack(args, material, directory, place)
    return 0


def _pack(args: argparse.Namespace, material: Material, directory: Path, place: Path) -> None:
    from tbgen.cli.display import Counter
    from tbgen.memory.disk_arrays import DiskArrays, scratch_of
    from tbgen.slim.make import make_slim
    from tbgen.store import building, slim_path, table_path
    from tbgen.system.text import size_of

    table, slim = table_path(directory, material, args.rules), slim_path(place, material, args.rules)
    with (
        building(slim),
        closing(DiskArrays(scratch_of(place), args.memory)) as disk_arrays,
        Counter(quiet=common.is_quiet(args)) as counter,
    ):
        slimmed = make_slim(
            table, slim, threads=args.threads, make=disk_arrays.array, begin=counter.begin, report=counter.advance
        )
    if args.json:
        row = {"material": material.name, "rules": args.rules, "file": slimmed and str(slim)}
        sizes = {"bytes": slimmed.size, "table_bytes": slimmed.table_size, "keeps": slimmed.keeps} if slimmed else {}
        say(to_json(row | sizes), flush=True)
    elif slimmed is None:
        say(f"{table}: it stores one side to move anyhow, and stays as it is", flush=True)
    elif not args.quiet:
        share = f"{100 * slimmed.size / slimmed.table_size:.0f} % of {size_of(slimmed.table_size)}"
        say(f"{slim}: {size_of(slimmed.size)}, {share}", flush=True)


def _chosen(args: argparse.Namespace, directory: Path) -> list[Material]:
    """Return the materials that are named, or all that are there."""
    from tbgen.store import list_tables

    chosen = common.materials_of(args.material)
    if args.all is not None:
        available = [table.material for table in list_tables(directory) if table.rules == args.rules]
        chosen += [material for material in available if material.men <= args.all and material not in chosen]
        if not chosen:
            raise common.no_such_tables(directory)
    if not chosen:
        raise BadInput(f"name a material, as in: {called_as()} pack KRvKN (or --all 4)")
    return chosen
