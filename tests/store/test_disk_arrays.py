"""Large arrays lie on disk: memory is kept to, and nothing in them is lost."""

import errno
import mmap
import os
from collections.abc import Callable, Iterator
from contextlib import closing
from importlib import import_module
from pathlib import Path
from types import SimpleNamespace
from unittest.mock import Mock

import numpy as np
import pytest

from tbgen.errors import BadInput
from tbgen.memory import disk_arrays as disk_arrays_module
from tbgen.memory.arrays import HANDLE, file_of
from tbgen.memory.disk_arrays import DiskArrays, scratch_of
from tbgen.memory.own_memory import memory_in_use, trim_code
from tbgen.system import thresholds
from tests.support.patience import PATIENCE
from tests.support.serving import wait_for

_MIB = 1 << 20


@pytest.fixture
def large_from(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(disk_arrays_module, "PROGRAM", 0)
    monkeypatch.setattr(thresholds, "LARGE", 1 << 16)
    monkeypatch.setattr(disk_arrays_module, "SMALL", 1 << 16)


@pytest.mark.usefixtures("large_from")
def test_arrays_on_disk_leave_memory_and_come_back(tmp_path: Path) -> None:
    disk_arrays = DiskArrays(tmp_path, 1 << 40)
    array = disk_arrays.array(1 << 24, np.int32)
    assert not array.any()
    array[:] = np.arange(1 << 24)
    before, _ = memory_in_use()
    disk_arrays._memory = 0
    disk_arrays.trim()
    assert memory_in_use()[0] < before - (1 << 25)
    assert (array == np.arange(1 << 24)).all()
    assert not list(tmp_path.iterdir()), "the files have no name"
    disk_arrays.close()


def test_a_sparse_array_has_room_where_it_is_filled(tmp_path: Path) -> None:
    disk_arrays, page = DiskArrays(tmp_path, 1 << 40), 1 << 12
    sparse = disk_arrays.sparse(1 << 24, np.int32)

    def used() -> int:
        return os.fstat(int(sparse._mapping.room[HANDLE])).st_blocks * 512

    parts = [range(at << 20, (at << 20) + (1 << 18) + 5) for at in range(3)]
    assert used() <= page
    for number, part in enumerate(parts, 1):
        sparse.fill(part)[:] = number
        assert 0 <= used() - number * (1 << 20) <= 2 * (number + 1) * page
    assert disk_arrays.owed() == 0
    disk_arrays.look()
    assert disk_arrays.peak == 4 * sum(map(len, parts))
    sparse.drop(parts[1])
    assert used() <= 2 * (1 << 20) + 6 * page
    for number, part in enumerate(parts, 1):
        assert (sparse.array[part.start + page : part.stop - page] == (number if number != 2 else 0)).all()
    disk_arrays.peak = 0
    disk_arrays.look()
    assert disk_arrays.peak == 4 * 2 * len(parts[0])
    disk_arrays.close()


@pytest.mark.usefixtures("large_from")
def test_memory_is_kept_to(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(disk_arrays_module, "_GLANCE", 0.01)
    monkeypatch.setattr(disk_arrays_module, "_MARGIN", 1 << 30)  # whatever other tests have left in this process
    budget = memory_in_use()[0] + (32 << 20)
    disk_arrays = DiskArrays(tmp_path, budget)
    arrays = [disk_arrays.array(1 << 22, np.int32) for _ in range(8)]
    for array in arrays:
        array[:] = 7
        wait_for(lambda: memory_in_use()[0] < budget + (16 << 20))
    assert all((array == 7).all() for array in arrays)
    disk_arrays.close()


@pytest.mark.usefixtures("large_from")
def test_scattered_arrays_leave_memory_last(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    taken = list[object]()
    disk_arrays = DiskArrays(tmp_path, 0)
    monkeypatch.setattr(disk_arrays_module.Mapping, "madvise", lambda memory, how: taken.append(memory))
    arrays = [disk_arrays.array(size << 16, np.uint8, scattered=size == 3) for size in range(1, 5)]
    taken.clear()
    disk_arrays.trim()
    ours = {*map(id, disk_arrays._there())}  # those of another test may be at work still
    assert [len(one) for one in taken if id(one) in ours] == [len(arrays[at]) for at in (3, 1, 0, 2)]
    disk_arrays.close()


@pytest.mark.usefixtures("large_from")
def test_working_arrays_but_the_first_leave_room_for_scattered_ones(tmp_path: Path) -> None:
    large = 1 << 16
    disk_arrays = DiskArrays(tmp_path, 8 * large)
    scattered = disk_arrays.array(64 * large, np.uint8, scattered=True)
    assert disk_arrays.work_room() == pytest.approx((8 * 0.9 - 4) * large)
    first = disk_arrays.work(6 * large, np.uint8)
    assert disk_arrays.peak == len(scattered)
    del first
    held = disk_arrays.work(large, np.uint8)
    arrays = [disk_arrays.work(size * large, np.uint8) for size in (3, 2)]
    assert disk_arrays.peak == len(scattered) + len(arrays[0]), f"a sixteenth of it, {held.nbytes} and 3 are too much"
    disk_arrays.close()


@pytest.mark.usefixtures("large_from")
def test_working_arrays_are_on_disk_where_those_in_memory_leave_no_room(tmp_path: Path) -> None:
    large = 1 << 16
    disk_arrays = DiskArrays(tmp_path, 3 * large)
    held, first = (disk_arrays.work(large, np.uint8) for _ in range(2))
    assert disk_arrays.peak == 0
    second = disk_arrays.work(large, np.uint8)
    assert disk_arrays.peak == large, "a third one would be more than 0.9 of it"
    del first
    third = disk_arrays.work(large, np.uint8)
    assert disk_arrays.peak == large
    assert not any(array.any() for array in (held, second, third))
    disk_arrays.close()


@pytest.mark.usefixtures("large_from")
def test_arrays_of_solved_tables_leave_a_quarter_of_the_memory(tmp_path: Path) -> None:
    large = 1 << 16
    disk_arrays = DiskArrays(tmp_path, 8 * large)
    held = disk_arrays.finishing(5 * large, np.uint8)
    assert disk_arrays.peak == 0
    rest = disk_arrays.finishing(large, np.uint8)
    assert disk_arrays.peak == large, "8 * 0.9 - 2 is less than 6"
    del held
    assert disk_arrays.finishing(large, np.uint8).nbytes == rest.nbytes
    assert disk_arrays.peak == large
    disk_arrays.close()


def test_the_environment_says_where_working_arrays_are(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.delenv("TBGEN_SCRATCH", raising=False)
    tables, scratch = tmp_path / "tables", tmp_path / "scratch"
    assert scratch_of(tables) == tables, "it is made before it is needed"
    tables.mkdir()
    assert scratch_of(tables) == tables
    monkeypatch.setenv("TBGEN_SCRATCH", str(scratch))
    with pytest.raises(BadInput, match=r"TBGEN_SCRATCH names .*scratch, which is no directory that one may write to"):
        scratch_of(tables)
    scratch.mkdir()
    assert scratch_of(tables) == scratch


@pytest.mark.usefixtures("large_from")
def test_the_watch_ends_with_what_nobody_closes(tmp_path: Path) -> None:
    disk_arrays = DiskArrays(tmp_path, 1 << 40)
    disk_arrays.array(1 << 16, np.int32)
    watch = disk_arrays._watch
    assert watch is not None
    assert watch.is_alive()
    del disk_arrays
    watch.join(timeout=PATIENCE)
    assert not watch.is_alive()


@pytest.mark.usefixtures("large_from")
def test_where_there_is_no_room_is_said(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    def full(handle: int, start: int, size: int) -> None:
        raise OSError(errno.ENOSPC, os.strerror(errno.ENOSPC))

    monkeypatch.setattr(os, "posix_fallocate", full)
    disk_arrays = DiskArrays(tmp_path, 1 << 40)
    with pytest.raises(OSError, match="No space") as caught:
        disk_arrays.array(1 << 16, np.int32)
    assert caught.value.filename == str(tmp_path)
    with pytest.raises(OSError, match="No space") as caught:
        disk_arrays.named(tmp_path / "entries", 1 << 16, np.int32)
    assert caught.value.filename == str(tmp_path / "entries")


def test_a_named_array_gets_its_room_before_it_is_written(tmp_path: Path) -> None:
    disk_arrays, path = DiskArrays(tmp_path, 1 << 40), tmp_path / "entries"
    array = disk_arrays.named(path, _MIB, np.int32, reserves=False)
    assert not array.any()
    assert path.stat().st_size == 0, "reading takes room"
    for _ in range(2):
        disk_arrays.reserve_all(array)
        disk_arrays.look()
        assert path.stat().st_blocks * 512 >= disk_arrays.peak == 4 * _MIB
    array[7] = 7
    disk_arrays.reserve_all(np.zeros(3))
    disk_arrays.close()
    again = DiskArrays(tmp_path, 1 << 40)
    assert again.named(path, _MIB, np.int32, reserves=False)[7] == 7
    again.close()


def test_what_is_left_of_a_cut_file_is_kept(tmp_path: Path) -> None:
    path = tmp_path / "entries"
    path.write_bytes(bytes([1]) * 6)
    disk_arrays = DiskArrays(tmp_path, 1 << 40)
    array = disk_arrays.named(path, _MIB, np.int32, reserves=False)
    assert [*array[:3]] == [0x01010101, 0x0101, 0]
    disk_arrays.close()


def test_without_room_for_a_named_array_it_stays_zeros(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    def full(handle: int, start: int, size: int) -> None:
        raise OSError(errno.ENOSPC, os.strerror(errno.ENOSPC))

    disk_arrays = DiskArrays(tmp_path, 1 << 40)
    array = disk_arrays.named(tmp_path / "entries", _MIB, np.int32, reserves=False)
    with monkeypatch.context() as without_room:
        without_room.setattr(os, "posix_fallocate", full)
        with pytest.raises(OSError, match="No space"):
            disk_arrays.reserve_all(array)
    assert not array.any()
    disk_arrays.reserve_all(array)
    array[-1] = 3
    disk_arrays.close()
    assert (tmp_path / "entries").read_bytes()[-4:] == b"\3\0\0\0"


@pytest.fixture
def unable(monkeypatch: pytest.MonkeyPatch) -> None:
    """As on NFS with a C library that does not do it by itself."""

    def refuse(handle: int, start: int, size: int) -> None:
        raise OSError(errno.EOPNOTSUPP, os.strerror(errno.EOPNOTSUPP))

    monkeypatch.setattr(os, "posix_fallocate", refuse)


@pytest.mark.usefixtures("unable")
def test_a_file_system_that_cannot_reserve_has_it_written(tmp_path: Path) -> None:
    disk_arrays, path = DiskArrays(tmp_path, 1 << 40), tmp_path / "entries"
    array = disk_arrays.named(path, _MIB, np.int32, reserves=False)
    disk_arrays.reserve_all(array)
    assert path.stat().st_blocks * 512 >= 4 * _MIB
    disk_arrays.close()


@pytest.mark.usefixtures("large_from", "unable")
def test_where_room_cannot_be_reserved_it_is_written(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    def written_in_part(handle: int, data: memoryview, at: int) -> int:
        return pwrite(handle, data[: len(data) // 2 + 1], at)

    pwrite = os.pwrite
    monkeypatch.setattr(os, "pwrite", written_in_part)
    disk_arrays = DiskArrays(tmp_path, 1 << 40)
    assert not disk_arrays.array(1 << 16, np.int32).any()
    path = tmp_path / "entries"
    array = disk_arrays.named(path, 1 << 19, np.int32)
    assert path.stat().st_size == 1 << 21
    array[:] = 7
    longer = disk_arrays.named(path, (1 << 19) + 3, np.int32)
    assert (longer[:-3] == 7).all()
    assert not longer[-3:].any()

    def full(handle: int, data: memoryview, at: int) -> int:
        raise OSError(errno.ENOSPC, os.strerror(errno.ENOSPC))

    monkeypatch.setattr(os, "pwrite", full)
    with pytest.raises(OSError, match="No space") as caught:
        disk_arrays.named(path, 1 << 20, np.int32)
    assert caught.value.filename == str(path)


def test_a_workspace_belongs_to_all_who_may_write(tmp_path: Path) -> None:
    before = os.umask(0o002)
    try:
        DiskArrays(tmp_path, 1 << 40).named(tmp_path / "entries", 1 << 16, np.int32)
    finally:
        os.umask(before)
    assert (tmp_path / "entries").stat().st_mode & 0o777 == 0o664


@pytest.fixture
def looks(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Iterator[Callable[[int], bool]]:
    """A look at so many MiB in use, all of them of files, of 1600 that are allowed: whether it takes arrays out."""
    in_use = trims = 0

    def trim() -> None:
        nonlocal in_use, trims
        in_use, trims = 100 << 20, trims + 1

    monkeypatch.setattr(disk_arrays_module, "memory_in_use", lambda: (in_use, in_use))
    disk_arrays = DiskArrays(tmp_path, 1600 << 20)
    monkeypatch.setattr(disk_arrays, "trim", trim)

    def look(size: int) -> bool:
        nonlocal in_use
        in_use, before = size << 20, trims
        disk_arrays.look()
        return trims > before

    yield look
    disk_arrays.close()


def test_a_watch_that_is_late_takes_arrays_out_earlier(looks: Callable[[int], bool]) -> None:
    assert not any(looks(size) for size in range(0, 1500, 20)), "in time: all but the margin is used"
    assert looks(1510)
    assert not looks(600), "500 MiB came in at once"
    assert not looks(1000)
    assert looks(1150), "so might the next 500"


def test_a_watch_that_is_in_time_again_uses_all(looks: Callable[[int], bool]) -> None:
    assert not looks(600)
    assert looks(1100)
    for _ in range(5000):
        assert not looks(200)
    assert not looks(280)
    assert not any(looks(size) for size in range(280, 1500, 80))


@pytest.mark.parametrize("memory", [1 << 28, 1 << 29, 1 << 32, 1 << 40])
def test_what_comes_in_between_two_looks_fits_into_the_margin(memory: int) -> None:
    glance = disk_arrays_module._glance(memory)
    assert 0.005 <= glance <= 0.1
    assert glance == 0.005 or glance * 1e10 <= memory / 16


@pytest.mark.parametrize(("memory", "least"), [(1 << 29, 1 << 23), (1 << 32, 1 << 26), (1 << 40, 1 << 26)])
def test_with_little_memory_smaller_arrays_are_on_disk(memory: int, least: int, tmp_path: Path) -> None:
    disk_arrays = DiskArrays(tmp_path, memory)
    for made in (disk_arrays.array, lambda count, kind: disk_arrays.growing(count, kind).array):
        assert file_of(made(least, np.uint8)) is not None
        assert file_of(made(least - 1, np.uint8)) is None
    disk_arrays.close()


def test_memory_is_kept_to_by_a_watch_that_is_late(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """In between two looks 28 MiB come in, of 64 that are allowed."""
    monkeypatch.setattr(thresholds, "LARGE", 1 << 12)
    monkeypatch.setattr(disk_arrays_module, "_GLANCE", 1000.0)  # the looks are those of this test
    budget = memory_in_use()[0] + (64 << 20)
    disk_arrays = DiskArrays(tmp_path, budget)
    monkeypatch.setattr(disk_arrays_module, "_MARGIN", 1 << 30)  # whatever other tests have left in this process
    array, most = disk_arrays.array(1 << 25, np.int32), 0
    for number, at in enumerate(range(0, len(array), 1 << 18)):
        array[at : at + (1 << 18)] = 7
        most = max(most, memory_in_use()[0])
        if number % 28 == 27:
            disk_arrays.look()
    assert most < budget
    assert (array == 7).all()
    disk_arrays.close()


def test_what_the_c_library_has_kept_is_given_back(tmp_path: Path) -> None:
    kept = [np.ones(1 << 16, np.uint8) for _ in range(1 << 10)]  # too small to be mapped one by one
    last = kept[-1]  # the last block is not free: what lies before it stays where it is
    del kept
    budget = memory_in_use()[0]
    disk_arrays = DiskArrays(tmp_path, budget)
    disk_arrays.look()
    assert memory_in_use()[0] < budget - (16 << 20)
    assert last.all()
    disk_arrays.close()


@pytest.mark.usefixtures("large_from")
def test_no_thread_to_watch(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    disk_arrays, words = DiskArrays(tmp_path, 1 << 40), "can't start new thread"
    monkeypatch.setattr(disk_arrays_module.Thread, "start", Mock(side_effect=RuntimeError(words)))
    with pytest.raises(RuntimeError, match=words):
        disk_arrays.array(1 << 24, np.int32)
    disk_arrays.close()


def test_code_leaves_memory_whatever_files_are_called(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    import_module("llvmlite.binding")  # a large library
    place = Path(os.fsdecode(os.fsencode(tmp_path / "caf") + b"\xe9"))
    place.write_bytes(bytes(1 << 12))
    told: list[int] = []
    libc = SimpleNamespace(madvise=lambda begin, size, advice: told.append(size.value))
    monkeypatch.setattr("ctypes.CDLL", lambda name: libc)
    with place.open("rb") as file, mmap.mmap(file.fileno(), 0, prot=mmap.PROT_READ):
        trim_code()
    assert told


def test_what_comes_later_takes_no_room_until_then(tmp_path: Path) -> None:
    with closing(DiskArrays(tmp_path, 1 << 40)) as disk_arrays:
        array = disk_arrays.later(thresholds.LARGE // 4, np.int32)
        assert not array.any()
        assert disk_arrays.peak == 0
        disk_arrays.reserve_all(array)
        array[:] = 7
        disk_arrays.look()
        assert disk_arrays.peak == array.nbytes
        assert (array == 7).all()
