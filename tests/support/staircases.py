"""Staircases of decoded positions, by numpy: the twin of the machine code."""

import numpy as np
from numpy.typing import NDArray

from tbgen.store.read.positions import STEP, Positions, Staircases


def staircases_of(positions: Positions, places: NDArray[np.int64]) -> Staircases:
    shapes, known = positions.shapes[places], positions.shape_table.steps
    length = known.forms.steps[shapes]
    ends = np.cumsum(length, dtype=np.int64)
    steps = np.empty(int(ends[-1]) if len(ends) else 0, STEP)
    at = np.repeat(known.start[shapes] - (ends - length), length) + np.arange(len(steps))
    forms, column, of_step = known.forms, known.column[at], np.repeat(places, length)
    steps["holder"], steps["level"], steps["outcome"] = forms.holder[at], forms.level[at], forms.outcome[at]
    odd = np.where(column == 0, positions.shape_table.base[positions.shapes[of_step]] & 1, known.odd[at])
    steps["distance"] = 2 * positions.halves()[column, of_step].astype(np.int64) + odd
    return Staircases(length, steps)
