"""Complete tables that captures and promotions lead to: few slices of a large one may be needed."""

from collections.abc import Callable, Set
from itertools import pairwise
from pathlib import Path

import numpy as np
from numpy.typing import NDArray

from tbgen.contents import Make
from tbgen.index import Layout, layout_of
from tbgen.index.pawns import SLICE_SHIFT
from tbgen.material import Material
from tbgen.own.choice import Tables
from tbgen.own.walks import Placement
from tbgen.retro.solver import Part
from tbgen.store import find_table, open_table
from tbgen.table_rules import TableRules


class CompleteTables:
    """Those of a directory, read as far as they are asked. What was asked last stays."""

    def __init__(self, directory: Path, make: Make, *, threads: int = 1) -> None:
        """`make` makes arrays; `threads`: how many decode while a table is read."""
        self._directory = directory
        self._make = make
        self._threads = threads
        self._held: dict[Material, Part] = {}
        self._sums: dict[Material, str] = {}

    def sha256_of(self, material: Material) -> str:
        """Of the file from which a table was taken; another may have its name by now."""
        return self._sums[material]

    def take(self, asked: Tables, report: Callable[[int], None] = lambda numbers: None) -> dict[Material, Part]:
        """The tables that are asked, with these placements. `report` is called with the numbers that have been read."""
        for material, placements in asked.items():
            layout = excerpt_of(material, placements)
            held = self._held.get(material)
            if held is None or held.layout != layout:
                self._held[material] = self._read(layout, held, report)
        return {material: self._held[material] for material in asked}

    def _read(self, layout: Layout, held: Part | None, report: Callable[[int], None]) -> Part:
        """Slices that are not held already are read.

        One entry more lies before the others. It says that there is no position: a kernel that asked for a slice that
        is not here would find it, and refuse it."""
        part = Part(layout, self._make(1 + layout.size, np.int32)[1:])
        there = {} if held is None else _by_slice(held)
        path = find_table(self._directory, layout.material, TableRules.RESET)
        with open_table(path, threads=self._threads) as table:
            start, self._sums[layout.material] = table.layout.start, table.sha256
            for number, entries in _by_slice(part).items():
                known = there.get(number)
                if known is None:
                    known = table.entries(int(start[number]), int(start[number + 1]), report=report)
                entries[:] = known
        return part


def excerpt_of(material: Material, placements: Set[Placement] | None) -> Layout:
    """The layout of a complete table's slices that have these placements, or their images."""
    every = layout_of(material)
    if placements is None or not material.pawns:
        return every
    found = [every.placements.find(white + black) for white, black in placements]
    assert min(found) >= 0, "pawns that stand elsewhere make no placement"
    return Layout(material, excerpt=tuple(sorted({one >> SLICE_SHIFT for one in found})))


def _by_slice(part: Part) -> dict[int, NDArray[np.int32]]:
    """The entries of each slice, as the complete table numbers them."""
    start = part.layout.start.tolist()
    numbers = range(part.layout.slices) if part.layout.excerpt is None else part.layout.excerpt
    return {number: part.entries[first:last] for number, (first, last) in zip(numbers, pairwise(start), strict=True)}
