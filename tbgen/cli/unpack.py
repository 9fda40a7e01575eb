"""`tbgen unpack`: whole tables made again from slim ones."""

import argparse
from contextlib import closing
from pathlib import Path
from typing import TYPE_CHECKING, Final

from tbgen.cli import common
from tbgen.cli.limits import check_address_space, check_memory, space_of
from tbgen.core.material import Material, build_key
from tbgen.system.text import say, to_json

if TYPE_CHECKING:
    from tbgen.memory.disk_arrays import DiskArrays
    from tbgen.slim.unpack import SlimSource
    from tbgen.store.entry_cache import EntryCache

EPILOG = """\
The tables that captures and pawn moves lead to must be in the directory, or among the files; those of two and three men
may be the package's own. A table gets its name when what it says has been compared with a digest from the time of
packing. It has the same bytes as the one that was packed; if another version of zlib-ng or HDF5 packs the same contents
into others, a line says so. A table that is there already stays.

examples:
  tbgen unpack data/KRvKN.r.slim.h5  data/KRvKN.r.h5
  tbgen unpack /mnt/disk/*.slim.h5 --tables DIR
                                     all of them into DIR, each after those that it needs
  tbgen unpack --check KRvKN.r.slim.h5
                                     whether it gives the table again, which is not kept

The first call compiles what it needs, in about half a minute.
"""
_OTHER_BYTES: Final = "the same contents in other bytes: its tbgen, zlib-ng or HDF5 was of another version"


def add_arguments(parser: argparse.ArgumentParser) -> None:
    parser.add_argument("file", nargs="+", type=Path, metavar="FILE", help="such as KRvKN.r.slim.h5")
    parser.add_argument("--check", action="store_true", help="make the tables and compare them, but keep none")
    common.add_tables(parser)
    common.add_work(parser)
    common.add_output(parser)


def run(args: argparse.Namespace) -> int:
    space = space_of(args.threads)
    check_address_space(space)
    check_memory(args.memory)
    from tbgen.cli.display import Counter
    from tbgen.memory.disk_arrays import DiskArrays, scratch_of
    from tbgen.slim.unpack import SlimSource, warm_up
    from tbgen.store import find_table
    from tbgen.store.entry_cache import EntryCache
    from tbgen.store.leftovers import tidy
    from tbgen.verify.file import mapped_by

    directory = common.tables_directory(args)
    sources = _sources(args, directory)
    directory.mkdir(parents=True, exist_ok=True)
    tidy(directory)
    with Counter(quiet=common.is_quiet(args)) as counter:
        counter.begin("loading the kernels, which are compiled once", 1)
        warm_up()
    with closing(DiskArrays(scratch_of(directory), args.memory)) as disk_arrays:
        caches: dict[str, EntryCache] = {}
        for path, material in sorted(sources, key=lambda source: build_key(source[1])):
            check_address_space(space + mapped_by(material))
            with closing(SlimSource(path)) as source:
                cache = caches.setdefault(
                    source.rules,
                    EntryCache(directory, source.rules, disk_arrays, find=find_table, threads=args.threads),
                )
                _unpack(args, source, directory, cache, disk_arrays)
    return 0


def _sources(args: argparse.Namespace, directory: Path) -> list[tuple[Path, Material]]:
    """Return the files, and what each holds. Raise OutOfRoom unless the disk has room for their tables."""
    from tbgen.generate.forecast import require_room
    from tbgen.slim.unpack import SlimSource
    from tbgen.store import table_path

    sources: list[tuple[Path, Material]] = []
    sizes: dict[Path, int] = {}
    for path in args.file:
        with closing(SlimSource(path)) as source:
            sources.append((path, source.material))
            table = table_path(directory, source.material, source.rules)
            if args.check or not table.exists():
                sizes[table] = source.whole.bytes
    needed = max(sizes.values()) if args.check else sum(sizes.values())
    require_room(directory, needed, "are to be written")
    return sources


def _unpack(
    args: argparse.Namespace,
    source: "SlimSource",
    directory: Path,
    cache: "EntryCache",
    disk_arrays: "DiskArrays",
) -> None:
    from tbgen.cli.display import Counter
    from tbgen.slim.unpack import threads_in, unpack
    from tbgen.store import building, table_path
    from tbgen.system.thresholds import PROGRAM

    path = table_path(directory, source.material, source.rules)
    threads = threads_in(args.memory - PROGRAM, args.threads)
    same: bool | None = None
    with building(path):
        if args.check or not path.exists():
            successor_entries = cache.take(source.material.successors())
            with Counter(quiet=common.is_quiet(args)) as counter:
                same = unpack(
                    source, path, successor_entries, threads=threads, make=disk_arrays.array,
                    begin=counter.begin, report=counter.advance, keep=not args.check,
                )  # fmt: skip
    if args.json:
        row = {"material": source.material.name, "rules": source.rules, "file": str(path), "kept": not args.check}
        say(to_json(row | {"made": same is not None, "same_bytes": same}), flush=True)
    elif same is False:
        say(f"{source.path if args.check else path}: {_OTHER_BYTES}", flush=True)
    elif not args.quiet:
        say(_sentence(source, path, check=args.check, made=same is not None), flush=True)


def _sentence(source: "SlimSource", path: Path, *, check: bool, made: bool) -> str:
    if check:
        return f"{source.path}: gives the table again"
    return f"{path}: as it was packed" if made else f"{path} is there already"
