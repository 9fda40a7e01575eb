"""Building a plan on a dask.distributed cluster: each table is a task, given out when all that it depends on is done.

Tables travel through the directory alone, which all workers must see. A task may run again, in full or in part, when
a worker dies or loses contact. That is safe: a table appears in one step, one process at a time holds its lock, and a
second process finds the table there.
"""

import logging
import os
import secrets
import signal
import time
from collections.abc import Iterator, Mapping
from contextlib import closing, contextmanager, suppress
from dataclasses import dataclass, field
from pathlib import Path
from threading import Lock
from typing import TYPE_CHECKING, Any, Final

from tbgen._version import __version__
from tbgen.errors import BadInput, TbgenError
from tbgen.generate.execute import Watcher
from tbgen.generate.plan import Plan
from tbgen.generate.summary import Summary
from tbgen.generate.table import build_table
from tbgen.material import Material, parse
from tbgen.store import Stamp
from tbgen.store.disk_arrays import DiskArrays
from tbgen.store.entry_cache import EntryCache
from tbgen.store.leftovers import TOKEN, held
from tbgen.table_rules import TableRules

if TYPE_CHECKING:
    from distributed import Client

_PATIENCE: Final = 10
"""Seconds to wait for a scheduler."""
_RETRIES: Final = 2
"""How often a task that raised an error is tried again. For workers that die, dask has a count of its own."""
_NEWS: Final = 0.5
"""Seconds between two messages of how far a table is."""


class ClusterFailure(TbgenError):
    """The cluster is not there, or no longer, or cannot do what was asked."""


@contextmanager
def connect(address: str) -> Iterator["Client"]:
    """A client of the scheduler at this address."""
    _require()
    from distributed import Client

    for logger in ("distributed", "distributed.client"):  # this program reports the same in one line
        logging.getLogger(logger).setLevel(logging.CRITICAL)
    try:
        client = Client(address, timeout=_PATIENCE, set_as_default=False)
    except (OSError, ValueError) as error:
        raise ClusterFailure(f"no dask scheduler answers at {address}: {error}") from None
    with client:
        yield client


@contextmanager
def local_cluster(workers: int) -> Iterator["Client"]:
    """A client of a cluster in processes of this machine, which end with the context."""
    _require()
    import dask
    from distributed import Client, LocalCluster

    # numba does not survive a fork; memory is limited by DiskArrays, which knows what is on disk
    with (
        dask.config.set({"distributed.worker.multiprocessing-method": "spawn"}),
        LocalCluster(
            n_workers=workers, threads_per_worker=1, processes=True, memory_limit=None, dashboard_address="127.0.0.1:0",
            scheduler_kwargs={"dashboard": False}, silence_logs=logging.CRITICAL, preload=[__name__],
        ) as cluster,
        Client(cluster, set_as_default=False) as client,
    ):  # fmt: skip
        yield client


def _require() -> None:
    try:
        import distributed  # noqa: F401
    except ImportError:
        raise BadInput('more than one process takes dask.distributed: pip install "tbgen[cluster]"') from None


def dask_setup(worker: object) -> None:
    """Run in each process of a local cluster: it ignores Ctrl-C, and the process that started it ends it."""
    signal.signal(signal.SIGINT, signal.SIG_IGN)


@dataclass(frozen=True)
class Job:
    """What all tasks of a plan share."""

    directory: str
    rules: TableRules
    token: str
    """The name of a file in the directory, which shows workers that they see the same directory."""
    threads: int | None
    """Threads per table; None for a worker's share of its machine."""
    memory: int
    """Bytes per table."""
    version: str = __version__


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
    from distributed import CancelledError, KilledWorker, as_completed

    priorities = _priorities(plan, costs or {})
    with _token(plan.directory) as token:
        job = Job(str(plan.directory.resolve()), plan.rules, token, threads, memory)
        check_workers(client, job)
        client.subscribe_topic(token, lambda event: _tell(watcher, *event[1]))
        futures: dict[Material, Any] = {}
        for material in plan.todo:
            futures[material] = client.submit(
                build_one, job, material.name, plan.replaced.get(material),
                [futures[m] for m in material.successors() if m in futures],
                key=f"{token}-{material.name}", priority=priorities[material], retries=_RETRIES, pure=False,
            )  # fmt: skip
        materials = {future.key: material for material, future in futures.items()}
        try:
            for future in as_completed(futures.values(), loop=client.loop):
                summary = future.result()
                watcher.finished(materials[future.key])
                if summary is not None:
                    yield summary
        except CancelledError:
            raise ClusterFailure("the scheduler is gone; the same command goes on where this one stopped") from None
        except KilledWorker as error:
            raise ClusterFailure(f"{str(error.task).rpartition('-')[2]}: every worker that tried it died") from None
        finally:
            with suppress(Exception):  # the scheduler may be gone
                client.unsubscribe_topic(token)
                client.cancel(list(futures.values()))


def _priorities(plan: Plan, costs: Mapping[str, float]) -> dict[Material, float]:
    """The cost of the longest chain of tables that begins with each table: those with the costliest chains go first."""
    ahead: dict[Material, float] = dict.fromkeys(plan.todo, 0.0)
    for material in reversed(plan.todo):
        ahead[material] += costs.get(material.name, 1.0)
        for needed in material.successors():
            if needed in ahead:
                ahead[needed] = max(ahead[needed], ahead[material])
    return ahead


def _tell(watcher: Watcher, name: str, numbers: int | None) -> None:
    if numbers is None:
        watcher.began(parse(name))
    else:
        watcher.solved(parse(name), numbers)


@contextmanager
def _token(directory: Path) -> Iterator[str]:
    directory.mkdir(parents=True, exist_ok=True)
    token = directory / f"{TOKEN}{secrets.token_hex(8)}"
    with held(token):
        yield token.name


def check_workers(client: "Client", job: Job) -> None:
    """Ask every worker whether it can take part; ClusterFailure names one that cannot."""
    answers = client.run(check_place, job, on_error="return")
    if not answers:
        raise ClusterFailure("the cluster has no workers")
    for address, answer in answers.items():  # an error is an answer as well: the worker may lack tbgen
        if answer is not None:
            raise ClusterFailure(f"worker {address} cannot take part: {answer}")


def check_place(job: Job) -> str | None:
    """Why a worker cannot take part; None if it can."""
    if job.version != __version__:
        return f"it has tbgen {__version__}, not {job.version}"
    place = Path(job.directory)
    if not (place / job.token).exists():
        return f"it does not see {job.directory}, which has to be the same directory on every machine"
    if not os.access(place, os.W_OK):
        return f"it may not write to {job.directory}"
    return None


def build_one(job: Job, name: str, replaced: Stamp | None, needed: list[Summary | None]) -> Summary | None:
    """The task of a worker; None if the table was there, or an earlier run of this task has built it again. `needed`
    only makes dask wait for the tables it depends on."""
    from distributed import get_worker

    worker = get_worker()
    if complaint := check_place(job):  # it may have joined after the check
        raise ClusterFailure(f"worker {worker.address} cannot take part: {complaint}")
    directory, material = Path(job.directory), parse(name)
    threads = job.threads or max(1, len(os.sched_getaffinity(0)) // worker.state.nthreads)
    with closing(DiskArrays(directory, job.memory)) as disk_arrays:
        return build_table(
            material,
            directory,
            job.rules,
            EntryCache(directory, job.rules, disk_arrays, threads=threads),
            disk_arrays,
            threads=threads,
            report=News(worker, job.token, name),
            replaced=replaced,
            alone=worker.state.nthreads == 1,
        )


class Unwanted(Exception):
    """The driver has gone, or has cancelled the task."""


@dataclass
class News:
    """Tells the driver how far a table is, and ends the task if it was cancelled: dask cannot end a task that runs."""

    worker: Any
    topic: str
    name: str
    key: str = ""
    waiting: int = 0
    sent_at: float = 0.0
    lock: Lock = field(default_factory=Lock)

    def __post_init__(self) -> None:
        self.key = self.worker.get_current_task()
        self.worker.log_event(self.topic, [self.name, None])

    def __call__(self, numbers: int) -> None:
        task = self.worker.state.tasks.get(self.key)
        if task is None or task.state != "executing":
            raise Unwanted(self.name)
        with self.lock:
            self.waiting += numbers
            if time.monotonic() - self.sent_at > _NEWS:
                self.worker.log_event(self.topic, [self.name, self.waiting])
                self.waiting, self.sent_at = 0, time.monotonic()
