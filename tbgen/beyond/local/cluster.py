"""Solving a plan on a cluster: each part is a task, given out when all that it leads to are on the shelf."""

from collections.abc import Callable, Mapping
from contextlib import closing
from functools import partial
from pathlib import Path
from typing import TYPE_CHECKING, NamedTuple

from tbgen.beyond.local.choose import Part
from tbgen.beyond.local.complete import CompleteTables
from tbgen.beyond.local.files import KeptPart, Shelf
from tbgen.beyond.local.solve import PartSolver, workspaces_in
from tbgen.core.material import Material
from tbgen.errors import MissingTable
from tbgen.generate.cluster.tasks import Hands, Task, run
from tbgen.memory.disk_arrays import DiskArrays, scratch_of

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
        plan: list[Part],
        there: Mapping[Material, KeptPart],
        report: Callable[[int], None],
        seconds: float,
    ) -> list[KeptPart]:
        """Have all parts of a plan on the shelf of a directory, and return the new ones. Those that are `there` are
        used, but for the position's own. `report` is called with the numbers that are solved, in another thread too.
        TimeoutError when the time is over."""
        there = {material: kept for material, kept in there.items() if material != plan[-1].material}
        left = {part.material.name: part.times * part.numbers for part in plan}
        report(sum(left[material.name] for material in there))

        def tell(name: str, numbers: int | None) -> None:
            left[name] -= numbers or 0
            report(numbers or 0)

        tasks = []
        for part in plan:
            if part.material not in there:
                used = {one: there[one] for one in part.known if one in there}
                after = [one.name for one in part.known if one not in there]
                tasks.append(Task(part.material.name, solve_one, (part, used, self.threads, self.memory), after))
        found = []
        for name, kept in run(self.client, directory, tasks, tell, seconds):
            report(left[name])  # what was not told
            left[name] = 0
            found.append(kept)
        return found


def solve_one(
    hands: Hands,
    given: Mapping[str, KeptPart],
    part: Part,
    there: Mapping[Material, KeptPart],
    threads: int | None,
    memory: int,
) -> KeptPart | None:
    """The task of a worker."""
    threads = threads or hands.threads
    with closing(DiskArrays(scratch_of(hands.directory), memory)) as disk_arrays:
        complete = CompleteTables(hands.directory, disk_arrays.array, threads=threads)
        solver = PartSolver(
            partial(complete.take, report=lambda numbers: hands.report(0)),
            threads,
            disk_arrays,
            hands.report,
            Shelf(hands.directory, writes=True),
            workspaces_in(disk_arrays, complete),
        )
        for one in part.known:
            if not solver.read(one, there.get(one) or given[one.name]):
                raise MissingTable(f"the local table of {one.normal} has just been removed")
        return solver.solve(part)
