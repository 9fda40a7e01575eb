"""Answers: worked out once for all that ask at the same time, in threads that lines cannot fill, and kept."""

import asyncio
import time
from collections import OrderedDict
from collections.abc import Awaitable, Callable, Hashable
from concurrent.futures import ThreadPoolExecutor
from typing import Any, Final, NamedTuple
from weakref import WeakValueDictionary

from starlette.requests import ClientDisconnect

from tbgen.web.server.problem import Problem

QUICK: Final = "quick"
"""A few milliseconds: positions, moves, staircases."""
SLOW: Final = "slow"
"""Up to seconds and more: lines, games, statistics. They have threads of their own."""

_THREADS: Final = {QUICK: 4, SLOW: 3}
"""A client has half of them at most."""
_LOOK_EVERY: Final = 1.0
"""Seconds after which those who wait are looked after."""
_CACHED: Final = 32 << 20
"""Bytes of answers."""
_OVERHEAD: Final = 500
"""Bytes that an answer takes beside its own."""


class Cached(NamedTuple):
    """An answer as it went out."""

    body: bytes
    media: str


class Cache:
    """Answers within a budget of memory; the longest unused goes first."""

    def __init__(self, budget: int = _CACHED) -> None:
        self.budget = budget
        self.used = 0
        self._held: OrderedDict[Hashable, Cached] = OrderedDict()

    def get(self, key: Hashable) -> Cached | None:
        found = self._held.get(key)
        if found is not None:
            self._held.move_to_end(key)
        return found

    def put(self, key: Hashable, answer: Cached) -> None:
        if key not in self._held and len(answer.body) <= self.budget // 8:
            self._held[key] = answer
            self.used += len(answer.body) + _OVERHEAD
            while self.used > self.budget:
                self.used -= len(self._held.popitem(last=False)[1].body) + _OVERHEAD

    def clear(self) -> None:
        self._held.clear()
        self.used = 0


class _Job:
    """A job that somebody waits for."""

    def __init__(self) -> None:
        self.task: asyncio.Task[Any]
        self.askers = 0
        self.begun = False


Gone = Callable[[], Awaitable[bool]]
"""Whether who asked has left."""


class Work:
    """The jobs that are waited for. The event loop alone uses it; they run in threads. Each client's wait for one
    another."""

    def __init__(self, patience: float) -> None:
        self._patience = patience
        """Seconds that who asked waits. The job goes on if it has begun, for those who ask again."""
        self._pools = {kind: ThreadPoolExecutor(threads, f"tbgen-{kind}") for kind, threads in _THREADS.items()}
        self._free = {kind: asyncio.Semaphore(threads) for kind, threads in _THREADS.items()}
        self._turns: WeakValueDictionary[tuple[str, str], asyncio.Semaphore] = WeakValueDictionary()
        self._shared: dict[Hashable, _Job] = {}
        self._at_work: set[_Job] = set()
        self._stopped = False
        self.cache = Cache()

    @property
    def at_work(self) -> bool:
        """Whether a thread still works, maybe for nobody."""
        return bool(self._at_work)

    async def do(
        self, kind: str, job: Callable[[], Any], client: str = "", key: Hashable = None, gone: Gone | None = None
    ) -> Any:
        """The job's result. Jobs with the same key that are asked for meanwhile are one. One that nobody waits for any
        more is not begun."""
        if kind == SLOW and gone is not None and await gone():
            raise ClientDisconnect
        found = self._shared.get(key) if key is not None else None
        if found is None:
            found = self._add(kind, job, client, key)
        found.askers += 1
        try:
            return await self._result(found.task, gone)
        finally:
            found.askers -= 1
            if not found.askers and not found.begun:
                self._shared.pop(key, None)
                found.task.cancel()

    async def _result(self, task: "asyncio.Task[Any]", gone: Gone | None) -> Any:
        until = time.monotonic() + self._patience
        while True:
            await asyncio.wait((task,), timeout=min(_LOOK_EVERY, self._patience))
            if task.done():
                return task.result()
            if self._stopped:
                raise _stopping()
            if gone is not None and await gone():
                raise ClientDisconnect
            if time.monotonic() >= until:
                raise Problem(
                    503, "too_slow", f"this takes longer than {self._patience:g} seconds",
                    "it is still being worked out: ask again later", 10,
                )  # fmt: skip

    def _add(self, kind: str, job: Callable[[], Any], client: str, key: Hashable) -> _Job:
        if self._stopped:
            raise _stopping()
        made = _Job()
        made.task = asyncio.create_task(self._in_turn(made, kind, job, client))
        if key is not None:
            self._shared[key] = made

        def done(task: "asyncio.Task[Any]") -> None:
            if self._shared.get(key) is made:
                del self._shared[key]
            if not task.cancelled():
                task.exception()  # who asked may have gone: it is no news then

        made.task.add_done_callback(done)
        return made

    async def _in_turn(self, made: _Job, kind: str, job: Callable[[], Any], client: str) -> Any:
        turn = self._turns.setdefault((kind, client), asyncio.Semaphore(_THREADS[kind] // 2))

        def work() -> Any:
            try:
                return job()
            finally:
                self._at_work.discard(made)

        async with turn, self._free[kind]:
            made.begun = True
            self._at_work.add(made)
            return await asyncio.get_running_loop().run_in_executor(self._pools[kind], work)

    def stop(self) -> None:
        """Tell all that wait that nothing more will come."""
        self._stopped = True

    def close(self) -> None:
        for pool in self._pools.values():
            pool.shutdown(wait=False, cancel_futures=True)


def _stopping() -> Problem:
    return Problem(503, "stopping", "the server is being stopped", "ask again when it is back", 10)
