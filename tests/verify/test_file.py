"""`tbgen verify` within bounds: how tables are read in one pass, in little memory."""

from dataclasses import replace
from pathlib import Path

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st
from numpy.typing import DTypeLike, NDArray

from tbgen.cli.main import main
from tbgen.core.material import Material, parse
from tbgen.core.table_contents import Contents, selected
from tbgen.index.exits import exits_of
from tbgen.memory import disk_arrays as disk_arrays_module
from tbgen.memory.arrays import in_memory
from tbgen.memory.disk_arrays import DiskArrays
from tbgen.retro.export import finish
from tbgen.retro.solver import solve_table
from tbgen.store import open_table, table_path
from tbgen.store.entry_cache import EntryCache
from tbgen.store.read import keys as key_numbers
from tbgen.store.read import staircases as staircases_module
from tbgen.store.read.keys import Keys
from tbgen.store.read.staircases import Staircases
from tbgen.store.write import encode, write_table
from tbgen.system import thresholds
from tbgen.verify.file import check_table
from tbgen.verify.run import Verdict

# --- numbers for keys and staircases --------------------------------------------------------------------------


@given(st.integers(0, 2**32), st.sampled_from([3, 300, 1 << 40]), st.lists(st.integers(0, 3000), max_size=8))
def test_keys_have_numbers_in_the_order_in_which_they_come(seed: int, different: int, lengths: list[int]) -> None:
    rng = np.random.default_rng(seed)
    keys, known = Keys(), dict[int, int]()
    for length in lengths:
        column = rng.integers(0, different, length)
        numbers, new = keys.number(column)
        fresh = column[new].tolist()
        assert set(fresh) == set(column.tolist()) - known.keys()
        for key in fresh:
            known[key] = len(known)
        assert numbers.tolist() == [known[key] for key in column.tolist()]
    assert len(keys) == len(known)


def test_keys_spread_whichever_bits_they_differ_in(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(key_numbers, "_FACTOR", np.uint64(0x9E3779B97F4A7C15))
    for shift in (0, 12, 31, 50):
        keys = Keys()
        keys.number(np.arange(1000) << shift)
        free = np.flatnonzero(np.append(keys._key, -1) == -1)
        assert np.diff(free, prepend=-1).max() < 50, "no long row of places is taken"


def test_staircases_are_numbered_once() -> None:
    staircases, random = Staircases(in_memory), np.random.default_rng(3)
    rows = [tuple(random.integers(0, 50, random.integers(0, 4)).tolist()) for _ in range(60_000)]
    found: list[int] = []
    for start in range(0, len(rows), 7000):
        some = rows[start : start + 7000]
        steps = np.array([step for row in some for step in row], np.int64)
        found += staircases.number(np.array([len(row) for row in some], np.uint16), steps).tolist()
    numbers = dict(zip(rows, found, strict=True))
    assert [numbers[row] for row in rows] == found
    assert sorted({*numbers.values(), 0}) == [*range(len({*rows, ()}))]
    assert numbers.get((), 0) == 0
    for row, number in numbers.items():
        assert tuple(staircases.steps[slice(*staircases.first[number : number + 2])].tolist()) == row


# --- reading in one pass --------------------------------------------------------------------------------------


def assert_equal(found: Contents, expected: Contents) -> None:
    """But for how the staircases are numbered: the solver numbers them as they come."""
    numbers, first = np.unique(np.append(0, found.staircases), return_index=True)
    order = numbers[np.argsort(first)]
    found = replace(
        found, steps=selected(found.steps, order), staircases=np.argsort(order).astype(np.int32)[found.staircases]
    )
    assert (found.material, found.rules) == (expected.material, expected.rules)
    columns = zip(found.steps, expected.steps, strict=True)
    for mine, theirs in ((found.entries, expected.entries), (found.staircases, expected.staircases), *columns):
        assert mine.dtype == theirs.dtype
        assert np.array_equal(mine, theirs)


@pytest.mark.parametrize("name", ["KBvK", "KNvK", "KPvK"])
def test_contents_do_not_depend_on_how_they_are_read(
    small_tables: Path, tmp_path: Path, monkeypatch: pytest.MonkeyPatch, name: str
) -> None:
    """They are the solver's, staircase by staircase: from tiny chunks, into the caller's arrays."""
    material, path = parse(name), table_path(tmp_path, parse(name), "r")
    answers = EntryCache(small_tables, "r", DiskArrays(tmp_path, 1 << 30)).take(material.successors())
    expected = finish(solve_table(exits_of(material, answers)))
    monkeypatch.setattr(encode, "WIDTHS", (1 << 9, 1 << 9))
    monkeypatch.setattr(staircases_module, "_LEAST", 2)
    write_table(path, expected, {})
    made: list[NDArray[np.int32]] = []
    read: list[int] = []

    def make(count: int, kind: DTypeLike) -> NDArray[np.int32]:
        assert kind is np.int32
        made.append(np.zeros(count, np.int32))
        return made[-1]

    with open_table(path) as table:
        assert table.head.chunk == 1 << 9
        found = table.part(0, table.size, make, read.append)
        assert found.entries is made[0]
        assert found.staircases is made[1]
        assert sum(read) == table.size
        assert_equal(found, expected)


# --- checking -------------------------------------------------------------------------------------------------


def test_a_table_that_is_on_disk_is_checked(
    small_tables: Path, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    """With no memory at all for arrays of any size: what is needed comes from disk again and again."""
    monkeypatch.setattr(thresholds, "LARGE", 1)
    monkeypatch.setattr(disk_arrays_module, "_GLANCE", 0.001)
    disk_arrays = DiskArrays(tmp_path, memory=1)
    read: dict[Material, int] = {}
    done: list[int] = []
    name = parse("KPvK")
    verdict = check_table(
        name, small_tables, "r", EntryCache(small_tables, "r", disk_arrays), disk_arrays, threads=2,
        read=lambda material, numbers: read.update({material: read.get(material, 0) + numbers}),
        report=done.append,
    )  # fmt: skip
    disk_arrays.close()
    assert verdict == Verdict(165676, 0, [])
    assert read.keys() == {name, *name.successors()}
    with open_table(table_path(small_tables, name, "r")) as table:
        assert read[name] == table.size == sum(done)


def test_a_sample_can_be_drawn_again(small_tables: Path, capsys: pytest.CaptureFixture[str]) -> None:
    words = ["verify", "KNvK", "--tables", str(small_tables), "--memory", "300M", "--threads", "1"]
    assert main([*words, "--sample", "500"]) == 0
    assert "500 stored entries drawn with --seed " in capsys.readouterr().out
    assert main([*words, "--sample", "500", "--seed", "123"]) == 0
    assert "500 stored entries drawn with --seed 123 checked in" in capsys.readouterr().out
