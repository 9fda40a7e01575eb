"""`tbgen verify`: recheck tables, position by position."""

import argparse
import os
from collections.abc import Callable, Iterator
from contextlib import closing
from functools import partial
from itertools import chain, groupby
from pathlib import Path
from typing import TYPE_CHECKING, Final

from tbgen.cli.common import (
    add_output,
    add_rules,
    add_tables,
    add_work,
    is_quiet,
    materials_of,
    named,
    tables_directory,
    whole_number,
)
from tbgen.cli.digests import compare_digests
from tbgen.cli.limits import check_address_space, check_memory, space_of
from tbgen.cli.verify_report import BAD, Report
from tbgen.core.material import Material, build_key
from tbgen.core.table_rules import TableRules
from tbgen.errors import BadInput, MissingTable
from tbgen.system.text import say, to_json

if TYPE_CHECKING:
    from tbgen.memory.disk_arrays import DiskArrays
    from tbgen.store.directory import Listed
    from tbgen.store.local import LocalFile

EPILOG = """\
examples:
  tbgen verify KRvKN               the file byte for byte, then all positions, from forward moves only
  tbgen verify                     every table in the directory, under both rules
  tbgen verify --rules wg          every table under these rules
  tbgen verify --sample 100000 KRBvKR
                                   100,000 stored entries drawn at random; the seed is printed
  tbgen verify --digests docs/digests.txt
                                   whether the tables say the same as the project's: each is read once

A table is read a few slices at a time, or a part of a long one: a slice has the positions with the pawns on the same
squares. The tables that captures and promotions lead to are taken as right: verify them as well. If one of them is
missing or damaged, the positions that lead there are checked by their other moves and counted separately. After a fault
in one table, the others are checked all the same.

Local tables, which tbgen solve --keep leaves, are checked likewise after all others: given the tables that they were
solved with, and the bounds that they took for all else, every position is worth what its moves make of it.

A slim table is made whole first, as tbgen unpack would, in files where --memory has no room. It is compared with the
digest that it notes, and checked so.

Of a table that is checked in part, stored entries are counted: a position whose kings both stand on the long diagonal
has two, unless it is its own mirror image.

Exit code 5 if anything is wrong; else 6 if memory or disk was too small for a table, else 4 if one was missing.
"""

_SEEDS: Final = 1 << 64


def add_arguments(parser: argparse.ArgumentParser) -> None:
    parser.add_argument("material", nargs="*", help="default: all tables in the directory")
    add_tables(parser, bundled=False)
    add_rules(parser, default=None, otherwise="r, and both where no material is named")
    parser.add_argument(
        "--sample",
        type=whole_number(1),
        metavar="N",
        help="check N stored entries drawn at random instead of all positions",
    )
    parser.add_argument(
        "--seed",
        type=whole_number(0, _SEEDS - 1),
        metavar="S",
        help="seed of an earlier sample, to check the same entries",
    )
    parser.add_argument(
        "--digests",
        type=Path,
        metavar="FILE",
        help="compare what the tables say with the digests in FILE instead, such as docs/digests.txt",
    )
    add_work(parser)
    add_output(parser)


def run(args: argparse.Namespace) -> int:
    if args.seed is not None and args.sample is None:
        raise BadInput("--seed goes with --sample N: it says which N entries are drawn")
    if args.digests is not None and args.sample is not None:
        raise BadInput("--digests compares whole tables: leave out --sample")
    check_address_space(space_of(args.threads))
    check_memory(args.memory)
    from tbgen.cli.progress import warm_up_visibly
    from tbgen.memory.disk_arrays import DiskArrays, scratch_of
    from tbgen.store.directory import Listed, table_path

    directory = tables_directory(args)
    wanted, local, slim = _wanted(args, directory)
    if args.digests is not None:
        tables = [Listed(table_path(directory, *one), *one) for one in wanted]
        return compare_digests(tables, args.digests, threads=args.threads, json=args.json, quiet=is_quiet(args))
    warm_up_visibly(args.threads, quiet=is_quiet(args), verifying=True)
    seed = args.seed if args.seed is not None else int.from_bytes(os.urandom(4))
    codes: list[int] = []
    with closing(DiskArrays(scratch_of(directory), args.memory)) as disk_arrays:
        try:
            for report in chain(
                _reports(args, directory, wanted, disk_arrays, seed),
                _slim_reports(args, directory, slim, disk_arrays, seed),
                _local_reports(args, directory, local, disk_arrays, seed),
            ):
                codes.append(report.code)
        except KeyboardInterrupt:
            many = len(wanted) + len(local) + len(slim)
            raise KeyboardInterrupt(f"interrupted; {len(codes)} of {many} tables have been checked") from None
    return max(codes, key=BAD.index)


def _wanted(
    args: argparse.Namespace, directory: Path
) -> "tuple[list[tuple[Material, TableRules]], list[LocalFile], list[Listed]]":
    """Materials and rules of complete tables, every table after those that it depends on; local tables; slim ones."""
    from tbgen.store import build_some, list_slim, list_tables, table_path
    from tbgen.store.local import list_local

    wanted = named(args.material)
    of_local = args.rules != TableRules.WHOLE_GAME and args.digests is None
    local = [one for one in list_local(directory) if of_local and (not wanted or one.material in wanted)]
    asked = [args.rules or TableRules.RESET] if wanted or args.rules else list(TableRules)
    slim = [one for one in list_slim(directory) if args.digests is None and one.rules in asked]
    slim = [one for one in slim if not wanted or one.material in wanted]
    if wanted:
        rules, has_local = args.rules or TableRules.RESET, {one.material for one in local}
        has_local |= {one.material for one in slim}
        words = [
            word
            for word, material in zip(args.material, wanted, strict=True)
            if material not in has_local or table_path(directory, material, rules).exists()
        ]
        found = {(material, rules) for material in materials_of(words)}
    else:
        found = {(material, rules) for _, material, rules in list_tables(directory) if args.rules in (None, rules)}
    if not found and not local and not slim:
        raise MissingTable(f"no tables in {directory} (to build some: {build_some(directory)})")
    return sorted(found, key=lambda one: (one[1], build_key(one[0]))), local, slim


def _reports(
    args: argparse.Namespace,
    directory: Path,
    wanted: list[tuple[Material, TableRules]],
    disk_arrays: "DiskArrays",
    seed: int,
) -> Iterator[Report]:
    """Check table after table, whatever is wrong with one of them."""
    from tbgen.cli.progress import TableProgress
    from tbgen.store import open_table, table_path
    from tbgen.store.entry_cache import EntryCache
    from tbgen.verify.file import check_table, mapped_by

    with TableProgress([material for material, _ in wanted], quiet=is_quiet(args)) as progress:
        for rules, tables in groupby(wanted, key=lambda one: one[1]):
            new_cache = partial(EntryCache, directory, rules, disk_arrays, threads=args.threads)
            entry_cache = new_cache()
            for material, _ in tables:
                report = Report(material, rules, seed=seed if args.sample is not None else None)
                progress.began(material)
                with report.judging():
                    # Refuses what is not a table before its layout is made: with four pawns that takes 400 MB.
                    with open_table(table_path(directory, material, rules)) as table:
                        report.body_sha256 = table.sha256
                    check_address_space(space_of(args.threads) + mapped_by(material))
                    report.judge(
                        check_table(
                            material, directory, rules, entry_cache, disk_arrays,
                            threads=args.threads, sample=args.sample, seed=seed,
                            read=progress.read, report=partial(progress.checked, material), lost=report.lose,
                        )
                    )  # fmt: skip
                if report.ran_out:
                    entry_cache = new_cache()  # frees what the old one held
                progress.finished(material)
                yield _tell(args, report, progress.show)


def _slim_reports(
    args: argparse.Namespace, directory: Path, slim: "list[Listed]", disk_arrays: "DiskArrays", seed: int
) -> Iterator[Report]:
    """Check slim tables, after those that they may lead to."""
    from tbgen.cli.display import Counter
    from tbgen.index.exits import exits_of
    from tbgen.slim.unpack import SlimSource, make_whole, threads_in
    from tbgen.store import file_digest, find_table
    from tbgen.store.entry_cache import EntryCache
    from tbgen.system.thresholds import PROGRAM
    from tbgen.verify.file import mapped_by, on_disk
    from tbgen.verify.run import verify

    for path, material, rules in slim:
        entry_cache = EntryCache(directory, rules, disk_arrays, find=find_table, threads=args.threads)
        report = Report(material, rules, seed=seed if args.sample is not None else None, slim=True)
        with (
            Counter(quiet=is_quiet(args)) as counter,
            report.judging(),
            closing(SlimSource(path, disk_arrays.array)) as source,
        ):
            check_address_space(space_of(args.threads) + mapped_by(material))
            report.body_sha256 = file_digest(path)
            source.check()
            successor_entries = entry_cache.take(material.successors())
            contents = make_whole(
                source, successor_entries, threads=threads_in(args.memory - PROGRAM, args.threads),
                make=disk_arrays.array, begin=counter.begin, report=counter.advance,
            )  # fmt: skip
            counter.begin(f"checking {material}", len(contents.entries))
            report.judge(
                verify(
                    contents, exits_of(material, successor_entries), threads=args.threads, sample=args.sample,
                    seed=seed, report=counter.advance, memory=on_disk(disk_arrays),
                )
            )  # fmt: skip
        yield _tell(args, report, lambda lines: say(*lines, flush=True))


def _local_reports(
    args: argparse.Namespace, directory: Path, local: "list[LocalFile]", disk_arrays: "DiskArrays", seed: int
) -> Iterator[Report]:
    """Check local tables, after all others."""
    from tbgen.cli.display import Counter
    from tbgen.store import file_digest, find_table
    from tbgen.store.entry_cache import EntryCache
    from tbgen.verify.file import check_local

    entry_cache = EntryCache(directory, TableRules.RESET, disk_arrays, find=find_table, threads=args.threads)
    for one in local:
        report = Report(one.material, TableRules.RESET, seed=seed if args.sample is not None else None, local=one)
        with Counter(quiet=is_quiet(args)) as counter, report.judging():
            report.body_sha256 = file_digest(one.path)
            report.judge(
                check_local(
                    one, directory, entry_cache, disk_arrays,
                    threads=args.threads, sample=args.sample, seed=seed, report=counter.more, lost=report.lose,
                )
            )  # fmt: skip
        yield _tell(args, report, lambda lines: say(*lines, flush=True))


def _tell(args: argparse.Namespace, report: Report, show: Callable[[list[str]], None]) -> Report:
    show([to_json(report.as_dict())] if args.json else list(report.lines()))
    return report
