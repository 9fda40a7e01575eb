"""The layer around everything: limits on requests, headers that all answers have, and what is counted."""

import asyncio
import time
from collections import OrderedDict
from collections.abc import MutableMapping
from typing import Any, Final, NamedTuple

from starlette.types import ASGIApp, Message, Receive, Scope, Send

from tbgen.serve.metrics import OTHER, Metrics
from tbgen.serve.problem import Problem
from tbgen.text import to_json

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
_CLIENTS: Final = 10_000
"""Clients that are remembered. The longest silent is forgotten first: its bucket is full again."""


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
    connections: int = 1000


class Buckets:
    """What each client may still ask for: as much as it likes for ten seconds' worth, then so much a second."""

    _DEPTH: Final = 10.0

    def __init__(self, rate: float) -> None:
        self._rate = rate
        self._depth = rate * self._DEPTH
        self._left: OrderedDict[str, tuple[float, float]] = OrderedDict()

    def take(self, client: str, cost: float) -> float:
        """Seconds to wait before asking again: 0 where it was taken. What costs more than all takes all."""
        if not self._rate:
            return 0.0
        now = time.monotonic()
        left, at = self._left.get(client, (self._depth, now))
        left = min(self._depth, left + (now - at) * self._rate)
        cost = min(cost, self._depth)
        wait = max(0.0, (cost - left) / self._rate)
        self._left[client] = left - (0.0 if wait else cost), now
        self._left.move_to_end(client)
        if len(self._left) > _CLIENTS:
            self._left.popitem(last=False)
        return wait


class Guard:
    """An ASGI application around another."""

    def __init__(self, app: ASGIApp, limits: Limits, metrics: Metrics) -> None:
        self._app = app
        self._limits = limits
        self._metrics = metrics
        self._buckets = Buckets(limits.per_client)
        self._at_work = 0
        metrics.at_work.set_function(lambda: self._at_work)

    def charge(self, scope: MutableMapping[str, Any], cost: float) -> None:
        """Take more from a client whose request turns out to be worth it."""
        client = scope.get("client")
        wait = self._buckets.take(client[0] if client else "", cost)
        if wait:
            self._metrics.refused.labels("per_client").inc()
            raise Problem(
                429, "too_many_requests", "you ask for more than this server gives to one client",
                "wait as long as Retry-After says; /v1/batch takes many positions at once", int(wait) + 1,
            )  # fmt: skip

    async def __call__(self, scope: Scope, receive: Receive, send: Send) -> None:
        if scope["type"] != "http":
            await self._app(scope, receive, send)
            return
        exchange = _Exchange(scope, receive, send, self._limits)
        started = time.perf_counter()
        self._at_work += 1
        try:
            self._check(scope)
            await self._app(scope, exchange.receive, exchange.send)
        except Problem as problem:
            await refuse(problem, exchange.send)
        finally:
            self._at_work -= 1
            endpoint = scope.get("endpoint")
            route = OTHER if endpoint is None else getattr(endpoint, "__name__", "static")
            self._metrics.answered(route, exchange.status, time.perf_counter() - started)

    def _check(self, scope: Scope) -> None:
        if self._at_work > self._limits.at_once:
            self._metrics.refused.labels("at_once").inc()
            raise Problem(503, "busy", "too many requests are at work", "ask again a little later", 1)
        self.charge(scope, 1)
        for name, value in scope["headers"]:
            if name == b"content-length" and int(value) > self._limits.body:
                raise too_large(self._limits.body)


class _Exchange:
    """One request: its body counted and waited for no longer than allowed, its answer given its headers."""

    def __init__(self, scope: Scope, receive: Receive, send: Send, limits: Limits) -> None:
        self._receive = receive
        self._send = send
        self._limits = limits
        self._size = 0
        self._until = time.monotonic() + limits.patience
        self._whole = False
        self.status = 0

    async def receive(self) -> Message:
        if self._whole:  # whether the client goes away: that may take as long as the answer
            return await self._receive()
        try:
            message = await asyncio.wait_for(self._receive(), max(0.0, self._until - time.monotonic()))
        except TimeoutError:
            raise Problem(408, "too_slow", "the request came too slowly", "send it faster, or in parts") from None
        self._whole = not message.get("more_body")
        self._size += len(message.get("body", b""))
        if self._size > self._limits.body:
            raise too_large(self._limits.body)
        return message

    async def send(self, message: Message) -> None:
        if message["type"] == "http.response.start":
            self.status = message["status"]
            message["headers"] = [*message.get("headers", ()), *_SECURITY]
        await self._send(message)


async def refuse(problem: Problem, send: Send) -> None:
    """Answer with an error alone, from outside the application."""
    body = to_json({"error": problem.as_dict()}).encode()
    headers = {"content-type": "application/json", "content-length": str(len(body)), **problem.headers}
    pairs = [(name.encode(), value.encode()) for name, value in headers.items()]
    await send({"type": "http.response.start", "status": problem.status, "headers": pairs})
    await send({"type": "http.response.body", "body": body})


def too_large(most: int) -> Problem:
    return Problem(413, "too_large", f"the request has more than {most:,} bytes", "send it in several parts")
