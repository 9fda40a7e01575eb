"""The layer around everything: limits on requests, headers that all answers have, and what is counted."""

import asyncio
import time
from collections.abc import Callable, Iterator, MutableMapping
from contextlib import contextmanager
from typing import Any, Final, NamedTuple

from starlette.types import ASGIApp, Message, Receive, Scope, Send

from tbgen.errors import TbgenError
from tbgen.system.text import to_json
from tbgen.web.server.metrics import OTHER, Metrics
from tbgen.web.server.problem import Problem, problem_of
from tbgen.web.server.quotas import Buckets, Share, client_of

_SECURITY: Final = (
    (
        b"content-security-policy",
        b"default-src 'none'; script-src 'self'; style-src 'self'; img-src 'self' data:; connect-src 'self'; "
        b"base-uri 'none'; form-action 'self'; frame-ancestors 'none'",
    ),
    (b"x-content-type-options", b"nosniff"),
    (b"referrer-policy", b"no-referrer"),
    (b"cross-origin-opener-policy", b"same-origin"),
    (b"permissions-policy", b"camera=(), geolocation=(), microphone=()"),
)
_SHARE: Final = 4
"""One client may have this part of places, connections and memory."""
BYTES: Final = 8192
"""Of a body, that cost as much as a request."""
_TOO_MUCH: Final = 429
ABORT: Final = "tbgen.abort"
"""How to close a connection, in the scope of its requests."""
_HELD: Final = "tbgen.held"
"""Bytes of memory, in the scope of a request."""
_PAUSE: Final = 0.5
"""Seconds before a client hears that it asks for too much: to say so time and again is work as well."""


class Limits(NamedTuple):
    """Of requests."""

    per_client: float = 100.0
    """Positions a second, or what takes as long; 0 for no limit."""
    at_once: int = 256
    """Requests at work."""
    body: int = 4 << 20
    """Bytes."""
    positions: int = 10_000
    """In a batch."""
    patience: float = 30.0
    """Seconds to send a request, to wait for an answer, to take a piece of it."""
    head: int = 16 << 10
    """Bytes of a request line and its headers."""
    headers: int = 100
    connections: int = 1000
    memory: int = 128 << 20
    """Bytes of bodies and what is made of them."""

    def share(self, most: int) -> Share:
        return Share(most, max(1, most // _SHARE))


class Guard:
    """An ASGI application around another."""

    def __init__(
        self,
        app: ASGIApp,
        limits: Limits,
        metrics: Metrics,
        log: Callable[[Scope, int, float], None] | None = None,
    ) -> None:
        """`log`: hears of every request, its status and the seconds that it took."""
        self._app = app
        self._log = log
        self._limits = limits
        self._metrics = metrics
        self._buckets = Buckets(limits.per_client)
        self._places = limits.share(limits.at_once)
        self._memory = limits.share(limits.memory)
        metrics.at_work.set_function(lambda: self._places.used)

    def charge(self, scope: MutableMapping[str, Any], cost: float, *, begun: bool = True) -> None:
        """Take from a client what a request costs, or more when it turns out to."""
        wait = self._buckets.take(client_of(scope), cost, begun=begun)
        if wait:
            self._metrics.refused.labels("per_client").inc()
            raise Problem(
                429, "too_many_requests", "you ask for more than this server gives to one client",
                "wait as long as Retry-After says; /v1/batch takes many positions at once", int(wait) + 1,
            )  # fmt: skip

    def hold(self, scope: MutableMapping[str, Any], size: int) -> None:
        """Memory that a request needs, until it is answered."""
        self._memory.take(client_of(scope), size)
        scope[_HELD] += size

    async def __call__(self, scope: Scope, receive: Receive, send: Send) -> None:
        if scope["type"] != "http":
            await self._app(scope, receive, send)
            return
        exchange = _Exchange(self, scope, receive, send, self._limits)
        client, started = client_of(scope), time.perf_counter()
        scope[_HELD] = 0
        try:
            with self._place(client):
                self._check(scope, exchange)
                await self._app(scope, exchange.receive, exchange.send)
        except Problem as problem:
            await exchange.refuse(problem)
        except RuntimeError as error:  # so Starlette passes on what comes too late to be answered
            if not isinstance(error.__cause__, (Problem, TbgenError)):
                raise
            await exchange.refuse(problem_of(error.__cause__))
        finally:
            self._memory.give(client, scope[_HELD])
            endpoint = scope.get("endpoint")
            route = OTHER if endpoint is None else getattr(endpoint, "__name__", "static")
            seconds = time.perf_counter() - started
            self._metrics.answered(route, exchange.status, seconds)
            if self._log is not None:
                self._log(scope, exchange.status, seconds)

    @contextmanager
    def _place(self, client: str) -> Iterator[None]:
        try:
            self._places.take(client)
        except Problem:
            self._metrics.refused.labels("at_once").inc()
            raise
        try:
            yield
        finally:
            self._places.give(client)

    def _check(self, scope: Scope, exchange: "_Exchange") -> None:
        """A body whose size is announced is charged at once: half of it would be of no use."""
        self.charge(scope, 1, begun=False)
        for name, value in scope["headers"]:
            if name == b"content-length":
                if int(value) > self._limits.body:
                    raise too_large(self._limits.body)
                self.charge(scope, int(value) / BYTES)
                exchange.is_charged = True


class _Exchange:
    """One request: its body counted, charged and waited for no longer than allowed, its answer given its headers."""

    def __init__(self, guard: Guard, scope: Scope, receive: Receive, send: Send, limits: Limits) -> None:
        self._guard = guard
        self._scope = scope
        self._receive = receive
        self._send = send
        self._limits = limits
        self._size = 0
        self._until = time.monotonic() + limits.patience
        self._whole = False
        self.is_charged = False
        self.status = 0

    async def receive(self) -> Message:
        if self._whole:  # whether the client goes away: that may take as long as the answer
            return await self._receive()
        try:
            message = await asyncio.wait_for(self._receive(), max(0.0, self._until - time.monotonic()))
        except TimeoutError:
            raise Problem(408, "too_slow", "the request came too slowly", "send it faster, or in parts") from None
        self._whole = not message.get("more_body")
        size = len(message.get("body", b""))
        self._size += size
        if self._size > self._limits.body:
            raise too_large(self._limits.body)
        if size:
            if not self.is_charged:
                self._guard.charge(self._scope, size / BYTES)
            self._guard.hold(self._scope, size)
        return message

    async def send(self, message: Message) -> None:
        if message["type"] == "http.response.start":
            self.status = message["status"]
            if self.status == _TOO_MUCH:
                await asyncio.sleep(_PAUSE)
            message["headers"] = [*message.get("headers", ()), *_SECURITY]
        await self._send(message)

    async def refuse(self, problem: Problem) -> None:
        """Answer with an error alone, from outside the application; if an answer has begun, break it off."""
        if self.status:
            self._scope[ABORT]()
            while (await self._receive())["type"] != "http.disconnect":
                pass
            return
        body = to_json({"error": problem.as_dict()}).encode()
        headers = {"content-type": "application/json", "content-length": str(len(body)), **problem.headers}
        pairs = [(name.encode(), value.encode()) for name, value in headers.items()]
        await self.send({"type": "http.response.start", "status": problem.status, "headers": pairs})
        await self.send({"type": "http.response.body", "body": body})


def too_large(most: int) -> Problem:
    return Problem(413, "too_large", f"the request has more than {most:,} bytes", "send it in several parts")
