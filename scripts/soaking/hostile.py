"""Clients that want a server for themselves, all from one address.

An attack is what some connections do time and again.
"""

import asyncio
import json
import os
import random
from collections.abc import Awaitable, Callable
from contextlib import suppress
from itertools import count
from typing import Final, NamedTuple
from urllib.parse import quote

from soaking.positions import a_board, a_fen

ADDRESS: Final = "127.0.0.66"
_NUMBERS: Final = count(1)
_PIECE: Final = 1 << 16
_LARGE: Final = 4 << 20
"""Bytes of the largest body that the server takes."""
_SHUFFLE: Final = "Nf3 Nf6 Ng1 Ng8 " * 500
"""2,000 plies."""


class Connection(NamedTuple):
    reader: asyncio.StreamReader
    writer: asyncio.StreamWriter

    async def send(self, data: bytes) -> None:
        self.writer.write(data)
        await self.writer.drain()

    async def hear(self) -> bytes:
        """What comes next; an end is an error, so that the attack begins anew."""
        data = await self.reader.read(_PIECE)
        if not data:
            raise ConnectionResetError
        return data

    async def ask(self, data: bytes) -> None:
        """Wait for the answer, or what comes of it within the time that it may take."""
        await self.send(data)
        await self.hear()


def _get(path: str) -> bytes:
    return f"GET {path} HTTP/1.1\r\nhost: x\r\n\r\n".encode()


def _post(path: str, body: bytes, media: str) -> bytes:
    head = f"POST {path} HTTP/1.1\r\nhost: x\r\ncontent-type: {media}\r\ncontent-length: {len(body)}\r\n\r\n"
    return head.encode() + body


def _new(route: str, material: str = "") -> bytes:
    """A question that has no kept answer."""
    draw = random.Random(next(_NUMBERS))
    fen = a_board(draw, material).fen() if material else a_fen(draw)
    return _get(f"{route}{quote(fen)}")


_LISTS: Final = _post("/v1/batch", b'{"fens": [' + b",".join([b"[]"] * (_LARGE // 3 - 10)) + b"]}", "application/json")
_NAMES: Final = _post(
    "/v1/batch", json.dumps({str(number): number for number in range(_LARGE // 19)}).encode(), "application/json"
)
_LINES: Final = _post("/v1/batch", b"\n\n\na" * (_LARGE // 4), "text/plain")
_FORM: Final = _post("/game", b"pgn=" + b"%41" * (_LARGE // 3 - 4), "application/x-www-form-urlencoded")
_GAMES: Final = _post("/v1/annotate", (f"1. {_SHUFFLE}*\n\n" * 50).encode(), "application/x-chess-pgn")
_PAGE: Final = _post("/game", b"pgn=" + (f"1. {_SHUFFLE}*\n\n" * 50).encode(), "application/x-www-form-urlencoded")
_TEXTS: Final = _post("/v1/annotate", b"a\n\n1. e4 *\n\n" * (_LARGE // 12), "application/x-chess-pgn")
_SLOW: Final = b"POST /v1/batch HTTP/1.1\r\nhost: x\r\ncontent-type: text/plain\r\ncontent-length: 1000000\r\n\r\n"
_CHUNKS: Final = _SLOW.replace(b"content-length: 1000000", b"transfer-encoding: chunked") + b"1\r\nx\r\n" * 10_000
_UNWANTED: Final = _SLOW.replace(b"/v1/batch", b"/v1/nothing")
_MORE: Final = b"x" * _PIECE
_UPGRADES: Final = (
    b"POST /v1/batch HTTP/1.1\r\nhost: x\r\ncontent-type: text/plain\r\nconnection: upgrade\r\nupgrade: h2c\r\n"
    b"content-length: 37\r\n\r\nGET /v1/health HTTP/1.1\r\nhost: x\r\n\r\n\n"
) * 100
_MANY: Final = b"GET /robots.txt HTTP/1.1\r\nhost: x\r\n" + b"a:\r\n" * 5000 + b"\r\n"


async def _lists(there: Connection) -> None:
    await there.ask(_LISTS)


async def _names(there: Connection) -> None:
    await there.ask(_NAMES)


async def _text(there: Connection) -> None:
    await there.ask(_LINES)


async def _form(there: Connection) -> None:
    await there.ask(_FORM)


async def _games(there: Connection) -> None:
    await there.ask(_GAMES)


async def _page(there: Connection) -> None:
    await there.ask(_PAGE)


async def _texts(there: Connection) -> None:
    await there.ask(_TEXTS)


async def _leave(there: Connection) -> None:
    """Gone as soon as the games are sent."""
    await there.send(_GAMES)
    await asyncio.sleep(0.2)
    raise ConnectionResetError


async def _best_play(there: Connection) -> None:
    await there.ask(_new("/v1/line?fen=", "KPvK"))


async def _positions(there: Connection) -> None:
    await there.ask(_new("/v1/moves?fen="))


async def _batches(there: Connection) -> None:
    fens = [f"8/8/8/4KBk1/8/8/8/8 b - - 0 {next(_NUMBERS)}" for _ in range(10_000)]
    await there.ask(_post("/v1/batch", json.dumps({"fens": fens, "moves": True}).encode(), "application/json"))
    while b"\n0\r\n" not in await there.hear():
        pass


async def _statistics(there: Connection) -> None:
    for name in ("KPvK", "KQvK", "KRvK"):
        await there.ask(_get(f"/v1/materials/{name}/stats?rules={random.choice(('r', 'wg'))}"))


async def _slow_bodies(there: Connection) -> None:
    await there.send(_SLOW)
    while True:
        await there.send(b"x")
        await asyncio.sleep(1)


async def _unwanted(there: Connection) -> None:
    """A body without end behind its answer."""
    await there.send(_UNWANTED.replace(b"1000000", b"4000000"))
    while True:
        await there.send(_MORE)


async def _slow_unwanted(there: Connection) -> None:
    await there.send(_UNWANTED)
    while True:
        await there.send(b"x")
        await asyncio.sleep(1)


async def _upgrades(there: Connection) -> None:
    await there.ask(_UPGRADES)


async def _chunks(there: Connection) -> None:
    await there.ask(_CHUNKS)


async def _idle(there: Connection) -> None:
    await there.hear()


async def _flood(there: Connection) -> None:
    await there.ask(_get("/v1/health"))


async def _pipeline(there: Connection) -> None:
    await there.ask(_get("/robots.txt") * 500)


async def _headers(there: Connection) -> None:
    await there.ask(_MANY)


async def _nonsense(there: Connection) -> None:
    await there.ask(random.Random(next(_NUMBERS)).randbytes(100) + b"\r\n\r\n")


async def _connections(there: Connection) -> None:
    raise ConnectionResetError


async def _slow_readers(there: Connection) -> None:
    await there.send(_get("/v1/tables/KPvK.r.h5") * 20)
    while True:
        await there.reader.readexactly(4096)
        await asyncio.sleep(0.05)


async def _downloads(there: Connection) -> None:
    await there.ask(_get("/v1/tables/KPvK.r.h5"))


ATTACKS: Final[dict[str, tuple[int, Callable[[Connection], Awaitable[None]]]]] = {
    "nothing": (0, _idle),
    "lists as positions, 4 MB": (2, _lists),
    "names in JSON, 4 MB": (2, _names),
    "lines of a batch, 4 MB": (2, _text),
    "a form of %41, 4 MB": (2, _form),
    "50 games of 2,000 plies": (4, _games),
    "the same on a page": (4, _page),
    "350,000 texts between games": (2, _texts),
    "games, and gone": (20, _leave),
    "best play": (40, _best_play),
    "all moves": (64, _positions),
    "batches with moves": (8, _batches),
    "statistics": (8, _statistics),
    "slow bodies": (300, _slow_bodies),
    "bodies that go on behind an answer": (60, _unwanted),
    "the same, a byte a second": (300, _slow_unwanted),
    "100 upgrades in a piece": (32, _upgrades),
    "a byte a chunk": (8, _chunks),
    "idle connections": (1200, _idle),
    "a flood of small requests": (64, _flood),
    "500 requests in a piece": (32, _pipeline),
    "5,000 headers": (16, _headers),
    "nonsense": (32, _nonsense),
    "connections closed at once": (32, _connections),
    "slow readers": (200, _slow_readers),
    "downloads": (64, _downloads),
}
"""How many connections do what."""


def attack(name: str, port: int) -> None:
    """Go on until killed, on one core."""
    os.sched_setaffinity(0, {max(os.sched_getaffinity(0))})
    asyncio.run(_attack(name, port))


async def _attack(name: str, port: int) -> None:
    number, act = ATTACKS[name]
    await asyncio.gather(*(_again_and_again(act, port) for _ in range(number)))


async def _again_and_again(act: Callable[[Connection], Awaitable[None]], port: int) -> None:
    while True:
        with suppress(OSError, EOFError):
            there = Connection(*await asyncio.open_connection("127.0.0.1", port, local_addr=(ADDRESS, 0)))
            try:
                while True:
                    await act(there)
            finally:
                there.writer.transport.abort()
        await asyncio.sleep(0)
