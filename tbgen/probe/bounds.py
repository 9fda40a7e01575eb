"""What own tables prove of a position: what each side is sure of, for the position and for each move.

Under two assumptions about what is not known, mates by White and mates by Black, values are bounds of the true one.
Where they are equal the outcome is exact. The distance then is as well if it is the same twice: what the winner can
force within a number of plies only grows if he wins more of what is not known.
"""

from typing import Protocol

import chess

from tbgen import outcome
from tbgen.errors import MissingTable, UnsupportedPosition
from tbgen.position import goal
from tbgen.probe import play
from tbgen.probe.own import material_of
from tbgen.probe.result import Result
from tbgen.probe.sure import Answer, Sure, SureMove


class Own(Protocol):
    """Whoever has own tables: a directory (own.py), or who has just solved them."""

    def result(self, board: chess.Board, record: int | None, winner: chess.Color) -> Result | None:
        """What a position is worth if this side mates wherever nothing is known; None where no own table has it.
        MissingTable where such a record was not solved."""


class Complete(Protocol):
    """Whoever has complete tables."""

    def complete(self, board: chess.Board, record: int | None = None) -> Result:
        """What they say; MissingTable or UnsupportedPosition where they do not."""


class View:
    """What complete and own tables say if one side mates wherever nothing is known: asked as the tables of a directory
    are, so that values, moves and lines come from the same code."""

    whole_game = False

    def __init__(self, own: Own, winner: chess.Color, complete: Complete) -> None:
        self._own = own
        self._winner = winner
        self._complete = complete

    def name(self, board: chess.Board) -> str:
        """The men of a position."""
        return material_of(board).name

    def source(self, board: chess.Board) -> str:
        """Where its table is."""
        return f"the own table of {self.name(board)}"

    def result(self, board: chess.Board, record: int | None) -> Result:
        """What a position is worth under a record; None: its own goal. MissingTable where records of the game were not
        solved."""
        try:
            return self._complete.complete(board, record)
        except (MissingTable, UnsupportedPosition):
            found = self._own.result(board, record, self._winner) if board.pawns else None
            if found is not None:
                return found
            if record is not None:
                raise
            return self._unknown(board)

    def _unknown(self, board: chess.Board) -> Result:
        own = goal(board)
        mate = outcome.held_by_white(0) if self._winner else outcome.held_by_black(0)
        return Result("", own if outcome.level(own) < outcome.FIRST_RECORD else mate, 0, True, own)


def answer(own: Own, board: chess.Board, record: int | None, complete: Complete, *, line: bool = True) -> Answer:
    """What own tables say of a position that they have, under a record."""
    low, high = (View(own, winner, complete) for winner in (chess.BLACK, chess.WHITE))
    worst, best = (play.result(view, board, record) for view in (low, high))
    sure = _between(worst.outcome, best.outcome, worst.dtg, best.dtg)
    hopes = {one.move: one for one in play.moves(high, board, worst.record)}
    moves = []
    for one in play.moves(low, board, worst.record):
        hope = hopes[one.move]
        between = _between(one.outcome, hope.outcome, one.dtg, hope.dtg)
        moves.append(SureMove(one.move, one.reset, between, one.record))
    way = play.line(low, board, worst, partial=True) if line and sure.dtg is not None else []
    moves.sort(key=lambda one: _rank(one.sure, board.turn))
    return Answer(material_of(board).name, board.turn, worst.record, sure, moves, way)


def _between(white: int, black: int, *distances: int) -> Sure:
    known = white == black and len(set(distances)) == 1
    return Sure(white, black, distances[0] if known else None)


def _rank(sure: Sure, turn: chess.Color) -> tuple[int, int]:
    return (-sure.white, -sure.black) if turn == chess.WHITE else (sure.black, sure.white)
