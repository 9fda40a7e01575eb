"""A relative outcome and its distance in one integer, so that one comparison weighs both.

The side to move always prefers the larger outcome. What it prefers among equal outcomes depends on who
has to make progress: *hasty* keys rank the shorter distance higher, *patient* ones the longer. Finished
tables hold patient keys.
"""

from typing import Final

import numpy as np

from tbgen.jit import inlined

LONGEST: Final = 4095
"""The longest distance that fits a staircase step; 196 plies is the longest seen with four men."""
NEVER: Final = np.int32(-(2**31))
"""The hasty key below all others: the record stands, and the side to move cannot change that."""
ALWAYS: Final = np.int32(2**31 - 1)
"""The patient key above all others: the record stands, to the good of the side to move."""


@inlined
def hasty(outcome, distance):
    return np.int32((outcome << 16) | (0xFFFF - distance))


@inlined
def patient(outcome, distance):
    return np.int32((outcome << 16) | distance)


@inlined
def outcome_of(key):
    return np.int64(key) >> 16


@inlined
def haste(key):
    """The distance in a hasty key."""
    return 0xFFFF - (np.int64(key) & 0xFFFF)


@inlined
def patience(key):
    """The distance in a patient key."""
    return np.int64(key) & 0xFFFF
