"""HTTP as uvicorn reads it, with bounds on what comes before there is a request to speak of.

uvicorn waits for a request's head for ever and takes as much of it as comes: a connection that sends a byte a minute
would hold a descriptor, one that sends without end would take all memory.
"""

import asyncio
from typing import Any, ClassVar

from uvicorn.protocols.http.httptools_impl import HttpToolsProtocol

from tbgen.serve.limits import Limits

_TOO_LONG = b"HTTP/1.1 431 Request Header Fields Too Large\r\nconnection: close\r\ncontent-length: 0\r\n\r\n"
_FULL = b"HTTP/1.1 503 Service Unavailable\r\nconnection: close\r\nretry-after: 1\r\ncontent-length: 0\r\n\r\n"
_TOO_SLOW = b"HTTP/1.1 408 Request Timeout\r\nconnection: close\r\ncontent-length: 0\r\n\r\n"


class Protocol(HttpToolsProtocol):
    limits: ClassVar[Limits] = Limits()

    def __init__(self, *args: Any, **options: Any) -> None:
        super().__init__(*args, **options)
        self._head: int | None = 0
        """Bytes of the head that is being read; None where it has been."""
        self._deadline: asyncio.TimerHandle | None = None
        self._stalled: asyncio.TimerHandle | None = None

    def connection_made(self, transport: asyncio.Transport) -> None:  # type: ignore[override]
        super().connection_made(transport)
        if len(self.connections) > self.limits.connections:
            self._end(_FULL)
        else:
            self._deadline = self.loop.call_later(self.limits.patience, self._end, _TOO_SLOW)

    def connection_lost(self, exc: Exception | None) -> None:
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
        if self.transport.is_closing():
            return
        is_head = self._head is not None
        super().data_received(data)
        if is_head and self._head is not None:
            self._head += len(data)
            if self._head > self.limits.head:
                self._end(_TOO_LONG)

    def eof_received(self) -> bool:  # type: ignore[override]
        """Whether to answer still: a client may have said all that it has to say, and listen."""
        cycle: Any = self.cycle  # None before the first request
        if cycle is None or cycle.response_complete or cycle.more_body:
            return False
        cycle.keep_alive = False
        return True

    def on_message_begin(self) -> None:
        super().on_message_begin()
        self._head = 0
        if self._deadline is None:
            self._deadline = self.loop.call_later(self.limits.patience, self._end, _TOO_SLOW)

    def on_headers_complete(self) -> None:
        self._head = None
        self._wait_no_more()
        if self.transport.is_closing():
            return
        if len(self.url) + sum(len(name) + len(value) for name, value in self.headers) > self.limits.head:
            self._end(_TOO_LONG)
        else:
            super().on_headers_complete()

    def on_body(self, body: bytes) -> None:
        if not self.transport.is_closing():
            super().on_body(body)

    def on_message_complete(self) -> None:
        if not self.transport.is_closing():
            super().on_message_complete()

    def _wait_no_more(self) -> None:
        self._stop(self._deadline)
        self._deadline = None

    @staticmethod
    def _stop(timer: asyncio.TimerHandle | None) -> None:
        if timer is not None:
            timer.cancel()

    def _end(self, answer: bytes) -> None:
        self._wait_no_more()
        if not self.transport.is_closing():
            self.transport.write(answer)
            self.transport.close()
