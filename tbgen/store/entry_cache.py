"""Entries of finished tables, kept in memory while others are built that need them."""

from collections import OrderedDict
from collections.abc import Callable
from functools import partial
from pathlib import Path
from typing import Final, NamedTuple

import numpy as np
from numpy.typing import NDArray

from tbgen.core.material import Material
from tbgen.core.table_rules import TableRules
from tbgen.errors import CorruptTable, MissingTable, TbgenError
from tbgen.memory.disk_arrays import DiskArrays
from tbgen.store import TableFile, open_table, table_path
from tbgen.system.thresholds import LARGE

ROOM: Final = 4 << 30
"""Bytes of large tables that are kept, on disk."""
_SMALL_ROOM: Final = 128 << 20
"""Bytes of small tables that are kept, in memory if that has room. Reading one again takes a moment."""


class _Held(NamedTuple):
    entries: NDArray[np.int32]
    sha256: str


class EntryCache:
    """The most recently used tables of a directory: at most `ROOM` bytes, but always those that one call asks for."""

    def __init__(
        self,
        directory: Path,
        rules: TableRules,
        disk_arrays: DiskArrays,
        find: Callable[[Path, Material, TableRules], Path] = table_path,
        *,
        threads: int = 1,
    ) -> None:
        """`find` says which file to read: `find_table` if the package's own tables may stand in. `threads`: how many
        decode while a table is read."""
        self._find = find
        self._directory = directory
        self._rules = rules
        self._disk_arrays = disk_arrays
        self._threads = threads
        self._held: OrderedDict[Material, _Held] = OrderedDict()

    def put(self, material: Material, entries: NDArray[np.int32], sha256: str) -> None:
        """`sha256`: of the table's file, as its head says it."""
        self._held[material] = _Held(entries, sha256)
        self._held.move_to_end(material)

    def sha256_of(self, material: Material) -> str:
        """The digest of the file from which `take` read these entries; another may have its name by now."""
        return self._held[material].sha256

    def take(
        self,
        materials: list[Material],
        report: Callable[[Material, int], None] = lambda material, numbers: None,
        lost: Callable[[Material, TbgenError], None] | None = None,
    ) -> dict[Material, NDArray[np.int32]]:
        """The entries of these tables, read from the directory if they are not in the cache. `report` is called with
        the numbers that have been read, `lost` with each table that is missing or damaged, which is left out. Without
        `lost`, such a table is an error."""
        found = {}
        for material in materials:
            if material not in self._held:
                try:
                    self.put(material, *self._read(material, report))
                except (MissingTable, CorruptTable) as error:
                    if lost is None:
                        raise
                    lost(material, error)
                    continue
            self._held.move_to_end(material)
            found[material] = self._held[material].entries
        self._shed(keep=len(found))
        return found

    def __contains__(self, material: Material) -> bool:
        return material in self._held

    def open(self, material: Material) -> TableFile:
        """The table of the directory."""
        return open_table(self._find(self._directory, material, self._rules), threads=self._threads, material=material)

    def _read(self, material: Material, report: Callable[[Material, int], None]) -> _Held:
        with self.open(material) as table:
            entries = table.entries(make=self._disk_arrays.array, report=partial(report, material))
            return _Held(entries, table.sha256)

    def _shed(self, keep: int) -> None:
        """Drop the tables that were used longest ago, but not the last `keep`."""
        old = list(self._held)[: len(self._held) - keep]
        for large, room in ((True, ROOM), (False, min(ROOM, _SMALL_ROOM))):
            sizes = {m: one.entries.nbytes for m, one in self._held.items() if (one.entries.nbytes >= LARGE) == large}
            used = sum(sizes.values())
            for material in old:
                if used > room and material in sizes:
                    used -= sizes[material]
                    del self._held[material]
