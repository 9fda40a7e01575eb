"""The arrays of a table while it is solved, and what remains of them when the solver is stopped."""

from collections.abc import Iterable
from typing import Any, NamedTuple, Protocol

import numpy as np
from numpy.typing import DTypeLike, NDArray

from tbgen.index import Layout
from tbgen.memory.arrays import IN_MEMORY, Arrays
from tbgen.retro.values.staircase import Links, make_links


class Counts(NamedTuple):
    """What solving slices took."""

    legal: int = 0
    attractions: int = 0
    looks: int = 0

    def plus(self, other: "Counts") -> "Counts":
        return Counts(*(a + b for a, b in zip(self, other, strict=True)))


class TableArrays(NamedTuple):
    """The arrays that hold a table while it is solved, zeroed before the first slice. The first two may have no room on
    disk yet."""

    entries: NDArray[np.int32]
    """`[number]`: patient keys; 0 for illegal positions."""
    staircases: NDArray[np.int32]
    """`[number]`: the last link of each position's staircase; 0 where no record matters inside."""
    links: Links


class Snapshot(NamedTuple):
    """What there is of a slice at work, beside the table's arrays and those that last (retro/snapshot.py)."""

    facts: dict[str, int]
    arrays: dict[str, NDArray[Any]]


class Kept(Protocol):
    """A snapshot that an earlier build has left."""

    facts: dict[str, int]
    lengths: dict[str, int]
    """Of its arrays."""

    def read(self, name: str, into: NDArray[Any], /) -> bool:
        """Read one of them. False if it is not what was written."""


class Checkpoint(Protocol):
    """Provides the arrays, and knows which slices are in them already."""

    @property
    def arrays(self) -> Arrays:
        """What makes its arrays."""

    def open(self, layout: Layout, links: int) -> tuple[TableArrays, dict[int, Counts]]:
        """Arrays for a table with room for so many links, and per slice that is in them what solving it took."""

    def turn_to(self, slices: Iterable[int], /) -> None:
        """These are solved next, and lead to finished ones."""

    def lasting(self, slice_: int, count: int, kind: DTypeLike, /) -> NDArray[Any]:
        """A slice's one array that is found again with its snapshot."""

    def begun(self, slice_: int) -> Kept | None:
        """What there is of a slice that a stopped build had at work."""

    def lost(self, slice_: int) -> None:
        """That is not what was written: the slice starts from nothing."""

    def wants(self, slice_: int) -> bool:
        """Whether a snapshot of this slice is to be kept now."""

    def keep(self, slice_: int, snapshot: Snapshot) -> None:
        """Keep it instead of the one before."""

    def solved(self, slice_: int, counts: Counts) -> None:
        """A slice is finished. Called by several threads."""

    def ends(self, count: int, /) -> NDArray[np.int32]:
        """For the last links of staircases, once all slices are finished and staircases get numbers in their place."""

    def renumbering(self, start: int, links: NDArray[np.int32], /) -> None:
        """All positions before this one have numbers; these are the next links that get theirs."""


class InMemory:
    """The checkpoint that loses everything when the process ends, wherever its arrays lie."""

    def __init__(self, arrays: Arrays = IN_MEMORY) -> None:
        self.arrays = arrays

    def open(self, layout: Layout, links: int) -> tuple[TableArrays, dict[int, Counts]]:
        entries, staircases = (self.arrays.later(layout.size, np.int32) for _ in range(2))
        return TableArrays(entries, staircases, make_links(links, shared=layout.slices > 1, arrays=self.arrays)), {}

    def turn_to(self, slices: Iterable[int], /) -> None:
        pass

    def lasting(self, slice_: int, count: int, kind: DTypeLike, /) -> NDArray[Any]:
        return self.arrays.work(count, kind)

    def begun(self, slice_: int) -> Kept | None:
        return None

    def lost(self, slice_: int) -> None:
        pass

    def wants(self, slice_: int) -> bool:
        return False

    def keep(self, slice_: int, snapshot: Snapshot) -> None:
        pass

    def solved(self, slice_: int, counts: Counts) -> None:
        pass

    def ends(self, count: int, /) -> NDArray[np.int32]:
        return self.arrays.finishing(count, np.int32)

    def renumbering(self, start: int, links: NDArray[np.int32], /) -> None:
        pass
