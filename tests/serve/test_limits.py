"""What the server bears: too much, too fast, too slow, nonsense; and tables that change under it."""

import asyncio
import http.client
import json
import os
import random
import shutil
import signal
import socket
import subprocess
import sys
import threading
import time
from concurrent.futures import ThreadPoolExecutor
from contextlib import suppress
from pathlib import Path

import chess
import httpx
import pytest

from tbgen.cli.main import main
from tbgen.probe import Tablebase
from tbgen.serve.limits import Buckets, Limits
from tbgen.serve.protocol import Protocol
from tbgen.serve.served import Served
from tbgen.serve.service import Service, Settings
from tbgen.serve.work import SLOW, Cache, Cached, Work
from tbgen.store import open_table
from tbgen.store.write import write_table
from tests.support.serving import Server, serving, wait_for

BISHOP = "8/8/8/4KBk1/8/8/8/8 b - - 0 1"
PROBE = "/v1/probe?fen=" + BISHOP.replace(" ", "_")


def raw(server: Server, data: bytes, *, timeout: float = 10) -> bytes:
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
    with serving(small_tables, "--cors", "https://example.org") as server, httpx.Client(base_url=server.url) as other:
        found = other.get(PROBE, headers=origin)
        assert found.headers["access-control-allow-origin"] == "https://example.org"
        assert "access-control-allow-origin" not in other.get(PROBE, headers={"origin": "https://x.org"}).headers


def test_other_sites_see_that_they_have_to_wait(small_tables: Path) -> None:
    """Without the header a browser shows its page no status at all."""
    words = ("--cors", "https://example.org", "--per-client", "1")
    with serving(small_tables, *words) as server, httpx.Client(base_url=server.url) as client:
        client.headers["origin"] = "https://example.org"
        found = [client.get("/v1/health") for _ in range(20)]
        assert {one.status_code for one in found} == {200, 429}
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


# Limits


def test_a_client_gets_so_much_a_second(small_tables: Path) -> None:
    with serving(small_tables, "--per-client", "2") as server, httpx.Client(base_url=server.url) as client:
        found = [client.get("/v1/health").status_code for _ in range(30)]
        assert found[:20] == [200] * 20
        assert 429 in found
        client.get("/v1/line", params={"fen": BISHOP})
        last = client.get("/v1/line", params={"fen": BISHOP})
        assert last.status_code == 429
        assert last.json()["error"]["code"] == "too_many_requests"
        time.sleep(int(last.headers["retry-after"]) + 1)
        assert client.get("/v1/health").status_code == 200


def test_buckets(monkeypatch: pytest.MonkeyPatch) -> None:
    now = 0.0
    monkeypatch.setattr(time, "monotonic", lambda: now)
    buckets = Buckets(2)
    assert [buckets.take("a", 10) for _ in range(3)] == [0, 0, 5]
    assert buckets.take("b", 1) == 0, "others are not touched"
    now = 5.0
    assert buckets.take("a", 10) == 0
    now = 100.0
    assert buckets.take("a", 1000) == 0, "what costs more than all takes all"
    assert buckets.take("a", 1) > 0
    for client in range(20_000):
        buckets.take(str(client), 1)
    assert len(buckets._left) == 10_000


def test_many_at_once_are_refused_and_nothing_else_happens(small_tables: Path) -> None:
    with serving(small_tables, "--per-client", "0", "--at-once", "1") as server:
        fens = [f"8/8/8/4KBk1/8/8/8/8 b - - 0 {number}" for number in range(1, 1000)]
        body = json.dumps({"fens": fens, "moves": True})

        def ask(number: int) -> tuple[int, str]:
            found = httpx.post(f"{server.url}/v1/batch", content=body, headers={"content-type": "application/json"})
            return found.status_code, found.headers.get("retry-after", "")

        with ThreadPoolExecutor(8) as pool:
            found = set(pool.map(ask, range(16)))
        assert found == {(200, ""), (503, "1")}
        assert httpx.get(f"{server.url}/v1/health").status_code == 200


def test_lines_do_not_keep_probes_waiting(small_tables: Path) -> None:
    """Hundreds of lines wait; a probe does not wait for them."""
    with serving(small_tables, "--per-client", "0") as server:
        board = chess.Board("8/8/8/8/8/8/8/8 w - - 0 1")
        fens = []
        rng = random.Random(1)
        while len(fens) < 60:
            board.clear()
            for square, man in zip(rng.sample(range(64), 4), "KNNk", strict=True):
                board.set_piece_at(square, chess.Piece.from_symbol(man))
            if board.is_valid():
                fens.append(board.fen())
        times = []
        with ThreadPoolExecutor(30) as pool, httpx.Client(base_url=server.url, timeout=60) as client:
            client.get(PROBE)
            lines = [pool.submit(httpx.get, f"{server.url}/v1/line", params={"fen": fen}, timeout=60) for fen in fens]
            while not all(line.done() for line in lines):
                started = time.perf_counter()
                found = client.get("/v1/probe", params={"fen": fens[len(times) % len(fens)]})
                times.append(time.perf_counter() - started)
                assert found.status_code == 200
        statuses = {line.result().status_code for line in lines}
        assert statuses <= {200, 503}
        assert 200 in statuses
        assert sorted(times)[len(times) // 2] < 0.25


def test_equal_questions_are_worked_out_once() -> None:
    asked = list[int]()

    def job() -> int:
        asked.append(1)
        time.sleep(0.1)
        return 7

    async def all_at_once() -> list[int]:
        work = Work(Limits().patience)
        found = await asyncio.gather(*(work.do(SLOW, job, f"client {who}", "question") for who in range(8)))
        work.close()
        return found

    assert asyncio.run(all_at_once()) == [7] * 8
    assert asked == [1]


def test_kept_answers_stay_within_their_budget() -> None:
    cache = Cache(10_000)
    for number in range(1000):
        cache.put(number, Cached(b"x" * 100, ""))
    assert cache.used <= 10_000
    assert cache.get(999) is not None
    assert cache.get(0) is None
    cache.put("large", Cached(b"x" * 5000, ""))
    assert cache.get("large") is None
    cache.clear()
    assert cache.used == 0


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
        "import sys\nfrom pathlib import Path\nfrom tbgen.serve.run import *\nfrom tbgen.serve.limits import Limits\n"
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
        wait_for(lambda: server.descriptors() > before + 40, 3)
        wait_for(lambda: server.descriptors() <= before + 1, 20)
        assert httpx.get(f"{server.url}/v1/health").status_code == 200
        for connection in (*half, deaf):
            connection.close()
        process.send_signal(signal.SIGTERM)
        assert process.communicate(timeout=30)[1] == ""
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


# Tables that change


def test_tables_that_appear_change_and_go(small_tables: Path, tmp_path: Path) -> None:
    with serving(tmp_path, bundled=False) as server, httpx.Client(base_url=server.url) as client:
        assert client.get("/v1/health").status_code == 503
        assert client.get(PROBE).status_code == 404
        shutil.copy(small_tables / "KBvK.r.h5", tmp_path / "new")
        (tmp_path / "new").rename(tmp_path / "KBvK.r.h5")
        wait_for(lambda: client.get("/v1/health").status_code == 200)
        first = client.get(PROBE)
        assert first.json()["gscore"] == "G1.5"
        (tmp_path / "new").write_bytes((small_tables / "KNvK.r.h5").read_bytes())
        (tmp_path / "new").rename(tmp_path / "KBvK.r.h5")
        wait_for(lambda: client.get(PROBE).status_code == 503)
        shutil.copy(small_tables / "KBvK.r.h5", tmp_path / "new")
        (tmp_path / "new").rename(tmp_path / "KBvK.r.h5")
        wait_for(lambda: client.get(PROBE).status_code == 200)
        (tmp_path / "KBvK.r.h5").unlink()
        wait_for(lambda: client.get(PROBE).status_code == 404)
        held = [str(path.readlink()) for path in Path(f"/proc/{server.process.pid}/fd").iterdir() if path.is_symlink()]
        assert not [name for name in held if ".h5" in name], "none that is there, and none that is gone"


def test_a_tablebase_that_is_replaced_is_closed_when_the_last_has_gone(
    small_tables: Path, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    shutil.copy(small_tables / "KBvK.r.h5", tmp_path)
    closed: list[Tablebase] = []
    monkeypatch.setattr(Tablebase, "close", lambda self: closed.append(self))  # noqa: PLW0108
    served = Served(tmp_path)
    with served.tablebase(served.state.tables[next(iter(served.state.tables))].rules) as tablebase:
        os.utime(tmp_path / "KBvK.r.h5", (1, 1))
        served.refresh()
        assert tablebase not in closed
    assert closed == [tablebase]


def test_an_old_answer_never_bears_the_new_tag(
    small_tables: Path, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    """Who asks while tables are opened anew still has the old state, and what is asked then is not kept for later."""
    shutil.copy(small_tables / "KBvK.r.h5", tmp_path)
    served = Served(tmp_path)
    before, seen = served.state, []
    monkeypatch.setattr(
        "tbgen.serve.served.Tablebase",
        lambda *words: (seen.append(served.state), Tablebase(*words))[1],  # type: ignore[func-returns-value]
    )
    with open_table(tmp_path / "KBvK.r.h5") as table:
        write_table(tmp_path / "KBvK.r.h5", table.part(0, table.size), {"attractions": 17})
    assert served.refresh()
    assert seen == [before]
    assert served.state.tag != before.tag
    served.close()


def test_only_the_thread_of_the_event_loop_forgets(small_tables: Path, tmp_path: Path) -> None:
    service = Service(Settings(tmp_path))
    threads = []
    service.work.cache.clear = lambda: threads.append(threading.get_ident())  # type: ignore[method-assign]
    shutil.copy(small_tables / "KBvK.r.h5", tmp_path)
    asyncio.run(service.refresh())
    service.close()
    assert threads == [threading.get_ident()]


# The process


def test_sigterm_finishes_what_is_begun(small_tables: Path) -> None:
    with serving(small_tables) as server:
        body = json.dumps({"fens": [BISHOP] * 3_000, "moves": True})
        connection = http.client.HTTPConnection("127.0.0.1", server.port)
        connection.request("POST", "/v1/batch", body, {"content-type": "application/json"})
        answer = connection.getresponse()
        answer.read(100)
        server.process.send_signal(signal.SIGTERM)
        rest = answer.read()
        assert rest.count(b"\n") >= 2_999
        assert rest.endswith(b"\n")
        connection.close()


def test_ctrl_c_has_its_exit_code(small_tables: Path) -> None:
    command = [sys.executable, "-m", "tbgen", "serve", "--tables", str(small_tables), "--port", "0"]
    process = subprocess.Popen(command, stdout=subprocess.PIPE, stderr=subprocess.PIPE, text=True)
    assert process.stdout is not None
    process.stdout.readline()
    process.send_signal(signal.SIGINT)
    _, errors = process.communicate(timeout=30)
    assert (process.returncode, errors) == (130, "")


def test_a_second_signal_breaks_off_what_the_first_lets_end(small_tables: Path) -> None:
    """Without a traceback."""
    command = [sys.executable, "-m", "tbgen", "serve", "--tables", str(small_tables), "--port", "0"]
    process = subprocess.Popen(command, stdout=subprocess.PIPE, stderr=subprocess.PIPE, text=True)
    assert process.stdout is not None
    port = int(process.stdout.readline().partition("127.0.0.1:")[2].partition("/")[0])
    body = json.dumps({"fens": [BISHOP] * 10_000, "moves": True})
    connection = http.client.HTTPConnection("127.0.0.1", port)
    connection.request("POST", "/v1/batch", body, {"content-type": "application/json"})
    answer = connection.getresponse()
    assert (answer.status, len(answer.read(100))) == (200, 100)
    process.send_signal(signal.SIGINT)
    time.sleep(0.3)
    assert process.poll() is None
    process.send_signal(signal.SIGINT)
    _, errors = process.communicate(timeout=30)
    connection.close()
    assert (process.returncode, errors) == (130, "")


def test_a_terminal_that_is_closed_ends_it(small_tables: Path) -> None:
    with serving(small_tables) as server:
        server.process.send_signal(signal.SIGHUP)
        assert server.process.wait(30) == 0


def test_what_cannot_be_listened_at(server: Server, small_tables: Path, capsys: pytest.CaptureFixture[str]) -> None:
    for words in (["--port", str(server.port)], ["--host", "no.such.host.invalid"], ["--host", "a" * 64]):
        assert main(["serve", "--tables", str(small_tables), *words]) == 1
        errors = capsys.readouterr().err
        assert errors.startswith("tbgen: cannot listen at ")
        assert errors.count("\n") == 1


def test_it_is_bound_to_this_machine(server: Server) -> None:
    assert server.url.startswith("http://127.0.0.1:")


def test_as_many_files_as_the_system_allows() -> None:
    code = """
import resource
from tbgen.serve.run import _open_more_files
_, most = resource.getrlimit(resource.RLIMIT_NOFILE)
resource.setrlimit(resource.RLIMIT_NOFILE, (64, most))
_open_more_files()
assert resource.getrlimit(resource.RLIMIT_NOFILE) == (most, most)
"""
    subprocess.run([sys.executable, "-c", code], check=True)
