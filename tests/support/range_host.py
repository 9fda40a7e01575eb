"""A web host of a directory of tables, as plain or as hostile as a test wants it, that counts what it is asked for."""

import threading
from collections import Counter
from collections.abc import Callable, Iterator, Mapping
from contextlib import contextmanager, suppress
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer
from pathlib import Path
from typing import Final, NamedTuple

Part = tuple[int, int]
"""First and last byte."""


class Asked(NamedTuple):
    name: str
    part: Part | None


class Answer(NamedTuple):
    """What goes back. Without `length` the connection's end is the body's."""

    status: int
    headers: Mapping[str, str] = {}
    body: bytes = b""
    length: int | None = None
    endless: bool = False
    """The body goes on and on."""


class Host:
    """`answers` makes an answer of what was asked for."""

    def __init__(self, directory: Path, answers: Callable[["Host", Asked], Answer] | None = None) -> None:
        self.directory: Final = directory
        self.extra: dict[str, bytes] = {}
        """Files that the directory lacks."""
        self.asked: list[Asked] = []
        self.bytes: Counter[str] = Counter()
        """Of bodies, by what was asked for."""
        self.url = ""
        self.closing = threading.Event()
        self._answers = answers or Host.parts

    @property
    def sent(self) -> int:
        """Bytes of bodies."""
        return self.bytes.total()

    def data(self, name: str) -> bytes | None:
        if name in self.extra:
            return self.extra[name]
        path = self.directory / name
        return path.read_bytes() if path.is_file() else None

    def parts(self, asked: Asked) -> Answer:
        """As nginx answers."""
        path = self.directory / asked.name
        if asked.part is None or asked.name in self.extra:
            return self.whole(asked)
        if not path.is_file():
            return Answer(404)
        first, size = asked.part[0], path.stat().st_size
        if first >= size:
            return Answer(416, {"Content-Range": f"bytes */{size}"})
        with path.open("rb") as file:
            file.seek(first)
            body = file.read(asked.part[1] - first + 1)
        return Answer(206, {"Content-Range": f"bytes {first}-{first + len(body) - 1}/{size}"}, body, len(body))

    def whole(self, asked: Asked) -> Answer:
        """As `python -m http.server` answers, which knows no parts."""
        body = self.data(asked.name)
        return Answer(404) if body is None else Answer(200, {}, body, len(body))

    def answer(self, asked: Asked) -> Answer:
        self.asked.append(asked)
        return self._answers(self, asked)


class _Handler(BaseHTTPRequestHandler):
    protocol_version = "HTTP/1.1"
    disable_nagle_algorithm = True
    host: Host

    def do_GET(self) -> None:
        given = self.headers.get("Range")
        part = None
        if given is not None:
            first, _, last = given.removeprefix("bytes=").partition("-")
            part = int(first), int(last)
        name = self.path.lstrip("/")
        found = self.host.answer(Asked(name, part))
        self.send_response(found.status)
        for key, value in found.headers.items():
            self.send_header(key, value)
        if found.length is not None and not found.endless:
            self.send_header("Content-Length", str(found.length))
        else:
            self.send_header("Connection", "close")
        if found.status in (404, 416) and found.length is None:
            self.send_header("Content-Length", "0")
        self.end_headers()
        with suppress(OSError):
            self.host.bytes[name] += len(found.body)
            self.wfile.write(found.body)
            while found.endless and not self.host.closing.is_set():
                self.wfile.write(bytes(1 << 16))
                self.host.bytes[name] += 1 << 16
        if found.length is None or found.endless:
            self.close_connection = True

    def log_message(self, format: str, *args: object) -> None:
        """Nobody reads it."""


class _Server(ThreadingHTTPServer):
    daemon_threads = True

    def handle_error(self, request: object, client_address: object) -> None:
        """Who breaks off is no news."""


@contextmanager
def hosting(directory: Path, answers: Callable[[Host, Asked], Answer] | None = None) -> Iterator[Host]:
    host = Host(directory, answers)
    server = _Server(("127.0.0.1", 0), type("Handler", (_Handler,), {"host": host}))
    host.url = f"http://127.0.0.1:{server.server_address[1]}/"
    thread = threading.Thread(target=server.serve_forever, kwargs={"poll_interval": 0.05})
    thread.start()
    try:
        yield host
    finally:
        host.closing.set()
        server.shutdown()
        thread.join()
        server.server_close()
