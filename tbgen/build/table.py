"""Building one table: solve, finish, write, say what came of it."""

from collections.abc import Callable
from pathlib import Path

from tbgen.build import pace
from tbgen.build.estimate import estimate
from tbgen.build.scratch import Scratch
from tbgen.build.shelf import Shelf
from tbgen.build.summary import Clocks, Summary, summarise
from tbgen.build.workspace import Workspace, workspace_path
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
        begun = Clocks.read()
        from_the_start = not workspace_path(path).exists()
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
        contents = finish(solved, scratch.array, threads)
        write_table(path, contents, solved.counts._asdict(), threads=threads, make=scratch.array)
        workspace.clear()
        shelf.put(material, contents.entries)
        summary = summarise(contents, path, begun, solved.counts.attractions, solved.counts.looks)
        if from_the_start or rebuild:
            pace.remember(estimate(material, threads).cpu_seconds, summary.cpu_seconds)
        return summary
