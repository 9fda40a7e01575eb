"""Builds that were stopped inside a slice go on from its last snapshot, and only with what is sound."""

import errno
import os
import shutil
from collections import Counter
from collections.abc import Callable
from pathlib import Path
from types import SimpleNamespace

import pytest

from tbgen.core.material import Material, parse
from tbgen.core.table_rules import TableRules
from tbgen.generate import snapshots
from tbgen.generate import workspace as workspaces
from tbgen.generate.table import build_table
from tbgen.generate.watcher import Watcher
from tbgen.generate.workspace import Workspace
from tbgen.memory import disk_arrays as arrays_on_disk
from tbgen.memory.disk_arrays import DiskArrays
from tbgen.retro import slice_solver, snapshot, solver
from tbgen.retro.checkpoint import Kept, Snapshot
from tbgen.retro.sweep.rounds import SETTLING
from tbgen.store import table_path
from tbgen.store.entry_cache import EntryCache
from tbgen.store.leftovers import workspace_of
from tbgen.system import thresholds
from tests.support.stopped import Enough
from tests.support.thinned import thinned

NAMES = ["KNNvK", "KPvK"]
"""One slice, and many."""
STOPS = [1, 2, 3, 5, 8, 13, 21, 34, 55, 89]
"""After so many snapshots; KNNvK has 312 in all, KPvK some thousands."""
FEW = 4
KEPT = {"journal", "links.", "slice."}
"""What a workspace has of the last snapshot alone; its other files are written to all the time."""


class Builds(Watcher):
    """Builds of a table in a directory that has what it depends on; a snapshot is kept wherever a sweep can pause."""

    def __init__(self, name: str, rules: str, small_tables: Path, place: Path, monkeypatch: pytest.MonkeyPatch) -> None:
        self.material, self.rules, self.place = parse(name), TableRules(rules), place
        self.table = table_path(place, self.material, rules)
        self.work = workspace_of(self.table)
        for other in self.material.successors():
            shutil.copy(table_path(small_tables, other, rules), place)
        self.kept = 0
        """Snapshots."""
        self._written = 0
        """Those before it are not written, as they take time."""
        self.restored: list[bool] = []
        """Whether each snapshot that was found was what had been written."""
        self.within = Counter[str]()
        """What those had come to that were kept between two rounds."""
        self.told: list[str] = []
        """What a user should know."""
        self._at: Callable[[], None] = lambda: None
        keep, restored = Workspace.keep, snapshot.restored

        def counted(workspace: Workspace, slice_: int, one: Snapshot) -> None:
            if self.kept >= self._written:
                keep(workspace, slice_, one)
            self.kept += 1
            self._at()

        def put_back(kept: Kept, *more: object) -> object:
            found = restored(kept, *more)  # type: ignore[arg-type]
            self.restored.append(found is not None)
            if kept.facts["distance"]:
                self.within["settling" if kept.facts["place"] == SETTLING else "escaping"] += 1
            return found

        monkeypatch.setattr(Workspace, "keep", counted)
        monkeypatch.setattr(slice_solver.snapshot, "restored", put_back)

    def build(self, *, threads: int = 1, memory: int = 1 << 40, at: Callable[[], None] = lambda: None) -> bytes:
        """Build the table; call `at` after each snapshot. Returns the file."""
        self._at = at
        disk_arrays = DiskArrays(self.place, memory)
        cache = EntryCache(self.place, self.rules, disk_arrays)
        try:
            build_table(self.material, self.place, self.rules, cache, disk_arrays, threads=threads, watcher=self)
        finally:
            disk_arrays.close()
        return self.table.read_bytes()

    def noted(self, material: Material, line: str) -> None:
        self.told.append(line)

    def stop(self, after: int, **how: int) -> None:
        """Stop it after so many snapshots, of which the last few have been written."""
        self.kept, self._written = 0, after - FEW

        def at() -> None:
            if self.kept == after:
                raise Enough

        with pytest.raises(Enough):
            self.build(at=at, **how)
        self._written = 0

    def file(self) -> Path:
        (found,) = self.work.glob("slice.*")
        return found


@pytest.fixture
def often(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(thresholds, "KEPT_FROM", 0)
    monkeypatch.setattr(thresholds, "LONG_FROM", 0)
    monkeypatch.setattr(workspaces, "_EVERY", -1.0)
    monkeypatch.setattr(workspaces, "_WAIT", -1.0)


@pytest.fixture(params=[(name, rules) for name in NAMES for rules in ("r", "wg") if (name, rules) != ("KNNvK", "wg")])
def builds(
    request: pytest.FixtureRequest, small_tables: Path, tmp_path: Path, monkeypatch: pytest.MonkeyPatch, often: None
) -> Builds:
    return Builds(*request.param, small_tables, tmp_path, monkeypatch)


@pytest.fixture
def knights(small_tables: Path, tmp_path: Path, monkeypatch: pytest.MonkeyPatch, often: None) -> Builds:
    return Builds("KNNvK", "r", small_tables, tmp_path, monkeypatch)


@pytest.fixture(scope="module")
def expected(small_tables: Path, tmp_path_factory: pytest.TempPathFactory) -> Callable[[Builds], bytes]:
    """The table from a build that nothing stopped and that kept nothing on the way."""
    found: dict[str, bytes] = {}

    def of(builds: Builds) -> bytes:
        if builds.table.name not in found:
            place = tmp_path_factory.mktemp("expected")
            with pytest.MonkeyPatch.context() as patch:
                plain = Builds(builds.material.name, builds.rules, small_tables, place, patch)
                patch.setattr(thresholds, "KEPT_FROM", 1 << 40)
                patch.setattr(thresholds, "LONG_FROM", 1 << 40)
                found[builds.table.name] = plain.build()
            assert not plain.kept
        return found[builds.table.name]

    return of


def test_a_build_goes_on_from_each_snapshot(
    builds: Builds, expected: Callable[[Builds], bytes], monkeypatch: pytest.MonkeyPatch
) -> None:
    """One after the other: whatever each leaves to the next."""
    for after in STOPS:
        builds.stop(after)
        assert not builds.table.exists()
    monkeypatch.setattr(workspaces, "_EVERY", 1e9)
    assert builds.build() == expected(builds)
    assert builds.restored == [True] * len(STOPS)
    assert builds.within.total() > 8 or builds.rules == "wg"
    assert builds.within["settling"] > 2
    assert builds.within["escaping"] > 1 or builds.rules == "wg"
    assert not builds.work.exists()


@pytest.mark.parametrize(
    ("first", "then", "threads"),
    [
        (1, 1, 2),
        (2, 30, 1),
        (25, 4, 1),
        (25, 4, 2),
        (180, 40, 2),
        pytest.param(1, 1, 1, marks=pytest.mark.full),
        pytest.param(2, 30, 2, marks=pytest.mark.full),
    ],
)
def test_what_was_done_since_is_done_again(
    first: int,
    then: int,
    threads: int,
    knights: Builds,
    expected: Callable[[Builds], bytes],
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    """As after a kill: the arrays that last are those of the moment, the snapshot is an earlier one."""
    monkeypatch.setattr(solver, "TEAM_FROM", 1)
    monkeypatch.setattr(thresholds, "LARGE", 1 << 14)
    monkeypatch.setattr(arrays_on_disk, "SMALL", 1 << 10)
    saved = knights.place / "saved"
    knights.stop(first, threads=threads, memory=0 if first % 2 else 1 << 40)
    shutil.copytree(knights.work, saved)
    knights.stop(then, threads=threads)
    for path in knights.work.iterdir():
        if path.name.startswith(tuple(KEPT)):
            path.unlink()
    for path in saved.iterdir():
        if path.name.startswith(tuple(KEPT)):
            shutil.copy(path, knights.work)
    assert knights.build(threads=3 - threads) == expected(knights)
    assert knights.restored == [True, True]


@pytest.mark.parametrize(("where", "harm"), thinned(["slice.", "worth.", "staircases"], ["gone", "half", "a bit"]))
def test_what_has_changed_is_not_believed(
    where: str, harm: str, knights: Builds, expected: Callable[[Builds], bytes]
) -> None:
    knights.stop(290)
    (path,) = (one for one in knights.work.iterdir() if one.name.startswith(where))
    data = bytearray(path.read_bytes())
    match harm:
        case "gone":
            path.unlink()
        case "half":
            path.write_bytes(data[: len(data) // 2])
        case "a bit":
            at = next(at for at in reversed(range(len(data))) if data[at])
            data[at] ^= 1
            path.write_bytes(data)
    assert knights.build() == expected(knights)
    assert True not in knights.restored


def too_large(*_: object) -> None:
    raise OSError(errno.EFBIG, os.strerror(errno.EFBIG))


@pytest.mark.parametrize("how", ["full", "owed", "limit"])
def test_a_disk_without_room_for_it_keeps_none(
    how: str, knights: Builds, expected: Callable[[Builds], bytes], monkeypatch: pytest.MonkeyPatch
) -> None:
    """Nor one that would have none for arrays afterwards; nor where a limit on files is in the way."""
    knights.stop(4)
    before = knights.file()
    match how:
        case "full":
            monkeypatch.setattr(os, "statvfs", lambda path: SimpleNamespace(f_bavail=1, f_frsize=4096))
        case "owed":
            monkeypatch.setattr(DiskArrays, "owed", lambda arrays: 1 << 60)
        case "limit":
            monkeypatch.setattr(snapshots, "_put", too_large)
    knights.stop(9)
    assert [one.name for one in knights.work.glob("slice.*")] == [before.name], "the last one stays"
    (told,) = knights.told
    assert told.startswith("the disk has no room for a snapshot now")
    assert knights.build() == expected(knights)


def test_large_slices_alone_have_snapshots(
    knights: Builds, monkeypatch: pytest.MonkeyPatch, expected: Callable[[Builds], bytes]
) -> None:
    monkeypatch.setattr(thresholds, "LONG_FROM", 1 << 22)
    assert knights.build() == expected(knights)
    assert knights.kept == 0
