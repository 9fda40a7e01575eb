"""Legal placements counted by python-chess, without a line of tbgen."""

import itertools
from collections import Counter

import chess


def count_placements(first: str, second: str) -> int:
    """With White on the first side, both sides to move. Letters of the men without kings, as in "R", "N"."""
    men = [chess.Piece.from_symbol(letter) for letter in first + second.lower()]
    orders = 1
    for like in Counter(men).values():
        orders *= len(list(itertools.permutations(range(like))))
    found = 0
    for king, *squares in itertools.product(range(64), repeat=1 + len(men)):
        if len({king, *squares}) <= len(men):
            continue
        if any(
            man.piece_type == chess.PAWN and square // 8 in (0, 7) for man, square in zip(men, squares, strict=True)
        ):
            continue
        found += _with_black_king(king, men, squares)
    return found // orders


def _with_black_king(king: int, men: list[chess.Piece], squares: list[int]) -> int:
    """How many legal placements the black king adds for White and for Black to move."""
    occupied = chess.BB_SQUARES[king]
    for square in squares:
        occupied |= chess.BB_SQUARES[square]
    free = chess.BB_ALL & ~occupied & ~chess.BB_KING_ATTACKS[king]
    attacked, quiet = 0, free
    for man, square in zip(men, squares, strict=True):
        reach = _reach(man, square, occupied)
        if man.color == chess.WHITE:
            attacked |= reach
        elif reach & chess.BB_SQUARES[king]:
            quiet &= chess.between(square, king)  # unless the black king stands in the way
    return (free & ~attacked).bit_count() + quiet.bit_count()


def _reach(man: chess.Piece, square: int, occupied: int) -> int:
    if man.piece_type == chess.PAWN:
        return chess.BB_PAWN_ATTACKS[man.color][square]
    if man.piece_type == chess.KNIGHT:
        return chess.BB_KNIGHT_ATTACKS[square]
    found = 0
    if man.piece_type in (chess.BISHOP, chess.QUEEN):
        found |= chess.BB_DIAG_ATTACKS[square][chess.BB_DIAG_MASKS[square] & occupied]
    if man.piece_type in (chess.ROOK, chess.QUEEN):
        found |= chess.BB_RANK_ATTACKS[square][chess.BB_RANK_MASKS[square] & occupied]
        found |= chess.BB_FILE_ATTACKS[square][chess.BB_FILE_MASKS[square] & occupied]
    return found
