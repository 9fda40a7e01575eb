"""Entries of finished tables, kept in memory while others are built that need them."""

from collections import OrderedDict
from pathlib import Path

import numpy as np
from numpy.typing import NDArray

from tbgen.build.scratch import Scratch
from tbgen.material import Material
from tbgen.store import open_table, table_path

_PIECE = 1 << 22
"""Numbers read at a time."""


class Shelf:
    """The most recently used tables of a directory, up to a number of bytes (and whatever is asked for at once)."""

    def __init__(self, directory: Path, rules: str, scratch: Scratch, room: int = 4 << 30) -> None:
        """`room` is on disk for the most part."""
        self._directory = directory
        self._rules = rules
        self._scratch = scratch
        self._room = room
        self._held: OrderedDict[Material, NDArray[np.int32]] = OrderedDict()

    def put(self, material: Material, entries: NDArray[np.int32]) -> None:
        self._held[material] = entries
        self._held.move_to_end(material)

    def take(self, materials: list[Material]) -> dict[Material, NDArray[np.int32]]:
        """The entries of these tables, read from the directory where they are not at hand."""
        found = {}
        for material in materials:
            if material not in self._held:
                self.put(material, self._read(material))
            self._held.move_to_end(material)
            found[material] = self._held[material]
        self._shed(keep=len(found))
        return found

    def _read(self, material: Material) -> NDArray[np.int32]:
        with open_table(table_path(self._directory, material, self._rules)) as table:
            entries = self._scratch.array(table.size, np.int32)
            for start in range(0, table.size, _PIECE):
                end = min(start + _PIECE, table.size)
                entries[start:end] = table.entries(start, end)
        return entries

    def _shed(self, keep: int) -> None:
        while len(self._held) > keep and sum(entries.nbytes for entries in self._held.values()) > self._room:
            self._held.popitem(last=False)
