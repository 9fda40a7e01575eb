"""Compiling the reader of whole chunks before it is needed (see retro/precompile.py)."""

from collections.abc import Callable
from itertools import product
from typing import Final

import numpy as np

from tbgen.store.format.shapes import Shapes, ShapeTable
from tbgen.store.read.kernels import gather, spread


def _read() -> None:
    """With few and many shapes, and distances of one byte and of two."""
    having = np.ones(1, np.bool_)
    bytes_, outcome = np.zeros(1, np.uint8), np.zeros(1, np.int16)
    nothing = np.zeros(0, np.uint8)
    shape_table = ShapeTable(Shapes(outcome, bytes_, bytes_, nothing, nothing, np.zeros(0, np.int16), nothing))
    few = np.frombuffer(bytes(1), np.uint8)  # as they are in a chunk that has few shapes
    for shapes, kind in product((few, *(np.zeros(1, kind) for kind in ("u2", "u4"))), (np.uint8, np.uint16)):
        row, places = np.zeros(1, kind), np.zeros(1, np.int64)
        spread(shapes, having, bytes(2), 0, row)
        gather(shapes, row, places, shape_table, np.zeros(1, np.int32), np.zeros(1, np.bool_))


PARTS: Final[dict[str, Callable[[], None]]] = {"read": _read}
