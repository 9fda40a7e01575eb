"""The lock of a table: whatever interrupts it, its file stays only where somebody holds it."""

import fcntl
import os
import signal
from pathlib import Path

import pytest

from tbgen.store import leftovers
from tbgen.store.leftovers import TOKEN, held, tidy
from tbgen.store.lock import building, lock_of


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
