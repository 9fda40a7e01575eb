"""Work in many parts: arrays a piece at a time, calls on the threads of a pool."""

import os
from collections import deque
from collections.abc import Callable, Iterable, Iterator
from concurrent.futures import Executor, Future
from typing import Any, TypeVar

T = TypeVar("T")


def ranges(whole: range, size: int) -> list[range]:
    """Ranges of at most `size`, in order, that make up a whole one."""
    return [whole[at : at + size] for at in range(0, len(whole), size)]


def pieces(count: int, size: int = 1 << 22) -> list[slice]:
    """The same as slices, of a whole of `count`."""
    return [slice(one.start, one.stop) for one in ranges(range(count), size)]


def in_turn(pool: Executor, ahead: int, work: Callable[..., T], calls: Iterable[tuple[Any, ...]]) -> Iterator[T]:
    """The results in the order of the calls, like the pool's `map`; but at most `ahead` calls are at work or wait."""
    waiting: deque[Future[T]] = deque()
    try:
        for arguments in calls:
            waiting.append(pool.submit(work, *arguments))
            if len(waiting) > ahead:
                yield waiting.popleft().result()
        while waiting:
            yield waiting.popleft().result()
    finally:
        for job in waiting:
            job.cancel()


def cores() -> int:
    """How many of the machine's this process may use: a batch system or `taskset` may leave it fewer."""
    if hasattr(os, "sched_getaffinity"):  # Linux
        return len(os.sched_getaffinity(0))
    return os.cpu_count() or 1
