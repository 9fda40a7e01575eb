"""Which slices promotions lead to, against python-chess."""

from collections import defaultdict
from collections.abc import Iterator
from itertools import product

import chess
import numpy as np
import pytest

from tbgen.core.material import Material, parse
from tbgen.index import layout_of
from tbgen.index.promotions import promoted_to
from tbgen.probe.numbering import make_numbering, material_of, number_of, signature
from tests.support.boards import random_boards

Slices = dict[Material, set[int]]
PAWNS = ("Pa7", "Pd7 pe5", "Pa7 pa2", "Pa7 ph2", "Pe7 Pd7", "Pb7 Ph3 pc2", "Pe2 pd4 pa2", "Pd6")


def slice_of(board: chess.Board) -> tuple[Material, int]:
    material = material_of(board).normal
    number = number_of(make_numbering(signature(board)), board)
    return material, int(np.searchsorted(layout_of(material).start, number, "right")) - 1


def seen_from(board: chess.Board) -> Slices:
    """Those that its promotions without a capture lead to, and those of replies where one may be en passant."""
    found: Slices = defaultdict(set)
    for move in board.legal_moves:
        captures = board.is_capture(move)
        board.push(move)
        if move.promotion and not captures:
            material, there = slice_of(board)
            found[material].add(there)
        elif board.has_legal_en_passant():
            for material, others in seen_from(board).items():
                found[material] |= others
        board.pop()
    return found


@pytest.mark.parametrize("name", ["KPvK", "KPvKP", "KPPvK", "KPPvKP", "KRPvKP", "KPvKR", "KPPvKPP"])
def test_each_that_a_move_leads_to(name: str) -> None:
    material, promotes = parse(name), 0
    for board in random_boards(material, 300, seed=1):
        own, slice_ = slice_of(board)
        known = promoted_to(layout_of(own), slice_)
        for other, there in seen_from(board).items():
            assert there <= known[other], board.fen()
            promotes += 1
    assert promotes > 20


@pytest.mark.parametrize("pawns", PAWNS)
def test_and_no_other(pawns: str) -> None:
    """With kings here and there. After e4 Black may promote with White's pawn on e4 as well as on e2."""
    known: Slices = {}
    found: Slices = defaultdict(set)
    for board in with_kings(pawns):
        own, slice_ = slice_of(board)
        known = promoted_to(layout_of(own), slice_)
        for other, there in seen_from(board).items():
            found[other] |= there
    assert found == known
    assert bool(found) == (pawns != "Pd6")


def with_kings(pawns: str) -> Iterator[chess.Board]:
    for white, black, turn in product(range(0, 64, 3), range(1, 64, 3), chess.COLORS):
        board = chess.Board(None)
        for word in pawns.split():
            board.set_piece_at(chess.parse_square(word[1:]), chess.Piece.from_symbol(word[0]))
        if white != black and not board.occupied & (chess.BB_SQUARES[white] | chess.BB_SQUARES[black]):
            board.set_piece_at(white, chess.Piece.from_symbol("K"))
            board.set_piece_at(black, chess.Piece.from_symbol("k"))
            board.turn = turn
            if board.is_valid():
                yield board
