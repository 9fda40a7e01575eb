"""Local tables solved on a cluster: the same answers and the same files, whatever dies on the way."""

import json
import os
import signal
import subprocess
import sys
from collections.abc import Callable, Iterator
from pathlib import Path

import chess
import pytest

from tbgen.beyond.local import attempt as attempts
from tbgen.beyond.local.attempt import Attempt, Means, attempt
from tbgen.beyond.local.choose import Part, make_plan
from tbgen.beyond.local.cluster import Cluster
from tbgen.beyond.local.stages import Cost, numbers_to_solve
from tbgen.cli.main import main
from tbgen.core.position import goal
from tbgen.errors import BadInput
from tbgen.generate.cluster.client import local_cluster
from tbgen.probe import open_tablebase
from tbgen.store import list_tables
from tbgen.store.leftovers import find_leftovers
from tbgen.store.local import list_local
from tests.support.local_tables import ALL, BOTH_RACE, MEMORY, links
from tests.support.runs import complaints

distributed = pytest.importorskip("distributed")

pytestmark = pytest.mark.usefixtures("no_bundle")


@pytest.fixture(scope="module")
def client() -> Iterator["distributed.Client"]:
    with local_cluster(2) as client:
        yield client


@pytest.fixture(autouse=True)
def _two_plans(monkeypatch: pytest.MonkeyPatch) -> None:
    """The position's own part alone, then KPvK too, once for each side."""

    def plans(board: chess.Board, means: Means) -> Iterator[tuple[list[Part], Cost]]:
        complete = [material for _, material, _ in list_tables(means.directory)]
        for most in (0, 100_000):
            yield make_plan(board, complete, most), Cost(0, 0, 0)

    monkeypatch.setattr(attempts, "plans", plans)


def files(place: Path) -> dict[str, bytes]:
    return {one.path.name: one.path.read_bytes() for one in list_local(place)}


def solve(
    place: Path, cluster: Cluster | None, seconds: float = 3600, begun: Callable[[], None] = lambda: None
) -> tuple[Attempt, list[tuple[int, int]]]:
    """The answer; and for each plan, the numbers that were to be solved, and those that were told. `begun` is called
    when a part of the second plan is at work."""
    told: list[tuple[int, int]] = []
    reports: list[int] = []

    def began(plan: list[Part], cost: Cost) -> None:
        told.append((numbers_to_solve(plan), 0))

    def report(numbers: int) -> None:
        told[-1] = told[-1][0], told[-1][1] + numbers
        reports.append(len(told))
        if reports[-2:] == [2, 2]:  # the first is for what was there
            begun()

    board, means = chess.Board(BOTH_RACE), Means(place, MEMORY, seconds, 1, keeps=True, resumes=True, cluster=cluster)
    with open_tablebase(place) as tables:
        return attempt(board, goal(board), tables, means, began, report), told


@pytest.fixture
def place(small_tables: Path, tmp_path: Path) -> Path:
    links(small_tables, tmp_path, ALL)
    return tmp_path


@pytest.fixture
def alone(small_tables: Path, tmp_path_factory: pytest.TempPathFactory) -> tuple[Attempt, dict[str, bytes]]:
    """What one process finds, and the files that it leaves."""
    elsewhere = tmp_path_factory.mktemp("elsewhere")
    links(small_tables, elsewhere, ALL)
    found, told = solve(elsewhere, None)
    assert all(due == done for due, done in told)
    return found, files(elsewhere)


def test_the_same_as_alone(client: "distributed.Client", alone: tuple[Attempt, dict[str, bytes]], place: Path) -> None:
    found, told = solve(place, Cluster(client, 1, MEMORY))
    assert len(told) == 2
    assert all(due == done for due, done in told)
    assert found.answer is not None
    assert alone[0].answer is not None
    assert found.answer.sure == alone[0].answer.sure
    assert not found.read
    assert files(place) == alone[1]
    assert not find_leftovers(place)


@pytest.mark.parametrize("count", [1, 2])
def test_killed_workers_cost_a_retry(
    client: "distributed.Client", alone: tuple[Attempt, dict[str, bytes]], place: Path, count: int
) -> None:
    pids = [*client.run(os.getpid).values()][:count]

    def kill() -> None:
        while pids:
            os.kill(pids.pop(), signal.SIGKILL)

    found, _ = solve(place, Cluster(client, 1, MEMORY), begun=kill)
    assert not pids
    assert found.answer is not None
    assert files(place) == alone[1]
    client.wait_for_workers(2)


def test_what_is_proved_when_the_time_is_over_stands(client: "distributed.Client", place: Path) -> None:
    found, _ = solve(place, Cluster(client, 1, MEMORY), 0.001)
    assert found.time_ran_out
    assert found.answer is None


def test_from_the_command_line(place: Path) -> None:
    run = subprocess.run(
        [sys.executable, "-m", "tbgen", "solve", "--keep", "--workers", "2", "--time", "10m", "--tables", str(place),
         "--json", "8/8/3k4/3p4/3P4/8/3K4/8 w - - 4 60"],
        capture_output=True, check=False,
    )  # fmt: skip
    assert (run.returncode, complaints(run.stderr)) == (0, b"")
    local = json.loads(run.stdout)["local"]
    assert local["in_time"]
    assert local["parts"]


def test_files_must_stay(place: Path, capsys: pytest.CaptureFixture[str]) -> None:
    words = ["solve", "--tables", str(place), BOTH_RACE]
    for more in (["--workers", "2"], ["--scheduler", "tcp://127.0.0.1:8786"]):
        assert main([*words, *more]) == BadInput.exit_code
        assert "add --keep" in capsys.readouterr().err
    assert main([*words, "--keep", "--workers", "2", "--scheduler", "tcp://127.0.0.1:8786"]) == BadInput.exit_code
