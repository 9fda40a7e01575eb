"""`tbgen unpack`: tables made again from packed files."""

import argparse
from collections.abc import Iterator
from contextlib import closing, contextmanager
from pathlib import Path
from typing import TYPE_CHECKING, Final

from tbgen.cli import common
from tbgen.cli.limits import check_address_space, check_memory, space_of
from tbgen.material import Material, build_key
from tbgen.text import say, to_json

if TYPE_CHECKING:
    from tbgen.archive.unpack import Source
    from tbgen.store.disk_arrays import DiskArrays
    from tbgen.store.entry_cache import EntryCache

EPILOG = """\
The tables that captures and pawn moves lead to must be in the directory, or among the files; those of two and three men
may be the package's own. A table gets its name when what it says has been compared with a digest from the time of
packing. It has the same bytes as the one that was packed; if another version of zlib-ng or HDF5 packs the same contents
into others, a line says so. A table that is there already stays.

examples:
  tbgen unpack data/KRvKN.r.tbp      data/KRvKN.r.h5
  tbgen unpack /mnt/disk/*.tbp --tables DIR
                                     all of them into DIR, each after those that it needs
  tbgen unpack data/KRvKN.r.slim.h5  the same of a slim table
  tbgen unpack --check KRvKN.r.tbp   whether it gives the table again, which is not kept

The first call compiles what it needs, in about half a minute.
"""
_OTHER_BYTES: Final = "the same contents in other bytes: its tbgen, zlib-ng or HDF5 was of another version"


def add_arguments(parser: argparse.ArgumentParser) -> None:
    parser.add_argument("file", nargs="+", type=Path, metavar="FILE", help="such as KRvKN.r.tbp or KRvKN.r.slim.h5")
    parser.add_argument("--check", action="store_true", help="make the tables and compare them, but keep none")
    common.add_tables(parser)
    common.add_work(parser)
    common.add_output(parser)


def run(args: argparse.Namespace) -> int:
    space = space_of(args.threads)
    check_address_space(space)
    check_memory(args.memory)
    from tbgen.archive.unpack import warm_up
    from tbgen.cli.display import Counter
    from tbgen.store import find_table
    from tbgen.store.disk_arrays import DiskArrays, scratch_of
    from tbgen.store.entry_cache import EntryCache
    from tbgen.store.leftovers import tidy
    from tbgen.verify.file import mapped_by

    directory = common.tables_directory(args)
    wanted = _wanted(args, directory)
    directory.mkdir(parents=True, exist_ok=True)
    tidy(directory)
    with Counter(quiet=common.is_quiet(args)) as counter:
        counter.begin("loading the kernels, which are compiled once", 1)
        warm_up()
    with closing(DiskArrays(scratch_of(directory), args.memory)) as disk_arrays:
        caches: dict[str, EntryCache] = {}
        for path, material in sorted(wanted, key=lambda one: build_key(one[1])):
            check_address_space(space + mapped_by(material))
            with _opened(path) as packed:
                cache = caches.setdefault(
                    packed.rules,
                    EntryCache(directory, packed.rules, disk_arrays, find=find_table, threads=args.threads),
                )
                _one(args, packed, directory, cache, disk_arrays)
    return 0


@contextmanager
def _opened(path: Path) -> "Iterator[Source]":
    """A packed or a slim table."""
    from tbgen.archive.format import Packed
    from tbgen.archive.slim import SlimSource
    from tbgen.archive.unpack import PackedSource
    from tbgen.store.directory import SLIM

    if path.name.endswith(SLIM):
        with closing(SlimSource(path)) as slim:
            yield slim
    else:
        with closing(Packed(path)) as packed:
            yield PackedSource(packed)


def _wanted(args: argparse.Namespace, directory: Path) -> list[tuple[Path, Material]]:
    """The files, and what each holds. OutOfRoom unless the disk has room for their tables."""
    from tbgen.generate.forecast import require_room
    from tbgen.store import table_path

    found: list[tuple[Path, Material]] = []
    sizes: dict[Path, int] = {}
    for path in args.file:
        with _opened(path) as packed:
            found.append((path, packed.material))
            table = table_path(directory, packed.material, packed.rules)
            if args.check or not table.exists():
                sizes[table] = packed.whole.bytes
    needed = max(sizes.values()) if args.check else sum(sizes.values())
    require_room(directory, needed, "are to be written")
    return found


def _one(
    args: argparse.Namespace,
    packed: "Source",
    directory: Path,
    cache: "EntryCache",
    disk_arrays: "DiskArrays",
) -> None:
    from tbgen.archive.pack import threads_in
    from tbgen.archive.unpack import unpack
    from tbgen.cli.display import Counter
    from tbgen.sizes import PROGRAM
    from tbgen.store import building, table_path

    path = table_path(directory, packed.material, packed.rules)
    memory = args.memory - PROGRAM
    room = packed.room_of(memory)
    threads = threads_in(memory - room, args.threads)
    same: bool | None = None
    with building(path):
        if args.check or not path.exists():
            successor_entries = cache.take(packed.material.successors())
            with Counter(quiet=common.is_quiet(args)) as counter:
                same = unpack(
                    packed, path, successor_entries, threads=threads, room=room, make=disk_arrays.array,
                    begin=counter.begin, report=counter.advance, keep=not args.check,
                )  # fmt: skip
    if args.json:
        found = {"material": packed.material.name, "rules": packed.rules, "file": str(path), "kept": not args.check}
        say(to_json(found | {"made": same is not None, "same_bytes": same}), flush=True)
    elif same is False:
        say(f"{packed.path if args.check else path}: {_OTHER_BYTES}", flush=True)
    elif not args.quiet:
        say(_sentence(packed, path, check=args.check, made=same is not None), flush=True)


def _sentence(packed: "Source", path: Path, *, check: bool, made: bool) -> str:
    if check:
        return f"{packed.path}: gives the table again"
    return f"{path}: as it was packed" if made else f"{path} is there already"
