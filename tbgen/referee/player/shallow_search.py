"""A move where no table helps, found at once: what men let hope for, the record, and what can be taken.

Two plies are looked at, and captures and promotions behind them. Tables say what a position is worth that they have.
Elsewhere it is the points that men promise (research/potential) and half of what the record is worth beyond a draw, as
it can be bettered or lost in a reset; among equals most moves of one's own count."""

from collections.abc import Iterable
from contextlib import suppress
from functools import cache
from typing import TYPE_CHECKING, Final

import chess

from tbgen.core import outcome, position
from tbgen.errors import TbgenError
from tbgen.probe.numbering import Signature, material_with, signature
from tbgen.rules.potential.better import points
from tbgen.rules.scoring import Exponential

if TYPE_CHECKING:
    from tbgen.probe import Tablebase

_PLIES: Final = 2
_CAPTURES: Final = 6
"""So many in a row are followed."""
_FEW: Final = 5
"""Men in tables."""
_DRAWN: Final = 0.5
_OF_RECORD: Final = 0.5
_PER_MOVE: Final = 1 / 4000
_MOST: Final = 10.0
_OVER: Final = 1
"""The last level at which a game is over."""
_WORTH: Final = (0, 1, 3, 3, 5, 10, 0)
"""For the order in which captures are looked at."""


class Hope:
    def __init__(self, tablebase: "Tablebase | None", *, whole_game: bool) -> None:
        self._tablebase = tablebase
        self._whole_game = whole_game
        self._lacking: set[Signature] = set()
        """Men of positions that no table has."""

    def best(self, board: chess.Board, record: int, among: Iterable[chess.Move]) -> chess.Move | None:
        """The best of some legal moves; None if there is none."""
        return self.choose(board, record, among)[0]

    def choose(self, board: chess.Board, record: int, among: Iterable[chess.Move]) -> tuple[chess.Move | None, float]:
        """Give the best of some legal moves, and what it is worth to who makes it."""
        board = board.copy(stack=False)
        best, most = None, -_MOST
        for move in _ordered(board, among):
            found = self._after(board, move, record, _PLIES - 1, most, _MOST)
            if best is None or found > most:
                best, most = move, found
        return best, most

    def _after(self, board: chess.Board, move: chess.Move, record: int, left: int, least: float, most: float) -> float:
        """What a move is worth to who makes it, if that is more than `least` and less than `most`."""
        reset = not self._whole_game and board.is_zeroing(move)
        board.push(move)
        goal = position.goal(board)
        record = goal if reset else outcome.improved(record, goal)
        try:
            if outcome.level(goal) <= _OVER:
                return promise(record, not board.turn)
            if left:
                return -self._look(board, record, left, -most, -least)
            return -self._quiet(board, record, outcome.level(goal), _CAPTURES, -most, -least)
        finally:
            board.pop()

    def _look(self, board: chess.Board, record: int, left: int, least: float, most: float) -> float:
        for move in _ordered(board, board.legal_moves):
            least = max(least, self._after(board, move, record, left - 1, least, most))
            if least >= most:
                break
        return least

    def _quiet(self, board: chess.Board, record: int | None, level: int, left: int, least: float, most: float) -> float:
        """What the side to move has, if it takes something, or leaves it at that. `record`: None behind a capture."""
        known, is_sure = self._value(board, record)
        found = known + level * _PER_MOVE
        least = max(least, found)
        if is_sure or not left or least >= most:
            return least
        takes = (move for move in board.legal_moves if board.is_capture(move) or move.promotion)
        for move in _ordered(board, takes):
            board.push(move)
            kept = record if self._whole_game else None
            least = max(least, -self._quiet(board, kept, 0, left - 1, -most, -least))
            board.pop()
            if least >= most:
                break
        return least

    def _value(self, board: chess.Board, record: int | None) -> tuple[float, bool]:
        """To the side to move, and whether a table says so."""
        sign = 1 if board.turn else -1
        if self._tablebase is not None and chess.popcount(board.occupied) <= _FEW and not board.castling_rights:
            men = signature(board)
            if men not in self._lacking:
                with suppress(TbgenError):
                    found = self._tablebase.probe(board, record)
                    return sign * (_of(found.outcome) - _DRAWN), True
                self._lacking.add(men)
        hope = _hope(signature(board), _pair(board)) - _DRAWN
        if record is not None:
            hope += _OF_RECORD * (_of(record) - _DRAWN)
        return sign * hope, False


def promise(result: int, side: chess.Color) -> float:
    """What a sure outcome is worth to a side, by the measure of hopes."""
    return (_of(result) - _DRAWN) * (1 if side else -1) * (1 + _OF_RECORD)


@cache
def _of(value: int) -> float:
    """White's points for an outcome."""
    return float(Exponential().points(value))


@cache
def _hope(men: Signature, pair: bool | None) -> float:
    """White's points."""
    return points(material_with(men), pair=pair)


def _pair(board: chess.Board) -> bool | None:
    """Whether the bishops of a side that has several stand on both colours; None without such a side."""
    found = None
    for side in (chess.WHITE, chess.BLACK):
        bishops = board.pieces_mask(chess.BISHOP, side)
        if chess.popcount(bishops) > 1:
            found = bool(found) or bool(bishops & chess.BB_LIGHT_SQUARES and bishops & chess.BB_DARK_SQUARES)
    return found


def _ordered(board: chess.Board, moves: Iterable[chess.Move]) -> list[chess.Move]:
    """Captures of the most by the least come first: they leave less to look at."""

    def promise(move: chess.Move) -> int:
        taken, taking = board.piece_type_at(move.to_square), board.piece_type_at(move.from_square)
        return 16 * _WORTH[taken or 0] - _WORTH[taking or 0] if taken else -1000 + 16 * _WORTH[move.promotion or 0]

    return sorted(moves, key=promise, reverse=True)
