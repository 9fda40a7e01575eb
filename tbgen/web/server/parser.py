"""httptools' parser, for which an `Upgrade` that nobody follows is a header as any other.

Behind such a head httptools expects another protocol: it ends the request without its body, and stops. Here a second
parser goes on, which is told of the body alone.
"""

from typing import Any, Final

import httptools

_FRAMING: Final = frozenset({b"content-length", b"transfer-encoding"})
"""The headers that say how long a body is."""


class Parser:
    """A parser of the requests of a connection, which calls back as httptools does."""

    def __init__(self, listener: Any) -> None:
        self._listener = listener
        self._parser = _lenient(self)
        self._framing: list[bytes] = []
        self._is_head_read = False
        """Whether the head that is being parsed has been told already."""

    def feed_data(self, data: bytes) -> None:
        while True:
            try:
                self._parser.feed_data(data)
            except httptools.HttpParserUpgrade as upgrade:
                data = data[upgrade.args[0] :]
                self._go_on()
            else:
                return

    def _go_on(self) -> None:
        self._parser = _lenient(self)
        self._is_head_read = True
        self._parser.feed_data(b"\r\n".join((b"POST / HTTP/1.1", *self._framing, b"", b"")))
        self._is_head_read = False

    def get_http_version(self) -> str:
        return str(self._parser.get_http_version())

    def get_method(self) -> bytes:
        return bytes(self._parser.get_method())

    def should_keep_alive(self) -> bool:
        return bool(self._parser.should_keep_alive())

    def should_upgrade(self) -> bool:
        return False

    def on_message_begin(self) -> None:
        if not self._is_head_read:
            self._framing.clear()
            self._listener.on_message_begin()

    def on_url(self, url: bytes) -> None:
        if not self._is_head_read:
            self._listener.on_url(url)

    def on_header(self, name: bytes, value: bytes) -> None:
        if not self._is_head_read:
            if name.lower() in _FRAMING:
                self._framing.append(name + b": " + value)
            self._listener.on_header(name, value)

    def on_headers_complete(self) -> None:
        if not self._is_head_read:
            self._listener.on_headers_complete()

    def on_body(self, body: bytes) -> None:
        self._listener.on_body(body)

    def on_message_complete(self) -> None:
        if not self._parser.should_upgrade():
            self._listener.on_message_complete()


def _lenient(listener: Parser) -> httptools.HttpRequestParser:
    """A parser that takes requests behind one that asks to close, as uvicorn's does: they are not answered."""
    parser = httptools.HttpRequestParser(listener)
    parser.set_dangerous_leniencies(lenient_data_after_close=True)
    return parser
