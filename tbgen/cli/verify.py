"""`tbgen verify`: recheck tables, position by position."""

import argparse
import os
import time
from collections.abc import Iterator
from contextlib import closing
from dataclasses import dataclass, field
from functools import partial
from itertools import groupby
from pathlib import Path
from typing import TYPE_CHECKING, Any, Final

from tbgen.cli.common import (
    add_json,
    add_memory,
    add_quiet,
    add_rules,
    add_tables,
    at_once,
    materials_of,
    tables_directory,
    whole_number,
)
from tbgen.cli.digests import compare_digests
from tbgen.cli.limits import COMPILED, THREAD, check_address_space, failure_of
from tbgen.errors import CorruptTable, MissingTable, OutOfRoom, TbgenError
from tbgen.material import Material, build_key
from tbgen.table_rules import TableRules
from tbgen.text import say, to_json

if TYPE_CHECKING:
    from tbgen.cli.progress import Progress
    from tbgen.store.disk_arrays import DiskArrays
    from tbgen.verify.run import Verdict

EPILOG = """\
examples:
  tbgen verify KRvKN               the file byte for byte, then all positions, from forward moves only
  tbgen verify                     every table in the directory, under both rules
  tbgen verify --rules wg          every table under these rules
  tbgen verify --sample 100000 KRBvKR
                                   100,000 stored entries drawn at random; the seed is printed
  tbgen verify --digests docs/digests.txt
                                   whether the tables say the same as the project's, in seconds

A table without pawns is read as a whole, others part by part: placements of pawns that lead to each other. The tables
that captures and promotions lead to are taken as right: verify them as well. If one of them is missing or damaged,
the positions that lead there are checked by their other moves and counted separately. After a fault in one table, the
others are checked all the same.

Of a table that is checked in part, stored entries are counted: a position whose kings both stand on the long diagonal
has two, unless it is its own mirror image.

Exit code 5 if anything is wrong; else 6 if memory or disk was too small for a table, else 4 if one was missing.
"""

_SEEDS: Final = 1 << 64
_BAD: Final = (0, MissingTable.exit_code, TbgenError.exit_code, OutOfRoom.exit_code, CorruptTable.exit_code)
"""Exit codes, the worst last."""


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
        "--threads", type=at_once, default=os.cpu_count() or 1, metavar="N", help="threads to use (default: all cores)"
    )
    parser.add_argument(
        "--digests",
        type=Path,
        metavar="FILE",
        help="compare what the tables say with the digests in FILE instead, such as docs/digests.txt",
    )
    add_memory(parser)
    add_quiet(parser)
    add_json(parser)
    parser.epilog = EPILOG


@dataclass
class _Report:
    """What came of one table."""

    material: Material
    rules: TableRules
    verdict: "Verdict | None" = None
    seed: int | None = None
    """The seed of the sample, if there was one."""
    seconds: float = 0.0
    problem: str | None = None
    """Why there is no verdict."""
    lost: dict[Material, str] = field(default_factory=dict)
    """The tables that this one leads to and that could not be read, and why."""
    codes: set[int] = field(default_factory=set)

    def failed(self, error: TbgenError | MemoryError | OSError) -> None:
        self.problem, code = failure_of(error)
        self.codes.add(code)

    def lose(self, material: Material, error: TbgenError) -> None:
        self.lost[material], code = failure_of(error)
        self.codes.add(code)

    def judge(self, verdict: "Verdict") -> None:
        self.verdict = verdict
        if verdict.wrong:
            self.codes.add(CorruptTable.exit_code)

    @property
    def code(self) -> int:
        return max(self.codes, key=_BAD.index, default=0)

    @property
    def positions(self) -> int | None:
        """The positions of the table, each once up to symmetry, if all of them have been checked."""
        if self.verdict is None or self.verdict.unchecked or self.seed is not None:
            return None
        from tbgen.index.stored_twice import stored_twice

        return self.verdict.checked - stored_twice(self.material)

    def as_dict(self) -> dict[str, Any]:
        from tbgen.index import layout_of
        from tbgen.index.positions import fen

        verdict = self.verdict
        return {
            "material": self.material.name,
            "rules": self.rules,
            "code": self.code,
            "error": self.problem,
            "positions": self.positions,
            "checked": verdict.checked if verdict else 0,
            "unchecked": verdict.unchecked if verdict else None,
            "wrong": verdict.wrong if verdict else None,
            "lost": {material.name: problem for material, problem in self.lost.items()},
            "seed": self.seed,
            "seconds": round(self.seconds, 3),
            "examples": [
                {
                    "fen": fen(layout_of(self.material), finding.number) if finding.number >= 0 else None,
                    "problem": str(finding),
                }
                for finding in (verdict.examples if verdict else ())
            ],
        }

    def lines(self) -> Iterator[str]:
        found = self.as_dict()
        name = f"{self.material}{'' if self.rules == TableRules.RESET else f' ({self.rules})'}"
        if self.verdict is None:
            yield f"{name}: {self.problem}; no position has been checked"
            return
        drawn = "" if self.seed is None else f" drawn with --seed {self.seed}"
        parts = f"{found['checked']:,} stored entries{drawn}"
        count = parts if self.positions is None else f"{self.positions:,} positions"
        what = f"{found['wrong']:,} WRONG" if found["wrong"] else "all right"
        rest = f", {found['unchecked']:,} NOT CHECKED" if found["unchecked"] else ""
        yield f"{name}: {count} checked in {found['seconds']:.1f} s, {what}{rest}"
        for problem in self.lost.values():
            yield f"  what some captures and promotions lead to is not known: {problem}"
        for one in found["examples"]:
            yield f"  {one['fen'] or ''}  {one['problem']}"


def run(args: argparse.Namespace) -> int:
    check_address_space(_space(args))
    from tbgen.cli.progress import Progress, warm_up_visibly
    from tbgen.generate.estimate import PROGRAM
    from tbgen.generate.forecast import size_of
    from tbgen.store.directory import Listed, table_path
    from tbgen.store.disk_arrays import DiskArrays, scratch_of

    if args.memory < PROGRAM:
        raise OutOfRoom(f"{size_of(PROGRAM)} of memory are needed, and --memory leaves {size_of(args.memory)}")
    directory = tables_directory(args)
    wanted = _wanted(args, directory)
    if args.digests is not None:
        tables = [Listed(table_path(directory, *one), *one) for one in wanted]
        return compare_digests(tables, args.digests, json=args.json, quiet=args.quiet)
    warm_up_visibly(args.threads, quiet=args.quiet or args.json)
    codes: list[int] = []
    with (
        closing(DiskArrays(scratch_of(directory), args.memory)) as disk_arrays,
        Progress([material for material, _ in wanted], quiet=args.quiet or args.json) as progress,
    ):
        try:
            for report in _reports(args, directory, wanted, disk_arrays, progress):
                codes.append(report.code)
                if args.json:
                    say(to_json(report.as_dict()), flush=True)
                else:
                    progress.show(list(report.lines()))
        except KeyboardInterrupt:
            raise KeyboardInterrupt(f"interrupted; {len(codes)} of {len(wanted)} tables have been checked") from None
    return max(codes, key=_BAD.index)


def _space(args: argparse.Namespace) -> int:
    """Bytes of address space, tables not included."""
    return COMPILED + int(args.threads) * THREAD


def _wanted(args: argparse.Namespace, directory: Path) -> list[tuple[Material, TableRules]]:
    """Materials and rules; every table comes after those that it depends on."""
    from tbgen.store import build_some, list_tables

    if args.material:
        found = {(material, args.rules or TableRules.RESET) for material in materials_of(args.material)}
    else:
        found = {(material, rules) for _, material, rules in list_tables(directory) if args.rules in (None, rules)}
    if not found:
        raise MissingTable(f"no tables in {directory} (to build some: {build_some(directory)})")
    return sorted(found, key=lambda one: (one[1], build_key(one[0])))


def _reports(
    args: argparse.Namespace,
    directory: Path,
    wanted: list[tuple[Material, TableRules]],
    disk_arrays: "DiskArrays",
    progress: "Progress",
) -> Iterator[_Report]:
    """Check table after table, whatever is wrong with one of them."""
    from tbgen.store import open_table, table_path
    from tbgen.store.entry_cache import EntryCache
    from tbgen.verify.file import check_table, mapped_by

    space = _space(args)
    seed = args.seed if args.seed is not None else int.from_bytes(os.urandom(4))
    for rules, tables in groupby(wanted, key=lambda one: one[1]):
        entry_cache = EntryCache(directory, rules, disk_arrays)
        for material, _ in tables:
            report = _Report(material, rules, seed=seed if args.sample is not None else None)
            progress.began(material)
            begun = time.perf_counter()
            try:
                with open_table(table_path(directory, material, rules)):
                    pass  # refuses what is not a table before its layout is made: that of six men takes a gigabyte
                check_address_space(space + mapped_by(material))
                verdict = check_table(
                    material, directory, rules, entry_cache, disk_arrays,
                    threads=args.threads, sample=args.sample, seed=seed,
                    read=progress.read, report=partial(progress.solved, material), lost=report.lose,
                )  # fmt: skip
                report.judge(verdict)
            except (TbgenError, MemoryError, OSError) as error:
                report.failed(error)
                if not isinstance(error, TbgenError):
                    entry_cache = EntryCache(directory, rules, disk_arrays)  # frees what the old one held
            report.seconds = time.perf_counter() - begun
            progress.finished(material)
            yield report
