"""How many questions a second `tbgen serve` answers, how soon, and for how much CPU: a table as in docs/performance.md.

A server is started for it. Connections that stay open ask one question after the other: first for the empty route,
/robots.txt, which is what HTTP alone costs, then for positions of KRvK, each time with another move number, so that no
answer is one that the server has kept, then for batches of such positions. That is done in turn; each figure is the
median of the runs. On a machine that does other work as well the figures say little.
"""

import argparse
import os
import random
import selectors
import socket
import statistics
import sys
import time
from collections.abc import Iterator
from contextlib import ExitStack
from itertools import count, cycle, islice, repeat
from pathlib import Path
from typing import Final, NamedTuple

import chess

from tbgen.cli.common import at_once, some_seconds, whole_number
from tbgen.core.position import fault
from tbgen.store import BUNDLED
from tests.support.serving import Server, serving

_POSITIONS: Final = 20_000
_BATCH: Final = 10_000
"""Positions: as many as a server takes at once, unless it was told otherwise."""
_TICKS: Final = os.sysconf("SC_CLK_TCK")
_OK: Final = b"HTTP/1.1 200 "
_LINE: Final = b"\r\n"
_END: Final = _LINE + _LINE
_LENGTH: Final = b"\r\ncontent-length: "
_LAST_CHUNK: Final = b"\r\n0\r\n\r\n"
"""Of an answer whose length was not known when it began."""
_PATIENCE: Final = 30
"""Seconds."""


class Kind(NamedTuple):
    """What is asked."""

    requests: Iterator[bytes]
    positions: int
    """In each of them."""


class Run(NamedTuple):
    """What one run has found."""

    answers_a_second: float
    half_within: float
    nearly_all_within: float
    """Seconds for 99 of 100."""
    cpu: float
    """Seconds of the server's, for an answer."""


def main() -> None:
    parser = argparse.ArgumentParser(
        prog="scripts/load", description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter
    )
    parser.add_argument("--runs", type=whole_number(1), default=9, metavar="N", help="of each kind (default: 9)")
    parser.add_argument("--seconds", type=some_seconds, default=2.0, metavar="S", help="of a run (default: 2)")
    parser.add_argument("--connections", type=at_once, default=8, metavar="N", help="default: 8")
    args = parser.parse_args()
    fens = _fens(_POSITIONS)
    kinds = {
        "empty route": Kind(repeat(_request("/robots.txt")), 0),
        "a single probe": Kind(map(_request, _probes(fens)), 1),
        f"a batch of {_BATCH:,}": Kind(_batches(fens), _BATCH),
    }
    found: dict[str, list[Run]] = {kind: [] for kind in kinds}
    with serving(BUNDLED, "--per-client", "0") as server:
        for _ in range(args.runs):
            for name, kind in kinds.items():
                found[name].append(measured(server, kind.requests, args.seconds, args.connections))
    print("\n".join(table(kinds, found)))


def _request(path: str) -> bytes:
    return f"GET {path} HTTP/1.1\r\nhost: load\r\n\r\n".encode()


def _fens(count: int) -> list[str]:
    """Positions of KRvK, without the number of the move."""
    draw, fens = random.Random(0), list[str]()
    men = [chess.Piece.from_symbol(letter) for letter in "KRk"]
    while len(fens) < count:
        board = chess.Board(None)
        board.set_piece_map(dict(zip(draw.sample(chess.SQUARES, len(men)), men, strict=True)))
        board.turn = draw.random() < 1 / 2
        if fault(board) is None:
            fens.append(f"{board.board_fen()} {'w' if board.turn else 'b'} - - 0 ")
    return fens


def _probes(fens: list[str]) -> Iterator[str]:
    """Questions, no two of them alike."""
    asked = [fen.replace(" ", "_") for fen in fens]
    return (f"/v1/probe?fen={fen}{number}" for fen, number in zip(cycle(asked), count(1)))


def _batches(fens: list[str]) -> Iterator[bytes]:
    """A FEN a line."""
    endless = cycle(fens)
    while True:
        body = "\n".join(f"{fen}1" for fen in islice(endless, _BATCH)).encode()
        head = f"POST /v1/batch HTTP/1.1\r\nhost: load\r\ncontent-type: text/plain\r\ncontent-length: {len(body)}"
        yield head.encode() + _END + body


def measured(server: Server, requests: Iterator[bytes], seconds: float, connections: int) -> Run:
    """Ask a server for so long."""
    before, begun = _cpu(server), time.perf_counter()
    took = sorted(_answered(server.port, requests, begun + seconds, connections))
    wall, cpu = time.perf_counter() - begun, _cpu(server) - before
    return Run(len(took) / wall, took[len(took) // 2], took[len(took) * 99 // 100], cpu / len(took))


def _cpu(server: Server) -> float:
    """Seconds of processor time that it has taken."""
    user, system = Path(f"/proc/{server.process.pid}/stat").read_text().rpartition(")")[2].split()[11:13]
    return (int(user) + int(system)) / _TICKS


def _answered(port: int, requests: Iterator[bytes], until: float, connections: int) -> Iterator[float]:
    """Seconds that each answer took."""
    with selectors.DefaultSelector() as waiting, ExitStack() as stack:
        for _ in range(connections):
            connection = stack.enter_context(socket.create_connection(("127.0.0.1", port), _PATIENCE))
            waiting.register(connection, selectors.EVENT_READ, _Client(connection, requests))
        while waiting.get_map():
            ready = waiting.select(_PATIENCE)
            if not ready:
                sys.exit(f"tbgen: no answer within {_PATIENCE} seconds")
            for key, _ in ready:
                took = key.data.read()
                if took is None:
                    continue
                yield took
                if time.perf_counter() < until:
                    key.data.ask()
                else:
                    waiting.unregister(key.fileobj)


class _Client:
    """A connection on which one question is asked after the other."""

    def __init__(self, connection: socket.socket, requests: Iterator[bytes]) -> None:
        self._connection = connection
        self._requests = requests
        self.ask()

    def ask(self) -> None:
        self._answer, self._asked = bytearray(), time.perf_counter()
        self._connection.sendall(next(self._requests))

    def read(self) -> float | None:
        """What has come; seconds since the question if that is all of the answer."""
        data = self._connection.recv(1 << 16)
        self._answer += data
        begin = self._answer.find(_END)
        head = bytes(self._answer[:begin] if begin >= 0 else self._answer)
        if not data or (begin >= 0 and not head.startswith(_OK)):
            sys.exit(f"tbgen: the server answered {head.partition(_LINE)[0].decode()!r}")
        if begin < 0 or not self._is_whole(head):
            return None
        return time.perf_counter() - self._asked

    def _is_whole(self, head: bytes) -> bool:
        _, has_length, rest = head.partition(_LENGTH)
        if not has_length:
            return self._answer.endswith(_LAST_CHUNK)
        return len(self._answer) >= len(head) + len(_END) + int(rest.partition(_LINE)[0])


def table(kinds: dict[str, Kind], found: dict[str, list[Run]]) -> Iterator[str]:
    """In Markdown, a column for each kind."""
    medians = [Run(*map(statistics.median, zip(*runs, strict=True))) for runs in found.values()]
    positions = [kind.positions for kind in kinds.values()]
    yield f"| | {' | '.join(found)} |"
    yield "|---" * (len(found) + 1) + "|"
    yield _row("answers a second", (f"{one.answers_a_second:,.0f}" for one in medians))
    within = (f"{1000 * one.half_within:.1f} ms, {1000 * one.nearly_all_within:.1f} ms" for one in medians)
    yield _row("half of them within, 99 of 100 within", within)
    yield _row("CPU of the server", (f"{1e6 * one.cpu:,.0f} µs" for one in medians))
    many = zip(positions, medians, strict=True)
    yield _row("positions a second", (f"{asked * one.answers_a_second:,.0f}" if asked else "" for asked, one in many))


def _row(head: str, cells: Iterator[str]) -> str:
    return f"| {head} | {' | '.join(cells)} |"


if __name__ == "__main__":
    main()
