"""What one client gets where others want something as well; and the end, whatever is at work."""

import asyncio
import json
import re
import signal
import socket
import subprocess
import sys
import threading
import time
from collections.abc import Iterator
from contextlib import ExitStack, contextmanager, suppress
from functools import partial
from pathlib import Path

import httpx
import pytest
from starlette.requests import ClientDisconnect

from tbgen.web.server.limits import Limits
from tbgen.web.server.problem import Problem
from tbgen.web.server.question import fields_of
from tbgen.web.server.quotas import Share, client_at
from tbgen.web.server.work import SLOW, Work
from tests.support.patience import PATIENCE
from tests.support.serving import PROBE, Server, serving, wait_for

GREEDY = "127.0.0.77"
HALF = b"POST /v1/batch HTTP/1.1\r\nhost: x\r\ncontent-type: text/plain\r\ncontent-length: 9\r\n\r\nx"
"""Of a request."""
LINE = f"GET {PROBE.replace('probe', 'line')} HTTP/1.1\r\nhost: x\r\n\r\n".encode()
SHUFFLE = "Nf3 Nf6 Ng1 Ng8 " * 500
"""2,000 plies."""


@contextmanager
def greedy(server: Server, count: int, data: bytes) -> Iterator[list[socket.socket]]:
    """So many connections from an address of their own, each of which has sent this."""
    with ExitStack() as stack:
        made = []
        for _ in range(count):
            one = stack.enter_context(socket.create_connection(("127.0.0.1", server.port), PATIENCE, (GREEDY, 0)))
            with suppress(OSError):  # it may be refused already
                one.sendall(data)
            made.append(one)
        yield made


def post(path: str, body: bytes, media: str) -> bytes:
    head = f"POST {path} HTTP/1.1\r\nhost: x\r\ncontent-type: {media}\r\ncontent-length: {len(body)}\r\n\r\n"
    return head.encode() + body


def answers(connection: socket.socket, count: int) -> list[bytes]:
    """The status lines of so many answers, or of as many as come."""
    found = b""
    with suppress(OSError):
        while found.count(b"HTTP/1.1 ") < count and (piece := connection.recv(1 << 16)):
            found += piece
    return re.findall(rb"HTTP/1.1 [^\r]+", found)


# Shares


def test_a_share_is_a_part_of_what_all_have() -> None:
    share = Share(8, 2)
    share.take("a", 2)
    with pytest.raises(Problem) as error:
        share.take("a")
    assert error.value.status == 429
    for client in "bcd":
        share.take(client, 2)
    with pytest.raises(Problem) as error:
        share.take("e")
    assert error.value.status == 503
    share.give("a", 2)
    share.take("e")
    assert share.used == 7


def test_who_counts_as_one_client() -> None:
    assert client_at("192.0.2.1") != client_at("192.0.2.2")
    assert client_at("::ffff:192.0.2.1") == "192.0.2.1"
    assert client_at("2001:db8::1") == client_at("2001:db8::2") != client_at("2001:db8:0:1::1")
    assert client_at("unix:") == "unix:"


@pytest.mark.parametrize(
    ("count", "data"),
    [
        (Limits().connections, b""),
        (300, HALF),
    ],
    ids=["idle connections", "slow bodies"],
)
def test_one_address_never_has_all_places(small_tables: Path, count: int, data: bytes) -> None:
    with serving(small_tables, "--per-client", "0") as server, greedy(server, count, data):
        for _ in range(5):
            assert httpx.get(server.url + PROBE, timeout=PATIENCE).status_code == 200


# Work


def test_a_clients_slow_jobs_wait_for_one_another_and_not_for_those_of_others() -> None:
    async def run() -> None:
        work, ends = Work(10), threading.Event()
        try:
            greedy = [asyncio.create_task(work.do(SLOW, ends.wait, "greedy")) for _ in range(20)]
            await asyncio.sleep(0.1)
            assert await asyncio.wait_for(work.do(SLOW, lambda: 1, "other"), PATIENCE) == 1
            ends.set()
            await asyncio.gather(*greedy)
        finally:
            ends.set()
            work.close()

    asyncio.run(run())


def test_what_nobody_waits_for_is_not_begun() -> None:
    async def run() -> None:
        work, ends, begun = Work(10), threading.Event(), list[int]()
        left = False

        async def gone() -> bool:
            return left

        try:
            first = asyncio.create_task(work.do(SLOW, ends.wait, "one"))
            others = [asyncio.create_task(work.do(SLOW, lambda n=n: begun.append(n), "one", n, gone)) for n in range(5)]
            await asyncio.sleep(0.1)
            left = True
            found = await asyncio.gather(*others, return_exceptions=True)
            assert {type(one) for one in found} == {ClientDisconnect}
            ends.set()
            await first
            await asyncio.sleep(0.1)
            assert begun == []
        finally:
            ends.set()
            work.close()

    asyncio.run(run())


@contextmanager
def patched(tables: Path, code: str) -> Iterator[Server]:
    """A server in which something is otherwise."""
    command = [sys.executable, "-c", PATCHED.replace("CODE", code), str(tables)]
    process = subprocess.Popen(command, stdout=subprocess.PIPE, stderr=subprocess.PIPE, text=True)
    try:
        assert process.stdout is not None
        yield Server(process.stdout.readline().strip().rstrip("/"), process)
    finally:
        process.kill()
        process.communicate()


PATCHED = """
import sys, time
from pathlib import Path
from tbgen.referee.annotate import files
from tbgen.web.server import answers, run
from tbgen.web.server.service import Settings
CODE
with run.listen("127.0.0.1", 0) as there:
    run.serve(Settings(Path(sys.argv[1])), there, lambda: print(run.address_of(there), flush=True))
"""


def test_games_of_who_has_left_are_told_no_further(small_tables: Path) -> None:
    slow = "tell = files.tell; files.tell = lambda *given: (time.sleep(4), tell(*given))[1]"
    with patched(small_tables, slow) as server:
        with greedy(server, 1, post("/v1/annotate", b"1. e4 e5 *\n\n" * 30, "application/x-chess-pgn")):
            time.sleep(1)
        asked = partial(httpx.get, f"{server.url}/v1/metrics", timeout=PATIENCE)
        wait_for(lambda: 'route="annotate",status="400"' in asked().text, 100)  # all games would take 120 s


def test_who_only_listens_is_answered_after_a_while(small_tables: Path) -> None:
    slow = "line = answers.line; answers.line = lambda *given: (time.sleep(3), line(*given))[1]"
    with patched(small_tables, slow) as server, greedy(server, 1, LINE) as (one,):
        one.shutdown(socket.SHUT_WR)
        assert {*answers(one, 99)} == {b"HTTP/1.1 100 Continue", b"HTTP/1.1 200 OK"}


# What costs, before the work


@pytest.mark.parametrize(
    ("path", "media", "body", "status"),
    [
        ("/v1/batch", "application/json", b'{"fens": [' + b",".join([b"[]"] * 1_000_000) + b"]}", 413),
        ("/v1/batch", "text/plain", b"\n" * (1 << 20), 413),
        ("/v1/annotate", "application/x-chess-pgn", (f"1. {SHUFFLE}*\n\n" * 6).encode(), 413),
        ("/v1/annotate", "application/x-chess-pgn", b"1. e4 {" + b"x" * (1 << 19) + b"} *", 413),
        ("/game", "application/x-www-form-urlencoded", b"pgn=" + b"%41" * 1_300_000, 413),
        ("/game", "application/x-www-form-urlencoded", b"&" * 9, 400),
        ("/v1/probe?fen=" + "%41" * 1000, "", b"", 400),
    ],
)
def test_what_is_too_much_is_refused_before_it_is_read(
    server: Server, path: str, media: str, body: bytes, status: int
) -> None:
    data = post(path, body, media) if media else f"GET {path} HTTP/1.1\r\nhost: x\r\n\r\n".encode()
    with greedy(server, 1, data) as (one,):
        (found,) = answers(one, 1)
    assert found.split()[1] == str(status).encode()


@pytest.mark.parametrize(
    ("path", "media", "body"),
    [
        ("/v1/batch", "application/json", json.dumps({"fens": ["x" * 40] * 2000}).encode()),
        ("/v1/batch", "text/plain", (b"x" * 40 + b"\n") * 2000),
        ("/v1/batch", "application/json", b'"' + b"," * 9_000 + b"x" * 100_000 + b'"'),
        ("/v1/annotate", "application/x-chess-pgn", f"1. {SHUFFLE}*".encode()),
    ],
)
def test_bodies_are_charged(small_tables: Path, path: str, media: str, body: bytes) -> None:
    """With one a second, who has sent so much has to wait for many seconds."""
    with serving(small_tables, "--per-client", "1") as server:
        headers = {"content-type": media}
        found = [httpx.post(server.url + path, content=body, headers=headers, timeout=PATIENCE) for _ in range(2)]
    assert [one.status_code == 429 for one in found] == [False, True]


def test_a_form_is_read_as_browsers_write_it() -> None:
    text = '[White "Zoë & Max"]\r\n\r\n1. e4 100% +-\r\n' * 5000
    body = str(httpx.QueryParams({"pgn": text, "rules": ""})).encode()
    assert fields_of(body) == {"pgn": text.encode(), "rules": b""}
    assert fields_of(b"pgn=%4&x=%zz%C3%A9+%") == {"pgn": b"%4", "x": "%zzé %".encode()}


# Requests that do not wait for answers


def test_requests_in_pieces_that_end_anywhere(server: Server) -> None:
    data = f"GET {PROBE} HTTP/1.1\r\nhost: x\r\nx-more: {'y' * 60}\r\n\r\n".encode() * 700
    with socket.create_connection(("127.0.0.1", server.port), PATIENCE) as connection:
        hears = threading.Thread(target=lambda: found.extend(answers(connection, 700)))
        found: list[bytes] = []
        hears.start()
        for at in range(0, len(data), 20_000):
            connection.sendall(data[at : at + 20_000])
        connection.shutdown(socket.SHUT_WR)
        hears.join()
    assert found == [b"HTTP/1.1 200 OK"] * 700


@pytest.mark.parametrize("count", [101, 5000])
def test_a_head_has_so_many_lines(server: Server, count: int) -> None:
    head = b"GET /robots.txt HTTP/1.1\r\n"
    with greedy(server, 1, head + b"a:\r\n" * count + b"\r\n") as (one,):
        assert answers(one, 2) == [b"HTTP/1.1 431 Request Header Fields Too Large"]
    with greedy(server, 1, head + b"a:\r\n" * 100 + b"\r\n") as (one,):
        assert answers(one, 1) == [b"HTTP/1.1 200 OK"]


def test_what_is_too_long_comes_after_what_was_asked(server: Server) -> None:
    good = b"GET /v1/health HTTP/1.1\r\nhost: x\r\n\r\n"
    with greedy(server, 1, good * 3 + b"GET / HTTP/1.1\r\nx: " + b"y" * 100_000) as (one,):
        found = answers(one, 9)
    assert found[:3] == [b"HTTP/1.1 200 OK"] * 3


# The end


def test_sigterm_ends_it_whatever_is_at_work(small_tables: Path) -> None:
    """A line that is never found, others that wait for it, half a body, and a download that nobody takes."""
    with patched(small_tables, "answers.line = lambda *given: time.sleep(1000); run._GRACE = 1.0") as server:
        file = b"GET /v1/tables/KNNvK.r.h5 HTTP/1.1\r\nhost: x\r\n\r\n"
        with greedy(server, 3, LINE) as lines, greedy(server, 3, HALF), greedy(server, 3, file * 50):
            time.sleep(1)
            server.process.send_signal(signal.SIGTERM)
            began = time.monotonic()
            told = [answers(one, 1) for one in lines]
            _, errors = server.process.communicate(timeout=PATIENCE)
        assert time.monotonic() - began < PATIENCE
        assert told == [[b"HTTP/1.1 503 Service Unavailable"]] * 3
        assert (server.process.returncode, errors) == (0, "")
