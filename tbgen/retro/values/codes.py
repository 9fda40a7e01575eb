"""Code tables: codes of 16 bits for values of 32 bits.

A slice has millions of positions, but only thousands of different keys or payoffs. A hash table that all threads add
to stores each value once; the value's code is its slot. Codes depend on the order of insertion, so they never leave
the solver.
"""

from typing import Final

import numpy as np
from numpy.typing import NDArray

from tbgen.compiler.intrinsics import compare_exchange
from tbgen.compiler.jit import inlined, kernel

NONE: Final = np.uint16(0)
"""The code of the value 0: an illegal position, or no resets."""
STANDS: Final = np.uint16(1)
"""A code that stands for no value: the record stands."""
_MOST: Final = 1 << 16
_LEAST: Final = 1 << 10
_ROOM: Final = -1
_FULL: Final = -2
"""In `table[STANDS]`: whether some value found no free slot."""


def make_code_table(nodes: int) -> NDArray[np.int32]:
    """`[code]`: an empty table, with slots in proportion to `nodes` up to one per code."""
    table = np.zeros(min(_MOST, max(_LEAST, 4 << nodes.bit_length())), np.int32)
    table[STANDS] = _ROOM
    return table


def capacity(table: NDArray[np.int32]) -> int:
    """Return how many values other than 0 can have codes."""
    return len(table) - 2


@inlined
def is_full(table):
    """Whether some value got no code."""
    return table[STANDS] == _FULL


@inlined
def code_of(table, value):
    """The code of a value, which is added if it has none."""
    if value == 0:
        return NONE
    slot = _slot(table, value)
    if table[slot] == value:
        return np.uint16(slot)
    return _find(table, value)


@inlined
def known_code(table, value):
    """The same, but NONE if it has not been added."""
    slot = _slot(table, value)
    for _ in range(len(table)):
        if slot > STANDS:
            if table[slot] == 0:
                break
            if table[slot] == value:
                return np.uint16(slot)
        slot = (slot + 1) & (len(table) - 1)
    return NONE


@inlined
def _slot(table, value):
    mixed = np.uint32(value) * np.uint32(0x9E3779B1)
    return np.int64((mixed ^ (mixed >> np.uint32(15))) & np.uint32(len(table) - 1))


@kernel
def _find(table, value):
    value = np.int32(value)
    slot = _slot(table, value)
    for _ in range(len(table)):
        if slot > STANDS:
            found = table[slot]
            if found == 0:
                found = compare_exchange(table, slot, np.int32(0), value)
                if found == 0:
                    return np.uint16(slot)
            if found == value:
                return np.uint16(slot)
        slot = (slot + 1) & (len(table) - 1)
    table[STANDS] = _FULL
    return NONE
