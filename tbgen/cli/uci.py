"""`tbgen uci`: a UCI engine that plays perfectly from the tables."""

import argparse
import io
import sys

from tbgen.cli.common import add_rules, add_tables, tables_directory

EPILOG = """\
examples:
  tbgen uci                            speaks UCI on standard input and output
  tbgen uci --tables data --rules wg
  tbgen match --engine "cmd=tbgen uci" --engine cmd=stockfish ...

UCI options: Tables, Rules (r, wg), MultiPV (all moves with their lines) and
UCI_Chess960. `position fen ...` takes the record as the FEN's seventh field and
keeps it through the moves. Answers come at once. `info string` gives the
G-score, `depth` the plies to the goal that decides; outside the tables it says
so and plays for mobility.
"""


def add_arguments(parser: argparse.ArgumentParser) -> None:
    add_tables(parser)
    add_rules(parser)
    parser.epilog = EPILOG


def run(args: argparse.Namespace) -> int:
    from tbgen.referee.uci import Uci

    if isinstance(sys.stdin, io.TextIOWrapper):
        sys.stdin.reconfigure(errors="replace")  # not even bytes that are no text may end the engine
    Uci(tables_directory(args), args.rules, lambda line: print(line, flush=True)).run(sys.stdin)
    return 0
