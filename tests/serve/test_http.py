"""What answers bear, and what the server bears: nonsense, what has no end, clients that are slow or go away."""

import http.client
import json
import random
import signal
import socket
import subprocess
import sys
import time
from contextlib import suppress
from pathlib import Path

import httpx
import pytest

from tbgen.web.server.limits import Limits
from tbgen.web.server.protocol import Protocol
from tests.support.patience import PATIENCE
from tests.support.runs import BISHOP
from tests.support.serving import PROBE, Server, serving, wait_for


def raw(server: Server, data: bytes, *, timeout: float = PATIENCE) -> bytes:
    """All that comes back until the server closes."""
    with socket.create_connection(("127.0.0.1", server.port), timeout=timeout) as connection:
        found = b""
        with suppress(OSError):  # it may have heard enough
            connection.sendall(data)
            connection.shutdown(socket.SHUT_WR)
        try:
            while piece := connection.recv(1 << 16):
                found += piece
        except ConnectionResetError:
            pass
        return found


# Headers


def test_every_answer_bears_the_same_strict_headers(client: httpx.Client) -> None:
    for path in (PROBE, "/v1/nothing", "/v1/health", "/v1/metrics", "/robots.txt"):
        headers = client.get(path).headers
        policy = headers["content-security-policy"]
        assert "default-src 'none'" in policy
        assert "unsafe" not in policy
        assert headers["x-content-type-options"] == "nosniff"
        assert "access-control-allow-origin" not in headers
        assert "server" not in headers


def test_robots_keep_off_what_costs(client: httpx.Client) -> None:
    assert "Disallow: /v1/" in client.get("/robots.txt").text


def test_other_sites_may_ask_only_if_told_so(small_tables: Path, client: httpx.Client) -> None:
    origin = {"origin": "https://example.org"}
    assert "access-control-allow-origin" not in client.get(PROBE, headers=origin).headers
    with (
        serving(small_tables, "--cors", "https://example.org") as server,
        httpx.Client(base_url=server.url, timeout=PATIENCE) as other,
    ):
        found = other.get(PROBE, headers=origin)
        assert found.headers["access-control-allow-origin"] == "https://example.org"
        assert "access-control-allow-origin" not in other.get(PROBE, headers={"origin": "https://x.org"}).headers


def test_other_sites_see_that_they_have_to_wait(small_tables: Path) -> None:
    """Without the header a browser shows its page no status at all."""
    words = ("--cors", "https://example.org", "--per-client", "1")
    with serving(small_tables, *words) as server, httpx.Client(base_url=server.url, timeout=PATIENCE) as client:
        client.headers["origin"] = "https://example.org"
        found = [client.get("/v1/health")]
        while found[-1].status_code == 200:
            found.append(client.get("/v1/health"))
        assert found[-1].status_code == 429
        assert {one.headers["access-control-allow-origin"] for one in found} == {"https://example.org"}
        assert "retry-after" in found[-1].headers["access-control-expose-headers"].lower()


def test_an_answer_is_not_sent_twice(client: httpx.Client) -> None:
    first = client.get(PROBE)
    assert "max-age" in first.headers["cache-control"]
    tag = first.headers["etag"]
    again = client.get(PROBE, headers={"if-none-match": tag})
    assert (again.status_code, again.content, again.headers["etag"]) == (304, b"", tag)
    other = client.get("/v1/probe", params={"fen": BISHOP, "record": "G2.0"})
    assert other.headers["etag"] != tag


# What is no request


@pytest.mark.parametrize("count", [300, pytest.param(10_000, marks=pytest.mark.full)])
def test_malformed_requests(server: Server, client: httpx.Client, count: int) -> None:
    """Each is refused or closed, none ends the server, and no descriptor stays behind."""
    good = f"GET {PROBE} HTTP/1.1\r\nhost: x\r\nconnection: close\r\n\r\n".encode()
    assert raw(server, good).startswith(b"HTTP/1.1 200")
    before = server.descriptors()
    rng = random.Random(7)

    def mangled() -> bytes:
        data = bytearray(good)
        for _ in range(rng.randrange(1, 6)):
            at = rng.randrange(len(data))
            match rng.randrange(4):
                case 0:
                    data[at] = rng.randrange(256)
                case 1:
                    del data[at : at + rng.randrange(1, 20)]
                case 2:
                    data[at:at] = rng.randbytes(rng.randrange(1, 20))
                case 3:
                    data[at:at] = data[: rng.randrange(len(data))]
            data = data or bytearray(b"\r")
        return bytes(data)

    for _ in range(count):
        answer = raw(server, mangled())
        assert not answer or answer.startswith(b"HTTP/1.")
        assert b"HTTP/1.1 500" not in answer
    assert client.get(PROBE).status_code == 200
    wait_for(lambda: server.descriptors() <= before + 2)


@pytest.mark.parametrize("head", [b"GET /" + b"x" * 200_000, b"GET / HTTP/1.1\r\nx: " + b"y" * 200_000])
def test_heads_without_end(server: Server, head: bytes) -> None:
    assert b" 431 " in raw(server, head).partition(b"\r\n")[0]
    assert b" 431 " in raw(server, head + b"\r\n\r\n").partition(b"\r\n")[0]


def test_a_body_that_is_announced_or_comes_too_large(server: Server) -> None:
    start = b"POST /v1/batch HTTP/1.1\r\nhost: x\r\ncontent-type: text/plain\r\n"
    assert b" 413 " in raw(server, start + b"content-length: 99999999999\r\n\r\nx").partition(b"\r\n")[0]
    chunk = b"10000\r\n" + b"x" * 65536 + b"\r\n"
    answer = raw(server, start + b"transfer-encoding: chunked\r\n\r\n" + chunk * 80 + b"0\r\n\r\n")
    assert not answer or b" 413 " in answer.partition(b"\r\n")[0]


def test_slow_clients_are_left(small_tables: Path, tmp_path: Path) -> None:
    """A head a byte at a time, a body that never comes, an answer that nobody takes: patience has an end."""
    code = (
        "import sys\nfrom pathlib import Path\n"
        "from tbgen.web.server.run import *\nfrom tbgen.web.server.limits import Limits\n"
        "with listen('127.0.0.1', 0) as there:\n"
        "    serve(Settings(Path(sys.argv[1]), limits=Limits(per_client=0, patience=4.0)), there,\n"
        "          lambda: print(address_of(there), flush=True))\n"
    )
    process = subprocess.Popen(
        [sys.executable, "-c", code, str(small_tables)], stdout=subprocess.PIPE, stderr=subprocess.PIPE, text=True
    )
    assert process.stdout is not None
    server = Server(process.stdout.readline().strip().rstrip("/"), process)
    try:
        before = server.descriptors()
        bodiless = b"POST /v1/batch HTTP/1.1\r\ncontent-type: application/json\r\ncontent-length: 9\r\n\r\n"
        half = [socket.create_connection(("127.0.0.1", server.port)) for _ in range(50)]
        for place, connection in enumerate(half):
            connection.sendall((b"", b"G", b"GET / HTTP/1.1\r\nhost: ", bodiless)[place % 4])
        deaf = socket.socket()
        deaf.setsockopt(socket.SOL_SOCKET, socket.SO_RCVBUF, 4096)
        deaf.connect(("127.0.0.1", server.port))
        body = json.dumps({"fens": [BISHOP] * 10_000, "moves": True}).encode()
        head = f"POST /v1/batch HTTP/1.1\r\ncontent-type: application/json\r\ncontent-length: {len(body)}\r\n\r\n"
        deaf.sendall(head.encode() + body)
        wait_for(lambda: server.descriptors() > before + 40)
        wait_for(lambda: server.descriptors() <= before + 1)
        with socket.create_connection(("127.0.0.1", server.port)) as trickle, suppress(OSError):
            trickle.sendall(b"GET /robots.txt HTTP/1.1\r\nhost: x\r\n\r\n")
            for _ in range(60):  # empty lines, which are no request
                trickle.sendall(b"\r\n")
                time.sleep(0.5)
            raise AssertionError("the connection is still open")
        assert httpx.get(f"{server.url}/v1/health", timeout=PATIENCE).status_code == 200
        for connection in (*half, deaf):
            connection.close()
        process.send_signal(signal.SIGTERM)
        assert process.communicate(timeout=PATIENCE)[1] == ""
    finally:
        process.kill()
        process.communicate()


def test_connections_have_an_end() -> None:
    assert Protocol.limits.connections == Limits().connections <= 1000


def test_clients_that_go_away(server: Server, client: httpx.Client) -> None:
    before = server.descriptors()
    body = json.dumps({"fens": [BISHOP] * 5000, "moves": True})
    for _ in range(20):
        connection = http.client.HTTPConnection("127.0.0.1", server.port)
        connection.request("POST", "/v1/batch", body, {"content-type": "application/json"})
        connection.getresponse().read(100)
        connection.close()
    assert client.get(PROBE).status_code == 200
    wait_for(lambda: server.descriptors() <= before + 1)
