"""Words of 32 bits in 16: a slice has millions of positions, and thousands of different outcomes with distances.

A word is kept once, in a hash table that all threads add to; its code is its slot there. Codes depend on the
order of arrival, so they never leave the solver.
"""

from typing import Final

import numpy as np
from numpy.typing import NDArray

from tbgen.intrinsics import replace
from tbgen.jit import inlined, kernel

NONE: Final = np.uint16(0)
"""The code of the word 0: no legal position, no resets."""
STANDS: Final = np.uint16(1)
"""A code for no word: the record stands."""
CODES: Final = 0xFFFF
"""All bits that a code can have."""
_MOST: Final = CODES + 1
_LEAST: Final = 1 << 10
_ROOM: Final = -1
_FULL: Final = -2
"""At `words[STANDS]`: whether a word found no room."""


def make_words(nodes: int) -> NDArray[np.int32]:
    """`[code]`: as many words as so many positions could need, up to what codes have room for."""
    words = np.zeros(min(_MOST, max(_LEAST, 4 << nodes.bit_length())), np.int32)
    words[STANDS] = _ROOM
    return words


def is_full(words: NDArray[np.int32]) -> bool:
    return bool(words[STANDS] == _FULL)


@inlined
def code_of(words, word):
    """The code of a word, which is given one if it has none."""
    if word == 0:
        return NONE
    slot = _slot(words, word)
    if words[slot] == word:
        return np.uint16(slot)
    return _find(words, word)


@inlined
def _slot(words, word):
    mixed = np.uint32(word) * np.uint32(0x9E3779B1)
    return np.int64((mixed ^ (mixed >> np.uint32(15))) & np.uint32(len(words) - 1))


@kernel
def _find(words, word):
    word = np.int32(word)
    slot = _slot(words, word)
    for _ in range(len(words)):
        if slot > STANDS:
            found = words[slot]
            if found == 0:
                found = replace(words, slot, np.int32(0), word)
                if found == 0:
                    return np.uint16(slot)
            if found == word:
                return np.uint16(slot)
        slot = (slot + 1) & (len(words) - 1)
    words[STANDS] = _FULL
    return NONE
