"""The levels of many positions at once, column by column: the same count as position.py's."""

import numpy as np

from tbgen.board.move_sets import Ints, Man, move_sets
from tbgen.probe.vector import PositionColumns


def levels(men: PositionColumns) -> Ints:
    """The level of each sound row."""
    found = np.empty(len(men.second_moves), np.int64)
    for side in (0, 1):
        rows = np.flatnonzero(men.second_moves == bool(side))
        columns = zip(men.layout.kinds, men.layout.letters, men.squares, strict=True)
        placed = [Man(kind, owner, squares[rows]) for kind, (owner, _), squares in columns]
        found[rows] = move_sets(placed, side, men.layout.material.fairy).level
    return found
