"""`tbgen sheet`: what players write down when they play over the board."""

import argparse
from collections.abc import Iterator, Sequence
from pathlib import Path
from typing import Final

from tbgen.cli.common import SKIPPED, add_games, add_json, check_input_once
from tbgen.cli.remarks import Remarks
from tbgen.core import outcome
from tbgen.errors import BadInput
from tbgen.referee.adjudicate.sheet import Sheet, lines, sheet_of
from tbgen.referee.game_files import name_of, opened
from tbgen.rules.pgn.split import BadLine, Unit, about, units
from tbgen.rules.rulesets import SHEET_LEVEL, parse_cutoff
from tbgen.system.text import say, to_json

EPILOG: Final = """\
Over the board, players write down each G-score up to G3.5 that improves the
record. A capture or pawn move draws a line under the sheet. 50 moves are counted
from the last entry, capture or pawn move. Whoever suffered the last entry below
the last line loses; without one the game is drawn.

examples:
  tbgen sheet game.pgn
  tbgen sheet game.pgn --level G2.5   nothing weaker is written down
  tbgen sheet game.pgn --level G4.5   up to four moves
  tbgen sheet games.pgn.gz --json
  tbgen match --rules-set otb ...      a match by these rules

Of games that cannot be read the first few are named on standard error, the others
counted, and the exit code is 3.
"""


def add_arguments(parser: argparse.ArgumentParser) -> None:
    add_games(parser)
    parser.add_argument(
        "--level",
        metavar="G",
        help=f"the weakest score that is written down (default: the game's own, else {outcome.gscore(SHEET_LEVEL)})",
    )
    add_json(parser)


def run(args: argparse.Namespace) -> int:
    check_input_once(args.games)
    level = None if args.level is None else parse_cutoff(args.level)
    faults = told = 0
    with Remarks() as remarks:
        for path, unit in _units(args.games):
            if unit.fault == "":  # the rest of one that has been named
                continue
            try:
                unit.check()
                sheet = sheet_of(unit.data, level)
            except BadInput as error:
                line = unit.line + (error.line if isinstance(error, BadLine) else 0)
                remarks.add(f"{name_of(path)}:{about(line, unit.number, error)}")
                faults += 1
                continue
            if sheet is not None:
                _tell(sheet, first=not told, json=args.json)
                told += 1
    return SKIPPED if faults else 0


def _units(paths: Sequence[Path]) -> Iterator[tuple[Path, Unit]]:
    for path in paths:
        with opened(path) as stream:
            for unit in units(stream):
                yield path, unit


def _tell(sheet: Sheet, *, first: bool, json: bool) -> None:
    if json:
        parts = [[{"move": move, "entry": str(entry)} for move, entry in part] for part in sheet.parts]
        end = None if sheet.end is None else str(sheet.end)
        say(to_json({**sheet._asdict(), "parts": parts, "end": end}))
        return
    say(*([] if first else [""]), *lines(sheet))
