"""What the server bears: too much, and too fast."""

import asyncio
import json
import random
import time
from concurrent.futures import ThreadPoolExecutor
from pathlib import Path

import chess
import httpx
import pytest

from tbgen.web.server.limits import Buckets, Limits
from tbgen.web.server.work import SLOW, Cache, Cached, Work
from tests.support.patience import PATIENCE
from tests.support.runs import BISHOP
from tests.support.serving import PROBE, serving


def test_a_client_gets_so_much_a_second(small_tables: Path) -> None:
    with (
        serving(small_tables, "--per-client", "2") as server,
        httpx.Client(base_url=server.url, timeout=PATIENCE) as client,
    ):
        assert [client.get("/v1/health").status_code for _ in range(20)] == [200] * 20
        last = client.get("/v1/line", params={"fen": BISHOP})
        while last.status_code == 200:
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
            found = httpx.post(
                f"{server.url}/v1/batch", content=body, headers={"content-type": "application/json"}, timeout=PATIENCE
            )
            return found.status_code, found.headers.get("retry-after", "")

        with ThreadPoolExecutor(8) as pool:
            found = set(pool.map(ask, range(16)))
        assert found == {(200, ""), (503, "1")}
        assert httpx.get(f"{server.url}/v1/health", timeout=PATIENCE).status_code == 200


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
        with ThreadPoolExecutor(30) as pool, httpx.Client(base_url=server.url, timeout=PATIENCE) as client:
            client.get(PROBE)
            lines = [
                pool.submit(httpx.get, f"{server.url}/v1/line", params={"fen": fen}, timeout=PATIENCE) for fen in fens
            ]
            while not all(line.done() for line in lines):
                started = time.perf_counter()
                found = client.get("/v1/probe", params={"fen": fens[len(times) % len(fens)]})
                times.append(time.perf_counter() - started)
                assert found.status_code == 200
        statuses = {line.result().status_code for line in lines}
        assert statuses <= {200, 503}
        assert 200 in statuses
        assert sorted(times)[len(times) // 2] < sum(times) / 8


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
