"""Answers: worked out once for all that ask at the same time, in threads that lines cannot fill, and kept."""

import asyncio
from collections import OrderedDict
from collections.abc import Callable, Hashable
from concurrent.futures import ThreadPoolExecutor
from typing import Any, Final, NamedTuple

from tbgen.serve.problem import Problem

QUICK: Final = "quick"
"""A few milliseconds: positions, moves, staircases."""
SLOW: Final = "slow"
"""Up to seconds and more: lines, games, statistics. They have threads of their own."""

_THREADS: Final = {QUICK: 4, SLOW: 2}
_WAITING: Final = {QUICK: 256, SLOW: 32}
"""Jobs of a kind that may be begun or wait."""
_KEPT: Final = 32 << 20
"""Bytes of answers."""
_OVERHEAD: Final = 500
"""Bytes that an answer takes beside its own."""


class Answer(NamedTuple):
    body: bytes
    media: str


class Kept:
    """Answers within a budget of memory; the longest unused goes first."""

    def __init__(self, budget: int = _KEPT) -> None:
        self.budget = budget
        self.used = 0
        self._held: OrderedDict[Hashable, Answer] = OrderedDict()

    def get(self, key: Hashable) -> Answer | None:
        found = self._held.get(key)
        if found is not None:
            self._held.move_to_end(key)
        return found

    def put(self, key: Hashable, answer: Answer) -> None:
        if key not in self._held and len(answer.body) <= self.budget // 8:
            self._held[key] = answer
            self.used += len(answer.body) + _OVERHEAD
            while self.used > self.budget:
                self.used -= len(self._held.popitem(last=False)[1].body) + _OVERHEAD

    def clear(self) -> None:
        self._held.clear()
        self.used = 0


class Work:
    """Used by the event loop's thread alone; the jobs run in others."""

    def __init__(self, patience: float) -> None:
        self._patience = patience
        """Seconds that who asked waits. The job goes on, for those who ask again."""
        self._pools = {kind: ThreadPoolExecutor(threads, f"tbgen-{kind}") for kind, threads in _THREADS.items()}
        self._waiting = dict.fromkeys(_THREADS, 0)
        self._shared: dict[Hashable, asyncio.Future[Any]] = {}
        self.kept = Kept()

    async def do(self, kind: str, job: Callable[[], Any], key: Hashable = None) -> Any:
        """The job's result. Jobs with the same key that are asked for meanwhile are one."""
        found = self._shared.get(key) if key is not None else None
        if found is None:
            if self._waiting[kind] >= _WAITING[kind]:
                raise Problem(503, "busy", "too much is asked at the moment", "ask again a little later", 2)
            found = self._begin(kind, job, key)
        try:
            return await asyncio.wait_for(asyncio.shield(found), self._patience)
        except TimeoutError:
            raise Problem(
                503, "too_slow", f"this takes longer than {self._patience:g} seconds",
                "it is still being worked out: ask again later", 10,
            ) from None  # fmt: skip

    def _begin(self, kind: str, job: Callable[[], Any], key: Hashable) -> asyncio.Future[Any]:
        found: asyncio.Future[Any] = asyncio.get_running_loop().run_in_executor(self._pools[kind], job)
        self._waiting[kind] += 1
        if key is not None:
            self._shared[key] = found

        def done(future: asyncio.Future[Any]) -> None:
            self._waiting[kind] -= 1
            self._shared.pop(key, None)
            if not future.cancelled():
                future.exception()  # who asked may have gone: it is no news then

        found.add_done_callback(done)
        return found

    def close(self) -> None:
        for pool in self._pools.values():
            pool.shutdown(wait=False, cancel_futures=True)
