"""What a side can do about the record within a few plies, by brute force: python-chess, and nothing of tbgen."""

import chess

BASE = 512


def goal(board: chess.Board) -> int:
    """What a position scores for the side that has moved there: an outcome, as tbgen/core/outcome.py has it."""
    level = 2 * board.legal_moves.count() + (not board.is_check())
    return (level - BASE) if board.turn else (BASE - level)


def keeps(board: chess.Board, record: int, defender: chess.Color, bound: int, plies: int) -> bool:
    """Whether a side can see to it that before this ply the record is not worse than the bound."""
    known: dict[tuple[str, int, int], bool] = {}

    def is_safe(record: int, left: int) -> bool:
        if (record < bound) if defender else (record > bound):
            return False
        key = board.epd(), record, left
        if left > 1 and key not in known and any(board.legal_moves):
            after = (plays(move, record, left) for move in list(board.legal_moves))
            known[key] = any(after) if board.turn == defender else all(after)
        return known.get(key, True)

    def plays(move: chess.Move, record: int, left: int) -> bool:
        is_reset = board.is_zeroing(move)
        board.push(move)
        own = goal(board)
        found = is_safe(own if is_reset or abs(own) > abs(record) else record, left - 1)
        board.pop()
        return found

    board = board.copy(stack=False)
    return is_safe(record, plies)
