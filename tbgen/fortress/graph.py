"""Positions in which some men move and the others stand still: all arrangements of those *free men*.

Squares are axes of arrays, one per man that moves, so that an array holds something of every arrangement. A quiet move
of a free man changes one coordinate. Every other move is an *exit*: a capture, a pawn move, castling, a move of a man
that stands still.
"""

from collections.abc import Sequence
from typing import Final, NamedTuple

import chess
import numpy as np

from tbgen.board.geometry import BISHOP, GEOMETRY, KINDS, KING, KNIGHT, PAWN_DOWN, PAWN_UP, QUEEN, ROOK
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
        self.still = [square for square in chess.SquareSet(board.occupied) if square not in free_men]
        men = [_man(board, square, np.full((1,) * len(free_men), square)) for square in self.still]
        self.free_men: list[FreeMan] = []
        for axis, square in enumerate(free_men):
            squares = _reach(board, square, men)
            shape = [1] * len(free_men)
            shape[axis] = len(squares)
            man = _man(board, square, np.array(squares).reshape(shape))
            self.free_men.append(FreeMan(man, squares, axis))
        self.men = men + [free.man for free in self.free_men]
        self.shape = tuple(len(free.squares) for free in self.free_men)
        self.start = tuple(free.squares.index(square) for free, square in zip(self.free_men, free_men, strict=True))
        occupied = union(BIT[man.squares] for man in self.men)
        apart = np.bitwise_count(occupied) == len(self.men)
        moves = [move_sets(self.men, side) for side in (0, 1)]
        self.sets = moves
        """By side, White's first: of all men, in their order."""
        self.turns = [
            self._turn(moves[side], apart & ~moves[1 - side].in_check, self._castling(side, occupied))
            for side in (0, 1)
        ]
        """By the side to move, White's first."""

    def _castling(self, side: int, occupied: Sets) -> Bools:
        """Where a side may castle at most: king and rook of a right that it has at first are at home, with nothing
        between. That they have moved meanwhile, and what attacks the king, is not looked at."""
        squares = [*self.still, *(free.squares[at] for free, at in zip(self.free_men, self.start, strict=True))]
        at_first = dict(zip(squares, self.men, strict=True))
        found = np.zeros(1, np.bool_)
        king = self.board.king(side == 0)
        for rook in chess.SquareSet(self.board.clean_castling_rights() & self.board.occupied_co[side == 0]):
            assert king is not None
            at_home = (at_first[king].squares == king) & (at_first[rook].squares == rook)
            found = found | (at_home & (occupied & chess.between(king, rook) == 0))
        return found

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
        board = chess.Board(None)
        for square in self.still:
            board.set_piece_at(square, self.board.piece_at(square))
        for free, at, origin in zip(self.free_men, place, self.start, strict=True):
            board.set_piece_at(free.squares[at], self.board.piece_at(free.squares[origin]))
        board.turn = turn
        return board


def _man(board: chess.Board, square: chess.Square, squares: Ints) -> Man:
    piece = board.piece_at(square)
    assert piece is not None
    side = 0 if piece.color else 1
    if piece.piece_type == chess.PAWN:
        return Man(_PAWNS[side], side, squares)
    return Man(_KIND_OF[piece.piece_type], side, squares)


def _reach(board: chess.Board, square: chess.Square, still: Sequence[Man]) -> list[int]:
    """The squares that a man can come to by quiet moves while these others stand still, the rest being nowhere."""
    man = _man(board, square, np.array([square]))
    closed = int(union(BIT[other.squares.reshape(1)] for other in still)[0])
    if man.kind == KING:
        for other in still:
            if other.side != man.side and not KINDS[other.kind][1]:
                closed |= int(GEOMETRY.attacks[other.kind][int(other.squares.flat[0])])
    blockers = [other.squares.reshape(1) for other in still]
    found, fresh = 1 << square, [square]
    while fresh:
        reached = attacks(man.kind, np.array(fresh), blockers)
        new = int(np.bitwise_or.reduce(reached)) & ~closed & ~found
        found |= new
        fresh = list(chess.SquareSet(new))
    return list(chess.SquareSet(found))


def size_of(board: chess.Board, free_men: Sequence[chess.Square]) -> int:
    """How many arrangements there would be."""
    still = [
        _man(board, square, np.array([square])) for square in chess.SquareSet(board.occupied) if square not in free_men
    ]
    size = 1
    for square in free_men:
        size *= len(_reach(board, square, still))
    return size
