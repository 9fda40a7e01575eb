"""Carrying out a plan, table after table."""

from collections.abc import Iterator
from contextlib import closing

from tbgen.generate.plan import Plan
from tbgen.generate.summary import Summary
from tbgen.generate.table import build_table
from tbgen.generate.watcher import Watcher
from tbgen.memory.disk_arrays import DiskArrays, scratch_of
from tbgen.store.entry_cache import EntryCache


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
                watcher=watcher,
                replaced=plan.replaced.get(material),
            )
            watcher.finished(material)
            if summary is not None:
                yield summary
