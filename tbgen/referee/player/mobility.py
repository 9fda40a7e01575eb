"""A move where no table helps: the one that keeps most mobility, found at once."""

from collections.abc import Iterable
from typing import Final

import chess

from tbgen.position import level

_MATE: Final = 0
_STALEMATE: Final = 1
_BETTER_THAN_ANY: Final = 1024


def most_mobile(board: chess.Board, among: Iterable[chess.Move]) -> chess.Move | None:
    """The legal move after which the opponent's best reply leaves us most moves; None if there is none.

    That is the reply that would score best against us, so this plays for a weak record of the opponent's.
    Of equal moves the one that leaves the opponent fewest counts. A mate is as good as it gets, and a
    stalemate nearly so.
    """
    board = board.copy(stack=False)
    best, best_rank = None, (-1, 0)
    for move in among:
        board.push(move)
        theirs = level(board)
        if theirs == _MATE:
            return move
        left = 2 * _BETTER_THAN_ANY if theirs == _STALEMATE else _left_after_replies(board, best_rank[0])
        board.pop()
        if (left, -theirs) > best_rank:
            best, best_rank = move, (left, -theirs)
    return best


def _left_after_replies(board: chess.Board, enough: int) -> int:
    """The lowest level that a reply leaves us. The search stops below `enough`, where the move is out of it."""
    lowest = _BETTER_THAN_ANY
    for reply in list(board.legal_moves):
        board.push(reply)
        lowest = min(lowest, level(board))
        board.pop()
        if lowest < enough:
            break
    return lowest
