"""Builds that were stopped go on where they were, and only with what is sound."""

import json
import os
import signal
import subprocess
import sys
import time
from pathlib import Path

import numpy as np
import pytest
from small_tables import small_tables

from tbgen.build import scratch as scratch_module
from tbgen.build import workspace as workspaces
from tbgen.build.scratch import Scratch, memory_in_use
from tbgen.build.shelf import Shelf
from tbgen.build.table import build_table
from tbgen.build.workspace import Workspace, workspace_path
from tbgen.index import layout_of
from tbgen.material import parse
from tbgen.retro.room import Counts
from tbgen.store import table_path

KPVK = parse("KPvK")


def fill(place: Path, tmp_path_factory: pytest.TempPathFactory) -> None:
    """Put there what KPvK needs."""
    for name in ("KvK", "KQvK", "KRvK", "KBvK", "KNvK"):
        source = table_path(small_tables(tmp_path_factory), parse(name), "r")
        (place / source.name).write_bytes(source.read_bytes())


@pytest.fixture
def place(tmp_path_factory: pytest.TempPathFactory, tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    """A directory with all that KPvK needs; every slice is made safe at once."""
    fill(tmp_path, tmp_path_factory)
    monkeypatch.setattr(workspaces, "_WORTH", 0)
    monkeypatch.setattr(workspaces, "_WAIT", -1.0)
    return tmp_path


@pytest.fixture(scope="module")
def expected(tmp_path_factory: pytest.TempPathFactory) -> bytes:
    """The table from a build that nothing stopped and that kept nothing on the way."""
    place = tmp_path_factory.mktemp("expected")
    fill(place, tmp_path_factory)
    build(place)
    return table_path(place, KPVK, "r").read_bytes()


class Enough(Exception):
    pass


def build(place: Path, stop_after: int | None = None) -> list[int]:
    """Build KPvK, or some of its slices; returns what was reported."""
    told: list[int] = []

    def report(numbers: int) -> None:
        told.append(numbers)
        if len(told) == stop_after:
            raise Enough

    scratch = Scratch(place, 1 << 40)
    build_table(KPVK, place, "r", Shelf(place, "r", scratch), scratch, threads=1, report=report)
    return told


def journal_of(place: Path) -> Path:
    return workspace_path(table_path(place, KPVK, "r")) / "journal"


def slices_in(place: Path) -> list[int]:
    return [json.loads(line)["slice"] for line in journal_of(place).read_text().splitlines()[1:]]


@pytest.mark.parametrize("stop_after", [1, 7, 23])
def test_a_stopped_build_goes_on(place: Path, expected: bytes, stop_after: int) -> None:
    with pytest.raises(Enough):
        build(place, stop_after)
    kept = slices_in(place)
    assert len(kept) in (stop_after, stop_after + 1)  # the next slice may have been at work
    workspace = Workspace(table_path(place, KPVK, "r"), KPVK, "r", Scratch(place, 1 << 40))
    _, done = workspace.open(layout_of(KPVK).size, 1 << 18)
    assert sorted(done) == sorted(kept)
    assert sum(counts.legal for counts in done.values()) > 0
    build(place)
    assert table_path(place, KPVK, "r").read_bytes() == expected
    assert not journal_of(place).parent.exists()


@pytest.mark.parametrize("part", ["entries", "staircases"])
def test_a_slice_that_has_changed_is_solved_again(place: Path, expected: bytes, part: str) -> None:
    with pytest.raises(Enough):
        build(place, 5)
    kept = slices_in(place)
    array = np.memmap(journal_of(place).parent / part, np.int32, "r+")
    array[layout_of(KPVK).start[kept[2]] + 17] ^= 1
    array.flush()
    workspace = Workspace(table_path(place, KPVK, "r"), KPVK, "r", Scratch(place, 1 << 40))
    _, done = workspace.open(layout_of(KPVK).size, 1 << 18)
    assert sorted(done) == sorted(set(kept) - {kept[2]})
    build(place)
    assert table_path(place, KPVK, "r").read_bytes() == expected


@pytest.mark.parametrize("torn", [1, 10, 60])
def test_a_torn_journal_loses_its_last_line(place: Path, expected: bytes, torn: int) -> None:
    with pytest.raises(Enough):
        build(place, 4)
    kept = slices_in(place)
    text = journal_of(place).read_text()
    journal_of(place).write_text(text[: len(text) - 1 - torn])
    workspace = Workspace(table_path(place, KPVK, "r"), KPVK, "r", Scratch(place, 1 << 40))
    _, done = workspace.open(layout_of(KPVK).size, 1 << 18)
    assert sorted(done) == sorted(kept[:-1])
    assert slices_in(place) == kept[:-1], "the journal is whole again"
    build(place)
    assert table_path(place, KPVK, "r").read_bytes() == expected


@pytest.mark.parametrize("name", ["program", "sources", "rules"])
def test_another_build_starts_anew(place: Path, expected: bytes, name: str) -> None:
    with pytest.raises(Enough):
        build(place, 4)
    first, *rest = journal_of(place).read_text().splitlines()
    head = json.loads(first)
    head[name] = "another"
    journal_of(place).write_text("\n".join([json.dumps(head), *rest, ""]))
    workspace = Workspace(table_path(place, KPVK, "r"), KPVK, "r", Scratch(place, 1 << 40))
    room, done = workspace.open(layout_of(KPVK).size, 1 << 18)
    assert not done
    assert not room.entries.any()
    del room
    build(place)
    assert table_path(place, KPVK, "r").read_bytes() == expected


def test_small_tables_leave_no_workspace(tmp_path: Path) -> None:
    workspace = Workspace(table_path(tmp_path, KPVK, "r"), KPVK, "r", Scratch(tmp_path, 1 << 40))
    workspace.open(layout_of(KPVK).size, 64)
    workspace.solved(3, Counts(5, 6, 7))
    assert not list(tmp_path.iterdir())


KILLED = """
import sys
from pathlib import Path
from tbgen.build import workspace
workspace._WORTH, workspace._WAIT = 0, -1.0
from tbgen.cli.main import main
main(["build", "KPvK", "--tables", sys.argv[1], "--threads", "2"])
"""


def test_a_killed_build_goes_on(place: Path, expected: bytes) -> None:
    running = subprocess.Popen([sys.executable, "-c", KILLED, str(place)], stdout=subprocess.DEVNULL)
    deadline = time.monotonic() + 300
    while not (journal_of(place).exists() and len(journal_of(place).read_text().splitlines()) > 3):
        assert time.monotonic() < deadline
        assert running.poll() is None
        time.sleep(0.001)
    os.kill(running.pid, signal.SIGKILL)
    running.wait()
    assert not table_path(place, KPVK, "r").exists()
    told = build(place)
    assert sum(told) == layout_of(KPVK).size
    assert table_path(place, KPVK, "r").read_bytes() == expected


# --- arrays on disk --------------------------------------------------------------------------------------


@pytest.fixture
def large_from(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(scratch_module, "LARGE", 1 << 16)


@pytest.mark.usefixtures("large_from")
def test_arrays_on_disk_leave_memory_and_come_back(tmp_path: Path) -> None:
    scratch = Scratch(tmp_path, 1 << 40)
    array = scratch.array(1 << 24, np.int32)
    assert not array.any()
    array[:] = np.arange(1 << 24)
    before, _ = memory_in_use()
    scratch.trim()
    assert memory_in_use()[0] < before - (1 << 25)
    assert (array == np.arange(1 << 24)).all()
    assert not list(tmp_path.iterdir()), "the files have no name"
    scratch.close()


@pytest.mark.usefixtures("large_from")
def test_memory_is_kept_to(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(scratch_module, "_GLANCE", 0.01)
    monkeypatch.setattr(scratch_module, "_MARGIN", 1 << 30)  # whatever other tests have left in this process
    budget = memory_in_use()[0] + (32 << 20)
    scratch = Scratch(tmp_path, budget)
    arrays = [scratch.array(1 << 22, np.int32) for _ in range(8)]
    for array in arrays:
        array[:] = 7
        time.sleep(0.05)
        assert memory_in_use()[0] < budget + (16 << 20)
    assert all((array == 7).all() for array in arrays)
    scratch.close()
