"""Staircases of decoded positions, by numpy: the twin of the machine code."""

import numpy as np
from numpy.typing import NDArray

from tbgen.core.packed_steps import pack_steps
from tbgen.store.read.decode import Spelled
from tbgen.store.read.positions import Positions


def staircases_of(positions: Positions, places: NDArray[np.int64]) -> Spelled:
    shapes, known = positions.shapes[places], positions.shape_table.steps
    length = known.forms.steps[shapes]
    ends = np.cumsum(length, dtype=np.int64)
    begin = known.start[shapes] - (ends - length)
    at = np.repeat(begin, length) + np.arange(int(ends[-1]) if len(ends) else 0)
    forms, column, of_step = known.forms, known.column[at], np.repeat(places, length)
    odd = np.where(column == 0, positions.shape_table.base[positions.shapes[of_step]] & 1, known.odd[at])
    distance = 2 * positions.halves()[column, of_step].astype(np.int64) + odd
    steps = pack_steps(forms.holder[at], forms.level[at], forms.outcome[at], distance)
    return Spelled(length.astype(np.uint16), steps)
