"""Sets of numbers in rising order, which may not fit into memory: hashes and keys of all forms of a table."""

from typing import Generic, TypeVar

import numpy as np
from numpy.typing import NDArray

from tbgen.memory.arrays import Make
from tbgen.store.write.aside import pieces

_Kind = TypeVar("_Kind", np.int64, np.uint64)


class Rising(Generic[_Kind]):
    """Such a set. At first 0 is in it."""

    def __init__(self, make: Make, kind: type[_Kind]) -> None:
        self._make = make
        self.values: NDArray[_Kind] = make(1, kind)

    def add(self, some: NDArray[_Kind]) -> NDArray[np.bool_]:
        """Add some, which are in rising order, each once. Returns which of them are new."""
        old = self.values
        before = np.searchsorted(old, some)  # so many are less
        is_new: NDArray[np.bool_] = old[np.minimum(before, len(old) - 1)] != some
        if not is_new.any():
            return is_new
        some, before = some[is_new], before[is_new]
        self.values = self._make(len(old) + len(some), old.dtype)
        for here in pieces(len(old)):
            first, last = np.searchsorted(before, (here.start, here.stop))
            self.values[here.start + first : here.stop + last] = np.insert(
                old[here], before[first:last] - here.start, some[first:last]
            )
        behind = np.searchsorted(before, len(old))
        self.values[len(old) + behind :] = some[behind:]
        return is_new
