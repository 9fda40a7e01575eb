"""The arrays of a table while it is solved, and what remains of them when the solver is stopped."""

from typing import Any, NamedTuple, Protocol

import numpy as np
from numpy.typing import DTypeLike, NDArray

from tbgen.contents import Make, in_memory


class Counts(NamedTuple):
    """What solving slices took."""

    legal: int = 0
    attractions: int = 0
    looks: int = 0

    def plus(self, other: "Counts") -> "Counts":
        return Counts(*(a + b for a, b in zip(self, other, strict=True)))


class TableArrays(NamedTuple):
    """The arrays that hold a table while it is solved, zeroed before the first slice."""

    entries: NDArray[np.int32]
    """`[number]`: patient keys; 0 for illegal positions."""
    staircases: NDArray[np.int32]
    """`[number]`: the last link of each position's staircase; 0 where no record matters inside."""
    links: NDArray[np.int64]
    """See retro/values/staircase.py."""


class Checkpoint(Protocol):
    """Provides the arrays, and knows which slices are in them already."""

    def work(self, count: int, kind: DTypeLike, /) -> NDArray[Any]:
        """An array for a slice at work; those that are asked for first are in memory, as long as it has room."""

    def open(self, numbers: int, links: int) -> tuple[TableArrays, dict[int, Counts]]:
        """Arrays for a table with `links` links or more, and per slice that is in them what solving it took."""

    def solved(self, slice_: int, counts: Counts) -> None:
        """A slice is finished. Called by several threads."""


class InMemory:
    """The checkpoint that loses everything when the process ends."""

    def __init__(self, make: Make = in_memory, work: Make = in_memory) -> None:
        """`make` makes the arrays of the table, `work` those of a slice at work."""
        self._make = make
        self.work = work

    def open(self, numbers: int, links: int) -> tuple[TableArrays, dict[int, Counts]]:
        make = self._make
        return TableArrays(make(numbers, np.int32), make(numbers, np.int32), make(links, np.int64)), {}

    def solved(self, slice_: int, counts: Counts) -> None:
        pass
