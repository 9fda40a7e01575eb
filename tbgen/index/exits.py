"""What solver and verifier are given: which positions a table has, and what its resets lead to."""

from collections.abc import Callable, Iterable, Mapping, Sequence
from typing import NamedTuple

import numpy as np
from numpy.typing import NDArray

from tbgen.core.material import Material
from tbgen.index.layout import Layout, layout_of


class Reached(NamedTuple):
    """A table that resets lead to, of all its slices or of some."""

    layout: Layout
    entries: NDArray[np.int32] | None
    """None: they are not there."""
    swapped: bool | None = None
    """Whether resets lead to it with colours swapped; None: either way."""


def _all_there(slices: Iterable[int]) -> None:
    pass


class Exits(NamedTuple):
    """The positions of a table, and the tables that its resets lead to."""

    layout: Layout
    reached: Sequence[Reached]
    unknown: tuple[int, int] = (0, 0)
    """By the side to move, the entry that stands for every position that no table has; 0 where all are known."""
    fetch: Callable[[Iterable[int]], None] = _all_there
    """Has the entries there that resets of these slices lead to; others may go."""


def exits_of(material: Material, successor_entries: Mapping[Material, NDArray[np.int32]]) -> Exits:
    """The exits of a complete table, given the entries of the tables that its resets lead to, where they are there."""
    return Exits(
        layout_of(material), [Reached(layout_of(one), successor_entries.get(one)) for one in material.successors()]
    )
