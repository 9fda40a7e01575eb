"""Numbering staircases, each kept once: a file stores them with each position, not in a list."""

import os
from typing import Final

import numpy as np
from numpy.typing import NDArray

from tbgen.core.packed_steps import LONGEST, unpack_steps
from tbgen.core.table_contents import Steps
from tbgen.memory.arrays import Make
from tbgen.store.read import kernels
from tbgen.system.parallel import pieces

_LEAST: Final = 1 << 12
"""Staircases, and steps, that there is room for at first."""
_FACTOR: Final = np.uint64(int.from_bytes(os.urandom(8)) | 1)
"""Random, so that no file can be made whose staircases all want the same slot."""


class Staircases:
    """Numbers staircases in the order in which they come. Staircase 0 has no steps."""

    def __init__(self, make: Make) -> None:
        self._make = make
        self.count = 1
        self._used = 0
        self._first: NDArray[np.int64] = make(_LEAST + 1, np.int64)
        self._step: NDArray[np.int64] = make(_LEAST, np.int64)
        self._slots: NDArray[np.int32] = make(kernels.SPARE * _LEAST, np.int32)

    @property
    def first(self) -> NDArray[np.int64]:
        """`[staircase]`: its first step; one more entry than staircases."""
        return self._first[: self.count + 1]

    @property
    def steps(self) -> NDArray[np.int64]:
        """The steps of all, one staircase after the other."""
        return self._step[: self._used]

    def number(self, lengths: NDArray[np.uint16], steps: NDArray[np.int64]) -> NDArray[np.int32]:
        """`[position]`: the number of its staircase, which has the next `lengths[position]` of these steps; 0 if it has
        none."""
        found = np.zeros(len(lengths), np.int32)
        done = 0
        while True:
            self._grow()
            at, self.count, self._used = kernels.number_staircases(
                lengths, steps, _FACTOR, self._first, self._step, self._slots, self.count, self._used, done, found
            )
            if at == len(lengths):
                return found
            steps = steps[int(lengths[done:at].sum(dtype=np.int64)) :]
            done = at

    def _grow(self) -> None:
        """Make room for as many again as there are, and for one at least."""
        if 2 * self.count >= len(self._first):
            self._first = self._larger(self._first, self.count + 1)
        if 2 * self._used + LONGEST > len(self._step):
            self._step = self._larger(self._step, self._used)
        if 2 * kernels.SPARE * self.count > len(self._slots):
            self._slots = self._make(2 * len(self._slots), np.int32)
            kernels.enter_staircases(_FACTOR, self._first, self._step, self._slots, self.count)

    def _larger(self, column: NDArray[np.int64], used: int) -> NDArray[np.int64]:
        grown = self._make(2 * len(column) + LONGEST, np.int64)
        grown[:used] = column[:used]
        return grown

    def finish(self) -> Steps:
        """All of them, as a table has them."""
        columns = [self._make(self._used, kind) for kind in (np.uint8, np.uint8, np.int16, np.uint16)]
        for here in pieces(self._used):
            for column, part in zip(columns, unpack_steps(self._step[here]), strict=True):
                column[here] = part
        return Steps(self.first, *columns)
