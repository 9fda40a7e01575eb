"""Checking a table of a directory: the file byte for byte, then every position from its moves."""

from collections.abc import Callable
from dataclasses import dataclass
from functools import partial
from pathlib import Path
from typing import Final

from tbgen.core.material import Material
from tbgen.core.table_contents import Contents
from tbgen.core.table_rules import TableRules
from tbgen.errors import CorruptTable, MissingTable, TbgenError
from tbgen.index import Layout, layout_of
from tbgen.index.exits import Exits, Reached, exits_of
from tbgen.memory.disk_arrays import DiskArrays
from tbgen.store import TableFile, open_table, table_path
from tbgen.store.entry_cache import EntryCache
from tbgen.store.format.local import SolvedWith
from tbgen.store.local import LocalFile, local_file
from tbgen.verify.run import Verdict, verify
from tbgen.verify.units import KEPT_LONG, Memory

Report = Callable[[str, int, int], None]
"""Told what is at work, how many numbers it has, and how many more of them are done."""


_EACH: Final = 16
"""Bytes that a kept number takes, with its share of the steps: those of KRRvKRR."""


@dataclass(frozen=True)
class _File:
    """A table that is read into arrays on disk and reports how much of it has been read."""

    table: TableFile
    disk_arrays: DiskArrays
    read: Callable[[Material, int], None]

    @property
    def material(self) -> Material:
        return self.table.material

    @property
    def rules(self) -> TableRules:
        return self.table.rules

    def part(self, start: int, end: int) -> Contents:
        return self.table.part(start, end, self.disk_arrays.array, lambda numbers: self.read(self.material, numbers))


def on_disk(disk_arrays: DiskArrays) -> Memory:
    """In arrays on disk, up to half of what is free there."""
    kept = max(KEPT_LONG, disk_arrays.free() // 2 // _EACH)
    return Memory(disk_arrays.array, numbers=kept, room=disk_arrays.work_room())


def mapped_by(material: Material) -> int:
    """Bytes of address space, about, for the entries of all tables that its resets lead to and for its own slices."""
    own, *others = (layout_of(one).size for one in (material, *material.successors()))
    return 4 * sum(others) + 8 * min(own, KEPT_LONG)


def check_table(
    material: Material,
    directory: Path,
    rules: TableRules,
    entry_cache: EntryCache,
    disk_arrays: DiskArrays,
    *,
    threads: int,
    sample: int | None = None,
    seed: int = 0,
    read: Callable[[Material, int], None] = lambda material, numbers: None,
    report: Callable[[int], None] = lambda numbers: None,
    lost: Callable[[Material, TbgenError], None] | None = None,
) -> Verdict:
    """Check all positions of a table, or a sample. CorruptTable if the file has changed since it was written.

    `read` is called with the numbers that have been read of this table (some of them several times) and of others,
    `report` with the numbers that have been checked, and `lost` with each table that this one leads to and that cannot
    be read. Without `lost`, such a table is an error."""
    path = table_path(directory, material, rules)
    with open_table(path, threads=threads, material=material, make=disk_arrays.array) as table:
        table.check()
        exits = exits_of(material, entry_cache.take(material.successors(), read, lost))
        source = _File(table, disk_arrays, read)
        return verify(
            source, exits, threads=threads, sample=sample, seed=seed, report=report, memory=on_disk(disk_arrays)
        )  # fmt: skip


def check_local(
    one: LocalFile,
    directory: Path,
    entry_cache: EntryCache,
    disk_arrays: DiskArrays,
    *,
    threads: int,
    sample: int | None = None,
    seed: int = 0,
    report: Report = lambda what, total, numbers: None,
    lost: Callable[[Material, TbgenError], None],
) -> Verdict:
    """The same for a local table of the directory, given the tables that it was solved with."""
    with open_table(one.path, threads=threads, make=disk_arrays.array) as table:
        table.check()
        notes = table.local
        assert notes is not None, "its name says so"
        complete = entry_cache.take(list(notes.complete), partial(_whole_read, report), lost)
        reached = [Reached(layout_of(there), complete.get(there)) for there in notes.complete]
        reached += [_local(there, directory, disk_arrays, threads, report, lost) for there in notes.tables]
        exits = Exits(table.ordered_layout(), reached, notes.bound.unknown)
        source = _File(table, disk_arrays, lambda material, numbers: None)
        checked = partial(report, f"checking {table.material}", table.size)
        return verify(
            source, exits, threads=threads, sample=sample, seed=seed, report=checked, memory=on_disk(disk_arrays)
        )  # fmt: skip


def _whole_read(report: Report, material: Material, numbers: int) -> None:
    report(f"reading {material}", layout_of(material).size, numbers)


def _local(
    there: SolvedWith,
    directory: Path,
    disk_arrays: DiskArrays,
    threads: int,
    report: Report,
    lost: Callable[[Material, TbgenError], None],
) -> Reached:
    """A local table that another one was solved with."""
    material = there.name.material
    try:
        with open_table(local_file(directory, there.name).path, threads=threads) as table:
            read = partial(report, f"reading {material}", table.size)
            return Reached(table.ordered_layout(), table.entries(make=disk_arrays.array, report=read), there.swapped)
    except (MissingTable, CorruptTable) as error:
        lost(material, error)
        return Reached(Layout(material, ()), None, there.swapped)
