"""Where a table lies while it is solved, and what remains of it when the solver is stopped."""

from typing import NamedTuple, Protocol

import numpy as np
from numpy.typing import NDArray


class Counts(NamedTuple):
    """What solving slices took."""

    legal: int = 0
    attractions: int = 0
    looks: int = 0

    def plus(self, other: "Counts") -> "Counts":
        return Counts(*(a + b for a, b in zip(self, other, strict=True)))


class Room(NamedTuple):
    """The arrays that hold a table while it is solved, zeroed before the first slice."""

    entries: NDArray[np.int32]
    """`[number]`: patient keys; 0 where there is no legal position."""
    staircases: NDArray[np.int32]
    """`[number]`: the last link of each position's staircase; 0 where no record matters inside."""
    links: NDArray[np.int64]
    """See retro/values/staircase.py."""


class Keeper(Protocol):
    """Who provides the room, and knows which slices are in it already."""

    def open(self, numbers: int, links: int) -> tuple[Room, dict[int, Counts]]:
        """Room for a table with so many links or more, and what solving the slices took that are in it."""

    def solved(self, part: int, counts: Counts) -> None:
        """A slice is finished. Called by several threads."""


class InMemory:
    """The keeper that keeps nothing when the process ends."""

    def open(self, numbers: int, links: int) -> tuple[Room, dict[int, Counts]]:
        return Room(np.zeros(numbers, np.int32), np.zeros(numbers, np.int32), np.zeros(links, np.int64)), {}

    def solved(self, part: int, counts: Counts) -> None:
        pass
