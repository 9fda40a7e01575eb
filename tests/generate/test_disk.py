"""How much of the disk a build takes: no more than was said, and checked before it begins."""

import re
import shutil
from contextlib import closing
from pathlib import Path
from typing import Any

import pytest
from numpy.typing import NDArray

from tbgen.cli.main import main
from tbgen.core.material import parse
from tbgen.core.table_rules import TableRules
from tbgen.errors import OutOfRoom
from tbgen.generate.estimate import estimate
from tbgen.generate.forecast import check_disk, make_forecast
from tbgen.generate.plan import Plan, make_plan
from tbgen.generate.table import build_table
from tbgen.index import layout_of
from tbgen.memory import disk_arrays as disk_arrays_module
from tbgen.memory.disk_arrays import DiskArrays
from tbgen.store import table_path
from tbgen.store.entry_cache import EntryCache
from tbgen.store.leftovers import workspace_of
from tbgen.system import thresholds
from tbgen.system.thresholds import PROGRAM, on_disk_from


@pytest.mark.parametrize("memory", [PROGRAM, 4 << 30])
def test_no_more_is_on_disk_than_was_said(
    small_tables: Path, tmp_path: Path, monkeypatch: pytest.MonkeyPatch, memory: int
) -> None:
    """With little memory arrays of some megabytes are there as well."""
    monkeypatch.setattr(disk_arrays_module, "on_disk_from", lambda _: on_disk_from(memory))
    krvkn = parse("KRvKN")
    for material in krvkn.successors():
        shutil.copy(table_path(small_tables, material, "r"), tmp_path)
    with closing(DiskArrays(tmp_path, 1 << 40)) as disk_arrays:
        cache = EntryCache(tmp_path, "r", disk_arrays)
        summary = build_table(krvkn, tmp_path, "r", cache, disk_arrays, threads=1)
    assert summary is not None
    assert (summary.scratch > 3 * 4 * layout_of(krvkn).size) == (memory == PROGRAM)
    assert summary.scratch <= estimate(krvkn, "r", threads=1).scratch


@pytest.mark.parametrize(("name", "rules", "arrays"), [("KRvKN", "r", 2), ("KRvKN", "wg", 1), ("KRRvK", "r", 1)])
def test_staircases_have_room_where_there_are_any(
    small_tables: Path, tmp_path: Path, monkeypatch: pytest.MonkeyPatch, name: str, rules: TableRules, arrays: int
) -> None:
    """Entries always have; in KRRvK nobody escapes, under whole-game mobility nobody anywhere."""
    reserve_all, reserved = DiskArrays.reserve_all, set[int]()

    def noted(self: DiskArrays, array: NDArray[Any]) -> None:
        reserved.add(array.ctypes.data)
        reserve_all(self, array)

    monkeypatch.setattr(DiskArrays, "reserve_all", noted)
    material = parse(name)
    for other in material.successors():
        shutil.copy(table_path(small_tables, other, rules), tmp_path)
    with closing(DiskArrays(tmp_path, 1 << 40)) as disk_arrays:
        build_table(material, tmp_path, rules, EntryCache(tmp_path, rules, disk_arrays), disk_arrays, threads=1)
    assert len(reserved) == arrays


def test_no_room_no_start(tmp_path: Path, capsys: pytest.CaptureFixture[str], monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.delenv("TBGEN_SCRATCH", raising=False)
    assert main(["build", "KRBvKR", "--memory", "200M", "--tables", str(tmp_path)]) == OutOfRoom.exit_code
    assert re.match(r"tbgen: 220 MiB of memory are needed, and", capsys.readouterr().err)
    usage = shutil.disk_usage(tmp_path)
    monkeypatch.setattr(shutil, "disk_usage", lambda place: usage._replace(free=1 << 30))
    assert main(["build", "KRBvKR", "--tables", str(tmp_path / "new")]) == OutOfRoom.exit_code
    assert re.match(r"tbgen: \S+ GiB of disk are missing in .*new: ", capsys.readouterr().err)
    assert main(["build", "--all", "6", "--memory", "100G", "--tables", str(tmp_path / "new")]) == OutOfRoom.exit_code
    assert re.match(r"tbgen: \S+ TiB of disk are missing in .*new: ", capsys.readouterr().err)
    assert not list(tmp_path.iterdir())
    # what a stopped build has left counts
    material = parse("KRBvKR")
    forecast = make_forecast(Plan(tmp_path, "r", (material,), ()), 1)
    place = workspace_of(table_path(tmp_path, material, "r"))
    place.mkdir()
    (place / "entries").write_bytes(bytes(1 << 20))
    monkeypatch.setattr(
        shutil, "disk_usage", lambda where: usage._replace(free=forecast.disk + forecast.scratch - (1 << 20))
    )
    check_disk(forecast)
    (place / "entries").unlink()
    with pytest.raises(OutOfRoom):
        check_disk(forecast)


@pytest.mark.parametrize(("name", "is_kept"), [("KRBvKR", False), ("KRPvKR", True), ("KRRvKRR", True)])
def test_working_arrays_may_have_a_disk_of_their_own(
    name: str, is_kept: bool, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    """What a stopped build goes on with lies beside the tables all the same."""
    shared_memory = Path("/dev/shm")  # another disk than that of the tables, wherever there is one
    if not shared_memory.is_dir() or shared_memory.stat().st_dev == tmp_path.stat().st_dev:
        pytest.skip("this system has one disk")
    forecast, usage = make_forecast(Plan(tmp_path, "r", (parse(name),), ()), 1), shutil.disk_usage(tmp_path)
    assert (forecast.workspaces > 5 * forecast.rows[0].numbers) == is_kept
    assert forecast.workspaces < forecast.scratch
    free: dict[Path, int] = {
        tmp_path: forecast.disk + forecast.workspaces - forecast.snapshots,
        shared_memory: forecast.scratch - forecast.workspaces,
    }
    monkeypatch.setattr(shutil, "disk_usage", lambda where: usage._replace(free=free[where]))
    monkeypatch.setenv("TBGEN_SCRATCH", str(shared_memory))
    assert check_disk(forecast) == (forecast.snapshots == 0)
    for place, what in ((tmp_path, "for the tables"), (shared_memory, "while building")):
        free[place] -= 1
        with pytest.raises(OutOfRoom, match=rf"make room in {place}: .* are needed {what}"):
            check_disk(forecast)
        free[place] += 1
    place = workspace_of(table_path(tmp_path, parse(name), "r"))
    place.mkdir()
    (place / "entries").write_bytes(bytes(1 << 20))
    free[tmp_path] -= is_kept << 20
    check_disk(forecast)


def test_snapshots_that_are_there_count_as_such(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.delenv("TBGEN_SCRATCH", raising=False)
    material, usage = parse("KRRvKRR"), shutil.disk_usage(tmp_path)
    forecast = make_forecast(Plan(tmp_path, "r", (material,), ()), 1)
    place = workspace_of(table_path(tmp_path, material, "r"))
    place.mkdir()
    (place / "slice.0.1.2").write_bytes(bytes(1 << 20))
    least = forecast.disk + forecast.scratch - forecast.snapshots
    for free, has_room in ((least, False), (forecast.disk + forecast.scratch - (1 << 20), True)):
        for less in (1, 0):
            monkeypatch.setattr(shutil, "disk_usage", lambda where, left=free - less: usage._replace(free=left))
            if less and not has_room:
                with pytest.raises(OutOfRoom):
                    check_disk(forecast)
            else:
                assert check_disk(forecast) == (has_room and not less)


def test_the_largest_builds_took_no_more_than_their_plans() -> None:
    """KRRvKRR under `r`: 36.4 GB of arrays, 669 million links that are kept, snapshots of 8.3 GB. KBPvKN: 7.7 GB, of
    which finished slices took 1.91."""
    plan = estimate(parse("KRRvKRR"), "r", threads=2)
    assert 36.4e9 + 12 * 669e6 < plan.scratch - plan.snapshots < 50e9
    assert 2 * 8.3e9 < plan.snapshots < 35e9
    pawn = estimate(parse("KBPvKN"), "r", threads=2)
    assert 7.7e9 < pawn.scratch < 12e9
    assert pawn.workspace > 1.91e9


def test_a_build_without_room_for_snapshots_says_so(
    tmp_path: Path, capsys: pytest.CaptureFixture[str], monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.delenv("TBGEN_SCRATCH", raising=False)
    monkeypatch.setattr(thresholds, "LONG_FROM", 0)
    forecast = make_forecast(make_plan([parse("KNvK")], tmp_path, "r"), 1)
    assert 0 < forecast.snapshots < forecast.scratch
    usage, free = shutil.disk_usage(tmp_path), forecast.disk + forecast.scratch
    for less in (1, 0):
        monkeypatch.setattr(shutil, "disk_usage", lambda place, left=free - less: usage._replace(free=left))
        assert main(["build", "KNvK", "--threads", "1", "--tables", str(tmp_path / f"{less}")]) == 0
        assert capsys.readouterr().err.count("tbgen: no room for snapshots") == less
    monkeypatch.setattr(shutil, "disk_usage", lambda place: usage._replace(free=free - forecast.snapshots - 1))
    with pytest.raises(OutOfRoom):
        check_disk(forecast)
