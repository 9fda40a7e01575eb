"""Tasks on a cluster, whatever they do."""

import os
import re
import signal
import time
from collections.abc import Iterator, Mapping
from dataclasses import replace
from pathlib import Path
from types import SimpleNamespace

import pytest

from tbgen.generate.cluster.client import ClusterFailure, local_cluster
from tbgen.generate.cluster.place import Place, check_place, check_workers
from tbgen.generate.cluster.tasks import Hands, News, Task, Unwanted, run
from tests.support.patience import PATIENCE

distributed = pytest.importorskip("distributed")


@pytest.fixture(scope="module")
def client() -> Iterator["distributed.Client"]:
    with local_cluster(2) as client:
        yield client


def add(hands: Hands, given: Mapping[str, int], number: int) -> int:
    hands.report(number)
    return number + sum(given.values())


def wait(hands: Hands, given: Mapping[str, int]) -> None:
    while True:
        time.sleep(0.01)
        hands.report(1)


def test_each_task_is_given_what_those_before_it_gave(client: "distributed.Client", tmp_path: Path) -> None:
    tasks = [Task("a", add, (1,)), Task("b", add, (2,), ["a"]), Task("c", add, (4,), ["a", "b"])]
    told: dict[str, list[int | None]] = {}
    found = dict(run(client, tmp_path, tasks, lambda name, numbers: told.setdefault(name, []).append(numbers)))
    assert found == {"a": 1, "b": 3, "c": 8}
    assert not [*tmp_path.iterdir()]


def test_time_ends_what_runs(client: "distributed.Client", tmp_path: Path) -> None:
    with pytest.raises(TimeoutError):
        list(run(client, tmp_path, [Task("a", wait, ())], lambda name, numbers: None, 0.5))
    assert dict(run(client, tmp_path, [Task("a", add, (1,))], lambda name, numbers: None, 60)) == {"a": 1}
    end = time.monotonic() + PATIENCE
    while any(client.processing().values()) and time.monotonic() < end:
        time.sleep(0.05)
    assert not any(client.processing().values())


def test_a_worker_that_does_not_see_the_directory(client: "distributed.Client", tmp_path: Path) -> None:
    place = Place(str(tmp_path), "token")
    (tmp_path / "token").touch()
    check_workers(client, place)
    elsewhere = str(tmp_path / "elsewhere")
    with pytest.raises(ClusterFailure, match=rf"worker tcp://127\.0\.0\.1:\d+ .*not see {re.escape(elsewhere)}"):
        check_workers(client, replace(place, directory=elsewhere))
    (tmp_path / "token").unlink()  # a directory of that name, but not ours
    assert "not see" in (check_place(place) or "")
    assert "not 0.0.1" in (check_place(replace(place, version="0.0.1")) or "")


def test_a_cancelled_task_ends_at_its_next_report() -> None:
    told: list[list[object]] = []
    task = SimpleNamespace(state="executing")
    worker = SimpleNamespace(
        get_current_task=lambda: "key",
        log_event=lambda topic, words: told.append(words),
        state=SimpleNamespace(tasks={"key": task}),
    )
    news = News(worker, "topic", "KNvK")
    for _ in range(3):  # one after the other, in much less than the time between two messages
        news(5)
    assert told == [["KNvK", None], ["KNvK", 5]]
    assert news.waiting == 10
    task.state = "cancelled"
    with pytest.raises(Unwanted):
        news(5)
    worker.state.tasks.clear()
    with pytest.raises(Unwanted):
        news(5)


def test_a_worker_that_died_starts_again_however_long_that_takes() -> None:
    """dask gives it up after a while, at once as it is told here."""
    import dask

    with dask.config.set({"distributed.deploy.lost-worker-timeout": "1 ms"}), local_cluster(1) as client:
        before = client.run(os.getpid)
        os.kill(*before.values(), signal.SIGKILL)
        end = time.monotonic() + PATIENCE
        while (now := client.run(os.getpid, on_error="ignore")) in ({}, before):
            assert time.monotonic() < end
            time.sleep(0.1)
        assert len(now) == 1
