"""Sets in rising order are those of Python, whatever is added and in which pieces."""

import numpy as np
import pytest

from tbgen.memory.arrays import in_memory
from tbgen.store.write import aside
from tbgen.store.write.rising import Rising


@pytest.mark.parametrize("piece", [1, 3, 1 << 18])
@pytest.mark.parametrize("kind", [np.int64, np.uint64])
def test_what_is_added_is_there_once(
    kind: type[np.int64] | type[np.uint64], piece: int, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(aside, "_PIECE", piece)
    random, found, expected = np.random.default_rng(piece), Rising(in_memory, kind), {0}
    largest = int(np.iinfo(kind).max)
    for most in (1, 3, 50, 7, 200, largest, largest, 0):
        some = np.unique(random.integers(0, most, 40, kind, endpoint=True))
        new = found.add(some)
        assert new.tolist() == [one not in expected for one in some.tolist()]
        expected |= set(some.tolist())
        assert found.values.tolist() == sorted(expected)
        assert found.values.dtype == kind


def test_what_is_known_makes_no_new_array() -> None:
    found = Rising(in_memory, np.int64)
    found.add(np.array([2, 5]))
    before = found.values
    assert not found.add(np.array([0, 5])).any()
    assert not found.add(np.array([], np.int64)).any()
    assert found.values is before
