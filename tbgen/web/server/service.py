"""What all endpoints stand on: the tables, the work, the limits; and answers with a tag, made once and kept."""

import asyncio
import zlib
from collections.abc import Callable, Hashable
from functools import partial
from pathlib import Path
from typing import Any, Final, NamedTuple

from starlette.requests import Request
from starlette.responses import Response

from tbgen._version import __version__
from tbgen.core.table_rules import TableRules
from tbgen.probe import Tablebase
from tbgen.system.text import to_json
from tbgen.web.server.limits import Guard, Limits
from tbgen.web.server.metrics import Metrics
from tbgen.web.server.quotas import client_of
from tbgen.web.server.table_registry import Served, Shelved, State
from tbgen.web.server.work import QUICK, SLOW, Cached, Work

JSON: Final = "application/json"
_FRESH: Final = "public, max-age=60"
"""How long answers may be taken for granted: a table may be replaced."""

COST_OF_PAGE: Final = 5
COST_OF_LINE: Final = 20
COST_OF_STUDY: Final = 100
"""What counting a table costs, in positions."""


class Settings(NamedTuple):
    directory: Path
    rules: TableRules = TableRules.RESET
    limits: Limits = Limits()
    cors: tuple[str, ...] = ()
    """Origins whose pages may ask; none unless told otherwise."""
    url: str | None = None
    """Where people find the server, without a slash at its end."""
    access_log: bool = False
    """Whether every request is told on standard output."""


class Job(NamedTuple):
    """What it takes to answer."""

    make: Callable[[], Any]
    kind: str | None = QUICK
    """Where it is done; None: here and now, in the event loop, for what takes less than handing it to a thread."""
    media: str = JSON
    cost: float = 0
    """What it costs, in positions, beside the one that every request costs."""


class Service:
    def __init__(self, settings: Settings) -> None:
        self.settings = settings
        self.served = Served(settings.directory)
        self.metrics = Metrics()
        self.work = Work(settings.limits.patience)
        self.guard: Guard
        self.studies: dict[tuple[str, str], dict[str, Any]] = {}
        self.metrics.gauge("tbgen_tables", "Tables that are there", lambda: len(self.served.state.tables))
        self.metrics.gauge("tbgen_kept_bytes", "Memory for kept answers", lambda: self.work.cache.used)

    def charge(self, request: Request, cost: float) -> None:
        self.guard.charge(request.scope, cost)

    async def do(self, request: Request | None, kind: str, job: Callable[[], Any], key: Hashable = None) -> Any:
        """Work for who asks, as long as somebody hears the answer; None: for the server itself."""
        if request is None:
            return await self.work.do(kind, job, key=key)
        return await self.work.do(kind, job, client_of(request.scope), key, request.is_disconnected)

    def tag(self, request: Request, state: State | None = None) -> str:
        """The tag of the answer to a request: another one when any table is another, or the program."""
        words = request.scope["path"].encode() + b"?" + request.scope["query_string"]
        return f'"{__version__}-{(state or self.served.state).tag}-{zlib.crc32(words):08x}"'

    async def answered(self, request: Request, plan: Callable[[Request], Job], state: State | None = None) -> Response:
        """An answer that follows from nothing but the address and, where it asks them, the tables. Only where it is not
        there yet, the question is read. `state`: what it was worked out from, where that took a while; the tables may
        be others by now."""
        tag = self.tag(request, state)
        headers = {"etag": tag, "cache-control": _FRESH}
        if tag in request.headers.get("if-none-match", ""):
            return Response(status_code=304, headers=headers)
        key = (tag, request.scope["path"], request.scope["query_string"])
        found = self.work.cache.get(key)
        if found is None:
            job = plan(request)
            if job.cost:
                self.charge(request, job.cost)
            make = job.make
            body = (
                encoded(make()) if job.kind is None else await self.do(request, job.kind, lambda: encoded(make()), key)
            )
            found = Cached(body, job.media)
            self.work.cache.put(key, found)
        else:
            self.metrics.hits.inc()
        return Response(found.body, media_type=found.media, headers=headers)

    def ask(self, rules: TableRules, question: Callable[[Tablebase], Any]) -> Any:
        with self.served.tablebase(rules) as tablebase:
            return question(tablebase)

    async def study(self, request: Request | None, table: Shelved) -> dict[str, Any]:
        """Statistics and records of a table, counted once per contents."""
        key = (table.path.name, table.sha256)
        found = self.studies.get(key)
        if found is None:
            from tbgen.report.study import study  # late: a server that starts needs none of it

            if request is not None:
                self.charge(request, COST_OF_STUDY)

            def count() -> dict[str, Any]:
                """In a thread. It stays known where nobody waits any more."""
                found: dict[str, Any] = self.ask(table.rules, partial(study, table.path))
                self.studies[key] = found
                return found

            found = await self.do(request, SLOW, count, key)
        return found

    async def refresh(self) -> None:
        """Look at the directory in a thread; forget in that of the event loop, which answers meanwhile."""
        if await asyncio.to_thread(self.served.refresh):
            there = {(one.path.name, one.sha256) for one in self.served.state.tables.values()}
            for key in [key for key in tuple(self.studies) if key not in there]:
                del self.studies[key]
            self.work.cache.clear()

    def close(self) -> None:
        self.work.close()
        self.served.close()


def encoded(answer: Any) -> bytes:
    if isinstance(answer, bytes):
        return answer
    if isinstance(answer, str):
        return answer.encode()
    return (to_json(answer) + "\n").encode()
