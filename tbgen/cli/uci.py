"""`tbgen uci`: a UCI engine that plays perfectly from the tables."""

import argparse
import os

from tbgen.cli.common import add_rules, add_tables, present_tables_directory
from tbgen.system.text import lines_of_input, say

EPILOG = """\
examples:
  tbgen uci                            speaks UCI on standard input and output
  tbgen uci --tables data --rules wg
  tbgen match --engine "cmd=tbgen uci" --engine cmd=stockfish ...

UCI options: Tables, Rules (r, wg), MultiPV (all moves with their lines) and
UCI_Chess960. `position fen ...` takes the record as the FEN's seventh field and
keeps it through the moves. Answers come at once. `info string` gives the
G-score, `depth` the plies to the goal that decides; outside the tables it says
so, and plays for what men promise, for the record and for mobility.
"""


def add_arguments(parser: argparse.ArgumentParser) -> None:
    add_tables(parser, men=False)
    add_rules(parser)


def run(args: argparse.Namespace) -> int:
    from tbgen.referee.player.uci import LONGEST, Uci

    engine = Uci(present_tables_directory(args), args.rules, lambda line: say(line, flush=True))
    # All that need not be ASCII is the name of a directory: lines are read as such names are.
    engine.run(lines_of_input(LONGEST, os.fsdecode))
    return 0
