"""Like men of one side as one number: combinations of squares, so that no placement is numbered twice."""

from functools import cache
from math import comb
from typing import Final, NamedTuple

import numpy as np
from numpy.typing import NDArray

GROUP_SIZES: Final = (1, 64, 64 * 63 // 2, 64 * 63 * 62 // 6, 64 * 63 * 62 * 61 // 24)
"""`[count]`: how many placements a group of `count` like men has."""

MOST_ALIKE: Final = len(GROUP_SIZES) - 1
"""A side's pieces of one kind: as many as six men can have."""


class Choices(NamedTuple):
    """Binomials: a group on squares a < b < c ... has the number C(a, 1) + C(b, 2) + C(c, 3) ..."""

    choose: NDArray[np.int64]
    """`[nth man * 64 + square]`: C(square, nth + 1)."""
    squares: tuple[NDArray[np.int8], ...]
    """`[count][number * count + nth]`: the way back."""


@cache
def choices() -> Choices:
    choose = [[comb(square, nth + 1) for square in range(64)] for nth in range(MOST_ALIKE)]
    squares = [np.zeros((1, 0), np.int8)]
    for fewer in range(MOST_ALIKE):
        # below the highest square stand the first groups of one man fewer, in their order
        below = [squares[fewer][: comb(highest, fewer)] for highest in range(64)]
        highest = np.repeat(np.arange(64, dtype=np.int8), [len(rows) for rows in below])
        squares.append(np.column_stack([np.concatenate(below), highest]))
    return Choices(np.array(choose, np.int64).reshape(-1), tuple(rows.reshape(-1) for rows in squares))
