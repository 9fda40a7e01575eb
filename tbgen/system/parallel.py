"""Work in many parts: arrays a piece at a time, calls on the threads of a pool."""

import os
from collections import deque
from collections.abc import Callable, Iterable, Iterator, Sequence
from concurrent.futures import Executor, Future
from typing import Any, TypeVar, overload

T = TypeVar("T")


class _Parts(Sequence[T]):
    """Parts of a whole, each made when it is asked for: a large table has millions."""

    def __init__(self, whole: range, size: int, make: Callable[[range], T]) -> None:
        self._whole, self._size, self._make = whole, size, make
        self._begins = range(0, len(whole), size)

    def __len__(self) -> int:
        return len(self._begins)

    @overload
    def __getitem__(self, nth: int) -> T: ...

    @overload
    def __getitem__(self, nth: slice) -> list[T]: ...

    def __getitem__(self, nth: int | slice) -> T | list[T]:
        if isinstance(nth, slice):
            return [self[at] for at in range(*nth.indices(len(self)))]
        begin = self._begins[nth]
        return self._make(self._whole[begin : begin + self._size])


def ranges(whole: range, size: int) -> Sequence[range]:
    """Ranges of at most `size`, in order, that make up a whole one."""
    return _Parts(whole, size, lambda part: part)


def pieces(count: int, size: int = 1 << 22) -> Sequence[slice]:
    """The same as slices, of a whole of `count`."""
    return _Parts(range(count), size, lambda part: slice(part.start, part.stop))


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
