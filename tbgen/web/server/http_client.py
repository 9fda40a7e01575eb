"""Asking a server that may be anybody's: by http or https only, at one host, and not for longer than bytes come.

Timeouts of sockets begin again with every byte, so that a byte a minute, or `100 Continue` without end, would keep a
client for ever. Here time is limited as a whole, and begins again only when enough of the body has come.
"""

import http.client
import io
import socket
import ssl
import time
from contextlib import suppress
from typing import IO, Any, Final
from urllib import request
from urllib.parse import urlsplit

from tbgen._version import __version__
from tbgen.errors import TbgenError

_WAIT: Final = 60.0
"""Seconds from a request to its answer, and then for each `LEAST` bytes."""
LEAST: Final = 1 << 14
"""Bytes, or all that are left: what slow lines bring as well."""


class TimedResponse(http.client.HTTPResponse):
    """What a server says; TimeoutError when too little of it comes."""

    def __init__(self, sock: socket.socket, *words: Any, **named: Any) -> None:
        super().__init__(sock, *words, **named)
        self._timed = _Timed(self.fp.detach(), sock)
        self.fp = io.BufferedReader(self._timed)
        self._came = 0

    def came(self, count: int) -> None:
        """So many bytes of the body have come."""
        self._came += count
        if self._came >= LEAST:
            self._came = 0
            self._timed.begin()


class _Timed(io.RawIOBase):
    """What comes on a connection, until time is up."""

    def __init__(self, raw: io.RawIOBase, sock: socket.socket) -> None:
        self._raw, self._sock = raw, sock
        self.begin()

    def begin(self) -> None:
        self._until = time.monotonic() + _WAIT

    def readable(self) -> bool:
        return True

    def readinto(self, buffer: Any) -> int | None:
        left = self._until - time.monotonic()
        if left > 0:
            self._sock.settimeout(left)
            with suppress(TimeoutError):
                return self._raw.readinto(buffer)
        raise TimeoutError("too little came from the server")

    def close(self) -> None:
        self._raw.close()
        super().close()


def ask(url: str, headers: dict[str, str], *, elsewhere: bool) -> TimedResponse:
    """What a server says. `elsewhere`: whether it may send us to other hosts."""
    wanted = request.Request(url, headers={"User-Agent": f"tbgen/{__version__}", **headers})
    answer: TimedResponse = _opener(_Redirects(elsewhere)).open(wanted, timeout=_WAIT)
    return answer


class _Redirects(request.HTTPRedirectHandler):
    def __init__(self, elsewhere: bool) -> None:
        self._elsewhere = elsewhere

    def redirect_request(
        self, req: request.Request, fp: IO[bytes], code: int, msg: str, headers: http.client.HTTPMessage, newurl: str
    ) -> request.Request | None:
        fp.close()  # whoever sends us on may say something without end
        before, to = urlsplit(req.full_url), urlsplit(newurl)
        if to.scheme not in {"https", before.scheme}:
            raise TbgenError(f"{req.full_url} leads to {to.scheme}, which is not followed")
        if to.hostname != before.hostname and not self._elsewhere:
            raise TbgenError(f"{req.full_url} leads to another host, {to.hostname!a} (--elsewhere follows it)")
        return super().redirect_request(req, fp, code, msg, headers, newurl)


class _Connection(http.client.HTTPConnection):
    response_class = TimedResponse


class _SafeConnection(http.client.HTTPSConnection):
    response_class = TimedResponse


class _Http(request.HTTPHandler):
    def http_open(self, req: request.Request) -> http.client.HTTPResponse:
        return self.do_open(_Connection, req)


class _Https(request.HTTPSHandler):
    def https_open(self, req: request.Request) -> http.client.HTTPResponse:
        return self.do_open(_SafeConnection, req, context=ssl.create_default_context())


def _opener(redirects: _Redirects) -> request.OpenerDirector:
    """An opener that knows http and https alone."""
    opener = request.OpenerDirector()
    for handler in (
        request.ProxyHandler(), _Http(), _Https(), redirects, request.HTTPDefaultErrorHandler(),
        request.HTTPErrorProcessor(), request.UnknownHandler(),
    ):  # fmt: skip
        opener.add_handler(handler)
    return opener
