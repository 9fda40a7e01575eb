"""Moves as PGN writes them, found on a board without making a list of the legal ones.

A parsed token is cached: a file of games has a few thousand different ones. A token in an unusual spelling, or one
that fits no man or several, is left to python-chess: its answer, a move or a refusal, is the answer here.
"""

import re
from functools import lru_cache
from typing import Final, NamedTuple

import chess

from tbgen.core import outcome
from tbgen.errors import BadInput
from tbgen.rules import variants
from tbgen.rules.pgn.moves import shown

# Local names: a look-up in this module is faster than one in another.
_BIT: Final = chess.BB_SQUARES
_ALL: Final = chess.BB_ALL
_KING: Final = chess.BB_KING_ATTACKS
_KNIGHT: Final = chess.BB_KNIGHT_ATTACKS
_PAWN: Final = chess.BB_PAWN_ATTACKS
_DIAGONAL: Final = chess.BB_DIAG_ATTACKS
_DIAGONAL_MASK: Final = chess.BB_DIAG_MASKS
_FILE: Final = chess.BB_FILE_ATTACKS
_FILE_MASK: Final = chess.BB_FILE_MASKS
_RANK: Final = chess.BB_RANK_ATTACKS
_RANK_MASK: Final = chess.BB_RANK_MASKS
_FOURTH: Final = (chess.BB_RANK_5, chess.BB_RANK_4)
"""Where a double step of that colour ends."""

_MOVE: Final = re.compile(
    r"([NBRQK]?)([a-h]?)([1-8]?)x?([a-h][1-8])"  # man, where from, where to
    r"(?:=?([NBRQ]))?"
)
_NUMBER: Final = re.compile(r"(?:\d+\.+|\.+)(?=.)")
"""A move's number, written together with the move."""

_GLYPHS: Final = re.compile(r"(?:e\.?p\.?)?(?:[+#!?]|\$\d+)*\Z")
_GLYPHS_BEHIND: Final = re.compile(r"(?<=.)(?:[+#!?]|\$\d+)+\Z")
_NO_MOVE: Final = re.compile(r"(?!0000)(?:\d+\.*|\.+|\$\d+|[!?]+|e\.p\.)\Z")
"""Numbers, annotations and what else may stand between moves; 0000 is a null move."""

_NULL: Final = "--"
PAWN_STEP, PAWN_TAKES, KNIGHT, BISHOP, ROOK, QUEEN, KING, UNUSUAL = range(8)
_SHAPE: Final = {"N": KNIGHT, "B": BISHOP, "R": ROOK, "Q": QUEEN, "K": KING}


class Step(NamedTuple):
    """A token that stands for a move: what is known before there is a board."""

    shape: int
    to: int
    origin: int
    """The squares that the man may come from."""
    promotion: int | None
    text: str
    """The move as python-chess reads it."""


@lru_cache(1 << 15)
def step(token: str) -> Step | None:
    """The move that a token may stand for; None if it is a number or an annotation."""
    if _NO_MOVE.match(token):
        return None
    number = _NUMBER.match(token)
    text = token[number.end() :] if number else token
    match = _MOVE.match(text)
    if match is None or not _GLYPHS.match(text, match.end()):
        return Step(UNUSUAL, 0, 0, None, _GLYPHS_BEHIND.sub("", text))
    man, file, rank, square, promoted = match.groups()
    text = match[0]
    to = chess.parse_square(square)
    origin = _ALL
    if file:
        origin &= chess.BB_FILES[ord(file) - ord("a")]
    if rank:
        origin &= chess.BB_RANKS[int(rank) - 1]
    promotion = chess.PIECE_SYMBOLS.index(promoted.lower()) if promoted else None
    last = bool(_BIT[to] & chess.BB_BACKRANKS)
    if man:
        return Step(UNUSUAL if promoted else _SHAPE[man], to, origin, None, text)
    if rank or (promotion is not None) != last:  # long notation, or what no pawn can do
        return Step(UNUSUAL, to, origin, promotion, text)
    if not file:
        return Step(PAWN_STEP, to, chess.BB_FILES[chess.square_file(to)], promotion, text)
    if file == square[0]:
        return Step(UNUSUAL, to, origin, promotion, text)
    return Step(PAWN_TAKES, to, origin, promotion, text)


def play(board: chess.Board, move: Step) -> None:
    """Make the move on the board, or say that it is illegal, ambiguous or none."""
    board.push(find(board, move) or ask(board, move.text))


def ask(board: chess.Board, text: str) -> chess.Move:
    """What python-chess makes of it."""
    if text == _NULL:
        raise BadInput(f"a null move is no move: {text}")
    try:
        found = board.parse_san(text)
    except ValueError as error:
        variant = variants.of(board)
        end = variant.ending(board, outcome.level(variant.goal(board)))
        if isinstance(error, chess.IllegalMoveError) and end is not None:
            raise BadInput(f"a move after {end}: {shown(text)}") from None
        what = {chess.IllegalMoveError: "illegal move", chess.AmbiguousMoveError: "ambiguous move"}.get(
            type(error), "not a move"
        )
        raise BadInput(f"{what}: {shown(text)}") from None
    if not found:
        raise BadInput(f"a null move is no move: {text}")
    return found


def find(board: chess.Board, move: Step) -> chess.Move | None:
    """The one legal move that fits; None if there is none, several, or a doubt, such as castling or a variant: then
    `ask`."""
    if type(board) is not chess.Board:
        return None
    shape, to, origin, promotion, _ = move
    turn = board.turn
    ours = board.occupied_co[turn]
    target = _BIT[to]
    if ours & target:
        return None
    if shape == PAWN_STEP:
        occupied = board.occupied
        if occupied & target:
            return None
        pawns = board.pawns & ours
        back = target >> 8 if turn else target << 8
        if pawns & back:
            men = back
        elif target & _FOURTH[turn] and not occupied & back:
            men = pawns & (back >> 8 if turn else back << 8)
        else:
            return None
    elif shape == PAWN_TAKES:
        if not board.occupied & target and board.ep_square != to:
            return None
        men = _PAWN[not turn][to] & board.pawns & ours & origin
    elif shape == KNIGHT:
        men = _KNIGHT[to] & board.knights & ours & origin
    elif shape == KING:
        men = _KING[to] & board.kings & ours & origin
    elif shape == UNUSUAL:
        return None
    else:
        occupied = board.occupied
        men = 0
        if shape != ROOK:
            men = _DIAGONAL[to][_DIAGONAL_MASK[to] & occupied]
        if shape != BISHOP:
            men |= _RANK[to][_RANK_MASK[to] & occupied] | _FILE[to][_FILE_MASK[to] & occupied]
        men &= (board.queens if shape == QUEEN else board.rooks if shape == ROOK else board.bishops) & ours & origin
    if not men or men & (men - 1) or _exposes(board, shape, men, target):
        return None
    return chess.Move(men.bit_length() - 1, to, promotion)


def _exposes(board: chess.Board, shape: int, origin: int, target: int) -> bool:
    """Whether the move would leave the king to be taken."""
    turn = board.turn
    occupied = board.occupied ^ origin | target
    theirs = board.occupied_co[not turn] & ~target
    if shape == KING:
        king = target.bit_length() - 1
    else:
        king = (board.kings & board.occupied_co[turn]).bit_length() - 1
        if shape == PAWN_TAKES and not board.occupied & target:
            taken = target >> 8 if turn else target << 8
            occupied ^= taken
            theirs ^= taken
    if theirs & (board.knights & _KNIGHT[king] | board.pawns & _PAWN[turn][king] | board.kings & _KING[king]):
        return True
    # The look-up without blockers, by 0, is a fast one and often says no.
    straight = (board.rooks | board.queens) & theirs
    if straight:
        lines = _RANK[king]
        if straight & lines[0] and straight & lines[_RANK_MASK[king] & occupied]:
            return True
        lines = _FILE[king]
        if straight & lines[0] and straight & lines[_FILE_MASK[king] & occupied]:
            return True
    lines = _DIAGONAL[king]
    diagonal = (board.bishops | board.queens) & theirs & lines[0]
    return bool(diagonal and diagonal & lines[_DIAGONAL_MASK[king] & occupied])
