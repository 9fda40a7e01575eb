"""Like men of one side as one number: combinations of squares, so that no placement is numbered twice."""

from functools import cache
from typing import Final, NamedTuple

import numpy as np
from numpy.typing import NDArray

GROUP_SIZES: Final = (1, 64, 64 * 63 // 2, 64 * 63 * 62 // 6, 64 * 63 * 62 * 61 // 24)
"""`[count]`: how many placements a group of `count` like men has."""

MOST_ALIKE: Final = 3
"""Larger groups are counted, but no position of them is numbered."""


class Choices(NamedTuple):
    """Binomials: a group on squares a < b < c ... has the number C(a, 1) + C(b, 2) + C(c, 3) ..."""

    choose: NDArray[np.int64]
    """`[nth man * 64 + square]`: C(square, nth + 1)."""
    squares: tuple[NDArray[np.int8], ...]
    """`[count][number * count + nth]`: the way back."""


@cache
def choices(largest: int = MOST_ALIKE) -> Choices:
    choose = np.zeros((5, 64), np.int64)
    choose[0] = np.arange(64)
    for nth in range(1, 5):
        choose[nth, 1:] = np.cumsum(choose[nth - 1])[:-1]
    squares = [np.zeros(0, np.int8)]
    for count in range(1, largest + 1):
        rows = np.indices((64,) * count, np.int8).reshape(count, -1)[::-1]
        rising = rows[:, (np.diff(rows, axis=0) > 0).all(axis=0)]
        number = sum(choose[nth][rising[nth]] for nth in range(count))
        back = np.empty((rising.shape[1], count), np.int8)
        back[number] = rising.T
        squares.append(back.reshape(-1))
    return Choices(choose.reshape(-1), tuple(squares))
