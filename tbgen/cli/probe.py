"""`tbgen probe`: what positions are worth."""

import argparse
import sys
from collections.abc import Iterable
from typing import Final

from tbgen.board.men import known
from tbgen.cli import common, show
from tbgen.cli.fens import STDIN, fens, say_what_is_dropped
from tbgen.core import outcome
from tbgen.core.table_rules import TableRules
from tbgen.errors import MissingTable, TbgenError, brief
from tbgen.probe import OnlyBounds, Result, SureResult, Tablebase, as_dict, bounds_as_dict, words
from tbgen.rules.fen import Fen, read_fen
from tbgen.system.text import say, shown, to_json

EPILOG: Final = """\
the words:
  G-score   how many legal moves a side has left its opponent, plus 1/2 if the
            opponent is not in check; lower is better. G0.0 is mate, G0.5
            stalemate. G1.5 is White's, -G1.5 (or mG1.5) is Black's
  record    the best G-score since the last pawn move or capture. The first to
            reach it holds it, and wins by it. It stands if neither side can
            better it
  reset     a pawn move or a capture: the record starts again, with the
            position after it
  ply       a move by one side
  points    the holder of the record gets 1/2 + (1/2)^(1 + 2G) of the game's
            one point (docs/rules.md has other schemes)
  ? and ??  with --moves: a worse G-score than the best move; a move that
            gives the score to the other side

examples:
  tbgen probe "8/8/8/4KBk1/8/8/8/8 b - - 0 1"
      what it is worth, the plies to it and the best moves
  tbgen probe "8/8/8/4KBk1/8/8/8/8 b - - 12 40 G3.5"
      the same with the record of the game so far as the FEN's seventh field;
      with a halfmove clock of 0 it is always the position's own G-score
  tbgen probe --record -G8.5 --line --moves "8/8/8/2K3k1/8/8/8/8 w - - 0 1"
      with this record at any halfmove clock, best play, and all moves
  tbgen probe --json - < positions.txt
      one FEN per line in, one JSON object per line out; a bad FEN gives an
      object with "error"

fields of a JSON object:
  fen, material, gscore, winner, dtg (plies to the goal that decides; 0 if the
  record stands), exact (if false, dtg is an upper bound), record, stands
  late, if halfmove clock and dtg add up to more than 100: the 50-move rule may come
  before the goal; known where dtg is
  dropped, the FEN's record, if it does not count
  moves with --moves, each with: uci, san, gscore, dtg, reset, record
  line with --line, each move with: uci, san, record
  where local tables (tbgen solve --keep) know only bounds: white and black, the
  G-scores that each side is sure of, beside gscore and dtg where these are known
  error and code (an exit code) instead of an answer
"""

_BOUNDS: Final = "These are bounds from local tables: where captures or promotions lead is not all known."
_FROM_LOCAL: Final = "This is from local tables: where captures or promotions lead is not all known."


def add_arguments(parser: argparse.ArgumentParser) -> None:
    parser.add_argument("fens", nargs="+", metavar="FEN", help=f"a position; {STDIN} reads them from standard input")
    common.add_record(parser)
    parser.add_argument("--moves", action="store_true", help="all legal moves, best first")
    parser.add_argument("--line", action="store_true", help="best play to the goal that decides")
    common.add_rules(parser)
    common.add_tables(parser)
    common.add_output(parser)


def run(args: argparse.Namespace) -> int:
    given = None if args.record is None else outcome.parse(args.record)
    writer = _Json(args) if args.json else _Brief() if args.quiet else _Pages(args)
    code = 0
    with Tablebase(common.present_tables_directory(args), args.rules) as tablebase:
        for fen in fens(args.fens):
            try:
                read = read_fen(fen, whole_game=args.rules == TableRules.WHOLE_GAME, men=known())
                if given is not None:
                    read = read._replace(record=given, dropped=None)
                writer.answer(fen, read, tablebase)
            except TbgenError as error:
                if isinstance(error, MissingTable):
                    error = MissingTable(f"{error}; {common.looked_in(args)}")
                writer.error(fen, error)
                code = max(code, error.exit_code)
            sys.stdout.flush()  # a program at the other end of a pipe may wait for the answer
    return code


class _Brief:
    """One short line per position."""

    def answer(self, fen: str, read: Fen, tablebase: Tablebase) -> None:
        """Write what a position is worth."""
        try:
            found = tablebase.probe(read.board, read.record)
            say(f"{found.gscore} {found.dtg}")
        except OnlyBounds as error:
            say(words.bounds(error.known.sure))

    def error(self, fen: str, error: TbgenError) -> None:
        """Write why there is no answer."""
        common.remark(str(error), most=error.longest)


class _Json(_Brief):
    """One object per line."""

    def __init__(self, args: argparse.Namespace) -> None:
        self._asked = {"moves": args.moves, "line": args.line}

    def answer(self, fen: str, read: Fen, tablebase: Tablebase) -> None:
        try:
            found = as_dict(fen, read.board, tablebase.probe(read.board, read.record, **self._asked), read.dropped)
        except OnlyBounds as error:
            found = bounds_as_dict(fen, read.board, error.known, **self._asked, dropped=read.dropped)
        say(to_json(found))

    def error(self, fen: str, error: TbgenError) -> None:
        say(to_json({"fen": fen, "error": brief(str(error), error.longest), "code": error.exit_code}))


class _Pages(_Brief):
    """For people: the board and its result."""

    def __init__(self, args: argparse.Namespace) -> None:
        self._args = args
        self._console = common.console(sys.stdout) if sys.stdout.isatty() else None
        self._width = self._console.width if self._console is not None else show.WIDTH
        # A board of coloured squares needs colours: with NO_COLOR both sides' men would look the same.
        self._colours = (
            self._console is not None and self._console.color_system is not None and not self._console.no_color
        )
        self._first = True

    def answer(self, fen: str, read: Fen, tablebase: Tablebase) -> None:
        board, record = read.board, read.record
        whole_game = self._args.rules == TableRules.WHOLE_GAME
        notes = []
        found: Result | None = None
        bounds: SureResult | None = None
        try:
            found = tablebase.probe(board, record, moves=True, line=self._args.line)
        except OnlyBounds as error:
            bounds = error.known
            notes.append(_FROM_LOCAL if bounds.sure.exact else _BOUNDS)
            if bounds.sure.dtg is not None:  # it is of a move that only bounds are known
                found = tablebase.probe(board, record, moves=True, line=self._args.line, partial=True)
        except MissingTable as error:
            if self._args.moves:
                raise
            found = tablebase.probe(board, record, line=self._args.line)
            notes.append(f"The best moves are not known: {error}.")
        dtg = found.dtg if found is not None else None
        notes += filter(None, [words.late(board.halfmove_clock, dtg)])
        if whole_game:
            notes.append("Whole-game mobility: nothing resets the record.")
        if record is None and board.halfmove_clock and not whole_game:
            notes.append(
                f"The halfmove clock is {board.halfmove_clock} and no record is given: if there is a better one "
                "than the position's own G-score, add it as the FEN's seventh field or as --record."
            )
        say_what_is_dropped(read)
        self._write([*([] if self._first else [[("", "")]]), [(fen, "bold")], [("", "")]])
        self._first = False
        if found is not None:
            self._write(show.position(board, found, notes, width=self._width, colours=self._colours))
            if found.line is not None:
                self._write([[("", "")], *show.line(board, found, whole_game=whole_game, width=self._width)])
        elif bounds is not None:
            self._write(show.bounds(board, bounds, notes, width=self._width, colours=self._colours))
        if self._args.moves and bounds is not None:
            self._write([[("", "")], *show.sure_moves(board, bounds)])
        elif self._args.moves and found is not None and found.moves is not None:
            self._write([[("", "")], *show.moves(board, found)])

    def _write(self, lines: Iterable[show.Line]) -> None:
        for line in lines:
            if self._console is None:
                say("".join(text for text, _ in line).rstrip(" "))
            else:
                from rich.text import Text

                self._console.print(Text.assemble(*((shown(text), style) for text, style in line)), soft_wrap=True)
