"""The lock of a table: whatever interrupts it, its file stays only where somebody holds it."""

import fcntl
import os
from pathlib import Path

import pytest

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
