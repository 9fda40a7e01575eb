"""The numbers of positions that moves lead to are those that a probe finds."""

import chess
import numpy as np
import pytest
from numba import njit

from tbgen.board.moves import NOBODY, move_slot, move_target
from tbgen.core.material import parse
from tbgen.index.atlas import make_atlas
from tbgen.index.kernels import decode
from tbgen.index.layout import layout_of
from tbgen.index.positions import fen
from tbgen.probe.numbering import make_numbering, number_of, signature
from tbgen.verify.arrivals import make_arrivals, make_numbering_buffers, make_tables, number_quietly, staircase_at
from tbgen.verify.moves import list_all, make_board, make_moves


@njit
def _number_moves(board, atlas, pawns, slice_, number, moves, numbering):
    side = decode(atlas, 0, pawns, slice_, number, moves.squares)
    quiet, _, _, _ = list_all(board, moves, side, NOBODY)
    return quiet, number_quietly(atlas, moves, side, quiet, numbering)


@pytest.mark.parametrize("name", ["KRRvK", "KBNvKN", "KRRvKRR", "KNNNvK", "KQQQvKR", "KNNNNvK", "KRRvKP", "KPvKP"])
def test_quiet_moves_lead_to_the_number_that_a_probe_finds(name: str) -> None:
    layout, random = layout_of(parse(name)), np.random.default_rng(3)
    atlas, moves, numbering = make_atlas([layout]), make_moves(), make_numbering_buffers(layout)
    board, followed = make_board(atlas), 0
    while followed < 1000:
        number = int(random.integers(layout.size))
        slice_ = int(np.searchsorted(layout.start, number, "right")) - 1
        quiet, there = _number_moves(board, atlas, layout.pawns.squares, slice_, number, moves, numbering)
        for at in range(quiet):
            position, move = chess.Board(fen(layout, number)), int(moves.move[at])
            position.push(chess.Move(int(moves.squares[move_slot(move)]), move_target(move)))
            found = int(layout.start[there] + numbering.node[at])
            assert found == number_of(make_numbering(signature(position)), position), position.fen()
            followed += 1


@njit
def _staircase_at(tables, place):
    return staircase_at(tables, 0, place)


@pytest.mark.parametrize("before", [0, 1 << 30, 3 << 30])
def test_billions_of_staircases_are_numbered(before: int) -> None:
    """As many may lie before those of a unit. One that it does not have is not another unit's."""
    own = np.array([0, 5, 2**31 - 1, -1], np.int32)
    tables = make_tables(layout_of(parse("KNvK")), [], (0, 0))
    tables.staircases[0], tables.first_staircase[0] = own.ctypes.data, before
    found = [int(_staircase_at(tables, place)) for place in range(len(own))]
    assert found == [before, before + 5, before + 2**31 - 1, -1]
    assert make_arrivals().staircase.dtype == np.int64
