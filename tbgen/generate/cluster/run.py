"""Building a plan on a cluster: each table is a task, given out when all that it depends on is done."""

from collections.abc import Iterator, Mapping
from contextlib import closing
from typing import TYPE_CHECKING, Any, NamedTuple

from tbgen.core.material import Material
from tbgen.core.table_rules import TableRules
from tbgen.generate.cluster.tasks import Hands, Task, run
from tbgen.generate.estimate import numbers_of
from tbgen.generate.plan import Plan
from tbgen.generate.schedule import priorities
from tbgen.generate.summary import Summary
from tbgen.generate.table import build_table
from tbgen.generate.watcher import Watcher
from tbgen.memory.disk_arrays import DiskArrays, scratch_of
from tbgen.store import Stamp
from tbgen.store.entry_cache import EntryCache

if TYPE_CHECKING:
    from distributed import Client


class Job(NamedTuple):
    """What all tables of a plan share."""

    rules: TableRules
    threads: int | None
    """Threads per table; None for a worker's share of its machine."""
    memory: int
    """Bytes per table."""


class _Teller(Watcher):
    """Tells the scheduler what a worker has solved, or found solved, and then what it has written."""

    def __init__(self, hands: Hands) -> None:
        self._hands = hands

    def found(self, material: Material, numbers: int) -> None:
        self._hands.report(numbers)

    def solved(self, material: Material, numbers: int) -> None:
        self._hands.report(numbers)

    def written(self, material: Material, numbers: int) -> None:
        self._hands.report(numbers)


def run_on_cluster(
    plan: Plan,
    client: "Client",
    watcher: Watcher,
    *,
    threads: int | None,
    memory: int,
    costs: Mapping[str, float] | None = None,
) -> Iterator[Summary]:
    """Build what the plan names; yields a summary when a table is on disk."""
    job, first = Job(plan.rules, threads, memory), priorities(plan.todo, costs or {})
    todo = {material.name: material for material in plan.todo}
    tasks = [
        Task(
            material.name,
            build_one,
            (material, job, plan.replaced.get(material)),
            [needed.name for needed in material.successors() if needed.name in todo],
            first[material],
        )
        for material in plan.todo
    ]

    unsolved = dict[str, int]()

    def tell(name: str, numbers: int | None) -> None:
        material = todo[name]
        if numbers is None:
            unsolved[name] = numbers_of(material)
            watcher.began(material)
            return
        solved = min(numbers, unsolved[name])
        unsolved[name] -= solved
        watcher.solved(material, solved)
        if numbers > solved:
            watcher.written(material, numbers - solved)

    for name, summary in run(client, plan.directory, tasks, tell):
        watcher.finished(todo[name])
        if summary is not None:
            yield summary


def build_one(
    hands: Hands, needed: Mapping[str, Any], material: Material, job: Job, replaced: Stamp | None
) -> Summary | None:
    """The task of a worker; None if the table was there, or an earlier run of this task has built it again. The tables
    that it depends on are in the directory."""
    threads = job.threads or hands.threads
    with closing(DiskArrays(scratch_of(hands.directory), job.memory)) as disk_arrays:
        return build_table(
            material,
            hands.directory,
            job.rules,
            EntryCache(hands.directory, job.rules, disk_arrays, threads=threads),
            disk_arrays,
            threads=threads,
            watcher=_Teller(hands),
            replaced=replaced,
            alone=hands.alone,
        )
