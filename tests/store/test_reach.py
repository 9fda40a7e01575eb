"""Of large tables, those slices are there that the slices at work lead to."""

import shutil
from collections.abc import Iterator
from contextlib import closing
from pathlib import Path

import numpy as np
import pytest

from tbgen.core.material import parse
from tbgen.core.table_rules import TableRules
from tbgen.errors import CorruptTable
from tbgen.index import layout_of
from tbgen.index.promotions import promoted_to
from tbgen.memory.arrays import RESERVED
from tbgen.memory.disk_arrays import DiskArrays
from tbgen.retro.export import finish
from tbgen.retro.solver import solve_table
from tbgen.store import open_table, table_path
from tbgen.store.entry_cache import EntryCache
from tbgen.store.reach import Reach, reach
from tbgen.system import thresholds
from tbgen.verify.run import Verdict, verify
from tests.support.damaged import damaged


@pytest.fixture
def small_are_large(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(thresholds, "LARGE", 1)


@pytest.fixture
def disk_arrays(tmp_path: Path) -> Iterator[DiskArrays]:
    with closing(DiskArrays(tmp_path, 1 << 30)) as made:
        yield made


def whole_again(name: str, rules: str, directory: Path, disk_arrays: DiskArrays) -> None:
    """A table is solved and verified, given no more than that, and is what the file says."""
    material = parse(name)
    with (
        reach(material, EntryCache(directory, TableRules(rules), disk_arrays), disk_arrays) as found,
        open_table(table_path(directory, material, TableRules(rules))) as table,
    ):
        contents = finish(solve_table(found.exits, rules=TableRules(rules), threads=2), threads=2)
        assert np.array_equal(contents.entries, table.entries())
        verdict = verify(contents, found.exits, threads=2)
        assert verdict == Verdict(int(np.count_nonzero(contents.entries)), 0, [])
        assert set(found.sha256) == {one.name for one in material.successors()}
        for other in material.successors():
            with open_table(table_path(directory, other, TableRules(rules))) as one:
                assert found.sha256[other.name] == one.sha256


@pytest.mark.usefixtures("small_are_large")
@pytest.mark.parametrize("rules", ["r", "wg"])
def test_a_table_is_built_and_verified_with_slices(small_tables: Path, disk_arrays: DiskArrays, rules: str) -> None:
    whole_again("KPvK", rules, small_tables, disk_arrays)


@pytest.mark.full
@pytest.mark.usefixtures("small_are_large")
@pytest.mark.parametrize("name", ["KPvKP", "KRvKP"])
def test_the_same_with_four_men(four_men: Path, disk_arrays: DiskArrays, name: str) -> None:
    whole_again(name, "r", four_men, disk_arrays)


def there(found: Reach) -> dict[str, int]:
    """How many entries of each table are there."""
    return {
        one.layout.material.name: np.count_nonzero(one.entries)
        for one in found.exits.reached
        if one.entries is not None
    }


@pytest.mark.usefixtures("small_are_large")
def test_slices_come_and_go(small_tables: Path, disk_arrays: DiskArrays) -> None:
    material, cache = parse("KPvK"), EntryCache(small_tables, TableRules.RESET, disk_arrays)
    layout = layout_of(material)
    first, last = 0, layout.slices - 1
    assert promoted_to(layout, first)
    assert not promoted_to(layout, last)
    with reach(material, cache, disk_arrays) as found:
        assert there(found)["KQvK"] == 0
        found.exits.fetch([first])
        assert all(there(found).values())
        found.exits.fetch([last])
        assert there(found)["KQvK"] <= 1 << 10, "but for the last page"
        found.exits.fetch([first])
        with open_table(table_path(small_tables, parse("KQvK"), TableRules.RESET)) as table:
            assert there(found)["KQvK"] == np.count_nonzero(table.entries())


@pytest.mark.usefixtures("small_are_large")
def test_those_that_the_cache_holds_are_there(small_tables: Path, disk_arrays: DiskArrays) -> None:
    cache = EntryCache(small_tables, TableRules.RESET, disk_arrays)
    held = cache.take([parse("KQvK")])[parse("KQvK")]
    with reach(parse("KPvK"), cache, disk_arrays) as found:
        (entries,) = (one.entries for one in found.exits.reached if one.layout.material == parse("KQvK"))
        assert entries is held


@pytest.mark.usefixtures("small_are_large")
def test_a_damaged_table_is_refused(small_tables: Path, tmp_path: Path) -> None:
    for path in small_tables.glob("*.r.h5"):
        shutil.copy(path, tmp_path)
    path = table_path(tmp_path, parse("KQvK"), TableRules.RESET)
    path.write_bytes(damaged(path.read_bytes(), "chunks"))
    with (
        closing(DiskArrays(tmp_path, 1 << 30)) as disk_arrays,
        reach(parse("KPvK"), EntryCache(tmp_path, TableRules.RESET, disk_arrays), disk_arrays) as found,
        pytest.raises(CorruptTable, match="KQvK"),
    ):
        found.exits.fetch([0])


def test_small_tables_are_there_as_a_whole(small_tables: Path, disk_arrays: DiskArrays) -> None:
    with reach(parse("KPvK"), EntryCache(small_tables, TableRules.RESET, disk_arrays), disk_arrays) as found:
        assert all(there(found).values())
    assert not any(one.room[RESERVED] for one in disk_arrays._there())
