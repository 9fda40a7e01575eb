"""Measurements that docs/performance.md quotes. Public tools only; medians of several runs, and the machine.

    scripts/bench                        everything, half an hour
    scripts/bench compile build cold warm pairs
    RTBGEN=/path/to/rtbgen RTBPATH=/its/tables scripts/bench pairs
    SYZYGY=/path/to/tables scripts/bench warm
    RTBGEN=... RTBPATH=... TBGEN_TABLES=/path/to/tables scripts/bench five --runs 1

compile  all kernels, into an empty cache
build    all tables of 2 to 4 men, into an empty directory
cold     `tbgen probe` as a fresh process
warm     probes within one process, beside python-chess's Syzygy probes where $SYZYGY names their tables
pairs    CPU seconds of single tables, in turn with rtbgen's complete run where $RTBGEN names it
looks    random positions of the tables of five men in $TBGEN_TABLES: single probes, first with nothing of a file in
         memory, then with the file there, but hardly a chunk of it looked at before, and a million positions at once;
         only if it is named
five     the same for tables of five men ($TBGEN_FIVE: others), from those in $TBGEN_TABLES that they need; takes an
         hour, and only if it is named
"""

import argparse
import json
import os
import platform
import random
import resource
import statistics
import subprocess
import sys
import tempfile
import time
from collections.abc import Callable
from pathlib import Path
from typing import TYPE_CHECKING, Any

from tbgen.system.machine import memory

if TYPE_CHECKING:
    from tbgen.probe import Positions, Tablebase

TBGEN = str(Path(sys.executable).with_name("tbgen"))
PAIRS = ("KRvKN", "KBNvK", "KPvKP")
FIVE = ("KQRvKR", "KRBvKR", "KBNvKN", "KRPvKR")
FEN = "8/8/8/4KBk1/8/8/8/8 b - - 0 1"


class Run:
    """What one process took."""

    def __init__(self, command: list[str], **environment: str) -> None:
        before = resource.getrusage(resource.RUSAGE_CHILDREN)
        begun = time.perf_counter()
        # bytecode is cached for users; some machines switch that off for everything
        env = {**os.environ, **environment}
        env.pop("PYTHONDONTWRITEBYTECODE", None)
        done = subprocess.run(command, env=env, capture_output=True, text=True, cwd=environment.get("PWD"), check=False)
        self.wall = time.perf_counter() - begun
        after = resource.getrusage(resource.RUSAGE_CHILDREN)
        self.cpu = after.ru_utime + after.ru_stime - before.ru_utime - before.ru_stime
        self.output = done.stdout
        if done.returncode:
            sys.exit(f"{' '.join(command)}: {done.stderr.strip()}")


def say(name: str, figures: str) -> None:
    print(f"{name:<34} {figures}", flush=True)


def spread(values: list[float], unit: str) -> str:
    return f"median {statistics.median(values):.2f} {unit} (min {min(values):.2f}, max {max(values):.2f})"


def machine() -> None:
    model = next(
        (line.split(":")[1].strip() for line in Path("/proc/cpuinfo").read_text().splitlines() if "model name" in line),
        "?",
    )
    load, gib = os.getloadavg()[0], memory() / 2**30
    say("machine", f"{os.cpu_count()} x {model}, {gib:.0f} GiB, Python {platform.python_version()}, load {load:.1f}")


def bench_compile(runs: int) -> None:
    walls, cpus = [], []
    for _ in range(runs):
        with tempfile.TemporaryDirectory() as cache, tempfile.TemporaryDirectory() as tables:
            run = Run([TBGEN, "build", "KvK", "--tables", tables, "--json"], TBGEN_CACHE=cache)
            walls.append(run.wall)
            cpus.append(run.cpu)
    say("compile all kernels, wall", spread(walls, "s"))
    say("compile all kernels, CPU", spread(cpus, "s"))


def bench_build(runs: int) -> None:
    for _ in range(runs):
        with tempfile.TemporaryDirectory() as tables:
            run = Run([TBGEN, "build", "--all", "4", "--tables", tables, "--json"])
        rows = [json.loads(line) for line in run.output.splitlines()]
        four = [row for row in rows if len(row["material"]) == 5]
        say("36 tables of 2-4 men", f"wall {run.wall:.1f} s, CPU {run.cpu:.1f} s, "
            f"peak {max(row['peak_memory'] for row in rows) / 2**30:.2f} GiB")  # fmt: skip
        size = sum(row["bytes"] for row in four) / sum(row["positions"] for row in four)
        say("four men, bytes a legal position", f"{size:.3f}")


def bench_cold(runs: int) -> None:
    with tempfile.TemporaryDirectory() as tables:
        Run([TBGEN, "build", "KBvK", "--tables", tables, "--json"])
        command = [TBGEN, "probe", "--tables", tables, FEN]
        Run(command)
        say("tbgen probe, fresh process", spread([1000 * Run(command).wall for _ in range(5 * runs)], "ms"))


def random_positions(count: int) -> list[Any]:
    """Random legal positions of KRvKB."""
    import chess

    draw = random.Random(1)
    boards: list[Any] = []
    while len(boards) < count:
        board = chess.Board(None)
        squares = draw.sample(range(64), 4)
        for square, letter in zip(squares, "KRkb", strict=True):
            board.set_piece_at(square, chess.Piece.from_symbol(letter))
        board.turn = draw.random() < 0.5
        if board.is_valid():
            boards.append(board)
    return boards


def rate(work: Callable[[], object], runs: int) -> list[float]:
    """CPU seconds of each run: the machine may be busy with other things."""
    took = []
    for _ in range(runs):
        begun = time.process_time()
        work()
        took.append(time.process_time() - begun)
    return took


def bench_warm(runs: int) -> None:
    import tbgen

    boards = random_positions(10_000)
    with tempfile.TemporaryDirectory() as directory:
        Run([TBGEN, "build", "KRvKB", "--tables", directory, "--json"])
        with tbgen.open_tablebase(directory) as tablebase:
            for board in boards:
                tablebase.probe(board)
            took = rate(lambda: [tablebase.probe(board) for board in boards], runs)
            say("probe(board), KRvKB", spread([1e6 * t / len(boards) for t in took], "us"))
            bench_many(tablebase, "KRvKB", runs)
    if "SYZYGY" in os.environ:
        import chess.syzygy

        with chess.syzygy.open_tablebase(os.environ["SYZYGY"]) as syzygy:
            for name, probe in (("WDL", syzygy.probe_wdl), ("DTZ", syzygy.probe_dtz)):
                rate(lambda probe=probe: [probe(board) for board in boards], 1)  # type: ignore[misc]
                took = rate(lambda probe=probe: [probe(board) for board in boards], runs)  # type: ignore[misc]
                say(f"python-chess Syzygy {name}, KRvKB", spread([1e6 * t / len(boards) for t in took], "us"))


def bench_many(tablebase: "Tablebase", material: str, runs: int) -> None:
    positions = at_random(tablebase, material, 1_000_000)
    took = rate(lambda: tablebase.probe_many(positions), runs)
    say(f"probe_many, {material}", spread([1 / t for t in took], "million a second"))


def at_random(tablebase: "Tablebase", material: str, count: int) -> "Positions":
    """Random legal positions; what of the table stays in memory is there afterwards."""
    import numpy as np

    from tbgen.probe import Positions

    draw = np.random.default_rng(1)
    squares = draw.integers(0, 64, (4 * count, len(material) - 1), np.int8)
    white = draw.integers(0, 2, len(squares)).astype(np.bool_)
    legal = np.flatnonzero(tablebase.probe_many(Positions(material, squares, white)).outcomes)[:count]
    return Positions(material, squares[legal], white[legal])


def men_at_random(draw: random.Random, material: str) -> Any:
    """A legal position."""
    import chess

    white, black = material.split("v")
    while True:
        board = chess.Board(None)
        for square, letter in zip(draw.sample(range(64), 5), white + black.lower(), strict=True):
            board.set_piece_at(square, chess.Piece.from_symbol(letter))
        board.turn = draw.random() < 0.5
        if board.is_valid():
            return board


def bench_looks(runs: int) -> None:
    import tbgen

    if "TBGEN_TABLES" not in os.environ:
        sys.exit("bench looks: TBGEN_TABLES must name a directory with tables of five men")
    directory, draw = os.environ["TBGEN_TABLES"], random.Random(1)
    with tbgen.open_tablebase(directory) as tablebase:
        for path in sorted(Path(directory).glob("*.r.h5")):
            name = path.name.removesuffix(".r.h5")
            if len(name) != 6:
                continue
            few = [men_at_random(draw, name) for _ in range(100)]
            with path.open("rb") as file:
                os.posix_fadvise(file.fileno(), 0, 0, os.POSIX_FADV_DONTNEED)
            tablebase.probe(few.pop())
            cold = []
            for board in few:
                begun = time.perf_counter()
                tablebase.probe(board)
                cold.append(1000 * (time.perf_counter() - begun))
            say(f"{name}, file not in memory", spread(cold, "ms"))
            path.read_bytes()
            rate(lambda: [tablebase.probe(men_at_random(draw, name), "G1.5") for _ in range(100)], 1)  # noqa: B023
            for what, record in (("looks", None), ("looks under a record", "G1.5")):
                took = []
                for _ in range(runs):
                    boards = [men_at_random(draw, name) for _ in range(3000)]
                    took += rate(lambda: [tablebase.probe(board, record) for board in boards], 1)  # noqa: B023
                say(f"{name}, {what}", spread([1e6 * t / 3000 for t in took], "us"))
            bench_many(tablebase, name, runs)


def bench_pairs(runs: int) -> None:
    with tempfile.TemporaryDirectory() as tables:
        Run([TBGEN, "build", *PAIRS, "--tables", tables, "--json"])
        compare(PAIRS, tables, runs)


def bench_five(runs: int) -> None:
    if "TBGEN_TABLES" not in os.environ:
        sys.exit("bench five: TBGEN_TABLES must name a directory with all tables that these need")
    names = tuple(os.environ.get("TBGEN_FIVE", " ".join(FIVE)).split())
    compare(names, os.environ["TBGEN_TABLES"], runs)


def compare(names: tuple[str, ...], tables: str, runs: int) -> None:
    rtbgen = os.environ.get("RTBGEN")
    for name in names:
        ours, theirs, both_busy, peak = [], [], [], 0
        for _ in range(runs):
            run = Run([TBGEN, "build", "--force", name, "--tables", tables, "--json"])
            ours.append(run.cpu)
            both_busy.append(run.cpu / run.wall)
            peak = max(peak, json.loads(run.output.splitlines()[-1])["peak_memory"])
            if rtbgen:
                with tempfile.TemporaryDirectory() as place:
                    theirs.append(Run([rtbgen + "p" * ("P" in name), "-t", "1", name], PWD=place).cpu)
        say(f"{name}, CPU", spread(ours, "s") + f"; cores busy {statistics.median(both_busy):.2f}; "
            f"peak {peak / 1e9:.2f} GB")  # fmt: skip
        if theirs:
            say(f"{name}, rtbgen, CPU", spread(theirs, "s"))
            pairs = [a / b for a, b in zip(ours, theirs, strict=True)]
            say(f"{name}, ratio", spread(pairs, ""))


PARTS = {
    "compile": bench_compile, "build": bench_build, "cold": bench_cold, "warm": bench_warm, "pairs": bench_pairs,
    "looks": bench_looks, "five": bench_five,
}  # fmt: skip


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("part", nargs="*", metavar="PART", help=f"{', '.join(PARTS)}; default: all but the last two")
    parser.add_argument("--runs", type=int, default=3, help="of each measurement (default: 3)")
    args = parser.parse_args()
    unknown = [part for part in args.part if part not in PARTS]
    if unknown:
        parser.error(f"no such part: {unknown[0]}")
    machine()
    for part in args.part or list(PARTS)[:-2]:
        PARTS[part](args.runs)


main()
