"""`tbgen build`: tables of given materials, and all that they depend on."""

import argparse
import json
import os
import time
from pathlib import Path
from typing import TYPE_CHECKING

from tbgen.cli.common import add_json, add_memory, add_quiet, add_rules, add_tables, memory_of, tables_directory
from tbgen.errors import BadInput
from tbgen.material import Material, every, parse

if TYPE_CHECKING:
    from tbgen.build.forecast import Forecast
    from tbgen.build.plan import Plan
    from tbgen.build.summary import Summary

EPILOG = """\
examples:
  tbgen build KBvK                 one table, and those that it depends on
  tbgen build KRvKP KPvKP          several; any spelling will do: KPKR, kp-kr
  tbgen build --all 4              every material of two, three and four men
  tbgen build --rules wg KBvK      whole-game mobility: nothing resets the record
  tbgen build --dry-run --all 5    what would be built, and what it would take

Tables that are there already are left alone. A build that is stopped leaves no half table behind; started
again it goes on where it was.
"""


def add_arguments(parser: argparse.ArgumentParser) -> None:
    parser.add_argument("material", nargs="*", help="such as KRvKP; both sides with their kings")
    parser.add_argument("--all", type=int, metavar="MEN", help="every material of up to so many men")
    add_tables(parser)
    add_rules(parser)
    parser.add_argument("--threads", type=int, metavar="N", help="at work on a table (default: all cores)")
    add_memory(parser)
    parser.add_argument("--force", action="store_true", help="build the named tables again even if they are there")
    parser.add_argument(
        "--dry-run", action="store_true", help="say what would be built and what it would take, and stop"
    )
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
    from tbgen.build.forecast import check_disk, check_memory, make_forecast
    from tbgen.build.plan import make_plan
    from tbgen.build.progress import Progress, warm_up_visibly
    from tbgen.build.run import run_plan

    threads = os.cpu_count() or 1 if args.threads is None else args.threads
    if threads < 1:
        raise BadInput("--threads takes a number from 1 on")
    memory = memory_of(args)
    directory = tables_directory(args)
    plan = make_plan(materials_of(args.material, args.all), directory, args.rules, rebuild=args.force)
    forecast = make_forecast(plan, threads)
    if args.dry_run:
        _show_forecast(forecast, as_json=args.json)
        return 0
    check_memory(forecast, memory)
    check_disk(forecast)
    quiet = args.quiet or args.json
    costs = {row.material: row.cpu_seconds for row in forecast.rows}
    done: list[Summary] = []
    begun = time.perf_counter()
    try:
        if plan.todo:
            warm_up_visibly(threads, quiet=args.quiet)
        with Progress(plan, quiet=quiet, costs=costs) as progress:
            for summary in run_plan(plan, progress, threads=threads, memory=memory, rebuild=args.force):
                done.append(summary)
                if args.json:
                    print(json.dumps(summary.as_dict()), flush=True)
                elif not args.quiet:
                    progress.show(_lines(summary, directory, whole=len(plan.todo) == 1))
            if not quiet:
                progress.show(_last_lines(plan, done, time.perf_counter() - begun))
    except KeyboardInterrupt:
        raise KeyboardInterrupt("interrupted; the same command goes on where this one stopped") from None
    return 0


def _show_forecast(forecast: "Forecast", *, as_json: bool) -> None:
    from tbgen.build.forecast import free_disk, size_of, time_of
    from tbgen.cli.plan import print_estimates

    plan = forecast.plan
    if as_json:
        print(json.dumps(forecast.as_dict()))
        return
    if plan.todo:
        print_estimates(forecast.rows)
        cores = forecast.threads * forecast.at_once
        print(f"about {time_of(forecast.seconds)} on {cores} core{'s' * (cores > 1)}")
        if not forecast.calibrated:
            print("(this machine has built too little to be judged: that is the pace of another)")
        print(
            f"{size_of(forecast.disk)} of tables and {size_of(forecast.scratch)} while building, in {plan.directory}, "
            f"where {size_of(free_disk(plan.directory))} are free"
        )
    if plan.present:
        print(f"there already: {' '.join(material.name for material in plan.present)}")


def _last_lines(plan: "Plan", done: "list[Summary]", seconds: float) -> list[str]:
    """What there is to say when all is done."""
    from tbgen.build.forecast import size_of, time_of

    if not plan.todo:
        return [f"nothing to do: {len(plan.present)} tables are in {plan.directory} already"]
    if len(done) < 2:
        return []
    slowest = max(done, key=lambda summary: summary.seconds)
    return [
        f"{len(done)} tables: {sum(summary.positions for summary in done):,} positions, "
        f"{size_of(sum(summary.bytes for summary in done))}, in {time_of(seconds)} "
        f"({time_of(sum(summary.cpu_seconds for summary in done))} of CPU); "
        f"slowest: {slowest.material} in {time_of(slowest.seconds)}"
    ]


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
