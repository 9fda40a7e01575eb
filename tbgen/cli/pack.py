"""`tbgen pack`: tables in a third of the room or less, to keep or to send."""

import argparse
from contextlib import closing
from pathlib import Path

from tbgen.called import called_as
from tbgen.cli import common
from tbgen.cli.limits import check_memory
from tbgen.errors import BadInput
from tbgen.files import replacing
from tbgen.material import Material
from tbgen.sizes import PROGRAM
from tbgen.text import say, to_json

EPILOG = """\
A packed file, such as KRvKN.r.tbp, holds the positions with one side to move, compressed harder; the others follow from
them by a ply of forward moves. Most tables come to a sixth to a third of their size; those of pieces with the same men
on both sides to two thirds, for they hold one side to move only. Nothing can be looked up in a packed file.

tbgen unpack makes the table again, byte for byte. For that it needs the tables that captures and pawn moves lead to.

A slim table, such as KRvKN.r.slim.h5, leaves out the same positions, but is a table: tbgen probe and all others that
look up positions read it as one, wherever there is no whole table in the directory. What is left out takes them a ply
of search: a millisecond or two. It comes to a third to a half of the whole table.

examples:
  tbgen pack KRvKN                   data/KRvKN.r.tbp
  tbgen pack --slim KRvKN            data/KRvKN.r.slim.h5
  tbgen pack --all 5 -o /mnt/disk    all that are there, of up to five men
  tbgen unpack --check data/KRvKN.r.tbp
                                     whether it gives the table again: before you remove that

Each thread takes about 200 MB, and as many work as --memory has room for. A table of too many shapes for it is refused.
"""


def add_arguments(parser: argparse.ArgumentParser) -> None:
    parser.add_argument("material", nargs="*", help="such as KRvKN")
    common.add_all(parser, "table in the directory")
    parser.add_argument(
        "-o", "--output", type=common.directory, metavar="DIR", help="where to put them (default: beside the tables)"
    )
    parser.add_argument(
        "--slim", action="store_true", help="slim tables, probed as they are, in a third to half the room"
    )
    common.add_tables(parser, bundled=False)
    common.add_rules(parser)
    common.add_work(parser)
    common.add_output(parser)


def run(args: argparse.Namespace) -> int:
    check_memory(args.memory)
    from tbgen.archive.format import packed_name
    from tbgen.archive.pack import pack, room_of, threads_in
    from tbgen.cli.display import Counter
    from tbgen.store import table_path
    from tbgen.store.leftovers import tidy
    from tbgen.text import size_of

    memory = args.memory - PROGRAM
    room = room_of(memory)
    args.threads = threads_in(memory - room, args.threads)
    directory = common.tables_directory(args)
    place: Path = args.output or directory
    if not directory.is_dir():
        raise common.no_such_tables(directory, common.materials_of(args.material))
    if not place.is_dir():
        raise BadInput(f"no such directory: {place}")
    tidy(place)
    for material in _wanted(args, directory):
        if args.slim:
            _slim(args, material, directory, place)
            continue
        table, packed = table_path(directory, material, args.rules), place / packed_name(material, args.rules)
        with Counter(quiet=common.is_quiet(args)) as counter, replacing(packed) as file:
            result = pack(table, file, threads=args.threads, room=room, begin=counter.begin, report=counter.advance)
        before = result.notes.bytes
        if args.json:
            found = {"material": material.name, "rules": args.rules, "file": str(packed), "bytes": result.size}
            say(to_json(found | {"table_bytes": before, "keeps": result.notes.keeps}), flush=True)
        elif not args.quiet:
            say(
                f"{packed}: {size_of(result.size)}, {100 * result.size / before:.0f} % of {size_of(before)}", flush=True
            )
    return 0


def _slim(args: argparse.Namespace, material: Material, directory: Path, place: Path) -> None:
    from tbgen.archive.slim import make_slim
    from tbgen.cli.display import Counter
    from tbgen.store import building, slim_path, table_path
    from tbgen.store.disk_arrays import DiskArrays, scratch_of
    from tbgen.text import size_of

    table, slim = table_path(directory, material, args.rules), slim_path(place, material, args.rules)
    with (
        building(slim),
        closing(DiskArrays(scratch_of(place), args.memory)) as disk_arrays,
        Counter(quiet=common.is_quiet(args)) as counter,
    ):
        made = make_slim(
            table, slim, threads=args.threads, make=disk_arrays.array, begin=counter.begin, report=counter.advance
        )
    if args.json:
        found = {"material": material.name, "rules": args.rules, "file": made and str(slim)}
        counts = {"bytes": made.size, "table_bytes": made.before, "keeps": made.keeps} if made else {}
        say(to_json(found | counts), flush=True)
    elif made is None:
        say(f"{table}: it stores one side to move anyhow, and stays as it is", flush=True)
    elif not args.quiet:
        share = f"{100 * made.size / made.before:.0f} % of {size_of(made.before)}"
        say(f"{slim}: {size_of(made.size)}, {share}", flush=True)


def _wanted(args: argparse.Namespace, directory: Path) -> list[Material]:
    from tbgen.store import list_tables

    there = [one.material for one in list_tables(directory) if one.rules == args.rules]
    wanted = common.materials_of(args.material)
    if args.all is not None:
        wanted += [one for one in there if one.men <= args.all and one not in wanted]
        if not wanted:
            raise common.no_such_tables(directory)
    if not wanted:
        raise BadInput(f"name a material, as in: {called_as()} pack KRvKN (or --all 4)")
    return wanted
