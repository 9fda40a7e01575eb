"""Numbering keys in the order in which they come, whole columns of them at a time."""

import os
from typing import Final

import numpy as np
from numpy.typing import NDArray

_LEAST: Final = 1 << 10
_MORE: Final = 4
"""The table grows by so much when half of its places are taken."""
NOBODY: Final = -1
_FACTOR: Final = np.uint64(int.from_bytes(os.urandom(8)) | 1)
"""Random, so that no file can be made whose keys all want the same place."""


class Keys:
    """Different keys, none negative, have different numbers: 0, 1, ... in the order in which they came."""

    def __init__(self) -> None:
        self._count = 0
        self._key = np.full(_LEAST, NOBODY, np.int64)
        """`[place]`: a key, or NOBODY."""
        self._number = np.zeros(_LEAST, np.int32)
        """`[place]`: the key's number."""

    def __len__(self) -> int:
        return self._count

    def number(self, keys: NDArray[np.int64]) -> tuple[NDArray[np.int32], NDArray[np.int64]]:
        """The number of each key, and where the new keys stand, each once and in the order of their numbers."""
        from tbgen.store.read import kernels  # late: a single look needs no compiler

        numbers, new = np.empty(len(keys), np.int32), np.empty(len(keys), np.int64)
        before, done = self._count, 0
        while True:
            done, self._count = kernels.number_keys(
                keys, done, _FACTOR, _shift(self._key), self._key, self._number, self._count, numbers,
                new[self._count - before :],
            )  # fmt: skip
            if done == len(keys):
                return numbers, new[: self._count - before]
            old = self._key, self._number
            self._key = np.full(_MORE * len(self._key), NOBODY, np.int64)
            self._number = np.zeros(len(self._key), np.int32)
            kernels.enter_keys(*old, _FACTOR, _shift(self._key), self._key, self._number)


def _shift(key: NDArray[np.int64]) -> np.uint64:
    """It leaves as many of 64 bits as number the places, a power of two."""
    return np.uint64(65 - len(key).bit_length())
