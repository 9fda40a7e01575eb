"""What is left of a body when the answer is complete.

uvicorn reads it for as long as it comes. A door that is shut at once takes the answer from who listens only when all is
sent. So a little more is read, for a short while and at the client's cost; then the connection is closed.
"""

import asyncio
from contextlib import suppress
from typing import Final

from starlette.types import ASGIApp, Message, Receive, Scope, Send

from tbgen.web.server.limits import BYTES, Guard
from tbgen.web.server.problem import Problem

_MOST: Final = 1 << 18
"""Bytes."""
_LONGEST: Final = 2.0
"""Seconds."""
_CLOSE: Final = (b"connection", b"close")


class Unread:
    """An ASGI application around all others."""

    def __init__(self, app: ASGIApp, guard: Guard) -> None:
        self._app = app
        self._guard = guard

    async def __call__(self, scope: Scope, receive: Receive, send: Send) -> None:
        if scope["type"] == "http" and _has_body(scope):
            exchange = _Exchange(self._guard, scope, receive, send)
            await self._app(scope, exchange.receive, exchange.send)
            await exchange.finish()
        else:
            await self._app(scope, receive, send)


def _has_body(scope: Scope) -> bool:
    return any(name in (b"content-length", b"transfer-encoding") for name, _ in scope["headers"])


class _Exchange:
    """A request with a body. An answer that begins before all of it is received says that it closes the connection, and
    its end is kept back."""

    def __init__(self, guard: Guard, scope: Scope, receive: Receive, send: Send) -> None:
        self._guard = guard
        self._scope = scope
        self._receive = receive
        self._send = send
        self._is_whole = False
        self._is_closing = False
        self._is_answered = False

    async def receive(self) -> Message:
        message = await self._receive()
        self._is_whole = not message.get("more_body")
        return message

    async def send(self, message: Message) -> None:
        if message["type"] == "http.response.start":
            if not self._is_whole:
                self._is_closing = True
                message["headers"] = [*message.get("headers", ()), _CLOSE]
        elif self._is_closing and not message.get("more_body"):
            self._is_answered = True
            message["more_body"] = True
        await self._send(message)

    async def finish(self) -> None:
        if self._is_answered:
            with suppress(Problem, TimeoutError):
                async with asyncio.timeout(_LONGEST):
                    await self._read()
            await self._send({"type": "http.response.body"})

    async def _read(self) -> None:
        size = 0
        while size < _MOST and not self._is_whole:
            message = await self.receive()
            size += len(message.get("body", b""))
            if not self._is_whole:
                self._guard.charge(self._scope, len(message["body"]) / BYTES)
