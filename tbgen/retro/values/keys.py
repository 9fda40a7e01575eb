"""A relative outcome and its distance in one integer, so that one comparison weighs both.

The side to move always prefers the larger outcome. What it prefers among equal outcomes depends on who
has to make progress: *hasty* keys rank the shorter distance higher, *patient* ones the longer. Tables hold
patient keys; hasty ones are made for comparisons only.
"""

from typing import Final

import numpy as np

from tbgen.contents import DISTANCE_MASK, OUTCOME_SHIFT
from tbgen.jit import inlined

LONGEST: Final = 4095
"""The longest distance that fits a staircase step; 250 plies is the longest seen with five men."""
NEVER: Final = np.int32(-(2**31))
"""The hasty key below all others: nothing leads away from the record."""


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
def patience(key):
    """The distance in a patient key."""
    return np.int64(key) & DISTANCE_MASK


@inlined
def turned(key):
    """A patient key in haste, or the other way round."""
    return np.int32(key ^ DISTANCE_MASK)


@inlined
def passed_on(key):
    """The patient key one ply earlier, for the other side."""
    return patient(-outcome_of(key), patience(key) + 1)
