"""The command line, the parts with their shares of the time, and the table."""

import argparse
import os
import random
import shutil
import sys
import tempfile
import time
from collections import Counter
from collections.abc import Iterator, Sequence
from importlib import import_module
from itertools import count
from pathlib import Path
from typing import Final

from soaking import crew, ground, serving, siege
from soaking.case import seed_of, shown

PARTS: Final = {
    "kills": (
        "soaking.kills",
        "Kills",
        0.26,
        "builds are killed at any moment, their workspaces damaged, and begun again",
    ),
    "workspaces": (
        "soaking.workspaces",
        "Workspaces",
        0.16,
        "workspaces of stopped builds are damaged before they go on",
    ),
    "tables": ("soaking.tables", "Tables", 0.16, "tables are damaged or forged, and every kind of answer compared"),
    "readers": (
        "soaking.readers",
        "Readers",
        0.06,
        "threads, forks and processes go on reading while tables are replaced",
    ),
    "fens": ("soaking.fens", "Fens", 0.06, "positions and records for tbgen probe"),
    "games": ("soaking.games", "Games", 0.06, "PGN for tbgen adjudicate"),
    "engine": ("soaking.engine", "Engine", 0.06, "what is said to tbgen uci"),
    "words": ("soaking.words", "Words", 0.06, "command lines of all commands"),
    "disks": ("soaking.disks", "Disks", 0.12, "disks that are too small, or become full"),
}
"""Module, class, share of the time, and description of each part."""
_SHOWN: Final = 12
"""Failures of a part that are printed."""
_NEWS: Final = 15.0

_EPILOG: Final = """\
parts:
{parts}

What counts as a failure: a table or an answer that is wrong; a traceback; a signal; no end within a time limit; memory
or output without bounds; an exit code that is not documented; control characters in what is printed; a file that is
left behind by a command that has ended. The exit code is 1 if there is a failure.

examples:
  scripts/soak --minutes 10
  scripts/soak --minutes 60 --seed 7 --count kills=300 --count tables=10000
      300 and 10,000 attempts, however long they take; the other parts share the minutes
  scripts/soak --only tables --count tables=500
  scripts/soak --serve 60
      tbgen serve under positions, batches, pages, files, nonsense, slow and broken connections; fails where an answer
      or a file is wrong, memory or descriptors grow, or the server says something on standard error. After that a
      quarter of the time for hostile clients of one address beside honest ones, attack after attack; fails where an
      honest one is refused, or 99 of 100 single probes are not within 50 ms of what 99 of 100 of the empty route take
  scripts/soak --case tables:3f2a91c05d17
      one attempt again, as the report names it. It draws the same; but a process that is killed after some
      milliseconds may be at another place than before

Two runs with the same seed make the same attempts in the same order, as many as time allows.
"""


def main(argv: Sequence[str] | None = None) -> int:
    args = _arguments(argv)
    base = Path(tempfile.mkdtemp(prefix="tbgen-soak-", dir=args.place))
    for name in ("TBGEN_TABLES", "COLUMNS"):
        os.environ.pop(name, None)
    try:
        ground.prepare(base)
        if args.serve:
            return serving.soak(base, args.serve, args.seed) | siege.soak(base, args.serve)
        if args.case:
            return _repeat(args.case, base)
        return _run(args, base)
    except KeyboardInterrupt:
        return 130
    finally:
        shutil.rmtree(base, ignore_errors=True)


def _arguments(argv: Sequence[str] | None) -> argparse.Namespace:
    told = "\n".join(f"  {name:<12}{words}" for name, (_, _, _, words) in PARTS.items())
    parser = argparse.ArgumentParser(
        "scripts/soak",
        description="Attack tbgen, and say what was tried and what failed.",
        epilog=_EPILOG.format(parts=told),
        formatter_class=argparse.RawDescriptionHelpFormatter,
    )
    parser.add_argument(
        "--minutes", type=float, default=5.0, metavar="N", help="minutes that the parts share (default: 5)"
    )
    parser.add_argument("--seed", type=int, metavar="S", help="seed of the run (default: a new one each time)")
    parser.add_argument("--only", nargs="+", choices=PARTS, metavar="PART", help="these parts: see below")
    parser.add_argument("--count", action="append", default=[], metavar="PART=N", help="make N attempts at PART")
    parser.add_argument("--case", metavar="PART:SEED", help="repeat one attempt, and print all of it")
    parser.add_argument(
        "--serve", type=float, default=0.0, metavar="MINUTES", help="nothing but a server under mixed load, for so long"
    )
    parser.add_argument(
        "--jobs", type=int, default=os.cpu_count() or 1, metavar="N", help="processes (default: all cores)"
    )
    parser.add_argument(
        "--place", type=Path, metavar="DIR", help="for files that come and go (default: as for temporary ones)"
    )
    args = parser.parse_args(argv)
    try:
        args.count = {name: int(number) for name, number in (word.split("=") for word in args.count)}
        if args.case:
            args.case = tuple(args.case.split(":"))
            PARTS[args.case[0]][0], args.case[1]
    except (ValueError, KeyError, IndexError):
        parser.error("write --count tables=500, --case tables:3f2a91c05d17")
    if unknown := args.count.keys() - PARTS:
        parser.error(f"no such part: {unknown.pop()} (there are: {', '.join(PARTS)})")
    if args.minutes <= 0 or args.jobs < 1 or any(number < 1 for number in args.count.values()):
        parser.error("--minutes, --jobs and --count take numbers above 0")
    args.seed = args.seed if args.seed is not None else random.SystemRandom().randrange(1 << 32)
    return args


def part_class(name: str) -> crew.Make:
    module, attribute, _, _ = PARTS[name]
    made: crew.Make = getattr(import_module(module), attribute)
    return made


def _repeat(case: tuple[str, str], base: Path) -> int:
    """One attempt, in this process."""
    name, seed = case
    trouble, did = crew.attempt(part_class(name)(base), seed, base / "place")
    print(f"{name}:{seed}: {trouble or 'nothing wrong'}")
    if did:
        print(_counted(did))
    return 1 if trouble else 0


def _run(args: argparse.Namespace, base: Path) -> int:
    names = [name for name in PARTS if not args.only or name in args.only]
    shares = {name: PARTS[name][2] for name in names if name not in args.count}
    results: dict[str, crew.Found] = {}
    print(f"scripts/soak --seed {args.seed}, {args.jobs} processes", flush=True)
    for name in names:
        seconds = 60 * args.minutes * shares.get(name, 0) / (sum(shares.values()) or 1)
        results[name] = _part(name, args, base, seconds)
    _print(results)
    return 1 if any(found.failures for found in results.values()) else 0


def _part(name: str, args: argparse.Namespace, base: Path, seconds: float) -> crew.Found:
    wanted = args.count.get(name)
    until = time.monotonic() + seconds if wanted is None else float("inf")
    numbers = count() if wanted is None else range(wanted)
    seeds: Iterator[str] = (seed_of(args.seed, name, number) for number in numbers)
    told, next_news = 0, time.monotonic() + _NEWS

    def hear(found: crew.Found) -> None:
        nonlocal told, next_news
        for seed, trouble in found.failures[told:_SHOWN]:
            crew.tell(f"{name}:{seed}: {trouble}\n")
        told = len(found.failures)
        if time.monotonic() > next_news:
            next_news = time.monotonic() + _NEWS
            crew.tell(f"{name}: {found.tried:,} tried, {len(found.failures):,} failed, {found.seconds:.0f} s")

    return crew.work(part_class(name), base, seeds, args.jobs, until, hear)


def _counted(did: Counter[str]) -> str:
    return ", ".join(f"{number:,} {what}" for what, number in sorted(did.items()) if number)


def _print(results: dict[str, crew.Found]) -> None:
    print(f"{'part':<12}{'tried':>9}{'failed':>8}{'minutes':>9}  what was done")
    for name, found in results.items():
        minutes = f"{found.seconds / 60:.1f}"
        print(f"{name:<12}{found.tried:>9,}{len(found.failures):>8,}{minutes:>9}  {_counted(found.did)}")
    failed = [(name, seed, trouble) for name, found in results.items() for seed, trouble in found.failures]
    print(f"{'all':<12}{sum(found.tried for found in results.values()):>9,}{len(failed):>8,}")
    for name, seed, trouble in failed[: 5 * _SHOWN]:
        print(f"--case {name}:{seed}  {shown(trouble.splitlines()[0], 160)}")
    if len(failed) > 5 * _SHOWN:
        print(f"... and {len(failed) - 5 * _SHOWN} more", file=sys.stderr)
