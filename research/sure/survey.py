"""What `tbgen solve` makes of many positions: how many are exact, bounded or refused, and in how much time.

    research/run sure POSITIONS --tables DIR --found FILE    solves those that FILE lacks, then prints the table
    research/run sure --found FILE                           prints the table

POSITIONS has a FEN per line, with the record of the game as its seventh field. FILE gets what `tbgen solve --json`
prints of each, with the seconds it took. Rows are by pieces besides the kings, and pawns.
"""

import argparse
import json
import os
import random
import resource
import statistics
import subprocess
import sys
import time
from collections.abc import Iterable, Iterator
from pathlib import Path
from typing import Any, Final, NamedTuple

from tbgen.cli.common import whole_number
from tbgen.core import outcome
from tbgen.system import output_files

TBGEN: Final = str(Path(sys.executable).with_name("tbgen"))
WORST, BEST = outcome.held_by_black(0), outcome.held_by_white(0)


class Answer(NamedTuple):
    """What is read of a line of the file."""

    pieces: int
    pawns: int
    record: int
    white: int
    black: int
    refused: bool
    seconds: float
    cpu_seconds: float

    @property
    def exact(self) -> bool:
        return self.white == self.black

    @property
    def excludes_record(self) -> bool:
        return not self.white <= self.record <= self.black

    @property
    def width(self) -> int:
        """From one bound to the other in half moves. Of both sides' G-scores only those up to the record's count."""
        most = outcome.level(self.record)

        def worth(bound: int) -> int:
            above = max(0, most - outcome.level(bound))
            return above if bound > 0 else -above

        return worth(self.black) - worth(self.white)


HEADS: Final = (
    "pieces, pawns", "positions", "refused", "exact", "bounded on both sides", "on one side", "nothing known",
    "median half moves between both bounds", "the record as played is wrong", "median seconds", "median CPU seconds",
    "most CPU seconds",
)  # fmt: skip


def main() -> None:
    parser = argparse.ArgumentParser(
        prog="research/run sure", description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter
    )
    parser.add_argument("positions", type=Path, nargs="?", metavar="POSITIONS")
    parser.add_argument("--found", type=Path, required=True, metavar="FILE")
    parser.add_argument("--tables", metavar="DIR")
    parser.add_argument("--men", type=int, default=6, help="of all positions those with so many men (default: 6)")
    parser.add_argument("--pieces", type=int, help="of these those with so many pieces besides the kings")
    parser.add_argument("--draw", type=whole_number(1), metavar="N", help="of these N by lot, always the same")
    parser.add_argument("--time", default="10m", help="for each position, as tbgen solve has it (default: 10m)")
    parser.add_argument("--memory", default="4G", help="the same (default: 4G)")
    args = parser.parse_args()
    if args.positions:
        fens = chosen(args.positions.read_text().splitlines(), args.men, args.pieces, args.draw)
        options = ["--time", args.time, "--memory", args.memory]
        solve(fens, args.found, options + (["--tables", args.tables] if args.tables else []))
    print("\n".join(table(map(answer, found_in(args.found)))))


def chosen(lines: Iterable[str], men: int, pieces: int | None, draw: int | None) -> list[str]:
    """All that are wanted, or some by lot. More of them begin with the same ones."""
    fens = [line.strip() for line in lines if line.strip() and not line.startswith("#")]

    def wanted(fen: str) -> bool:
        has = pieces_and_pawns(fen)
        return sum(has) + 2 == men and pieces in (None, has[0])

    those = [*filter(wanted, fens)]
    if draw is not None:
        random.Random(0).shuffle(those)
    return those[:draw]


def pieces_and_pawns(fen: str) -> tuple[int, int]:
    """Of both sides together; kings are no pieces here."""
    men = [man for man in fen.split(maxsplit=1)[0].lower() if man.isalpha() and man != "k"]
    return len(men) - men.count("p"), men.count("p")


def solve(fens: list[str], found: Path, options: list[str]) -> None:
    """Add what is said of each position to the file, unless it is there."""
    there = {line["fen"] for line in found_in(found)}
    for number, fen in enumerate(fens, 1):
        if fen in there:
            continue
        before, begun = resource.getrusage(resource.RUSAGE_CHILDREN), time.perf_counter()
        done = subprocess.run([TBGEN, "solve", "--json", *options, fen], capture_output=True, text=True, check=False)
        if done.returncode:
            sys.exit(f"{fen}: {done.stderr.strip()}")
        after = resource.getrusage(resource.RUSAGE_CHILDREN)
        line = {
            **json.loads(done.stdout),
            "fen": fen,
            "seconds": round(time.perf_counter() - begun, 1),
            "cpu_seconds": round(after.ru_utime + after.ru_stime - before.ru_utime - before.ru_stime, 1),
        }
        with os.fdopen(output_files.append(found), "w") as file:
            file.write(json.dumps(line) + "\n")
        there.add(fen)
        print(f"{number} of {len(fens)}: {fen}: {line['white']} {line['black']}, {line['seconds']} s", file=sys.stderr)


def found_in(path: Path) -> list[dict[str, Any]]:
    return [json.loads(line) for line in path.read_text().splitlines()] if path.exists() else []


def answer(line: dict[str, Any]) -> Answer:
    solved = line["local"] or {}
    return Answer(
        *pieces_and_pawns(line["fen"]),
        outcome.parse(line["record"]),
        outcome.parse(line["white"]),
        outcome.parse(line["black"]),
        "refused" in solved,
        line["seconds"],
        line["cpu_seconds"],
    )


def table(answers: Iterable[Answer]) -> Iterator[str]:
    """In Markdown: a row for each number of pieces and pawns, those with the most positions first, and one for all."""
    rows: dict[tuple[int, int], list[Answer]] = {}
    every = list(answers)
    for one in every:
        rows.setdefault((one.pieces, one.pawns), []).append(one)
    yield f"| {' | '.join(HEADS)} |"
    yield "|---" * len(HEADS) + "|"
    for name, those in sorted(rows.items(), key=lambda row: -len(row[1])):
        yield f"| {name[0]}, {name[1]} | {' | '.join(figures(those))} |"
    if every:
        yield f"| all | {' | '.join(figures(every))} |"


def figures(those: list[Answer]) -> Iterator[str]:
    """The cells of a row, behind its name."""
    open_ = [one for one in those if not one.exact]
    both = [one for one in open_ if one.white > WORST and one.black < BEST]
    nothing = [one for one in open_ if one.white == WORST and one.black == BEST]
    yield str(len(those))
    yield str(sum(one.refused for one in those))
    yield str(len(those) - len(open_))
    yield str(len(both))
    yield str(len(open_) - len(both) - len(nothing))
    yield str(len(nothing))
    yield f"{statistics.median(one.width for one in both):g}" if both else ""
    yield str(sum(one.excludes_record for one in those))
    yield f"{statistics.median(one.seconds for one in those):.1f}"
    cpu_seconds = [one.cpu_seconds for one in those]
    yield f"{statistics.median(cpu_seconds):.1f}"
    yield f"{max(cpu_seconds):.1f}"
