"""`tbgen annotate`: games with what was scored and what the tables knew, move by move."""

import argparse
from contextlib import ExitStack
from functools import cache
from pathlib import Path
from typing import Final

from tbgen.cli import common
from tbgen.cli.remarks import Remarks
from tbgen.core.table_rules import TableRules
from tbgen.probe import Tablebase
from tbgen.system.text import counted, say

EPILOG: Final = """\
Behind each move comes a comment: the G-score on the board, the record, what the table says under that record and in
how many plies, whether the 50-move rule may come first, and, if the move gave something away, what was there and
which move would have kept it. Such a move is marked with $2, or with $4 if the other side holds the score now. All else
is kept, byte by byte; comments of an earlier run are replaced.

  45. Kd4 $2 {G5.5, record G4.5, table G3.5 in 12 plies, G2.5 was there: Ke5}

examples:
  tbgen annotate games.pgn -o told.pgn
  tbgen annotate games.pgn.gz -o told.pgn.zst
  tbgen adjudicate games.pgn -o - | tbgen annotate - -o told.pgn

Files whose names end in .gz, .bz2, .xz or .zst are packed, when read and when written.
Games that cannot be read are passed on as they are; the first few are named on standard error, the others counted, and
the exit code is 3.
"""


def add_arguments(parser: argparse.ArgumentParser) -> None:
    parser.add_argument("games", type=Path, metavar="PGN", help="a file of games, also packed; - is standard input")
    parser.add_argument(
        "-o", "--output", type=Path, required=True, metavar="PGN", help="where they go; - is standard output"
    )
    common.add_record_in_fen(parser)
    common.add_rules(parser, None, "the game's own, else r")
    common.add_quiet(parser)
    common.add_tables(parser, men=False)


def run(args: argparse.Namespace) -> int:
    from tbgen.referee.annotate.files import annotate
    from tbgen.referee.annotate.game import Teller, Told
    from tbgen.referee.game_files import STANDARD, name_of, opened, replaced

    games = moves = gave = 0

    def watch(told: Told | None, words: str) -> None:
        nonlocal games, moves, gave
        if words:
            remarks.add(f"{name_of(args.games)}:{words}")
        if told is not None:
            games += 1
            moves += sum(ply.verdict is not None for ply in told.plies)
            gave += sum(ply.gave is not None for ply in told.plies)

    with ExitStack() as stack, Remarks() as remarks:
        directory = common.present_tables_directory(args)
        tables = cache(lambda rules: stack.enter_context(Tablebase(directory, rules)))
        tables(args.rules or TableRules.RESET)  # what is wrong with them is said at once
        teller = Teller(tables, args.rules, record_in_fen=args.record_in_fen)
        source = stack.enter_context(opened(args.games))
        faults = annotate(source, stack.enter_context(replaced(args.output)), teller, watch)
    if not args.quiet and args.output != STANDARD:
        say(f"{counted(games, 'game')}: tables know {counted(moves, 'move')}, of which {gave} gave something away")
    return common.SKIPPED if faults else 0
