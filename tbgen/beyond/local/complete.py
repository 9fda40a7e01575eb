"""Complete tables that captures and promotions lead to: few slices of a large one may be needed."""

from collections.abc import Callable, Set
from itertools import pairwise
from pathlib import Path

import numpy as np
from numpy.typing import NDArray

from tbgen.beyond.local.choose import Tables
from tbgen.beyond.local.walks import Pawns, folded, swapped
from tbgen.core.material import Material
from tbgen.core.table_rules import TableRules
from tbgen.index import Layout, layout_of
from tbgen.index.exits import Reached
from tbgen.index.pawns import SLICE_SHIFT
from tbgen.memory.arrays import Make
from tbgen.store import find_table, open_table


class CompleteTables:
    """The complete tables of a directory, read as far as they are asked. What was asked last stays."""

    def __init__(self, directory: Path, make: Make, *, threads: int = 1) -> None:
        """`make` makes arrays; `threads`: how many decode while a table is read."""
        self._directory = directory
        self._make = make
        self._threads = threads
        self._held: dict[Material, tuple[Layout, NDArray[np.int32]]] = {}
        self._sums: dict[Material, str] = {}

    def sha256_of(self, material: Material) -> str:
        """The digest of the file from which a table was taken; another may have its name by now."""
        return self._sums[material]

    def take(self, asked: Tables, report: Callable[[int], None] = lambda numbers: None) -> dict[Material, Reached]:
        """The tables that are asked, with these slices, by normal material. `report` is called with the numbers
        that have been read."""
        found = {}
        for material, slices in as_stored(asked).items():
            layout = excerpt_of(material, slices)
            held = self._held.get(material)
            if held is None or held[0] != layout:
                held = self._held[material] = layout, self._read(layout, held, report)
            found[material] = Reached(*held)
        return found

    def _read(
        self, layout: Layout, held: tuple[Layout, NDArray[np.int32]] | None, report: Callable[[int], None]
    ) -> NDArray[np.int32]:
        """Slices that are not held already are read.

        One entry more lies before the others. It says that there is no position: a kernel that asked for a slice that
        is not here would find it, and refuse it."""
        found: NDArray[np.int32] = self._make(1 + layout.size, np.int32)[1:]
        there = {} if held is None else _by_slice(*held)
        path = find_table(self._directory, layout.material, TableRules.RESET)
        with open_table(path, threads=self._threads) as table:
            start, self._sums[layout.material] = table.layout.start, table.sha256
            for number, entries in _by_slice(layout, found).items():
                known = there.get(number)
                if known is None:
                    known = table.entries(int(start[number]), int(start[number + 1]), report=report)
                entries[:] = known
        return found


def as_stored(asked: Tables) -> Tables:
    """The stronger side first, as complete tables have it."""
    found: dict[Material, Set[Pawns] | None] = {}
    for material, slices in asked.items():
        known = found.get(material.normal, frozenset())
        if slices is None or known is None:
            found[material.normal] = None
        elif material.is_normal:
            found[material.normal] = known | slices
        else:
            found[material.normal] = known | {folded(swapped(pawns)) for pawns in slices}
    return found


def excerpt_of(material: Material, slices: Set[Pawns] | None) -> Layout:
    """The layout of a complete table's slices that are these, or their images."""
    every = layout_of(material)
    if slices is None or not material.pawns:
        return every
    found = [every.pawns.find(white + black) for white, black in slices]
    assert min(found) >= 0, "pawns that stand elsewhere make no slice"
    return Layout(material, excerpt=tuple(sorted({one >> SLICE_SHIFT for one in found})))


def _by_slice(layout: Layout, entries: NDArray[np.int32]) -> dict[int, NDArray[np.int32]]:
    """The entries of each slice, as the complete table numbers them."""
    start = layout.start.tolist()
    numbers = range(layout.slices) if layout.excerpt is None else layout.excerpt
    return {number: entries[first:last] for number, (first, last) in zip(numbers, pairwise(start), strict=True)}
