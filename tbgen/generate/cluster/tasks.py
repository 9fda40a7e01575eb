"""Tasks on a cluster: each is given out when all that it comes after are done.

A task may run again, in full or in part, when a worker dies or loses contact. So its work must be safe to repeat: a
table appears in one step, one process at a time holds its lock, and a second process finds the table there.
"""

import os
import time
from collections.abc import Callable, Iterator, Mapping, Sequence
from contextlib import suppress
from dataclasses import dataclass, field
from pathlib import Path
from threading import Lock
from typing import TYPE_CHECKING, Any, Final, NamedTuple

from tbgen.generate.cluster.client import ClusterFailure
from tbgen.generate.cluster.place import Place, check_place, check_workers, shared

if TYPE_CHECKING:
    from distributed import Client

_RETRIES: Final = 2
"""How often a task that raised an error is tried again. For workers that die, dask has a count of its own."""
_NEWS: Final = 0.5
"""Seconds between two messages of how far a task is."""

Tell = Callable[[str, int | None], None]
"""Told the name of a task and how much more of it is done; None: it begins."""


class Hands(NamedTuple):
    """What a worker gives to a task."""

    directory: Path
    threads: int
    """Its share of the machine."""
    alone: bool
    """Whether it runs no other task meanwhile."""
    report: Callable[[int], None]


class Task(NamedTuple):
    name: str
    """Another one for each task."""
    work: Callable[..., Any]
    """Called with `Hands`, with what the tasks have given that this one comes after, by name, and with `words`. What
    raises is tried twice more, so what is no fault is returned."""
    words: tuple[Any, ...]
    after: Sequence[str] = ()
    """Tasks that stand before this one."""
    priority: float = 0.0
    """The higher, the earlier."""


def run(
    client: "Client", directory: Path, tasks: Sequence[Task], tell: Tell, seconds: float | None = None
) -> Iterator[tuple[str, Any]]:
    """Yields the name of each task that is done, and what it gave. TimeoutError when the time is over."""
    from distributed import CancelledError, KilledWorker, as_completed

    with shared(directory) as place:
        check_workers(client, place)
        client.subscribe_topic(place.token, lambda event: tell(*event[1]))
        futures: dict[str, Any] = {}
        for task in tasks:
            futures[task.name] = client.submit(
                work, place, task._replace(after=()), {name: futures[name] for name in task.after},
                key=f"{place.token}-{task.name}", priority=task.priority, retries=_RETRIES, pure=False,
            )  # fmt: skip
        names = {future.key: name for name, future in futures.items()}
        left = None if seconds is None else max(0.0, seconds)
        try:
            for future in as_completed(futures.values(), loop=client.loop, timeout=left):
                yield names[future.key], future.result()
        except CancelledError:
            raise ClusterFailure("the scheduler is gone; the same command goes on where this one stopped") from None
        except KilledWorker as error:
            name = names.get(str(error.task), str(error.task))
            raise ClusterFailure(f"{name}: every worker that tried it died") from None
        finally:
            with suppress(Exception):  # the scheduler may be gone
                client.unsubscribe_topic(place.token)
                client.cancel(list(futures.values()))


def work(place: Place, task: Task, given: Mapping[str, Any]) -> Any:
    """A task in a worker."""
    from distributed import get_worker

    worker = get_worker()
    if complaint := check_place(place):  # it may have joined after the check
        raise ClusterFailure(f"worker {worker.address} cannot take part: {complaint}")
    at_once = worker.state.nthreads
    threads = max(1, len(os.sched_getaffinity(0)) // at_once)
    hands = Hands(Path(place.directory), threads, at_once == 1, News(worker, place.token, task.name))
    return task.work(hands, given, *task.words)


class Unwanted(Exception):
    """The driver has gone, or has cancelled the task."""


@dataclass
class News:
    """Tells the driver how far a task is, and ends the task if it was cancelled: dask cannot end a task that runs."""

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
