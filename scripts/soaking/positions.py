"""Positions and records for probes."""

import random
from typing import Final

import chess

LETTERS: Final = {"KvK": "Kk", "KBvK": "KkB", "KNvK": "KkN", "KRvK": "KkR", "KQvK": "KkQ", "KPvK": "KkP"}
ODD: Final = (
    chess.STARTING_FEN, "r3k2r/8/8/8/8/8/8/R3K2R w KQkq - 0 1", "8/8/8/8/k2Pp2Q/8/8/3K4 b - d3 0 1",
    "8/8/8/8/8/8/8/8 w - - 0 1",
    "7k/8/8/8/8/8/8/KKKKKKKK w - - 0 1", "1k6/P7/8/8/8/8/8/K7 w - - 5 9", "rk2r3/8/8/8/8/8/8/RK2R3 w HAha - 0 1",
    "k7/8/1K6/8/8/8/8/1R6 b - - 99 300 G2.5", "8/8/8/4KBk1/8/8/8/8 b - - 12 40 G3.5", "4k3/8/8/8/8/8/8/4K2R w K - 3 3",
)  # fmt: skip


def a_board(draw: random.Random, material: str, *, reverse: bool = True) -> chess.Board:
    """A legal position of a material."""
    letters = LETTERS[material]
    if reverse and draw.random() < 0.5:
        letters = letters.swapcase()
    while True:
        board = chess.Board(None)
        for square, letter in zip(draw.sample(range(64), len(letters)), letters, strict=True):
            board.set_piece_at(square, chess.Piece.from_symbol(letter))
        board.turn = draw.random() < 0.5
        if board.is_valid():
            board.halfmove_clock = draw.choice((0, 0, 1, 40))
            board.fullmove_number = draw.randrange(1, 200)
            return board


def a_record(draw: random.Random) -> str:
    return f"{draw.choice(('', '', '-', 'm'))}G{draw.randrange(1, 40)}.{draw.choice('05')}"


def a_fen(draw: random.Random) -> str:
    """Of a position that there is a table for, as a rule."""
    if draw.random() < 0.15:
        return draw.choice(ODD)
    fen = a_board(draw, draw.choice(tuple(LETTERS))).fen()
    return f"{fen} {a_record(draw)}" if draw.random() < 0.4 else fen
