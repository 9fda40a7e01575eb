"""A tournament in which engines that misbehave play beside others that do not, and a table of what became of each.

A first engine plays all others: as many that behave as there are that do not. The table goes to standard output, and
behind it how late the moves of those were that behave: on a machine that does other work, too, `--margin` allows for
that. docs/reliability.md sums it up. The exit code is 1 if one that behaves has lost a game otherwise than on the
board.
"""

import argparse
import json
import re
import shlex
import shutil
import subprocess
import sys
from collections import Counter
from collections.abc import Iterator, Mapping, Sequence
from pathlib import Path
from typing import Final, NamedTuple

import chess.pgn

from tbgen.system import output_files
from tests.support.misbehaving import Misbehaving, engines
from tests.support.places import FAKE_ENGINE

_GOOD: Final = "Good"
"""How the names of those begin that behave."""
_USUAL: Final = ("normal", "adjudication")
_SIDE: Final = re.compile(r"^(White|Black) ")
_OFTEN: Final = 2
"""Ways to lose that are told of each engine."""
_LONGEST: Final = 90
_SPENT: Final = re.compile(r"\{[^}]*?([0-9.]+)s")
_LATE: Final = (0.02, 0.1, 0.5)
"""Seconds after the time."""


class Lost(NamedTuple):
    """A game that was lost otherwise than on the board."""

    by: str
    against: str
    how: str


def main() -> int:
    """Play and report."""
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("directory", type=Path, help="where the games go; a tournament that is there goes on")
    parser.add_argument("--engine", action="append", default=[], metavar="CMD", help="one that behaves; more by turns")
    parser.add_argument("--games", type=int, default=20, metavar="N", help="of each pair (default: 20)")
    parser.add_argument("--seconds", type=float, default=0.1, metavar="S", help="on everybody's clock (default: 0.1)")
    parser.add_argument("--margin", default="0.1", metavar="S", help="seconds over the time forgiven (default: 0.1)")
    parser.add_argument("--concurrency", default="2", metavar="N", help="games at a time (default: 2)")
    args = parser.parse_args()
    args.directory.mkdir(parents=True, exist_ok=True)
    bad = engines(args.directory / "births")
    told = args.directory / "engines.json"
    output_files.replace(told, json.dumps(list(_all(bad, args.engine)), indent=1).encode())
    pgn = args.directory / "games.pgn"
    words = ["--engines", str(told), "--format", "gauntlet", "--games", str(args.games), "--pgn", str(pgn)]
    words += ["--each", f"tc={args.seconds}", "--margin", args.margin, "--concurrency", args.concurrency, "--quiet"]
    with output_files.replacing(args.directory / "table.txt") as table:
        subprocess.run([_tbgen(), "match", *words], check=True, stdout=table)
    _report_lateness(pgn, args.seconds)
    return _report(bad, pgn)


def _tbgen() -> str:
    return str(Path(sys.executable).with_name("tbgen"))


def _all(bad: Mapping[str, Misbehaving], commands: Sequence[str]) -> Iterator[dict[str, str]]:
    own = [shlex.join([sys.executable, str(FAKE_ENGINE), "--seed", "1"])]
    good = [_found(command) for command in commands] or own
    for number in range(len(bad) + 1):
        yield {"name": f"{_GOOD} {number}", "cmd": good[number % len(good)]}
    for name, one in bad.items():
        yield {"name": name, "cmd": one.command, "start": "2" if one.never_starts else "60"}


def _found(command: str) -> str:
    program, *words = shlex.split(command)
    return shlex.join([shutil.which(program, path="/usr/games:/usr/bin") or program, *words])


def _report(bad: Mapping[str, Misbehaving], pgn: Path) -> int:
    games = Counter[str]()
    lost: list[Lost] = []
    with pgn.open(encoding="utf-8") as file:
        while (headers := chess.pgn.read_headers(file)) is not None:
            sides = {"White": headers["White"], "Black": headers["Black"]}
            games.update(sides.values())
            if headers["Termination"] not in _USUAL:
                details = headers["TerminationDetails"]
                side = details.split()[0]
                other = "Black" if side == "White" else "White"
                lost.append(Lost(sides[side], sides[other], _SIDE.sub("", details)))
    total = games[f"{_GOOD} 0"]
    among = sum(count for name, count in games.items() if name.startswith(_GOOD)) - total
    print(f"{total} games, {among} of them between engines that behave.\n")
    print("| engine | what it does | games | lost otherwise than on the board |")
    print("|---|---|---|---|")
    for name, one in bad.items():
        ways = Counter(game.how for game in lost if game.by == name)
        print(f"| {name} | {one.does} | {games[name]} | {_told(ways)} |")
    innocent = [game for game in lost if game.by.startswith(_GOOD)]
    print(f"\nLost by engines that behave: {len(innocent)}.")
    for game in innocent:
        print(f"- {game.by} against {game.against}: {game.how}")
    return 1 if innocent else 0


def _report_lateness(pgn: Path, seconds: float) -> None:
    """How late moves of engines that behave were, by a clock without increment."""
    late = []
    for game in pgn.read_text().split("\n\n[Event "):
        headers, _, text = game.partition("\n\n")
        left = dict.fromkeys((0, 1), seconds)
        behaves = [f'[{colour} "{_GOOD}' in headers for colour in ("White", "Black")]
        for ply, spent in enumerate(map(float, _SPENT.findall(text))):
            side = ply % 2
            if behaves[side]:
                late.append(spent - left[side])
            left[side] = max(0.0, left[side] - spent)
    more = ", ".join(f"{sum(by > bound for by in late)} by more than {bound:g} s" for bound in _LATE)
    print(f"{len(late)} moves of engines that behave: {more}, after their time; the latest by {max(late):.2f} s.\n")


def _told(ways: Counter[str]) -> str:
    if not ways:
        return "none"
    words = [f"{count}: {how[:_LONGEST]}" for how, count in ways.most_common(_OFTEN)]
    more = sum(ways.values()) - sum(count for _, count in ways.most_common(_OFTEN))
    return "; ".join([*words, *([f"{more} otherwise"] if more else [])]).replace("|", "\\|")


if __name__ == "__main__":
    sys.exit(main())
