"""Carrying out a plan, table after table."""

from collections.abc import Iterator
from contextlib import closing
from functools import partial
from typing import Protocol

from tbgen.generate.plan import Plan
from tbgen.generate.summary import Summary
from tbgen.generate.table import build_table
from tbgen.material import Material
from tbgen.store.disk_arrays import DiskArrays, scratch_of
from tbgen.store.entry_cache import EntryCache


class Watcher(Protocol):
    """Is told how a build goes. Every method may be empty."""

    def began(self, material: Material) -> None: ...

    def found(self, material: Material, numbers: int) -> None:
        """A stopped build had done `numbers`."""

    def starts_over(self, material: Material) -> None:
        """What a stopped build had done comes from another version of the program, or from other tables."""

    def solved(self, material: Material, numbers: int) -> None:
        """`numbers` more numbers are done."""

    def at_level(self, material: Material, level: int) -> None:
        """It has come to this level of the record."""

    def waits(self, material: Material) -> None:
        """Another process is building this table."""

    def finished(self, material: Material) -> None: ...


def execute(plan: Plan, watcher: Watcher, *, threads: int, memory: int) -> Iterator[Summary]:
    """Build what the plan names; yields a summary when a table is on disk."""
    with closing(DiskArrays(scratch_of(plan.directory), memory)) as disk_arrays:
        entry_cache = EntryCache(plan.directory, plan.rules, disk_arrays, threads=threads)
        for material in plan.todo:
            watcher.began(material)
            summary = build_table(
                material,
                plan.directory,
                plan.rules,
                entry_cache,
                disk_arrays,
                threads=threads,
                report=partial(watcher.solved, material),
                found=partial(watcher.found, material),
                starts_over=partial(watcher.starts_over, material),
                tell_level=partial(watcher.at_level, material),
                waiting=partial(watcher.waits, material),
                replaced=plan.replaced.get(material),
            )
            watcher.finished(material)
            if summary is not None:
                yield summary
