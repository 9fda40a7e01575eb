"""A move that holds something, found in milliseconds: one man of each side, if that is plain from the first two plies.

Of all men only those are tried that pass a look ahead: after a quiet move of the one the other side has quiet moves of
one man alone, and captures or pawn moves only to what tables know.
"""

from collections.abc import Iterator
from time import monotonic
from typing import NamedTuple

import chess

from tbgen.beyond.holding.exits import worth
from tbgen.beyond.holding.search import Attempt
from tbgen.beyond.holding.strategy import first_reply
from tbgen.probe import Tablebase


class Held(NamedTuple):
    """A move of a side, and the outcome that it is sure of."""

    move: chess.Move
    bound: int


def hold_quickly(board: chess.Board, record: int, tables: Tablebase | None, seconds: float) -> Held | None:
    """Find what the side to move can hold, its position's own goal being counted in the record. No men are tried after
    so many seconds. None where nothing is held."""
    end = monotonic() + seconds
    attempt = Attempt(board, record, board.turn, tables)
    for free_men in dict.fromkeys(_plausible(board.copy(stack=False), tables, end)):
        attempt.on(free_men)
        if attempt.mates or monotonic() > end:
            break
    held, bound = attempt.best.held, attempt.best.bound
    reply = None if held is None else first_reply(held, board.turn, bound, tables)
    return None if reply is None else Held(reply.move, bound)


def _plausible(board: chess.Board, tables: Tablebase | None, end: float) -> Iterator[tuple[chess.Square, chess.Square]]:
    """List pairs of men that may hold."""
    for move in list(board.legal_moves):
        if board.is_zeroing(move) or board.is_castling(move) or monotonic() > end:
            continue
        board.push(move)
        answers = _answering(board, tables)
        board.pop()
        if answers is not None:
            low, high = sorted((move.from_square, answers))
            yield low, high


def _answering(board: chess.Board, tables: Tablebase | None) -> chess.Square | None:
    """Name the only man with quiet moves, the king if there is none; None if there are several, or other moves are not
    known to be harmless."""
    men = set()
    for move in list(board.legal_moves):
        if board.is_castling(move):
            return None
        if not board.is_zeroing(move):
            men.add(move.from_square)
            if len(men) > 1:
                return None
            continue
        board.push(move)
        outcome = worth(board, tables)
        board.pop()
        if outcome is None:
            return None
    return men.pop() if men else board.king(board.turn)
