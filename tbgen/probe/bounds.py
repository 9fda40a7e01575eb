"""What local tables prove of a position: what each side is sure of, for the position and for each move.

Under two assumptions about what is not known, mates by White and mates by Black, values are bounds of the true one. The
man that has moved there may be retaken first, if it is known what comes then. Where the bounds are equal the outcome
is exact.

Its distance need not be, even if it is the same twice: the side that gains over the record hurries, and which side that
is may change on the way. With a mate or a stalemate it never does: no record is better. There the distance is exact.
"""

from collections.abc import Iterator
from typing import Protocol

import chess

from tbgen.core import outcome
from tbgen.core.position import goal
from tbgen.errors import MissingTable, UnsupportedPosition
from tbgen.probe import play
from tbgen.probe.numbering import material_of
from tbgen.probe.result import MoveResult, Result
from tbgen.probe.sure import Sure, SureMove, SureResult


class LocalSource(Protocol):
    """Whoever has local tables: a directory (local.py), or who has just solved them."""

    def result(self, board: chess.Board, record: int | None, winner: chess.Color) -> Result | None:
        """What a position is worth if this side mates wherever nothing is known; None where no local table has it.
        MissingTable where such a record was not solved."""


class Complete(Protocol):
    """Whoever has complete tables."""

    def complete(self, board: chess.Board, record: int | None = None) -> Result:
        """What they say; MissingTable or UnsupportedPosition where they do not."""


class View:
    """What complete and local tables say if one side mates wherever nothing is known. They are asked as the tables of a
    directory are, so that values, moves and lines come from the same code."""

    whole_game = False

    def __init__(self, local: LocalSource, winner: chess.Color, complete: Complete) -> None:
        self._local = local
        self._winner = winner
        self._complete = complete

    def name(self, board: chess.Board) -> str:
        """The men of a position, as tables name them."""
        return material_of(board).normal.name

    def source(self, board: chess.Board) -> str:
        """Where its table is."""
        return f"the local table of {self.name(board)}"

    def result(self, board: chess.Board, record: int | None) -> Result:
        """What a position is worth under a record; None: its own goal. MissingTable where records of the game were not
        solved."""
        found = self._known(board, record)
        if found is not None:
            return found
        return self._unknown(board) if record is None else self._complete.complete(board, record)

    def is_unknown(self, board: chess.Board) -> bool:
        """Whether no table says what a position is worth just after a reset."""
        return self._known(board, None) is None

    def retaking(self, board: chess.Board) -> Iterator[tuple[chess.Move, Result]]:
        """How the man that has moved can be taken, where that is known."""
        for move in [*board.generate_legal_captures(to_mask=chess.BB_SQUARES[board.peek().to_square])]:
            if not move.promotion:
                board.push(move)
                found = self._known(board, None)
                board.pop()
                if found is not None:
                    yield move, found

    def _known(self, board: chess.Board, record: int | None) -> Result | None:
        try:
            return self._complete.complete(board, record)
        except (MissingTable, UnsupportedPosition):
            return self._local.result(board, record, self._winner) if board.pawns else None

    def _unknown(self, board: chess.Board) -> Result:
        own = goal(board)
        over = play.at_end(own)
        if over is not None:
            return over
        mate = outcome.held_by_white(0) if self._winner else outcome.held_by_black(0)
        found = Result("", mate, 0, False, own)
        if self._winner != board.turn and board.move_stack:
            for _, after in self.retaking(board):
                if (after.outcome > found.outcome) == board.turn:
                    found = Result("", after.outcome, after.dtg + 1, False, own)
        return found


class _Certain:
    """What both views say alike, distances included: all else is missing. So a move that may be anything never counts
    as one that is as good as the best."""

    whole_game = False

    def __init__(self, low: View, high: View) -> None:
        self._low = low
        self._high = high

    def name(self, board: chess.Board) -> str:
        return self._low.name(board)

    def source(self, board: chess.Board) -> str:
        return self._low.source(board)

    def result(self, board: chess.Board, record: int | None) -> Result:
        low, high = self._low.result(board, record), self._high.result(board, record)
        if _between(low, high).dtg is None:
            raise MissingTable(f"{self.source(board)} knows bounds only")
        return low


def answer(
    local: LocalSource, board: chess.Board, record: int | None, complete: Complete, *, line: bool = True
) -> SureResult:
    """What local tables say of a position that they have, under a record."""
    low, high = (View(local, winner, complete) for winner in (chess.BLACK, chess.WHITE))
    worst, best = (play.result(view, board, record) for view in (low, high))
    sure = _between(worst, best)
    hopes = {one.move: one for one in play.moves(high, board, worst.record)}
    moves = []
    for one in play.moves(low, board, worst.record):
        moves.append(SureMove(one.move, one.reset, _between(one, hopes[one.move]), one.record))
    way = play.line(_Certain(low, high), board, worst, partial=True) if line and sure.dtg is not None else []
    moves.sort(key=lambda one: _rank(one.sure, sure, board.turn, worst.record))
    return SureResult(low.name(board), board.turn, worst.record, sure, moves, way)


def _between(low: Result | MoveResult, high: Result | MoveResult) -> Sure:
    known = (low.outcome, low.dtg) == (high.outcome, high.dtg) and (
        (low.exact and high.exact)
        or low.dtg == 0  # the record stands
        or outcome.level(low.outcome) < outcome.FIRST_RECORD
    )
    return Sure(low.outcome, high.outcome, low.dtg if known else None)


def _rank(one: Sure, sure: Sure, turn: chess.Color, record: int) -> tuple[int, int, bool, bool]:
    """Moves are sorted by this, the best first. Of moves that are sure of the same, those come first that are known to
    be the best. Then, if the side to move gains over the record, come those whose distance is known; if it only delays,
    these come last."""
    sign = 1 if turn else -1
    bounds = (-one.white, -one.black) if turn else (one.black, one.white)
    gains = sign * one.white >= sign * record
    return *bounds, one.dtg is None or one != sure, (one.dtg is None) == gains
