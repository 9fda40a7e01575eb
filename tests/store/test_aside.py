"""Arrays put aside while a table is written."""

from typing import Any

import numpy as np
import pytest
from numpy.typing import DTypeLike, NDArray

from tbgen.store.write import aside
from tbgen.store.write.aside import Aside


@pytest.mark.parametrize("first", [8, 1 << 6, 1 << 16])
def test_arrays_come_back_in_order(first: int, monkeypatch: pytest.MonkeyPatch) -> None:
    """Also empty ones, and those that are larger than a room."""
    monkeypatch.setattr(aside, "_FIRST", first)
    monkeypatch.setattr(aside, "LARGE", 1 << 10)
    made = list[int]()

    def make(count: int, kind: DTypeLike) -> NDArray[Any]:
        made.append(count * np.dtype(kind).itemsize)
        return np.zeros(count, kind)

    rng = np.random.default_rng(first)
    arrays = [rng.integers(0, 99, size).astype(np.int32) for size in (0, 3, 1, 0, 700, 2, *rng.integers(0, 40, 200), 0)]
    kept = Aside(make, np.int32)
    for one in arrays[:5]:
        kept.append(one)
    kept.extend(arrays[5:])
    assert len(kept) == len(arrays)
    assert all((mine == one).all() and mine.dtype == one.dtype for mine, one in zip(kept, arrays, strict=True))
    assert (kept[4] == arrays[4]).all()
    with pytest.raises(IndexError):
        kept[len(arrays)]
    assert max(made) <= max(first, 1 << 10, arrays[4].nbytes)
    assert len(made) < 60, "many have one room"


def test_a_table_of_billions_has_few_rooms(monkeypatch: pytest.MonkeyPatch) -> None:
    """Each may be a file."""
    monkeypatch.setattr(aside, "_FIRST", 1 << 10)
    monkeypatch.setattr(aside, "LARGE", 1 << 10)
    made = list[int]()

    def make(count: int, kind: DTypeLike) -> NDArray[Any]:
        made.append(count * np.dtype(kind).itemsize)
        return np.zeros(count, kind)

    kept = Aside(make, np.int32)
    kept.extend(np.arange(64, dtype=np.int32) + at for at in range(1 << 14))
    filled = (1 << 14) * 64 * 4
    assert len(made) < 120 < filled >> 10
    assert filled <= sum(made) < 1.1 * filled
    assert all(one[0] == at for at, one in enumerate(kept))
