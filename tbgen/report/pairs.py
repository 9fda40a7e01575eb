"""Men that never leave the colour of their squares: a side with several has them on both colours, or on one."""

from collections.abc import Callable

import numpy as np
from numpy.typing import NDArray

from tbgen.index.layout import Layout
from tbgen.index.positions import placed
from tbgen.rules.potential.pieces import pieces

Among = Callable[[int, int], NDArray[np.bool_]]
"""Which numbers of a range are counted."""


def one_colour(layout: Layout) -> Among | None:
    """Where a side that has several has all of them on squares of one colour; None without such a side."""
    bound = {letter for letter, piece in pieces(layout.material).items() if piece.colour_bound}
    for side in (0, 1):
        slots = [slot for slot, (owner, letter) in enumerate(layout.letters) if owner == side and letter in bound]
        if len(slots) > 1:
            return lambda start, stop: _alike(layout, slots, np.arange(start, stop))
    return None


def _alike(layout: Layout, slots: list[int], numbers: NDArray[np.int64]) -> NDArray[np.bool_]:
    squares = placed(layout, numbers).squares
    light = np.stack([(squares[slot] ^ squares[slot] >> 3) & 1 for slot in slots])
    alike: NDArray[np.bool_] = light.min(axis=0) == light.max(axis=0)
    return alike
