"""Building one table: solve, finish, write, say what came of it."""

import time
from collections.abc import Callable
from pathlib import Path

import numpy as np

from tbgen.build.scratch import Scratch
from tbgen.build.shelf import Shelf
from tbgen.build.summary import Summary, summarise
from tbgen.build.workspace import Workspace
from tbgen.material import Material
from tbgen.retro.finish import finish
from tbgen.retro.solve import solve
from tbgen.store import building, table_path, write_table


def build_table(
    material: Material,
    directory: Path,
    rules: str,
    shelf: Shelf,
    scratch: Scratch,
    *,
    threads: int,
    report: Callable[[int], None] = lambda numbers: None,
    waiting: Callable[[], None] = lambda: None,
    rebuild: bool = False,
) -> Summary | None:
    """Build a table whose dependencies are in the directory; None where another process has just built it.

    `report` hears of numbers solved, `waiting` when another process is at the same table."""
    path = table_path(directory, material, rules)
    waited = False

    def wait() -> None:
        nonlocal waited
        waited = True
        waiting()

    with building(path, wait):
        if path.exists() and (waited or not rebuild):
            return None
        begun = time.perf_counter()
        workspace = Workspace(path, material, rules, scratch)
        if rebuild:
            workspace.clear()
        answers = shelf.take(material.successors())
        solved = solve(
            material,
            answers,
            whole_game=rules == "wg",
            threads=threads,
            report=report,
            keeper=workspace,
        )
        contents = finish(solved, scratch.array(len(solved.entries), np.int32))
        write_table(path, contents, solved.counts._asdict(), threads=threads)
        workspace.clear()
        shelf.put(material, contents.entries)
        return summarise(contents, path, time.perf_counter() - begun, solved.counts.attractions, solved.counts.looks)
