"""Bodies that go on when the answer is complete: a little is read, and charged, then the connection is closed."""

import socket
import time
from collections.abc import Iterator
from contextlib import closing, suppress
from pathlib import Path

import httpx
import pytest

from tests.support.serving import Server, serving, wait_for

MOST = 16 << 20
"""Bytes that may leave here before the connection is closed: what the server reads, and what the system holds."""
LONGEST = 15.0
"""Seconds, on a slow machine."""
FRAMED = {
    "announced": (b"content-length: 4000000\r\n\r\n", b"x" * 65536),
    "announced without end": (b"content-length: 99999999999\r\n\r\n", b"x" * 65536),
    "chunked": (b"transfer-encoding: chunked\r\n\r\n", b"10000\r\n" + b"x" * 65536 + b"\r\n"),
}
EARLY = {
    b"POST /v1/nothing": b"404",
    b"GET /nothing": b"404",
    b"POST /robots.txt": b"405",
    b"POST /v1/batch": b"415",
    b"GET /v1/health": b"200",
    b"HEAD /v1/health": b"200",
    b"OPTIONS /v1/batch": b"405",
}


@pytest.fixture(scope="module")
def open_server(small_tables: Path) -> Iterator[Server]:
    """Other sites may ask it: preflights are answered before all else."""
    with serving(small_tables, "--per-client", "0", "--cors", "*") as found:
        yield found


def connected(server: Server) -> socket.socket:
    return socket.create_connection(("127.0.0.1", server.port), 30)


def head(start: bytes, framing: bytes) -> bytes:
    return start + b" HTTP/1.1\r\nhost: x\r\n" + framing


def sent(connection: socket.socket, piece: bytes, pause: float = 0) -> int:
    """Bytes that went out until nobody took them any more."""
    count, until = 0, time.monotonic() + LONGEST
    with suppress(OSError):
        while time.monotonic() < until:
            connection.sendall(piece)
            count += len(piece)
            time.sleep(pause)
        raise AssertionError("the connection is still open")
    return count


def answer(connection: socket.socket) -> bytes:
    found = b""
    with suppress(OSError):
        while data := connection.recv(1 << 16):
            found += data
    return found


@pytest.mark.parametrize("framed", FRAMED)
@pytest.mark.parametrize("start", EARLY)
def test_a_body_without_end_is_not_read_for_ever(open_server: Server, start: bytes, framed: str) -> None:
    framing, piece = FRAMED[framed]
    with closing(connected(open_server)) as connection:
        connection.sendall(head(start, framing))
        assert sent(connection, piece) < MOST


@pytest.mark.parametrize(
    "start", [*EARLY, b"OPTIONS /v1/batch HTTP/1.1\r\norigin: https://x\r\naccess-control-request-method: POST\r\nx: y"]
)
def test_a_byte_now_and_then_does_not_hold_a_connection(open_server: Server, start: bytes) -> None:
    before = open_server.descriptors()
    with closing(connected(open_server)) as connection:
        connection.sendall(head(start, FRAMED["announced"][0]))
        sent(connection, b"x", 0.2)
        wait_for(lambda: open_server.descriptors() <= before)


@pytest.mark.parametrize("framed", FRAMED)
@pytest.mark.parametrize("start", EARLY)
def test_who_listens_only_afterwards_hears_the_answer(open_server: Server, start: bytes, framed: str) -> None:
    """And that the connection is closed."""
    framing, piece = FRAMED[framed]
    with closing(connected(open_server)) as connection:
        connection.sendall(head(start, framing) + piece)
        found = answer(connection)
    assert found.split()[1] == (b"413" if b"9999" in framing else EARLY[start])
    assert b"\r\nconnection: close\r\n" in found
    assert found.count(b"HTTP/1.1 ") == 1


def test_what_nobody_wants_is_charged(small_tables: Path) -> None:
    with serving(small_tables, "--per-client", "1") as server, closing(connected(server)) as connection:
        framing, piece = FRAMED["chunked"]
        connection.sendall(head(b"POST /v1/nothing", framing) + piece * 2)
        assert answer(connection).startswith(b"HTTP/1.1 404")
        assert httpx.get(f"{server.url}/v1/health").status_code == 429


def test_who_has_to_wait_is_read_no_longer(small_tables: Path) -> None:
    with serving(small_tables, "--per-client", "1") as server:
        while httpx.get(f"{server.url}/v1/health").status_code == 200:
            pass
        framing, piece = FRAMED["chunked"]
        with closing(connected(server)) as connection:
            connection.sendall(head(b"POST /v1/batch", framing))
            assert sent(connection, piece) < MOST
