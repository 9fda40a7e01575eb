"""The lock of a table: whatever interrupts it, its file stays only where somebody holds it."""

import errno
import fcntl
import os
import signal
from pathlib import Path
from unittest.mock import Mock

import pytest

from tbgen.store import leftovers
from tbgen.store.leftovers import TOKEN, held, tidy
from tbgen.store.lock import building, half_written, lock_of
from tests.support.planting import plant


@pytest.mark.parametrize("moment", ["open", "flock", "fstat"])
def test_an_interrupt_leaves_no_file(moment: str, tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """It may come right after a call to the system, before the program has the result."""
    where = fcntl if moment == "flock" else os
    call = getattr(where, moment)

    def interrupted(*words: object) -> None:
        monkeypatch.undo()
        call(*words)
        raise KeyboardInterrupt

    monkeypatch.setattr(where, moment, interrupted)
    with pytest.raises(KeyboardInterrupt), building(tmp_path / "KQvK.r.h5"):
        pass
    assert list(tmp_path.iterdir()) == []
    with building(tmp_path / "KQvK.r.h5"):
        assert list(tmp_path.iterdir()) == [lock_of(tmp_path / "KQvK.r.h5")]
    assert list(tmp_path.iterdir()) == []


def test_the_file_of_another_holder_stays(tmp_path: Path) -> None:
    table = tmp_path / "KQvK.r.h5"

    def give_up() -> None:
        raise KeyboardInterrupt

    with building(table):
        with pytest.raises(KeyboardInterrupt), building(table, waiting=give_up):
            pass
        assert lock_of(table).exists()
    assert not lock_of(table).exists()


def test_all_who_may_write_can_lock(tmp_path: Path) -> None:
    before = os.umask(0o002)
    try:
        with building(tmp_path / "KQvK.r.h5"):
            assert lock_of(tmp_path / "KQvK.r.h5").stat().st_mode & 0o777 == 0o664
    finally:
        os.umask(before)


def test_the_lock_of_another_user(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """A file that a killed build left may be read and not be written to, and not be removed either."""
    call, table = os.open, tmp_path / "KQvK.r.h5"
    half = half_written(table)
    lock_of(table).touch()
    half.touch()

    def reads_only(path: Path, flags: int, *mode: int) -> int:
        if path == lock_of(table) and flags & os.O_ACCMODE != os.O_RDONLY:
            raise PermissionError(errno.EACCES, os.strerror(errno.EACCES), str(path))
        return call(path, flags, *mode)

    def refused(path: Path) -> None:
        raise PermissionError(errno.EPERM, os.strerror(errno.EPERM), str(path))

    monkeypatch.setattr(os, "open", reads_only)
    with monkeypatch.context() as sticky:
        sticky.setattr(Path, "unlink", refused)
        with building(table):
            assert leftovers._is_held(lock_of(table))
        tidy(tmp_path)
        assert lock_of(table).exists()
        assert half.exists()
    assert not leftovers._is_held(lock_of(table))
    with building(table), pytest.raises(ZeroDivisionError), building(table, waiting=lambda: 1 // 0):
        pass
    assert not lock_of(table).exists()
    assert not half.exists()
    with pytest.raises(PermissionError), building(table):
        pass


@pytest.mark.parametrize("kind", ["link", "dangling link", "hard link", "pipe", "directory", "socket"])
def test_what_is_no_lock_is_let_alone(kind: str, tmp_path: Path) -> None:
    """Through a link a file elsewhere would be made, or locked."""
    victim, beside = tmp_path / "victim", lock_of(tmp_path / "tables" / "KQvK.r.h5")
    beside.parent.mkdir()
    if kind != "dangling link":
        victim.touch()
    plant(kind, beside, victim)
    with pytest.raises(PermissionError, match=r"remove it: .*lock"), building(tmp_path / "tables" / "KQvK.r.h5"):
        pass
    assert victim.exists() == (kind != "dangling link")
    tidy(tmp_path / "tables")
    assert not leftovers._is_held(beside)
    assert os.path.lexists(beside)


def test_a_system_without_locks_names_the_file(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    def refused(handle: int, how: int) -> None:
        raise OSError(errno.ENOLCK, os.strerror(errno.ENOLCK))

    monkeypatch.setattr(fcntl, "flock", refused)
    table = tmp_path / "KQvK.r.h5"
    with pytest.raises(OSError, match=lock_of(table).name), building(table):
        pass


def no_end(number: int, frame: object) -> None:
    raise AssertionError("it waits")


def test_tidying_waits_for_nobody(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """Another process may take a lock that nobody had a moment ago: it may build for hours."""
    monkeypatch.setattr(leftovers, "_is_held", lambda path: False)
    before = signal.signal(signal.SIGALRM, no_end)
    signal.alarm(20)
    try:
        with building(tmp_path / "KQvK.r.h5"):
            tidy(tmp_path)
            assert lock_of(tmp_path / "KQvK.r.h5").exists()
    finally:
        signal.alarm(0)
        signal.signal(signal.SIGALRM, before)


def test_a_token_that_is_made_while_another_build_tidies(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """It is there before it is locked, and is taken for one that a killed build has left."""
    call = fcntl.flock

    def late(handle: int, how: int) -> None:
        monkeypatch.undo()
        tidy(tmp_path)
        call(handle, how)

    monkeypatch.setattr(fcntl, "flock", late)
    token = tmp_path / f"{TOKEN}0123"
    with held(token):
        assert token.exists()
        tidy(tmp_path)
        assert token.exists()
    assert not token.exists()


@pytest.mark.parametrize("number", [errno.EROFS, errno.ENOLCK])
def test_what_cannot_be_locked_is_let_alone(number: int, tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """Of a directory that may only be read, tables are read."""
    half = half_written(tmp_path / "KQvK.r.h5")
    half.touch()
    monkeypatch.setattr("tbgen.store.lock.share", Mock(side_effect=OSError(number, os.strerror(number))))
    tidy(tmp_path)
    assert half.exists()
