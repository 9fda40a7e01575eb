"""Builds of KPvK that stop on the way and leave a workspace."""

from collections.abc import Callable
from pathlib import Path

import pytest

from tbgen.core.material import Material, parse
from tbgen.core.table_rules import TableRules
from tbgen.generate import journal
from tbgen.generate.table import build_table
from tbgen.generate.watcher import Watcher
from tbgen.generate.workspace import Workspace
from tbgen.index import layout_of
from tbgen.memory.disk_arrays import DiskArrays
from tbgen.store import Stamp, file_digest, table_path
from tbgen.store.entry_cache import EntryCache
from tbgen.store.leftovers import workspace_of
from tbgen.system.thresholds import links_for

KPVK = parse("KPvK")


def fill(place: Path, small_tables: Path) -> None:
    """Put there what KPvK needs."""
    for name in ("KvK", "KQvK", "KRvK", "KBvK", "KNvK"):
        source = table_path(small_tables, parse(name), "r")
        (place / source.name).write_bytes(source.read_bytes())


class Enough(Exception):
    pass


class Listener(Watcher):
    """Remembers how many numbers were solved; stops the build once it was told so often."""

    def __init__(self, stop_after: int | None = None) -> None:
        self.told: list[int] = []
        self._stop_after = stop_after

    def found(self, material: Material, numbers: int) -> None:
        self.solved(material, numbers)

    def solved(self, material: Material, numbers: int) -> None:
        self.told.append(numbers)
        if len(self.told) == self._stop_after:
            raise Enough


def build(place: Path, stop_after: int | None = None, replaced: Stamp | None = None) -> list[int]:
    """Build KPvK, or some of its slices; returns what was told: first what was found, if anything."""
    listener = Listener(stop_after)
    disk_arrays = DiskArrays(place, 1 << 40)
    cache = EntryCache(place, TableRules.RESET, disk_arrays)
    build_table(KPVK, place, TableRules.RESET, cache, disk_arrays, threads=1, watcher=listener, replaced=replaced)
    return listener.told


def journal_of(place: Path) -> Path:
    return workspace_of(table_path(place, KPVK, "r")) / "journal"


def kept_in(place: Path) -> list[journal.Batch]:
    found = journal.read(journal_of(place).parent)
    return [*found[1]] if found else []


def slices_in(place: Path) -> list[int]:
    return [done.slice for batch in kept_in(place) for done in batch.slices]


def links_of(place: Path) -> Path:
    (found,) = journal_of(place).parent.glob("links.*")
    return found


def stop(place: Path, after: int, replaced: Stamp | None = None) -> None:
    with pytest.raises(Enough):
        build(place, after, replaced)


def go_on(place: Path, note: Callable[[str], None] = lambda line: None) -> list[int]:
    """The slices that a build of the same table, with the same dependencies, would not solve again."""
    needed = {m.name: file_digest(table_path(place, m, "r")) for m in KPVK.successors()}
    disk_arrays = DiskArrays(place, 1 << 40)
    workspace = Workspace(table_path(place, KPVK, "r"), layout_of(KPVK), TableRules.RESET, disk_arrays, needed, note)
    arrays, done = workspace.open(layout_of(KPVK), links_for(layout_of(KPVK).size))
    assert sum(counts.legal for counts in done.values()) > 0 or not done
    missing = [slice_ for slice_ in range(layout_of(KPVK).slices) if slice_ not in done]
    start = layout_of(KPVK).start
    assert not any(arrays.entries[start[slice_] : start[slice_ + 1]].any() for slice_ in missing)
    return sorted(done)
