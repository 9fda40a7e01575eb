"""`tbgen build`: tables of given materials, and all that they depend on."""

import argparse
import json
import os
from pathlib import Path
from typing import TYPE_CHECKING

from tbgen.cli.common import add_json, add_quiet, add_rules, add_tables, tables_directory
from tbgen.errors import BadInput
from tbgen.material import Material, every, parse

if TYPE_CHECKING:
    from tbgen.build.summary import Summary

EPILOG = """\
examples:
  tbgen build KBvK                 one table, and those that it depends on
  tbgen build KRvKP KPvKP          several; any spelling will do: KPKR, kp-kr
  tbgen build --all 4              every material of two, three and four men
  tbgen build --rules wg KBvK      whole-game mobility: nothing resets the record
  tbgen build --dry-run --all 4    what would be built

Tables that are there already are left alone. A build that is stopped leaves no half table behind; started
again it goes on with the next one.
"""


def add_arguments(parser: argparse.ArgumentParser) -> None:
    parser.add_argument("material", nargs="*", help="such as KRvKP; both sides with their kings")
    parser.add_argument("--all", type=int, metavar="MEN", help="every material of up to so many men")
    add_tables(parser)
    add_rules(parser)
    parser.add_argument("--threads", type=int, default=os.cpu_count() or 1, metavar="N", help="default: all cores")
    parser.add_argument("--force", action="store_true", help="build the named tables again even if they are there")
    parser.add_argument("--dry-run", action="store_true", help="say what would be built, and stop")
    add_quiet(parser)
    add_json(parser)
    parser.epilog = EPILOG


def materials_of(words: list[str], all_men: int | None) -> list[Material]:
    """The materials that a command line names."""
    found = [parse(word) for word in words]
    if all_men is not None:
        if not 2 <= all_men <= 5:
            raise BadInput(f"--all takes 2 to 5 men, not {all_men}")
        found += [material for men in range(2, all_men + 1) for material in every(men)]
    if not found:
        raise BadInput("name a material, as in: tbgen build KRvKP (or --all 4)")
    too_many = [material.name for material in found if material.men > 5]
    if too_many:
        raise BadInput(f"{too_many[0]} has more than five men")
    return found


def run(args: argparse.Namespace) -> int:
    from tbgen.build.plan import make_plan
    from tbgen.build.progress import Progress, warm_up_visibly
    from tbgen.build.run import run_plan

    if args.threads < 1:
        raise BadInput("--threads takes a number from 1 on")
    directory = tables_directory(args)
    plan = make_plan(materials_of(args.material, args.all), directory, args.rules, rebuild=args.force)
    if args.dry_run:
        print(json.dumps({"build": [m.name for m in plan.todo], "present": [m.name for m in plan.present]}))
        return 0
    if plan.todo:
        warm_up_visibly(args.threads, quiet=args.quiet)
    with Progress(plan, quiet=args.quiet or args.json) as progress:
        for summary in run_plan(plan, progress, threads=args.threads, memory=4 << 30, rebuild=args.force):
            if args.json:
                print(json.dumps(summary.as_dict()), flush=True)
            elif not args.quiet:
                progress.show(_lines(summary, directory, whole=len(plan.todo) == 1))
        if not plan.todo and not args.quiet and not args.json:
            progress.show([f"nothing to do: {len(plan.present)} tables are in {directory} already"])
    return 0


def _lines(summary: "Summary", directory: Path, *, whole: bool) -> list[str]:
    from tbgen.build.summary import histogram

    head = (
        f"{summary.material}: {summary.positions:,} positions in {summary.seconds:.1f} s, "
        f"{summary.bytes:,} bytes ({summary.bytes_per_position:.2f} a position)"
    )
    if not whole:
        return [head]
    return [
        head,
        f"  in {directory}",
        *histogram(summary.mover),
        f"  longest: {summary.longest_gscore} in {summary.longest} plies  {summary.longest_fen}",
        f"  {summary.staircases:,} staircases; {summary.attractions} attractions and {summary.looks} reviews a "
        f"position; peak memory {summary.peak_memory / 2**20:,.0f} MiB",
    ]
