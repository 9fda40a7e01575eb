"""Solving a plan on a cluster: each part is a task, given out when all that it leads to are on the shelf."""

from collections.abc import Callable, Mapping
from contextlib import closing
from functools import partial
from pathlib import Path
from typing import TYPE_CHECKING, NamedTuple

from tbgen.cluster.tasks import Hands, Task, run
from tbgen.errors import MissingTable
from tbgen.own.complete import CompleteTables
from tbgen.own.plan import PlannedPart
from tbgen.own.search import Kept
from tbgen.own.shelf import Shelf
from tbgen.own.slices import PartName, beyond
from tbgen.own.solve import PartSolver, workspaces_in
from tbgen.store.disk_arrays import DiskArrays

if TYPE_CHECKING:
    from distributed import Client


class Cluster(NamedTuple):
    """What solves plans, and how much each part may take."""

    client: "Client"
    threads: int | None
    """Threads per part; None for a worker's share of its machine."""
    memory: int
    """Bytes per part."""

    def shelve(
        self,
        directory: Path,
        plan: list[PlannedPart],
        there: Mapping[PartName, Kept],
        report: Callable[[int], None],
        seconds: float,
    ) -> list[Kept]:
        """Have all parts of a plan on the shelf of a directory, and return the new ones. Those that are `there` are
        used, but for the position's own. `report` is called with the numbers that are solved, in another thread too.
        TimeoutError when the time is over."""
        there = {name: kept for name, kept in there.items() if name != plan[-1].name}
        left = {_text(part.name): part.times * part.numbers for part in plan}
        report(sum(left[_text(name)] for name in there))

        def tell(name: str, numbers: int | None) -> None:
            left[name] -= numbers or 0
            report(numbers or 0)

        tasks = []
        for part in plan:
            if part.name not in there:
                known = [beyond(part.name, lead) for lead in part.known]
                used = {name: there[name] for name in known if name in there}
                after = [_text(name) for name in known if name not in there]
                tasks.append(Task(_text(part.name), solve_one, (part, used, self.threads, self.memory), after))
        found = []
        for name, kept in run(self.client, directory, tasks, tell, seconds):
            report(left[name])  # what was not told
            left[name] = 0
            found.append(kept)
        return found


def _text(name: PartName) -> str:
    return f"{'-' * name.swapped}{name.material}"


def solve_one(
    hands: Hands,
    given: Mapping[str, Kept],
    part: PlannedPart,
    there: Mapping[PartName, Kept],
    threads: int | None,
    memory: int,
) -> Kept | None:
    """The task of a worker."""
    threads = threads or hands.threads
    with closing(DiskArrays(hands.directory, memory)) as disk_arrays:
        complete = CompleteTables(hands.directory, disk_arrays.array, threads=threads)
        solver = PartSolver(
            partial(complete.take, report=lambda numbers: hands.report(0)),
            threads,
            disk_arrays.array,
            hands.report,
            Shelf(hands.directory, writes=True),
            workspaces_in(disk_arrays, complete),
        )
        for name in (beyond(part.name, lead) for lead in part.known):
            if not solver.read(name, there.get(name) or given[_text(name)]):
                raise MissingTable(f"the own table of {name.material} has just been removed")
        return solver.solve(part)
