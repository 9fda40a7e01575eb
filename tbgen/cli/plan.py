"""`tbgen plan`: what building tables would take."""

import argparse
from collections.abc import Sequence
from typing import TYPE_CHECKING

from tbgen.called import called_as
from tbgen.cli.common import add_all, add_json, add_men, add_rules, at_once, materials_of, print_table
from tbgen.columns import Column
from tbgen.errors import BadInput
from tbgen.material import MEN_IN_TABLES, Material, with_dependencies
from tbgen.text import counted, say, to_json
from tbgen.turns import cores

if TYPE_CHECKING:
    from tbgen.generate.estimate import Estimate

EPILOG = """\
examples:
  tbgen plan KRBvKR              this table and all that it depends on
  tbgen plan --all 4             every material of at most four men
  tbgen plan --only KRPvKRP      this table alone, even one too large to build

With --all, a second table sums them up by the count of men and pawns.

"numbers" is exact. Of a table that has been built before, on whatever machine, positions and disk are what it came to,
and CPU is what it took there, at the pace of this machine. For others these are averages by the count of numbers.
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
    if args.json:
        for row in rows:
            say(to_json(row.as_dict()))
    else:
        print_estimates(rows)
        if args.all:
            say("")
            _print_kinds(materials, rows)
    return 0


def _print_kinds(materials: Sequence[Material], rows: Sequence["Estimate"]) -> None:
    """The same tables, a row for those of so many men and pawns."""
    from tbgen.text import size_of, time_of

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
    from tbgen.text import size_of, time_of

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
