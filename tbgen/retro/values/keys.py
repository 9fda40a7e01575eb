"""Keys: a relative outcome and its distance packed into one integer, so that one comparison orders both.

The side to move prefers the larger outcome. Among equal outcomes, the side that has to make progress prefers the
shorter distance, its opponent the longer: *hasty* keys rank the shorter distance higher, *patient* keys the longer.
Tables hold patient keys; hasty keys serve comparisons only.
"""

from typing import Final

import numpy as np

from tbgen.compiler.jit import inlined
from tbgen.core.outcome import BASE
from tbgen.core.table_contents import DISTANCE_MASK, OUTCOME_SHIFT

LONGEST: Final = 4095
"""The longest distance that a staircase step can hold; with five men, 553 plies is the longest."""
NEVER: Final = np.int32(-(2**31))
"""A hasty key below all others: no move leads away from the record."""


@inlined
def hasty(outcome, distance):
    return np.int32((outcome << OUTCOME_SHIFT) | (DISTANCE_MASK - distance))


@inlined
def patient(outcome, distance):
    return np.int32((outcome << OUTCOME_SHIFT) | distance)


@inlined
def outcome_of(key):
    return np.int64(key) >> OUTCOME_SHIFT


@inlined
def level_of(outcome):
    """`outcome.level` for kernels."""
    return BASE - abs(outcome)


@inlined
def patience(key):
    """The distance in a patient key."""
    return np.int64(key) & DISTANCE_MASK


@inlined
def turned(key):
    """The hasty key for a patient one, and vice versa."""
    return np.int32(key ^ DISTANCE_MASK)


@inlined
def passed_on(key):
    """The patient key of a move to a position with this key: one ply more, seen from the other side."""
    return patient(-outcome_of(key), patience(key) + 1)
