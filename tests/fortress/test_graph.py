"""Placements, their legality, levels and moves, against python-chess."""

import random

import chess
import numpy as np
import pytest

from tbgen.beyond.holding.graph import Graph, size_of
from tests.support.arrangements import compare_arrangements

POSITIONS = [
    ("8/k7/3p4/p2P1p2/P2P1P2/8/8/K7 w - - 0 1", "a1 a7"),
    ("8/2k5/1p1p3p/1P1P1p1P/5P2/8/2B5/K7 w - - 0 1", "a1 c7 c2"),
    ("5rk1/5p1p/5Q2/8/8/q7/5PPP/6K1 w - - 0 1", "f6 g8"),
    ("6k1/P5pp/8/8/3n4/8/1R4pP/6K1 b - - 0 1", "d4 g1 g8"),
    ("4k3/8/8/3pP3/8/2b5/4R2p/2B1K3 w - - 0 1", "c3 e1"),
    ("8/1p6/8/k1pP4/8/8/1P5r/K1R5 b - - 0 1", "a5 h2 c1"),
]


@pytest.mark.parametrize(("fen", "free_men"), POSITIONS)
def test_arrangements_are_as_python_chess_has_them(fen: str, free_men: str) -> None:
    compare_arrangements(chess.Board(fen), free_men)


@pytest.mark.parametrize(
    ("fen", "free_men", "chess960"),
    [
        ("r3k2r/8/8/pppppppp/PPPPPPPP/8/8/R3K2R w KQkq - 0 1", "a1 e1 h8", False),
        ("r3k2r/8/8/pppppppp/PPPPPPPP/8/8/R3K2R w KQkq - 0 1", "e1 e8", False),
        ("5k2/8/8/pppppppp/PPPPPPPP/8/8/R2KR3 w EA - 0 1", "a1 d1 f8", True),
    ],
)
def test_moves_of_king_and_rook_lose_the_right(fen: str, free_men: str, chess960: bool) -> None:
    """Games of quiet moves come to arrangements with the rights that python-chess has left, and no others to castle."""
    first = chess.Board(fen, chess960=chess960)
    graph = Graph(first, [chess.parse_square(name) for name in free_men.split()])
    chance, castles, lost = random.Random(fen), 0, set()
    for _ in range(30):
        board, place = first.copy(stack=False), list(graph.start)
        for _ in range(12):
            turn = graph.turns[not board.turn]
            assert graph.board_at(place, board.turn).fen().split()[:3] == board.fen().split()[:3]
            others = {move for move in board.legal_moves if board.is_zeroing(move) or board.is_castling(move)}
            others |= {move for move in board.legal_moves if move.from_square in graph.still}
            assert bool(others) <= turn.exits[tuple(place)], board.fen()
            castles += any(map(board.is_castling, board.legal_moves))
            lost.add(board.castling_rights)
            if not (within := sorted(set(board.legal_moves) - others, key=str)):
                break
            move = chance.choice(within)
            free = next(free for free, _ in turn.moves if free.squares[place[free.axis]] == move.from_square)
            place[free.axis] = free.squares.index(move.to_square)
            place[0] = int(np.arange(len(graph.rights))[free.after][place[0]])
            board.push(move)
    assert castles > 0
    assert lost <= {int(rights) for rights in graph.rights}
    assert len(lost) > 1


def test_a_man_has_the_squares_that_it_can_come_to() -> None:
    board = chess.Board("8/k7/3p4/p2P1p2/P2P1P2/8/8/K7 w - - 0 1")
    graph = Graph(board, [chess.A1])
    assert {chess.A5, chess.C5, chess.E5, chess.E4, chess.G4, chess.D5}.isdisjoint(graph.free_men[0].squares)
    assert chess.G8 in graph.free_men[0].squares  # past the pawns, while the other king stands still on a7
    assert size_of(board, [chess.A1]) == len(graph.free_men[0].squares)
