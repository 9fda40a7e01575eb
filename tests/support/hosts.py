"""Web hosts with a folder: plain ones, and those that lie."""

import gzip
import hashlib
import http.server
import json
import threading
from collections.abc import Callable, Iterator
from contextlib import contextmanager, suppress
from pathlib import Path
from typing import Any


def listed(path: Path) -> dict[str, Any]:
    """What a catalogue says of a file, as docs/publish.md has it, without tbgen."""
    data = path.read_bytes()
    sha256 = hashlib.sha256(data).hexdigest()
    return {"name": path.name, "bytes": len(data), "sha256": sha256, "head": data[:4096].rstrip(b"\0").decode()}


def folder(kind: type["Host"], paths: list[Path], **changes: object) -> type["Host"]:
    """Such a host with these files and a catalogue; `changes`: what that says of the first instead."""
    tables = [listed(path) for path in paths]
    tables[0] |= changes
    catalogue = json.dumps({"tables": tables}).encode()
    return holding(kind, {path.name: path.read_bytes() for path in paths} | {"catalogue.json": catalogue})


def holding(kind: type["Host"], files: dict[str, bytes]) -> type["Host"]:
    return type("Some", (kind,), {"files": files, "asked": []})


class Host(http.server.BaseHTTPRequestHandler):
    """A host without ranges. Others tell it how to say something else."""

    files: dict[str, bytes]
    asked: list[tuple[str, str | None]]
    """Names, and what was asked for of them."""

    def do_GET(self) -> None:
        name, part = self.path.lstrip("/"), self.headers["Range"]
        self.asked.append((name, part))
        with suppress(ConnectionError):
            if name in self.files:
                say = self.say if name.endswith(".h5") else self.say_plainly
                say(name, self.files[name], None if part is None else int(part[6:-1]))
            else:
                self.send_error(404)

    def say(self, name: str, data: bytes, start: int | None) -> None:
        """Send a table."""
        self.say_plainly(name, data, start)

    def say_plainly(self, name: str, data: bytes, start: int | None) -> None:
        self.head(200, {"Content-Length": len(data)})
        self.wfile.write(data)

    def head(self, status: int, headers: dict[str, object]) -> None:
        self.send_response(status)
        for key, value in headers.items():
            self.send_header(key, str(value))
        self.end_headers()

    def log_message(self, format: str, *args: object) -> None:
        """Nobody reads it."""


class Ranged(Host):
    def say(self, name: str, data: bytes, start: int | None) -> None:
        if start is None:
            self.say_plainly(name, data, start)
        else:
            self.head(206, {"Content-Range": f"bytes {start}-{len(data) - 1}/{len(data)}"})
            self.wfile.write(data[start:])


class Packing(Host):
    def say_plainly(self, name: str, data: bytes, start: int | None) -> None:
        self.head(200, {"Content-Encoding": "gzip"})
        self.wfile.write(gzip.compress(data))


@contextmanager
def hosting(kind: Callable[..., Host]) -> Iterator[str]:
    """Its address."""
    server = http.server.ThreadingHTTPServer(("127.0.0.1", 0), kind)
    thread = threading.Thread(target=server.serve_forever, args=(0.01,))
    thread.start()
    try:
        yield f"http://127.0.0.1:{server.server_port}"
    finally:
        server.shutdown()
        thread.join()
        server.server_close()
