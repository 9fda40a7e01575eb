"""HTTP as uvicorn reads it, with bounds on what comes before there is a request to speak of.

uvicorn waits for a request's head for ever and takes as much of it as comes: a connection that sends a byte a minute
would hold a descriptor, one that sends without end would take all memory. Of requests that come without waiting for
answers it begins all at once; here the next piece is read when those of the last are answered.

No other module names what uvicorn does not promise to keep. pyproject.toml goes no further than the version of uvicorn
that was tried; `tests/serve/test_protocol.py` names what is missing in another.
"""

import asyncio
from collections import deque
from collections.abc import Callable
from typing import Any, ClassVar, Final

from uvicorn.protocols.http.flow_control import FlowControl
from uvicorn.protocols.http.httptools_impl import HttpToolsProtocol

from tbgen.web.server.limits import ABORT, Limits
from tbgen.web.server.parser import Parser
from tbgen.web.server.problem import Problem
from tbgen.web.server.quotas import Share, client_at

_TOO_LONG = b"HTTP/1.1 431 Request Header Fields Too Large\r\nconnection: close\r\ncontent-length: 0\r\n\r\n"
_FULL = b"HTTP/1.1 503 Service Unavailable\r\nconnection: close\r\nretry-after: 1\r\ncontent-length: 0\r\n\r\n"
_TOO_SLOW = b"HTTP/1.1 408 Request Timeout\r\nconnection: close\r\ncontent-length: 0\r\n\r\n"
_NOTHING = b"HTTP/1.1 100 Continue\r\n\r\n"
_ASK_EVERY: Final = 1.0
"""Seconds."""
_PIECE: Final = 1024
"""Bytes that are read in one go: how long that takes is for who sends them to choose."""
_AHEAD: Final = 1 << 16
"""Bytes that a connection may be ahead of its answers."""
_HEADER: Final = len(b": \r\n")


class _Flow(FlowControl):
    """uvicorn's, which also says when there is room for more."""

    def __init__(self, transport: asyncio.Transport, more: Callable[[], object]) -> None:
        super().__init__(transport)
        self._more = more

    def resume_reading(self) -> None:
        super().resume_reading()
        self._more()


class Protocol(HttpToolsProtocol):
    limits: ClassVar[Limits] = Limits()
    places: ClassVar[Share] = Limits().share(Limits().connections)
    """For connections."""

    def __init__(self, *args: Any, **options: Any) -> None:
        super().__init__(*args, **options)
        self.parser = Parser(self)  # type: ignore[assignment]
        self._head: int | None = 0
        """Bytes of the head that is being read; None where it has been."""
        self._cycles: deque[Any] = deque()
        """Requests that are not answered yet. Of several, uvicorn tells the last one alone that the client has left."""
        self._ahead = bytearray()
        """What has come and is not read yet."""
        self._ended = False
        """Whether nothing more will come."""
        self._over = False
        """Whether nothing more is read: what has been asked for is still answered."""
        self._place: str | None = None
        """Whose share it counts in."""
        self._deadline: asyncio.TimerHandle | None = None
        self._stalled: asyncio.TimerHandle | None = None

    def connection_made(self, transport: asyncio.Transport) -> None:  # type: ignore[override]
        super().connection_made(transport)
        self.flow = _Flow(transport, self._more)
        client = client_at(self.client[0]) if self.client else ""
        try:
            self.places.take(client)
        except Problem:
            self._end(_FULL)
        else:
            self._place = client
            self._expect_head()

    def connection_lost(self, exc: Exception | None) -> None:
        if self._place is not None:
            self.places.give(self._place)
        for cycle in self._cycles:
            cycle.disconnected = True
            cycle.message_event.set()
        self._ahead.clear()
        self._wait_no_more()
        self._stop(self._stalled)
        super().connection_lost(exc)

    def pause_writing(self) -> None:
        """The client does not take what is sent."""
        super().pause_writing()
        self._stalled = self.loop.call_later(self.limits.patience, self.transport.abort)

    def resume_writing(self) -> None:
        super().resume_writing()
        self._stop(self._stalled)

    def data_received(self, data: bytes) -> None:
        if not self._over:
            self._ahead += data
            self._read()

    def _more(self) -> None:
        if self._ahead:
            self.loop.call_soon(self._read)

    def _read(self) -> None:
        """Piece by piece, until there is a request that has to wait, or more of a body than is asked for."""
        while self._ahead and not self.pipeline and not self.flow.read_paused and not self._is_deaf():
            piece = bytes(self._ahead[:_PIECE])
            del self._ahead[:_PIECE]
            is_head = self._head is not None
            super().data_received(piece)
            if is_head and self._head is not None:
                self._head += len(piece)
                is_too_long = self._head > self.limits.head + _PIECE  # others may have been in the first piece
                if is_too_long or len(self.headers or ()) > self.limits.headers:
                    self._end(_TOO_LONG)
        if len(self._ahead) > _AHEAD and not self.transport.is_closing():
            self.flow.pause_reading()
        self._close_if_done()

    def eof_received(self) -> bool:  # type: ignore[override]
        """Whether to answer still: a client may have said all that it has to say, and listen."""
        self._ended = True
        self._close_if_done()
        self._ask_if_there()
        return not self.transport.is_closing()

    def _ask_if_there(self) -> None:
        """Who has left looks like who listens until something is sent: a word that says nothing, where work is long."""
        if not self.transport.is_closing():
            self.loop.call_later(_ASK_EVERY, self._say_nothing)

    def _say_nothing(self) -> None:
        cycle = self._cycles[0] if self._cycles else None
        if cycle is not None and not cycle.response_started and cycle.scope["http_version"] == "1.1":
            if not self.transport.is_closing():
                self.transport.write(_NOTHING)
            self._ask_if_there()

    def on_response_complete(self) -> None:
        self._cycles.popleft()
        super().on_response_complete()
        if self.cycle.response_complete:
            self._expect_head()
        self._close_if_done()

    def _close_if_done(self) -> None:
        cycle: Any = self.cycle  # None before the first request
        is_at_work = self.pipeline or not (cycle is None or cycle.response_complete or cycle.more_body)
        if self._ended and not self._ahead and not is_at_work and not self.transport.is_closing():
            self.transport.close()

    def on_message_begin(self) -> None:
        super().on_message_begin()
        self.scope[ABORT] = self.transport.abort  # type: ignore[typeddict-unknown-key]
        self._head = 0
        self._expect_head()

    def on_headers_complete(self) -> None:
        self._head = None
        self._wait_no_more()
        if self._is_deaf():
            return
        size = len(self.url) + sum(len(name) + len(value) + _HEADER for name, value in self.headers)
        if size > self.limits.head or len(self.headers) > self.limits.headers:
            self._end(_TOO_LONG)
        else:
            super().on_headers_complete()
            self._cycles.append(self.cycle)

    def on_body(self, body: bytes) -> None:
        if not self._is_deaf():
            super().on_body(body)

    def on_message_complete(self) -> None:
        if not self._is_deaf():
            super().on_message_complete()

    def _is_deaf(self) -> bool:
        return self._over or self.transport.is_closing()

    def _expect_head(self) -> None:
        """Wait for a request, or for the client to take the last answer where the connection is being closed."""
        self._wait_no_more()
        self._deadline = self.loop.call_later(self.limits.patience, self._give_up)

    def _give_up(self) -> None:
        if self.transport.is_closing():
            self.transport.abort()
        else:
            self._end(_TOO_SLOW)

    def _wait_no_more(self) -> None:
        self._stop(self._deadline)
        self._deadline = None

    @staticmethod
    def _stop(timer: asyncio.TimerHandle | None) -> None:
        if timer is not None:
            timer.cancel()

    def _end(self, answer: bytes) -> None:
        """Answer to what is no request, after all that is; then close."""
        self._wait_no_more()
        self._over = True
        self._ahead.clear()
        cycle: Any = self.cycle
        if cycle is not None and not cycle.response_complete:
            cycle.keep_alive = False
        elif not self.transport.is_closing():
            self.transport.write(answer)
            self.transport.close()
            self._expect_head()
