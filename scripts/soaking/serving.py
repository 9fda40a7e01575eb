"""`scripts/soak --serve MINUTES`: a server under mixed load, its memory and descriptors watched all the time."""

import http.client
import json
import random
import re
import signal
import socket
import subprocess
import sys
import threading
import time
from collections import Counter
from collections.abc import Callable
from contextlib import suppress
from pathlib import Path
from typing import Final, NamedTuple
from urllib.parse import quote
from urllib.request import urlopen

from soaking.case import shown
from soaking.ground import TABLES, TBGEN, file_of, right, tables_of
from soaking.mangle import mangled
from soaking.positions import a_fen

_CLIENTS: Final = 6
_WATCH_EVERY: Final = 2.0
"""Seconds."""
_WARM: Final = 0.25
"""The share of the time after which memory has to stay as it is."""
_GROWTH: Final = 24 << 20
"""Bytes that memory may grow by after that: threads that have not been at work before have buffers of their own."""
_DESCRIPTORS: Final = 4
"""That may be open in the end beside those of the beginning: tables that have been asked for are counted apart."""
_RIGHT: Final = {200, 206, 304, 400, 404, 405, 408, 413, 415, 416, 422, 429, 431, 503}
_PGN: Final = b'[FEN "8/8/8/4KBk1/8/8/8/8 b - - 7 30"]\n\n30... Kh5 31. Kf4 Kh6 32. Bg6 Kxg6 1/2-1/2\n'


class Look(NamedTuple):
    """The server at a moment."""

    seconds: float
    memory: int
    descriptors: int
    kept: int | None
    """Bytes of answers that the server keeps, in its own words; None if it did not say."""


class _Load:
    """What the clients do."""

    def __init__(self, ground: Path, port: int) -> None:
        self._ground = ground
        self._port = port
        self.did: Counter[str] = Counter()
        self.wrong: list[str] = []
        self._writing = threading.Lock()

    def client(self, seed: int, until: float) -> None:
        draw = random.Random(seed)
        kinds: tuple[tuple[Callable[[random.Random], str], int], ...] = (
            (self._ask, 60), (self._many, 3), (self._page, 8), (self._game, 2), (self._file, 3), (self._nonsense, 8),
            (self._leave, 4), (self._dawdle, 1),
        )  # fmt: skip
        calls, weights = zip(*kinds, strict=True)
        while time.monotonic() < until:
            (call,) = draw.choices(calls, weights)
            try:
                did = call(draw)
            except (OSError, http.client.HTTPException) as error:
                did = f"{call.__name__.strip('_')} broken off"
                if isinstance(error, ConnectionRefusedError):
                    self._tell(f"{call.__name__}: {error}")
                    return
            with self._writing:
                self.did[did] += 1

    def _tell(self, words: str) -> None:
        with self._writing:
            self.wrong.append(words)

    def send(
        self, method: str, path: str, body: bytes | None = None, media: str = "application/json"
    ) -> tuple[int, bytes]:
        connection = http.client.HTTPConnection("127.0.0.1", self._port, timeout=60)
        try:
            connection.request(method, path, body, {"content-type": media})
            answer = connection.getresponse()
            data = answer.read()
        finally:
            connection.close()
        if answer.status not in _RIGHT:
            self._tell(f"{method} {path}: {answer.status} {shown(data)}")
        return answer.status, data

    def _ask(self, draw: random.Random) -> str:
        what = draw.choice(("probe", "probe", "probe", "moves", "moves", "line", "staircase"))
        status, data = self.send("GET", f"/v1/{what}?fen={quote(a_fen(draw))}&rules={draw.choice(('r', 'wg'))}")
        if status == 200:
            json.loads(data)
        elif "error" not in json.loads(data):
            self._tell(f"{what}: {status} without an error: {shown(data)}")
        return what

    def _many(self, draw: random.Random) -> str:
        fens = [a_fen(draw) for _ in range(draw.choice((1, 50, 1000)))]
        asked = {"fens": fens, "moves": draw.random() < 0.2}
        status, data = self.send("POST", "/v1/batch", json.dumps(asked).encode())
        answers = data.count(b"\n")
        if status == 200 and answers != len(fens):
            self._tell(f"batch: {len(fens)} positions, {answers} answers")
        return "batches"

    def _page(self, draw: random.Random) -> str:
        table, fen = draw.choice(TABLES), quote(a_fen(draw))
        pages = (
            *(f"/?fen={fen}", f"/v1/board?fen={fen}&line=1", f"/standard?fen={fen}", "/materials", "/game"),
            *(f"/materials/{table}", f"/v1/materials/{table}/stats", "/v1/metrics", "/v1/openapi.json"),
            *("/static/explorer.js", "/static/chessground/chessground.min.js"),
        )
        self.send("GET", draw.choice(pages))
        return "pages"

    def _game(self, draw: random.Random) -> str:
        data = _PGN if draw.random() < 0.5 else mangled(draw, _PGN)
        self.send("POST", "/v1/annotate", data, "application/x-chess-pgn")
        return "games"

    def _file(self, draw: random.Random) -> str:
        name = file_of(draw.choice(TABLES))
        status, data = self.send("GET", f"/v1/tables/{name}")
        if status == 200 and data != right(self._ground, name):
            self._tell(f"{name} came WRONG")
        return "files"

    def _raw(self, data: bytes, wait: float) -> None:
        with socket.create_connection(("127.0.0.1", self._port), timeout=wait) as connection:
            connection.sendall(data)
            with suppress(OSError):
                connection.shutdown(socket.SHUT_WR)
            while piece := connection.recv(1 << 16):
                if b"HTTP/1.1 500" in piece:
                    self._tell(f"500 for {shown(data)}")

    def _nonsense(self, draw: random.Random) -> str:
        good = f"GET /v1/moves?fen={quote(a_fen(draw))} HTTP/1.1\r\nhost: x\r\nconnection: close\r\n\r\n".encode()
        self._raw(mangled(draw, good), 60)
        return "malformed requests"

    def _leave(self, draw: random.Random) -> str:
        body = json.dumps({"fens": [a_fen(draw) for _ in range(300)], "moves": True}).encode()
        head = f"POST /v1/batch HTTP/1.1\r\ncontent-type: application/json\r\ncontent-length: {len(body)}\r\n\r\n"
        with socket.create_connection(("127.0.0.1", self._port), timeout=30) as connection:
            connection.sendall((head.encode() + body)[: draw.randrange(1, len(head) + len(body))])
            if draw.random() < 0.5:
                connection.setsockopt(socket.SOL_SOCKET, socket.SO_LINGER, b"\1\0\0\0\0\0\0\0")
        return "connections broken off"

    def _dawdle(self, draw: random.Random) -> str:
        data = b"GET /v1/health HTTP/1.1\r\nhost: x\r\nconnection: close\r\n\r\n"
        with socket.create_connection(("127.0.0.1", self._port), timeout=60) as connection:
            for place in range(0, len(data), 8):
                connection.sendall(data[place : place + 8])
                time.sleep(draw.random() * 0.3)
            connection.recv(1 << 16)
        return "slow clients"


def soak(ground: Path, minutes: float, seed: int) -> int:
    """The exit code: 1 if anything was wrong."""
    command = [TBGEN, "serve", "--tables", str(tables_of(ground)), "--port", "0", "--per-client", "0"]
    said = ground / "said"
    with said.open("w") as file:  # a pipe that nobody reads would stop the server when it is full
        process = subprocess.Popen(command, stdout=subprocess.PIPE, stderr=file, text=True)
    assert process.stdout is not None
    found = re.search(r":(\d+)/", process.stdout.readline())
    if found is None:
        print(f"the server did not start: {said.read_text()}")
        return 1
    port = int(found[1])
    load = _Load(ground, port)
    for table in TABLES:  # what statistics need is loaded once, and is no growth
        load.send("GET", f"/v1/materials/{table}/stats")
    start = time.monotonic()
    until = start + 60 * minutes
    clients = [threading.Thread(target=load.client, args=(seed * 100 + n, until)) for n in range(_CLIENTS)]
    for client in clients:
        client.start()
    looks = []
    while any(client.is_alive() for client in clients):
        time.sleep(_WATCH_EVERY)
        if process.poll() is not None:
            load.wrong.append(f"the server ended: {process.returncode}")
            break
        looks.append(_look(process.pid, port, start))
    for client in clients:
        client.join()
    time.sleep(_WATCH_EVERY)
    if process.poll() is None:
        looks.append(_look(process.pid, port, start))
    process.send_signal(signal.SIGTERM)
    process.communicate(timeout=60)
    errors = said.read_text()
    if process.returncode or errors:
        load.wrong.append(f"exit code {process.returncode}, {shown(errors, 2000)}")
    load.wrong += _growth(looks, 60 * minutes)
    _print(load, looks, minutes)
    return 1 if load.wrong else 0


def _look(pid: int, port: int, start: float) -> Look:
    """Tables are open as long as the server runs: they are no leak."""
    status = Path(f"/proc/{pid}/status").read_text()
    memory = re.search(r"VmRSS:\s+(\d+) kB", status)
    names = []
    for path in Path(f"/proc/{pid}/fd").iterdir():
        with suppress(OSError):
            names.append(path.readlink().name)
    descriptors = sum(not name.endswith(".h5") for name in names)
    return Look(time.monotonic() - start, int(memory[1]) << 10 if memory else 0, descriptors, _kept(port))


def _kept(port: int) -> int | None:
    try:
        with urlopen(f"http://127.0.0.1:{port}/v1/metrics", timeout=30) as answer:
            found = re.search(rb"^tbgen_kept_bytes (\S+)", answer.read(), re.MULTILINE)
    except OSError:
        return None
    return int(float(found[1])) if found else None


def _growth(looks: list[Look], seconds: float) -> list[str]:
    warm = [look for look in looks if look.seconds > _WARM * seconds]
    if len(warm) < 2:
        return []
    third = max(1, len(warm) // 3)
    early, late = (sorted(look.memory for look in part)[third // 2] for part in (warm[:third], warm[-third:]))
    found = []
    if late - early > _GROWTH:
        found.append(f"memory grew from {early >> 20} to {late >> 20} MiB")
    if looks[-1].descriptors > looks[0].descriptors + _DESCRIPTORS:
        found.append(f"{looks[-1].descriptors} descriptors in the end, {looks[0].descriptors} in the beginning")
    return found


def _print(load: _Load, looks: list[Look], minutes: float) -> None:
    total = sum(load.did.values())
    print(
        f"{total:,} requests in {minutes:g} minutes: "
        + ", ".join(f"{n:,} {what}" for what, n in load.did.most_common())
    )
    for share in (0, 0.25, 0.5, 0.75, 1):
        look = looks[min(len(looks) - 1, int(share * len(looks)))]
        kept = "?" if look.kept is None else f"{look.kept / 2**20:.1f}"
        print(
            f"after {look.seconds / 60:.1f} min: {look.memory / 2**20:.1f} MiB, {kept} of them kept answers; "
            f"{look.descriptors} descriptors"
        )
    for words in load.wrong[:20]:
        print(f"WRONG: {words}", file=sys.stderr)
    print(f"{len(load.wrong)} wrong")
