"""Positions in which some men move and the others stand still: all arrangements of those *free men*.

Squares are axes of arrays, one per man that moves, so that an array holds something of every arrangement. A quiet move
of a free man changes one coordinate. Every other move is an *exit*: a capture, a pawn move, castling, a move of a man
that stands still.

The first axis has the rights to castle that are left: a move of the king or the rook loses them. Where none can be
lost, its length is 1.
"""

from collections.abc import Sequence
from typing import Final, NamedTuple

import chess
import numpy as np

from tbgen.board.geometry import BISHOP, FAIRY, KING, KNIGHT, PAWN_DOWN, PAWN_UP, QUEEN, ROOK, geometry_of
from tbgen.board.men import Man as Fairy
from tbgen.board.men.board import FairyBoard
from tbgen.board.move_sets import BIT, Bools, Ints, Man, MoveSets, Sets, attacks, move_sets, union

_KIND_OF: Final = {
    chess.QUEEN: QUEEN,
    chess.ROOK: ROOK,
    chess.BISHOP: BISHOP,
    chess.KNIGHT: KNIGHT,
    chess.KING: KING,
}
_PAWNS: Final = (PAWN_UP, PAWN_DOWN)


class FreeMan(NamedTuple):
    """A man that moves, and its axis."""

    man: Man
    squares: list[int]
    """The squares by coordinate."""
    axis: int
    after: list[int] | slice
    """The rights that are left once it has moved, by those before."""

    @property
    def bit(self) -> Sets:
        """The set of its one square, along its axis."""
        return BIT[self.man.squares]


class Turn(NamedTuple):
    """The arrangements in which a side has the move."""

    legal: Bools
    level: Ints
    moves: list[tuple[FreeMan, Sets]]
    """The free men's quiet moves."""
    exits: Bools
    """Whether there is any other move."""
    quiet_exits: Bools
    """Whether a man that stands still has a quiet move."""


class Graph:
    """All arrangements of some men of a board."""

    def __init__(self, board: chess.Board, free_men: Sequence[chess.Square]) -> None:
        self.board = board
        self.fairy = beyond_chess(board)
        self.still = [square for square in chess.SquareSet(board.occupied) if square not in free_men]
        rights = _rights_left(board, free_men)
        self.rights: Sets = np.array(rights, np.uint64)
        """By the first coordinate, as sets of rooks."""
        men = [_man(board, square, np.full((1,) * (len(free_men) + 1), square)) for square in self.still]
        self.free_men: list[FreeMan] = []
        for axis, square in enumerate(free_men, 1):
            squares = _reach(board, square, men)
            shape = [1] * (len(free_men) + 1)
            shape[axis] = len(squares)
            man = _man(board, square, np.array(squares).reshape(shape))
            lost = _lost(board, square)
            after = [rights.index(one & ~lost) for one in rights] if lost else slice(None)
            self.free_men.append(FreeMan(man, squares, axis, after))
        self.men = men + [free.man for free in self.free_men]
        self._men_at = dict(zip((*self.still, *free_men), self.men, strict=True))
        """By their first squares."""
        self.shape = (len(rights), *(len(free.squares) for free in self.free_men))
        first = [free.squares.index(square) for free, square in zip(self.free_men, free_men, strict=True)]
        self.start = (len(rights) - 1, *first)
        occupied = union(BIT[man.squares] for man in self.men)
        apart = np.bitwise_count(occupied) == len(self.men)
        moves = [move_sets(self.men, side, self.fairy) for side in (0, 1)]
        self.sets = moves
        """By side, White's first: of all men, in their order."""
        self.turns = [
            self._turn(moves[side], apart & ~moves[1 - side].in_check, self._castling(side, occupied, moves[side]))
            for side in (0, 1)
        ]
        """By the side to move, White's first."""

    def _castling(self, side: int, occupied: Sets, moves: MoveSets) -> Bools:
        """Where a side may castle at most: it has the right, nothing stands between king and rook, and there is no
        check. What attacks the squares that the king passes is not looked at."""
        found = np.zeros(1, np.bool_)
        rights = self.rights.reshape(-1, *[1] * len(self.free_men))
        king = self.board.king(side == 0)
        for rook in chess.SquareSet(self.board.clean_castling_rights() & self.board.occupied_co[side == 0]):
            assert king is not None
            at_home = (self._men_at[king].squares == king) & (self._men_at[rook].squares == rook)
            clear = occupied & chess.between(king, rook) == 0
            found = found | (at_home & clear & (rights & BIT[rook] != 0))
        return found & ~moves.in_check

    def _turn(self, sets: MoveSets, legal: Bools, castling: Bools) -> Turn:
        side = sets.men[0].side
        theirs = union(BIT[man.squares] for man in self.men if man.side != side)
        axes = {id(free.man): free for free in self.free_men}
        moves, exits, quiet_exits = [], castling, np.zeros(1, np.bool_)
        for man, targets in zip(sets.men, sets.targets, strict=True):
            free = axes.get(id(man))
            if free is not None:
                moves.append((free, targets & ~theirs))
                exits = exits | (targets & theirs != 0)
            else:
                exits = exits | (targets != 0)
                if man.kind not in _PAWNS:
                    quiet_exits = quiet_exits | (targets & ~theirs != 0)
        whole = np.broadcast_to
        return Turn(
            whole(legal, self.shape), whole(sets.level, self.shape), moves,
            whole(exits, self.shape), whole(quiet_exits, self.shape),
        )  # fmt: skip

    def board_at(self, place: Sequence[int], turn: chess.Color) -> chess.Board:
        """The position with these coordinates."""
        board = self.board.copy(stack=False)
        board.clear()
        for square in self.still:
            board.set_piece_at(square, self.board.piece_at(square))
        for free, at, origin in zip(self.free_men, place[1:], self.start[1:], strict=True):
            board.set_piece_at(free.squares[at], self.board.piece_at(free.squares[origin]))
        board.turn = turn
        board.castling_rights = int(self.rights[place[0]])
        return board


def beyond_chess(board: chess.Board) -> tuple[Fairy, ...]:
    """The men beyond those of chess that are there."""
    if not isinstance(board, FairyBoard):
        return ()
    return tuple(board.definitions[letter] for letter in sorted(board.letters))


def _rights_left(board: chess.Board, free_men: Sequence[chess.Square]) -> list[int]:
    """What the rights to castle can come to, all of them last, while these men move."""
    found = {board.clean_castling_rights()}
    for square in free_men:
        found |= {rights & ~_lost(board, square) for rights in found}
    return sorted(found)


def _lost(board: chess.Board, square: chess.Square) -> int:
    """The rights that the man on a square loses by a move."""
    own = board.occupied_co[bool(board.color_at(square))]
    is_king = bool(board.kings & chess.BB_SQUARES[square])
    return board.clean_castling_rights() & (own if is_king else chess.BB_SQUARES[square])


def _man(board: chess.Board, square: chess.Square, squares: Ints) -> Man:
    piece = board.piece_at(square)
    assert piece is not None
    side = 0 if piece.color else 1
    if piece.piece_type == chess.PAWN:
        return Man(_PAWNS[side], side, squares)
    kinds = _KIND_OF | {ord(man.letter): FAIRY + place for place, man in enumerate(beyond_chess(board))}
    return Man(kinds[piece.piece_type], side, squares)


def _reach(board: chess.Board, square: chess.Square, still: Sequence[Man]) -> list[int]:
    """The squares that a man can come to by quiet moves while these others stand still, the rest being nowhere."""
    man, geometry = _man(board, square, np.array([square])), geometry_of(beyond_chess(board))
    closed = int(union(BIT[other.squares.reshape(1)] for other in still)[0])
    if man.kind == KING:
        for other in still:
            if other.side != man.side and not geometry.rides[other.kind]:
                closed |= int(geometry.attacks[other.kind][int(other.squares.flat[0])])
    blockers = [other.squares.reshape(1) for other in still]
    found, fresh = 1 << square, [square]
    while fresh:
        reached = attacks(man.kind, np.array(fresh), blockers, geometry)
        new = int(np.bitwise_or.reduce(reached)) & ~closed & ~found
        found |= new
        fresh = list(chess.SquareSet(new))
    return list(chess.SquareSet(found))


def size_of(board: chess.Board, free_men: Sequence[chess.Square]) -> int:
    """How many arrangements there would be."""
    still = [
        _man(board, square, np.array([square])) for square in chess.SquareSet(board.occupied) if square not in free_men
    ]
    size = len(_rights_left(board, free_men))
    for square in free_men:
        size *= len(_reach(board, square, still))
    return size
