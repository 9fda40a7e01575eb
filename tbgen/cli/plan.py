"""`tbgen plan`: what building tables would take."""

import argparse
from collections.abc import Mapping, Sequence
from typing import TYPE_CHECKING

from tbgen.cli.common import add_all, add_json, add_men, add_rules, at_once, materials_of, print_table, size
from tbgen.core.material import MEN_IN_TABLES, Material, with_dependencies
from tbgen.errors import BadInput
from tbgen.system.command_name import called_as
from tbgen.system.parallel import cores
from tbgen.system.text import counted, say, to_json
from tbgen.system.text_tables import Column

if TYPE_CHECKING:
    from tbgen.generate.estimate import Estimate

EPILOG = """\
examples:
  tbgen plan KRBvKR              this table and all that it depends on
  tbgen plan --all 4             every material of at most four men
  tbgen plan --only KRPvKRP      this table alone, even one too large to build
  tbgen plan --all 6 --workers 16 --threads 8 --memory 24G
                                 as 16 workers of a cluster, each with 8 threads and 24 GB, would build them

With --all, a second table sums them up by the count of men and pawns.
"memory" is what building should have: with less, sets of positions lie on disk as well, which is slow.

"numbers" is exact. Of a table that has been built before, on whatever machine, positions and disk are what it came to,
and CPU is what it took there, at the pace of this machine. Others are estimated by their men.
"""


def add_arguments(parser: argparse.ArgumentParser) -> None:
    parser.add_argument("material", nargs="*", help=f"such as KRvKP, of at most {MEN_IN_TABLES} men")
    add_all(parser)
    add_men(parser)
    add_rules(parser)
    parser.add_argument("--only", action="store_true", help="leave out the tables that they depend on")
    parser.add_argument(
        "--threads", type=at_once, default=cores(), metavar="N", help="threads at work (default: all cores)"
    )
    parser.add_argument(
        "--workers", type=at_once, metavar="N", help="say how long N take that build tables side by side"
    )
    parser.add_argument("--memory", type=size, metavar="SIZE", help="say which tables should have more, such as 24G")
    add_json(parser)


def run(args: argparse.Namespace) -> int:
    from tbgen.generate.calibration import known_pace
    from tbgen.generate.estimate import estimate

    wanted = materials_of(args.material, args.all)
    if not wanted:
        raise BadInput(f"name a material, as in: {called_as()} plan KRBvKR (or --all 5)")
    materials = wanted if args.only else with_dependencies(wanted)
    pace = known_pace().factor
    rows = [estimate(material, args.rules, args.threads, pace) for material in materials]
    clock = _clock(args.workers, args.threads, materials, rows) if args.workers else None
    if args.json:
        for words in (*(row.as_dict() for row in rows), *([clock] if clock else [])):
            say(to_json(words))
        return 0
    print_estimates(rows)
    if args.all:
        say("")
        _print_kinds(materials, rows)
    if clock:
        say("")
        _print_clock(clock)
    if args.memory:
        say("")
        say(_with_memory(args.memory, rows))
    return 0


def _clock(
    workers: int, threads: int, materials: Sequence[Material], rows: Sequence["Estimate"]
) -> dict[str, int | float]:
    """What so many workers take, and what any number of them takes at the least."""
    from tbgen.generate.forecast import clock_seconds
    from tbgen.generate.schedule import priorities, seconds_on

    each = clock_seconds(rows, threads)
    seconds, least = seconds_on(workers, materials, each), max(priorities(materials, each).values())
    return {"workers": workers, "threads": threads, "seconds": round(seconds, 1), "least_seconds": round(least, 1)}


def _print_clock(clock: Mapping[str, int | float]) -> None:
    from tbgen.system.text import time_of

    at_work = f"{counted(int(clock['workers']), 'worker')} of {counted(int(clock['threads']), 'thread')}"
    say(f"{at_work}, at the pace of this machine: {time_of(clock['seconds'])}.")
    say(f"With more workers it is {time_of(clock['least_seconds'])} at the least, as tables wait for each other.")


def _with_memory(memory: int, rows: Sequence["Estimate"]) -> str:
    from tbgen.system.text import size_of

    more = [row for row in rows if row.memory > memory]
    if not more:
        return f"{size_of(memory)} of memory are enough for each of them."
    most = max(more, key=lambda row: row.memory)
    return (
        f"{counted(len(more), 'table')} should have more memory than {size_of(memory)}; the most: {most.material}, "
        f"{size_of(most.memory)}."
    )


def _print_kinds(materials: Sequence[Material], rows: Sequence["Estimate"]) -> None:
    """The same tables, a row for those of so many men and pawns."""
    from tbgen.system.text import size_of, time_of

    columns = (
        Column("kind", left=True), Column("tables"), Column("numbers"), Column("memory, the most", spare=1),
        Column("scratch, the most", spare=2), Column("disk"), Column("CPU"),
    )  # fmt: skip
    kinds: dict[str, list[Estimate]] = {}
    for material, row in zip(materials, rows, strict=True):
        kinds.setdefault(f"{material.men} men, {counted(material.pawns, 'pawn')}", []).append(row)
    lines = [
        (
            kind, f"{len(of_kind)}", f"{sum(r.numbers for r in of_kind):,}", size_of(max(r.memory for r in of_kind)),
            size_of(max(r.scratch for r in of_kind)), size_of(sum(r.disk for r in of_kind)),
            time_of(sum(r.cpu_seconds for r in of_kind)),
        )
        for kind, of_kind in kinds.items()
    ]  # fmt: skip
    print_table(columns, lines)


def print_estimates(rows: Sequence["Estimate"]) -> None:
    """A table, with totals if there are several rows."""
    from tbgen.system.text import size_of, time_of

    columns = (
        Column("table", left=True), Column("numbers", spare=1), Column("positions, about"), Column("memory"),
        Column("scratch", spare=2), Column("disk"), Column("CPU"),
    )  # fmt: skip
    lines = [
        (r.material, f"{r.numbers:,}", f"{r.positions:,}", size_of(r.memory), size_of(r.scratch), size_of(r.disk),
         time_of(r.cpu_seconds))
        for r in rows
    ]  # fmt: skip
    footer = (
        f"{len(rows)} tables", f"{sum(r.numbers for r in rows):,}", f"{sum(r.positions for r in rows):,}",
        size_of(max(r.memory for r in rows)), size_of(max(r.scratch for r in rows)), size_of(sum(r.disk for r in rows)),
        time_of(sum(r.cpu_seconds for r in rows)),
    )  # fmt: skip
    print_table(columns, lines, footer if len(rows) > 1 else ())
