"""A game played to its end from what its text says. There is no way back but to where its last moves began.

`chess.Board.push` keeps a copy of every position it leaves, and half of the time of a game goes into that. Here the
board is changed in place, and what is kept is the position behind the last capture or pawn move.
"""

from collections.abc import Callable, Sequence
from typing import Final

import chess

from tbgen.errors import BadInput
from tbgen.rules import variants
from tbgen.rules.pgn import san
from tbgen.rules.pgn.moves import BadMoves, place
from tbgen.rules.pgn.san import BISHOP, KNIGHT, PAWN_STEP, PAWN_TAKES, QUEEN, ROOK, Step

_BIT: Final = chess.BB_SQUARES
_DOUBLE: Final = 16
"""Squares that a double step goes."""


class Replay:
    """A board that takes moves, and remembers those since the last reset, or since its start with `whole_game` and in
    variants whose resets are not final."""

    def __init__(self, board: chess.Board, *, whole_game: bool = False) -> None:
        board.castling_rights = board.clean_castling_rights()
        board.clear_stack()
        self.board = board
        self.plies = 0
        """How many moves were made in all."""
        self.moves: list[chess.Move] = []
        """Those that are remembered."""
        self._keeps_all = whole_game or not variants.of(board).resets_are_final
        self.begun = board.copy(stack=False)
        """The position before them."""

    @property
    def reset(self) -> bool:
        """Whether a reset was among all moves, and those before it are forgotten."""
        return len(self.moves) < self.plies

    def play(self, step: Step) -> None:
        """Make the move, or say that it is illegal, ambiguous or none."""
        board = self.board
        move = san.find(board, step)
        if move is not None:
            _make(board, step.shape, move)
        else:
            move = san.ask(board, step.text)
            board.push(move)
            board.clear_stack()
        self.plies += 1
        if board.halfmove_clock or self._keeps_all:
            self.moves.append(move)
        else:
            self.moves.clear()
            self.begun = board.copy(stack=False)


def play_all(tokens: Sequence[str], text: str, play: Callable[[Step], object]) -> None:
    """Have `play` make the moves of a game, of which these are the tokens. BadMoves says which one it refuses."""
    step = san.step
    for index, token in enumerate(tokens):
        move = step(token)
        if move is not None:
            try:
                play(move)
            except BadInput as error:
                ply = 1 + sum(step(before) is not None for before in tokens[:index])
                raise BadMoves(f"{error} (ply {ply})", place(text, index)) from None


def _make(board: chess.Board, shape: int, move: chess.Move) -> None:
    """Make a legal move that does not castle."""
    turn = board.turn
    to = move.to_square
    origin, target = _BIT[move.from_square], _BIT[to]
    both = origin | target
    men = board.occupied_co
    board.halfmove_clock += 1
    if men[not turn] & target:
        _take(board, target)
    promoted = board.promoted
    if promoted & origin:
        board.promoted = promoted ^ both
    rights = board.castling_rights
    if rights & both:
        board.castling_rights = rights & ~both
    passing, board.ep_square = board.ep_square, None
    if shape in (PAWN_STEP, PAWN_TAKES):
        board.halfmove_clock = 0
        if move.promotion is not None:
            board.pawns ^= origin
            _promote(board, move.promotion, target)
        else:
            board.pawns ^= both
            if to == passing:
                _take(board, target >> 8 if turn else target << 8)
            elif abs(to - move.from_square) == _DOUBLE:
                board.ep_square = (to + move.from_square) // 2
    elif shape == KNIGHT:
        board.knights ^= both
    elif shape == BISHOP:
        board.bishops ^= both
    elif shape == ROOK:
        board.rooks ^= both
    elif shape == QUEEN:
        board.queens ^= both
    else:
        board.kings ^= both
        board.castling_rights &= chess.BB_RANK_8 if turn else chess.BB_RANK_1
    men[turn] ^= both
    board.occupied = men[False] | men[True]
    if not turn:
        board.fullmove_number += 1
    board.turn = not turn


def _take(board: chess.Board, target: int) -> None:
    rest = ~target
    board.pawns &= rest
    board.knights &= rest
    board.bishops &= rest
    board.rooks &= rest
    board.queens &= rest
    board.promoted &= rest
    board.occupied_co[not board.turn] &= rest
    board.halfmove_clock = 0


def _promote(board: chess.Board, piece: chess.PieceType, target: int) -> None:
    if piece == chess.QUEEN:
        board.queens |= target
    elif piece == chess.ROOK:
        board.rooks |= target
    elif piece == chess.BISHOP:
        board.bishops |= target
    else:
        board.knights |= target
    board.promoted |= target
