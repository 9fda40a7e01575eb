"""Staircases of decoded positions, by numpy: the twin of the machine code."""

import numpy as np
from numpy.typing import NDArray

from tbgen.store.read.positions import STEP, Positions, Staircases


def staircases_of(positions: Positions, places: NDArray[np.int64]) -> Staircases:
    shapes, known = positions.shapes[places], positions.shape_table.shapes
    length = known.steps[shapes]
    ends = np.cumsum(length, dtype=np.int64)
    steps = np.empty(int(ends[-1]) if len(ends) else 0, STEP)
    at = np.repeat(positions.shape_table.start[shapes] - (ends - length), length) + np.arange(len(steps))
    steps["holder"], steps["level"], steps["outcome"] = known.holder[at], known.level[at], known.step_outcome[at]
    column, odd = (of_all[at] for of_all in positions.shape_table.distances)
    steps["distance"] = 2 * positions.halves()[column, np.repeat(places, length)].astype(np.int64) + odd
    return Staircases(length, steps)
