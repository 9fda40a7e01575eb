"""A slice to move in, and its numbers for boards of python-chess."""

from functools import cache
from typing import NamedTuple

import chess
import numpy as np
from numpy.typing import NDArray

from tbgen.board.attacks import attacked
from tbgen.board.moves import occupied_by
from tbgen.compiler.intrinsics import bits_set
from tbgen.compiler.jit import kernel
from tbgen.core.material import parse
from tbgen.index import Layout, layout_of
from tbgen.index.atlas import MEN, make_atlas
from tbgen.index.positions import fen
from tbgen.retro.graph.slice import SliceGraph, make_graph, set_up
from tests.support.boards import is_complete
from tests.support.numbering import locate_many


class Place(NamedTuple):
    """A slice to move in: its numbers count from 0."""

    layout: Layout
    graph: SliceGraph
    start: int
    size: int

    def squares_of(self, board: chess.Board) -> NDArray[np.int64]:
        """Slot by slot; White is the first side."""
        row, used = np.zeros(MEN, np.int64), set()
        for slot, (side, letter) in enumerate(self.layout.letters):
            piece = chess.Piece.from_symbol(letter if side == 0 else letter.lower())
            square = min(s for s, found in board.piece_map().items() if found == piece and s not in used)
            used.add(square)
            row[slot] = square
        return row

    def numbers_of(self, boards: list[chess.Board]) -> list[int]:
        """-1 and the like for positions outside of the slice."""
        rows = np.array([self.squares_of(board) for board in boards], np.int64).reshape(-1, MEN)
        movers, numbers = np.array([not board.turn for board in boards], np.int64), np.zeros(len(boards), np.int64)
        locate_many(self.graph.atlas, 0, rows, movers, numbers)
        return (numbers - self.start).tolist()

    def board(self, number: int) -> chess.Board | None:
        """None where the number stands for no legal position."""
        board = chess.Board(fen(self.layout, self.start + number))
        return board if is_complete(board, self.layout.material.men) else None


@cache
def place(name: str, slice_: int = 0) -> Place:
    layout = layout_of(parse(name))
    start, end = layout.start[slice_ : slice_ + 2].tolist()
    family, flip, half = (int(column[slice_]) for column in (layout.family, layout.flip, layout.half_size))
    tables = [layout_of(material) for material in (layout.material, *layout.material.successors())]
    graph = make_graph(make_atlas(tables), family, flip, half, layout.pawns.squares[slice_].tolist())
    return Place(layout, graph, start, end - start)


def slice_with(name: str, pawns: list[int]) -> Place:
    """The slice whose pawns stand on these squares, the first side's first."""
    code = sum(square << 6 * at for at, square in enumerate(pawns))
    return place(name, int(layout_of(parse(name)).pawns.slice_of[code]) >> 4)


@kernel
def is_position(graph, buffers, node):  # type: ignore[no-untyped-def]
    side, squares = set_up(graph, node, buffers.squares), buffers.squares
    men = graph.atlas.men[0]
    occupied = occupied_by(squares, men)  # fewer squares, if two of them share one
    return bits_set(occupied) == men and not attacked(graph, squares, side, squares[1 - side], occupied, -1)
