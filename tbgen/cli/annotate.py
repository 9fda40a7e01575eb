"""`tbgen annotate`: games with what was scored and what the tables knew, move by move."""

import argparse
from contextlib import ExitStack
from pathlib import Path
from typing import Final

from tbgen import files
from tbgen.cli import common
from tbgen.cli.remarks import Remarks
from tbgen.probe import open_tablebase
from tbgen.text import INPUT, OUTPUT, named, say, standard_input, standard_output

_STANDARD: Final = Path("-")
_SKIPPED: Final = 3

_EPILOG: Final = """\
Behind each move comes a comment: the G-score on the board, the record, what the table says under that record and in
how many plies, and, if the move gave something away, what was there and which move would have kept it. Such a move
is marked with $2, or with $4 if the other side holds the score now. All else is kept, byte by byte; comments of an
earlier run are replaced.

  45. Kd4 $2 {G5.5, record G4.5, table G3.5 in 12 plies, G2.5 was there: Ke5}

examples:
  tbgen annotate games.pgn -o told.pgn
  tbgen adjudicate games.pgn -o - | tbgen annotate - -o told.pgn

Games that cannot be read are passed on as they are; the first few are named on standard error, the others counted, and
the exit code is 3.
"""


def add_arguments(parser: argparse.ArgumentParser) -> None:
    parser.epilog = _EPILOG
    parser.add_argument("games", type=Path, metavar="PGN", help="a file of games; - is standard input")
    parser.add_argument(
        "-o", "--output", type=Path, required=True, metavar="PGN", help="where they go; - is standard output"
    )
    common.add_rules(parser)
    common.add_quiet(parser)
    common.add_tables(parser)


def run(args: argparse.Namespace) -> int:
    from tbgen.referee.annotate.files import annotate
    from tbgen.referee.annotate.game import Told

    name = INPUT if args.games == _STANDARD else str(args.games)
    games = moves = gave = 0

    def watch(told: Told | None, fault: str) -> None:
        nonlocal games, moves, gave
        if told is None:
            remarks.add(f"{name}:{fault}")
        else:
            games += 1
            moves += sum(ply.verdict is not None for ply in told.plies)
            gave += sum(ply.gave is not None for ply in told.plies)

    with ExitStack() as stack, Remarks() as remarks:
        tablebase = stack.enter_context(open_tablebase(common.present_tables_directory(args), args.rules))
        source = standard_input() if args.games == _STANDARD else stack.enter_context(args.games.open("rb"))
        if args.output == _STANDARD:
            with named(OUTPUT):
                faults = annotate(source, standard_output(), tablebase, watch)
        else:
            faults = annotate(source, stack.enter_context(files.replacing(args.output)), tablebase, watch)
    if not args.quiet and args.output != _STANDARD:
        say(f"{games} games; tables know {moves} of their moves, of which {gave} gave something away")
    return _SKIPPED if faults else 0
