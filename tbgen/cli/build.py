"""`tbgen build`: build tables, and all that they depend on."""

import argparse
import time
from pathlib import Path
from typing import TYPE_CHECKING, Final

from tbgen.cli.clusters import add_work, check_cluster, client_of, memory_each, threads_each
from tbgen.cli.common import (
    add_all,
    add_output,
    add_rules,
    add_tables,
    is_quiet,
    materials_of,
    remark,
    tables_directory,
)
from tbgen.cli.limits import check_address_space, check_memory, space_of
from tbgen.core.material import parse
from tbgen.errors import BadInput, OutOfRoom, no_room
from tbgen.system.command_name import called_as
from tbgen.system.parallel import cores
from tbgen.system.text import counted, say, to_json, width, wrapped
from tbgen.system.thresholds import PROGRAM

if TYPE_CHECKING:
    from distributed import Client

    from tbgen.generate.forecast import Forecast
    from tbgen.generate.plan import Plan
    from tbgen.generate.summary import Summary

_LONG: Final = 3600.0
"""Seconds of a build that says beforehand what it takes."""
EPILOG = """\
examples:
  tbgen build KBvK                 one table, and the tables that it depends on
  tbgen build KRvKP KPvKP          several; any spelling will do: KPKR, kp-kr
  tbgen build --all 4              every material of two, three and four men
  tbgen build --rules wg KBvK      whole-game mobility: nothing resets the record
  tbgen build --dry-run --all 5    what would be built, and what it would take
  tbgen build --all 5 --workers 4 --memory 16G
                                   four tables at once, which share the cores and the memory
  tbgen build --all 5 --scheduler tcp://host:8786
                                   on a cluster of machines that share the directory; --memory is per table

Of a single table it prints how many positions have which G-score: White's, and Black's
with a minus. In --json that is "outcomes"; "mover" counts as the side to move sees it.

Existing tables are kept. --force builds them again; it replaces a symbolic link and leaves alone what the link leads
to. A build that was stopped leaves no half-written table; the same command goes on where it stopped.
"""


def add_arguments(parser: argparse.ArgumentParser) -> None:
    parser.add_argument("material", nargs="*", help="such as KRvKP; both sides with their kings")
    add_all(parser)
    add_tables(parser, bundled=False)
    add_rules(parser)
    parser.add_argument("--force", action="store_true", help="build the named tables again even if they exist")
    parser.add_argument(
        "--dry-run", action="store_true", help="print what would be built and what it would take, and stop"
    )
    add_work(parser, "build", "table")
    add_output(parser)


def run(args: argparse.Namespace) -> int:
    if not args.scheduler:
        check_address_space(space_of(threads_each(args)))
    from tbgen.generate.forecast import make_forecast
    from tbgen.generate.plan import make_plan
    from tbgen.store.leftovers import tidy

    check_cluster(args)
    directory = tables_directory(args)
    wanted = materials_of(args.material, args.all)
    if not wanted:
        raise BadInput(f"name a material, as in: {called_as()} build KRvKP (or --all 4)")
    if not args.dry_run:
        tidy(directory, wanted if args.force else ())
    plan = make_plan(wanted, directory, args.rules, rebuild=args.force)
    if args.dry_run:
        _show_forecast(make_forecast(plan, threads_each(args), args.workers or 1), as_json=args.json)
        return 0
    if not plan.todo:
        if not args.quiet and not args.json:
            say(f"nothing to do: {directory} has {counted(len(plan.present), 'table')} that this takes already")
        return 0
    try:
        with client_of(args) as client:
            _build(args, plan, client, memory_each(args))
    except KeyboardInterrupt:
        raise KeyboardInterrupt("interrupted; the same command goes on where this one stopped") from None
    except OSError as error:
        reason, place = no_room(error), directory
        if reason is None:
            raise
        if error.filename and not Path(error.filename).is_relative_to(directory):
            place = Path(error.filename)  # where working arrays have a disk of their own
        raise OutOfRoom(f"{place}: {reason}; make room, and the same command goes on where this one stopped") from None
    return 0


def _build(args: argparse.Namespace, plan: "Plan", client: "Client | None", memory: int) -> None:
    """`memory`: bytes for each table."""
    from tbgen.cli.progress import TableProgress, warm_up_visibly
    from tbgen.generate.cluster.run import run_on_cluster
    from tbgen.generate.execute import execute
    from tbgen.generate.forecast import check_disk, make_forecast
    from tbgen.system.text import size_of

    threads, quiet = threads_each(args), is_quiet(args)
    at_once = sum(client.nthreads().values()) if client else 1
    forecast = make_forecast(plan, threads, max(1, at_once))
    check_memory(memory)
    largest = max(forecast.rows, key=lambda row: row.memory)
    if largest.memory > memory and not quiet:
        remark(
            f"{largest.material} should have {size_of(largest.memory)} of memory; with {size_of(memory)}, sets of "
            "positions lie on disk as well, which is slow"
        )
    if not args.scheduler:
        check_address_space(space_of(threads) + max(row.memory - PROGRAM + row.scratch for row in forecast.rows))
    if not check_disk(forecast) and not quiet:
        remark(
            f"no room for snapshots, which take up to {size_of(forecast.snapshots)}: a large slice that is stopped "
            "begins anew"
        )
    if forecast.seconds > _LONG and not quiet:
        remark(f"{counted(len(plan.todo), 'table')}, {'; '.join(_in_short(forecast))}")
    if not args.scheduler:
        warm_up_visibly(cores(), quiet=quiet)
    costs = {row.material: row.cpu_seconds for row in forecast.rows}
    done: list[Summary] = []
    begun = time.perf_counter()
    with TableProgress(
        plan.todo, quiet=quiet, costs=costs, planned=forecast.seconds, threads=0 if client else threads
    ) as progress:
        if client:
            summaries = run_on_cluster(
                plan, client, progress, threads=threads if args.workers else args.threads, memory=memory,
                costs=costs,
            )  # fmt: skip
        else:
            summaries = execute(plan, progress, threads=threads, memory=memory)
        for summary in summaries:
            done.append(summary)
            if args.json:
                progress.show([to_json(summary.as_dict())])
            elif not quiet:
                progress.show(_lines(summary, plan.directory, whole=len(plan.todo) == 1))
        if len(done) > 1 and not quiet and not args.json:
            progress.show([_last_line(done, time.perf_counter() - begun)])


def _show_forecast(forecast: "Forecast", *, as_json: bool) -> None:
    from tbgen.cli.plan import print_estimates

    plan = forecast.plan
    if as_json:
        say(to_json(forecast.as_dict()))
        return
    if plan.todo:
        print_estimates(forecast.rows)
        say(*_in_short(forecast))  # a path is not broken
    if plan.present:
        words = f"there already: {' '.join(material.name for material in plan.present)}"
        say(*wrapped(words, width() or len(words)))


def _in_short(forecast: "Forecast") -> tuple[str, str]:
    """How long it takes, and how much of the disk."""
    from tbgen.generate.forecast import free_disk
    from tbgen.system.text import size_of, time_of

    directory = forecast.plan.directory
    return (
        f"about {time_of(forecast.seconds)} on {counted(forecast.threads * forecast.at_once, 'core')}",
        f"{size_of(forecast.disk)} of tables and {size_of(forecast.scratch)} while building, in {directory}, "
        f"where {size_of(free_disk(directory))} are free",
    )


def _last_line(done: "list[Summary]", seconds: float) -> str:
    from tbgen.system.text import size_of, time_of

    slowest = max(done, key=lambda summary: summary.seconds)
    cpu = [summary.cpu_seconds for summary in done if summary.cpu_seconds is not None]
    of_cpu = f" ({time_of(sum(cpu))} of CPU)" if len(cpu) == len(done) else ""
    return (
        f"{len(done)} tables: {sum(summary.positions for summary in done):,} positions, "
        f"{size_of(sum(summary.bytes for summary in done))}, in {time_of(seconds)}{of_cpu}; "
        f"slowest: {slowest.material} in {time_of(slowest.seconds)}"
    )


def _lines(summary: "Summary", directory: Path, *, whole: bool) -> list[str]:
    from tbgen.system.text import size_of

    head = (
        f"{summary.material}: {summary.positions:,} positions in {summary.seconds:.1f} s, "
        f"{summary.bytes:,} bytes ({summary.bytes_per_position:.2f} per position)"
    )
    if not whole:
        return [head]
    took = "" if summary.peak_memory is None else f"; peak memory {summary.peak_memory / 2**20:,.0f} MiB"
    if summary.from_disk and summary.to_disk:
        took += f"; {size_of(summary.from_disk)} read from disk, {size_of(summary.to_disk)} written"
    return [
        head,
        f"  in {directory}",
        f"  G-scores: White's, and Black's with a minus{', White to move' * parse(summary.material).even}",
        *_histogram(summary.outcomes),
        f"  longest: {summary.longest_gscore} in {summary.longest} plies  {summary.longest_fen}",
        f"  {summary.staircases:,} staircases; {summary.attractions} attractions and {summary.looks} reviews per "
        f"stored entry{took}",
    ]


def _histogram(counts: dict[str, int], width: int = 40) -> list[str]:
    """Bars of text, one line per G-score."""
    total, most = sum(counts.values()), max(counts.values())
    return [
        f"  {score:>7} {count:>12,} {count / total:7.2%} {'#' * max(1, round(width * count / most))}"
        for score, count in counts.items()
    ]
