"""Which numbers of a table a slim or packed file keeps: those with one side to move, where both are stored."""

import numpy as np
from numpy.typing import NDArray

from tbgen.index import Layout

Numbers = NDArray[np.int64]


class Split:
    """The kept numbers, in rising order, have places from 0 on."""

    def __init__(self, layout: Layout, side: int) -> None:
        """`side`: the side to move whose positions are kept. Slices with a single side are kept whole."""
        self.side = side
        self.start: Numbers = layout.start
        both = layout.flip < 0
        self.length: Numbers = layout.half_size
        """`[slice]`: how many of its numbers are kept."""
        self._before: Numbers = np.where(both & (side == 1), self.length, 0)
        """`[slice]`: how many of its numbers come before those."""
        self.first: Numbers = np.append(0, np.cumsum(self.length))
        """`[slice]`: its first place."""
        self.both: NDArray[np.bool_] = both
        """`[slice]`: whether some of it is left out."""

    @property
    def kept(self) -> int:
        """How many numbers are kept."""
        return int(self.first[-1])

    def numbers(self, here: slice) -> Numbers:
        """The numbers at these places."""
        places = np.arange(here.start, here.stop)
        part = np.searchsorted(self.first, places, side="right") - 1
        numbers: Numbers = self.start[part] + self._before[part] + places - self.first[part]
        return numbers

    def places(self, numbers: Numbers) -> Numbers:
        """Where they are kept; -1 for those that are not."""
        part = np.searchsorted(self.start, numbers, side="right") - 1
        within = numbers - self.start[part] - self._before[part]
        return np.where((within >= 0) & (within < self.length[part]), self.first[part] + within, -1)

    def left_out(self, slice_: int) -> range:
        """The numbers of a slice that are not kept."""
        start, end, length = int(self.start[slice_]), int(self.start[slice_ + 1]), int(self.length[slice_])
        first = start if self._before[slice_] else start + length
        return range(first, min(first + length, end)) if self.both[slice_] else range(end, end)
