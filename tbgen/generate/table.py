"""Building one table: solve, finish, write, check, summarise."""

from functools import partial
from pathlib import Path

import numpy as np

from tbgen.core.material import Material
from tbgen.core.table_rules import TableRules
from tbgen.errors import WrongTable
from tbgen.generate import calibration
from tbgen.generate.estimate import estimate
from tbgen.generate.sample import check_sample
from tbgen.generate.summary import Summary, summarise
from tbgen.generate.usage import Clocks, begin_peak
from tbgen.generate.watcher import NOBODY, Watcher
from tbgen.generate.workspace import Workspace
from tbgen.memory.disk_arrays import DiskArrays
from tbgen.retro.solver import solve_table
from tbgen.store import Stamp, building, file_digest, stamp_of, table_path
from tbgen.store.entry_cache import EntryCache
from tbgen.store.leftovers import workspace_of
from tbgen.store.reach import reach
from tbgen.store.write import write_table


def build_table(
    material: Material,
    directory: Path,
    rules: TableRules,
    entry_cache: EntryCache,
    disk_arrays: DiskArrays,
    *,
    threads: int,
    watcher: Watcher = NOBODY,
    replaced: Stamp | None = None,
    alone: bool = True,
) -> Summary | None:
    """Build a table whose dependencies are in the directory; None if it is there: another process has just built it.

    `replaced`: the table that is there and is to be built again. `alone`: whether this process builds no other table
    meanwhile; else it is not known what this one takes of CPU and memory."""
    path = table_path(directory, material, rules)
    with building(path, partial(watcher.waits, material)):
        if path.exists() and stamp_of(path.stat()) != replaced:
            return None
        expected = estimate(material, rules, threads).cpu_seconds
        pace = calibration.known_pace().factor if alone else None
        begun = Clocks.read()
        disk_arrays.peak = 0
        begin_peak()
        from_the_start = not workspace_of(path).exists()
        with reach(material, entry_cache, disk_arrays) as (exits, needed):
            workspace = Workspace(
                path, exits.layout, rules, disk_arrays, needed, partial(watcher.noted, material), threads=threads
            )
            solved = solve_table(
                exits,
                rules=rules,
                threads=threads,
                report=partial(watcher.solved, material),
                found=partial(watcher.found, material),
                tell_round=partial(watcher.at_round, material),
                checkpoint=workspace,
            )
            watcher.at_stage(material, "numbering staircases")
            contents, counts = workspace.finish(solved), solved.counts
            del solved

            def check(written: Path) -> None:
                watcher.at_stage(material, "checking a sample")
                took = Clocks.read().since(begun).wall
                try:
                    check_sample(contents, written, exits, threads, took, disk_arrays)
                except WrongTable:
                    workspace.clear()
                    raise

            watcher.at_stage(material, "finding forms of staircases")
            census = write_table(
                path, contents, {"legal": counts.legal}, threads=threads, make=disk_arrays.finishing,
                report=partial(watcher.written, material), check=check,
            )  # fmt: skip
            workspace.clear()
        if isinstance(contents.entries, np.ndarray):
            entry_cache.put(material, contents.entries, file_digest(path))
        summary = summarise(
            contents, census, path, begun, pace, disk_arrays.peak, counts.attractions, counts.looks, alone
        )
        if from_the_start and summary.cpu_seconds is not None:
            calibration.record_build(expected, summary.cpu_seconds)
        return summary
