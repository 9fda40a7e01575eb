"""The order of positions within a chunk: the bits of their numbers, rearranged.

A chunk compresses best if neighbours are alike. Which man should move fastest from place to place differs between
materials, so the writer tries a few orders and the file names the one it has. An order is a list of steps, one for
each bit of the place within the chunk, lowest bit first. The position at a place has the number that is the exclusive
or of the steps whose bits are set in the place.
"""

from collections.abc import Sequence
from typing import Final

import numpy as np
from numpy.typing import NDArray

from tbgen.index import Layout

# Files and ranks of the last piece's square are F and R, those of the piece before it f and r; k is what remains.
# C and c are squares of one colour first: along diagonals, then across, and the other colour last.
_TWO: Final = ("FRfrk", "kfFRr", "fFRrk", "frFRk", "kfrFR", "kcC", "Cck", "cFRk", "FfRrk")
_ONE: Final = ("FRk", "FkR", "kC", "Ck", "kFR", "kRF")
_NONE: Final = ("k",)


_STEPS: Final = {"F": (1, 2, 4), "R": (8, 16, 32), "C": (9, 2, 4, 16, 32, 8)}
_MOST_BITS: Final = 16
"""Of a place."""


def _spelled(word: str, bits: int) -> list[int]:
    taken = 12 if set(word) & set("frc") else 6 if set(word) & set("FRC") else 0
    steps: list[int] = []
    for letter in word:
        if letter == "k":
            steps += [1 << bit for bit in range(taken, bits)]
        else:
            steps += [step << (0 if letter.isupper() else 6) for step in _STEPS[letter.upper()]]
    return steps


def candidates(layout: Layout, width: int) -> list[list[int]]:
    """Orders worth trying for chunks of `width` positions."""
    single = 0
    for group in reversed(layout.groups):
        if group.count > 1:
            break
        single += 1
    bits = width.bit_length() - 1
    words = _TWO if single >= 2 and bits >= 12 else _ONE if single and bits >= 6 else _NONE
    return [_spelled(word, bits) for word in words]


def numbers_of(steps: Sequence[int]) -> NDArray[np.int64]:
    """`[place]`: the number within the chunk of the position that is stored there."""
    numbers = np.zeros(1, np.int64)
    for step in steps:
        numbers = np.concatenate((numbers, numbers ^ step))
    return numbers


def read_order(steps: Sequence[int]) -> NDArray[np.int64]:
    """The same for steps that a file claims. ValueError unless each number is there once."""
    if len(steps) > _MOST_BITS or not all(0 <= step < 1 << len(steps) for step in steps):
        raise ValueError("its order of places is none")
    numbers = numbers_of(steps)
    if not np.array_equal(np.sort(numbers), np.arange(len(numbers))):
        raise ValueError("its order of places is none")
    return numbers
