"""Compiling the reader of whole chunks before it is needed (see retro/precompile.py)."""

from collections.abc import Callable
from itertools import product
from typing import Final

import numpy as np
from numpy.typing import NDArray

from tbgen.store.format.shapes import ODD, Shapes, ShapeTable
from tbgen.store.read.kernels import gather, spread, staircases
from tbgen.store.read.positions import Positions


class _One(Positions):
    """One position, with a staircase of one step."""

    def __init__(self, shape_table: ShapeTable, shapes: NDArray[np.unsignedinteger]) -> None:
        self.shape_table = shape_table
        self.shapes = shapes
        self.entries = np.zeros(1, np.int32)
        self.table: NDArray[np.unsignedinteger]

    def halves(self) -> NDArray[np.unsignedinteger]:
        return self.table


def _read() -> None:
    """With few and many shapes, and distances of one byte and of two."""
    bytes_, outcomes = np.array([0, 1], np.uint8), np.array([0, 1], np.int16)
    step, outcome = np.zeros(1, np.uint8), np.ones(1, np.int16)
    shape_table = ShapeTable(Shapes(outcomes, bytes_, bytes_, step, step, outcome, step + np.uint8(ODD)))
    few = np.frombuffer(b"\1", np.uint8)  # as they are in a chunk that has few shapes
    for shapes, kind in product((few, *(np.ones(1, kind) for kind in ("u2", "u4"))), (np.uint8, np.uint16)):
        place, one = np.zeros(1, np.int64), _One(shape_table, shapes)
        one.table = np.zeros((2, 1), kind)
        spread(shapes, shape_table.held, bytes(4), 0, one.table)
        gather(shapes, one.table[0], place, shape_table, np.zeros(1, np.int32), np.zeros(1, np.bool_))
        staircases(one, place)


PARTS: Final[dict[str, Callable[[], None]]] = {"read": _read}
