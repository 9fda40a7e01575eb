"""Building on a cluster: the same tables as alone, whatever dies on the way."""

import os
import re
import signal
import subprocess
import sys
import time
from collections.abc import Callable, Iterator
from contextlib import suppress
from pathlib import Path

import pytest

from tbgen.cli.build import _last_line, _lines
from tbgen.cli.main import main
from tbgen.core.material import Material, every, parse, with_dependencies
from tbgen.errors import BadInput
from tbgen.generate import calibration, workspace
from tbgen.generate.cluster import run as cluster
from tbgen.generate.cluster.client import local_cluster
from tbgen.generate.cluster.run import Job, build_one, run_on_cluster
from tbgen.generate.cluster.tasks import Hands
from tbgen.generate.execute import execute
from tbgen.generate.plan import Plan, make_plan
from tbgen.generate.precompile import warm_up
from tbgen.generate.watcher import Watcher
from tbgen.index import layout_of
from tbgen.memory.disk_arrays import SCRATCH
from tbgen.store import table_path
from tbgen.system import thresholds
from tests.support.groups import wait_until_more_than, wait_until_nobody
from tests.support.patience import PATIENCE
from tests.support.runs import complaints

distributed = pytest.importorskip("distributed")

DIGESTS = Path(__file__).parents[2] / "docs" / "digests.txt"
THREE = [*every(2), *every(3)]


class Listener(Watcher):
    """Remembers what it hears."""

    def __init__(self) -> None:
        self.begun: list[str] = []
        self.done: list[str] = []

    def began(self, material: Material) -> None:
        self.begun.append(material.name)

    def finished(self, material: Material) -> None:
        self.done.append(material.name)


@pytest.fixture(scope="module")
def alone(small_tables: Path, tmp_path_factory: pytest.TempPathFactory) -> dict[str, bytes]:
    """All tables of two and three men, built by one process."""
    directory = tmp_path_factory.mktemp("alone")
    for _ in execute(make_plan(THREE, directory, "r"), Listener(), threads=1, memory=1 << 30):
        pass
    return contents(directory)


@pytest.fixture(scope="module")
def client(alone: dict[str, bytes]) -> Iterator["distributed.Client"]:
    with local_cluster(2) as client:
        yield client


def contents(directory: Path) -> dict[str, bytes]:
    return {path.name: path.read_bytes() for path in directory.iterdir()}


def build(client: "distributed.Client", directory: Path, watcher: Listener) -> list[str]:
    plan = make_plan(THREE, directory, "r")
    return [summary.material for summary in run_on_cluster(plan, client, watcher, threads=1, memory=1 << 30)]


def test_the_same_bytes_as_alone(client: "distributed.Client", alone: dict[str, bytes], tmp_path: Path) -> None:
    watcher = Listener()
    built = build(client, tmp_path, watcher)
    assert sorted(built) == sorted(watcher.done) == sorted(material.name for material in THREE)
    assert contents(tmp_path) == alone  # and nothing but the tables is left
    assert built[0] == "KvK"
    assert built[-1] == "KPvK"


class Killer(Listener):
    """Kills workers when it first hears of a table."""

    def __init__(self, name: str, pids: list[int]) -> None:
        super().__init__()
        self._name = name
        self._pids = pids

    def began(self, material: Material) -> None:
        super().began(material)
        if material.name == self._name:
            while self._pids:
                os.kill(self._pids.pop(), signal.SIGKILL)


@pytest.mark.parametrize("count", [1, 2])
def test_killed_workers_cost_a_retry(
    client: "distributed.Client", alone: dict[str, bytes], tmp_path: Path, count: int
) -> None:
    pids = list(client.run(os.getpid).values())
    build(client, tmp_path, killer := Killer("KPvK", pids[:count]))
    assert sorted(killer.done) == sorted(material.name for material in THREE)
    assert {name: data for name, data in contents(tmp_path).items() if name.endswith(".h5")} == alone
    client.wait_for_workers(2)


class LateKiller(Listener):
    """Kills the worker that builds a table when most of it is done."""

    def __init__(self, material: Material, pids: list[int], share: float = 0.75) -> None:
        super().__init__()
        self._material = material
        self._left = layout_of(material).size * share
        self._pids = pids
        self.first = 0
        """How many numbers of it were told first, since it was begun last."""

    def began(self, material: Material) -> None:
        super().began(material)
        if material == self._material:
            self.first = 0

    def solved(self, material: Material, numbers: int) -> None:
        if material != self._material:
            return
        self.first = self.first or numbers
        self._left -= numbers
        if self._left <= 0 and self._pids:
            (builder,) = (pid for pid in self._pids if has_locked(pid, material))
            self._pids.clear()
            os.kill(builder, signal.SIGKILL)


def has_locked(pid: int, material: Material) -> bool:
    """Whether a process builds this table."""
    for open_file in Path(f"/proc/{pid}/fd").iterdir():
        with suppress(OSError):
            if open_file.readlink().name == f".{material}.r.h5.lock":
                return True
    return False


def make_safe_at_once() -> None:
    """Whatever is solved, without waiting for more: the whole table takes hardly longer than that."""
    workspace._WAIT = 0.0  # type: ignore[misc]


@pytest.mark.full
def test_another_worker_goes_on_with_the_slices_of_a_dead_one(four_men: Path, tmp_path: Path) -> None:
    material = parse("KNvKP")
    built = []
    for name in ("alone", "shared"):
        (tmp_path / name).mkdir()
        for needed in with_dependencies([material])[:-1]:
            path = table_path(four_men, needed, "r")
            (tmp_path / name / path.name).symlink_to(path)
        plan = make_plan([material], tmp_path / name, "r")
        if name == "alone":
            (summary,) = execute(plan, Listener(), threads=2, memory=1 << 30)
        else:
            with local_cluster(1) as client:
                client.run(make_safe_at_once)
                killer = LateKiller(material, list(client.run(os.getpid).values()))
                (summary,) = run_on_cluster(plan, client, killer, threads=2, memory=1 << 30)
            assert killer.begun == ["KNvKP", "KNvKP"]
        built.append((summary, table_path(plan.directory, material, "r").read_bytes()))
    assert built[0][1] == built[1][1]
    assert built[1][0].cpu_seconds < built[0][0].cpu_seconds


def work_as_on_six_men(scratch: str) -> None:
    """What is there only while a table is built has a disk of its own; a slice has snapshots, a second apart."""
    os.environ[SCRATCH] = scratch
    thresholds.LONG_FROM = 1 << 24  # type: ignore[misc]
    workspace._EVERY = 1.0  # type: ignore[misc]


@pytest.mark.full
def test_five_men_with_little_memory_and_a_killed_worker(tmp_path: Path) -> None:
    """Workers have room for the sets of positions that are looked at all over, as machines of a cluster have with six
    men. A third one, idle so far, goes on where the dead one kept a snapshot."""
    tables, scratch = tmp_path / "tables", tmp_path / "scratch"
    tables.mkdir()
    scratch.mkdir()
    names = ["KRRRvK", "KNNNvK"]
    materials = [parse(name) for name in names]
    needed = [material for material in with_dependencies(materials) if material not in materials]
    for _ in execute(make_plan(needed, tables, "r"), Listener(), threads=2, memory=1 << 30):
        pass
    with local_cluster(3) as client:
        client.run(work_as_on_six_men, str(scratch))
        killer = LateKiller(materials[0], list(client.run(os.getpid).values()), share=0.4)
        plan = make_plan(materials, tables, "r")
        built = list(run_on_cluster(plan, client, killer, threads=1, memory=272 << 20))
    assert sorted(summary.material for summary in built) == sorted(names)
    assert sorted(killer.begun) == sorted([*names, names[0]])
    assert killer.first > layout_of(materials[0]).size // 5
    assert all(summary.scratch > 10 * summary.positions for summary in built)
    assert main(["verify", *names, "--digests", str(DIGESTS), "--tables", str(tables)]) == 0


def test_rebuilding_happens_once(client: "distributed.Client", tmp_path: Path) -> None:
    kvk = parse("KvK")
    first = make_plan([kvk], tmp_path, "r")

    def built(plan: Plan) -> int:
        return len(list(run_on_cluster(plan, client, Listener(), threads=None, memory=1 << 30)))

    assert [built(first), built(first)] == [1, 0]
    os.utime(table_path(tmp_path, kvk, "r"), (time.time() + 1e6,) * 2)  # another machine's clock
    second = make_plan([kvk], tmp_path, "r", rebuild=True)
    assert [built(second), built(second)] == [1, 0]


def test_from_the_command_line(alone: dict[str, bytes], tmp_path: Path) -> None:
    run = subprocess.run(
        [sys.executable, "-m", "tbgen", "build", "--all", "3", "--workers", "2", "--tables", str(tmp_path)],
        capture_output=True, check=False,
    )  # fmt: skip
    assert (run.returncode, complaints(run.stderr)) == (0, b"")
    assert re.search(rb"^6 tables: 368,330 positions, .*slowest: ", run.stdout, re.MULTILINE)
    assert contents(tmp_path) == alone


def test_an_interrupt_while_workers_start(tmp_path: Path) -> None:
    warm_up(2)
    with subprocess.Popen(
        [sys.executable, "-m", "tbgen", "build", "KvK", "--workers", "2", "--tables", str(tmp_path)],
        stdout=subprocess.PIPE, stderr=subprocess.PIPE, text=True, start_new_session=True,
    ) as build:  # fmt: skip
        try:
            wait_until_more_than(2, build.pid)  # itself, and what keeps count of semaphores
            os.killpg(build.pid, signal.SIGINT)
            _, err = build.communicate(timeout=PATIENCE)
            wait_until_nobody(build.pid, time.monotonic() + PATIENCE)
        finally:
            with suppress(ProcessLookupError):
                os.killpg(build.pid, signal.SIGKILL)
    assert (build.returncode, err) == (130, "tbgen: interrupted; the same command goes on where this one stopped\n")


def test_no_scheduler(tmp_path: Path, capsys: pytest.CaptureFixture[str], monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr("tbgen.generate.cluster.client._PATIENCE", 0.5)
    for address in ("tcp://127.0.0.1:1", "nowhere:1"):
        assert main(["build", "KvK", "--scheduler", address, "--tables", str(tmp_path)]) == 1
        assert re.fullmatch(rf"tbgen: no dask scheduler answers at {address}: .*\n", capsys.readouterr().err)


def test_no_distributed(tmp_path: Path, capsys: pytest.CaptureFixture[str], monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setitem(sys.modules, "distributed", None)
    for words in (["--workers", "2"], ["--scheduler", "tcp://127.0.0.1:8786"]):
        assert main(["build", "KvK", *words, "--tables", str(tmp_path)]) == BadInput.exit_code
        assert "pip install" in capsys.readouterr().err
    assert main(["build", "KvK", "--workers", "2", "--scheduler", "x", "--tables", str(tmp_path)]) == BadInput.exit_code
    assert main(["build", "KvK", "--workers", "0", "--tables", str(tmp_path)]) == BadInput.exit_code


class Sums(Watcher):
    def __init__(self) -> None:
        self.sums = [0, 0]

    def solved(self, material: Material, numbers: int) -> None:
        self.sums[0] += numbers

    def written(self, material: Material, numbers: int) -> None:
        self.sums[1] += numbers


def test_what_is_solved_is_then_written(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """A worker tells one number after another of both."""
    material, told = parse("KvK"), list[int]()
    build_one(Hands(tmp_path, 1, True, told.append), {}, material, Job("r", None, 1 << 30), None)
    (tmp_path / "KvK.r.h5").unlink()

    def run(client: object, directory: Path, tasks: object, tell: Callable[..., None]) -> Iterator[tuple[str, None]]:
        for numbers in (None, 5, None, sum(told) - 7, 7):  # the first worker dies
            tell("KvK", numbers)
        yield "KvK", None

    monkeypatch.setattr(cluster, "run", run)
    plan, watcher = make_plan([material], tmp_path, "r"), Sums()
    assert not [*run_on_cluster(plan, None, watcher, threads=1, memory=1 << 30)]  # type: ignore[arg-type]
    size = layout_of(material).size
    assert watcher.sums == [5 + size, 2 * size]


def test_tables_that_share_a_process_do_not_say_what_they_take(
    tmp_path: Path, capsys: pytest.CaptureFixture[str], monkeypatch: pytest.MonkeyPatch
) -> None:
    """Nor does this machine's pace follow from it."""
    recorded: list[float] = []
    monkeypatch.setattr(calibration, "record_build", lambda expected, took: recorded.append(took))
    found = []
    for is_alone in (True, False):
        directory = tmp_path / str(is_alone)
        directory.mkdir()
        hands = Hands(directory, 1, is_alone, lambda numbers: None)
        found.append(build_one(hands, {}, parse("KvK"), Job("r", None, 1 << 30), None))
    one, shared = found
    assert one is not None
    assert shared is not None
    assert one.cpu_seconds
    assert one.peak_memory
    assert (shared.cpu_seconds, shared.peak_memory, shared.pace) == (None, None, None)
    assert (shared.from_disk, shared.to_disk) == (None, None)
    assert recorded == [one.cpu_seconds]
    assert "of CPU" in _last_line([one, one], 1.0)
    assert "of CPU" not in _last_line([one, shared], 1.0)
    assert "peak memory" in _lines(one, tmp_path, whole=True)[-1]
    assert "peak memory" not in _lines(shared, tmp_path, whole=True)[-1]
