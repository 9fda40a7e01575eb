"""Slices that are read of a complete table are as they are there, and are all that solving asks for."""

from functools import partial
from pathlib import Path

import chess
import numpy as np
import pytest

from tbgen.beyond.local.choose import Tables, make_plan
from tbgen.beyond.local.complete import CompleteTables, excerpt_of
from tbgen.beyond.local.solve import LocalTables, solve_plan
from tbgen.beyond.local.walks import mirrored, swapped
from tbgen.core.material import Material, every, parse
from tbgen.index import layout_of
from tbgen.index.exits import Reached
from tbgen.memory.arrays import in_memory
from tests.support.local_tables import BOTH_RACE, parts_of

THREE = [one for men in (2, 3) for one in every(men)]


def whole(directory: Path, asked: Tables) -> dict[Material, Reached]:
    return parts_of(directory, dict.fromkeys(asked))


def same(one: LocalTables, other: LocalTables) -> bool:
    """Whether they say the same of all positions under every record."""
    return all(
        np.array_equal(mine.entries, theirs.entries) and np.array_equal(mine.staircases, theirs.staircases)
        for name, contents in one.contents.items()
        for mine, theirs in zip(contents.values(), other.contents[name].values(), strict=True)
    )


def test_slices_are_all_that_is_asked(small_tables: Path) -> None:
    plan = make_plan(chess.Board(BOTH_RACE), THREE, 0)
    asked = plan[-1].complete[parse("KPvK")]
    assert asked is not None
    assert 0 < len(asked) < layout_of(parse("KPvK")).slices
    found = solve_plan(plan, partial(parts_of, small_tables), records=True)
    assert same(found, solve_plan(plan, partial(whole, small_tables), records=True))


@pytest.mark.full
@pytest.mark.parametrize(
    "fen", ["8/7p/8/8/P7/7P/8/K6k w - - 0 1", "8/p6p/8/8/7P/8/8/K6k w - - 0 1", "8/8/8/1p6/1PP5/8/8/K6k w - - 0 1"]
)
@pytest.mark.parametrize("most", [0, 1 << 22])
def test_slices_of_tables_of_four_men(fen: str, most: int, four_men: Path) -> None:
    """KPvKP stores one of two placements that swapped colours make one."""
    there = [one for one in (*THREE, parse("KPvKP")) if (four_men / f"{one}.r.h5").exists()]
    plan = make_plan(chess.Board(fen), there, most)
    found = solve_plan(plan, partial(parts_of, four_men), threads=2, records=True)
    assert same(found, solve_plan(plan, partial(whole, four_men), threads=2, records=True))


def test_a_slice_that_was_not_asked_is_noticed(small_tables: Path) -> None:
    (part,) = make_plan(chess.Board(BOTH_RACE), THREE, 0)
    pawn = parse("KPvK")
    asked = part.complete[pawn]
    assert asked is not None
    for one in sorted(asked)[:: len(asked) - 1]:
        images = {one, mirrored(one), swapped(one), swapped(mirrored(one))}
        less = part._replace(complete={name: {*(those or ())} - images for name, those in part.complete.items()})
        with pytest.raises(AssertionError, match="contradictions"):
            solve_plan([less], partial(parts_of, small_tables))


def test_what_was_read_before_is_not_read_again(small_tables: Path, tmp_path: Path) -> None:
    pawn = parse("KPvK")
    path = tmp_path / "KPvK.r.h5"
    path.symlink_to(small_tables / path.name)
    tables, read = CompleteTables(tmp_path, in_memory), list[int]()
    few, more = {((12,), ())}, {((12,), ()), ((20,), ()), ((28,), ())}
    tables.take({pawn: few}, read.append)
    assert sum(read) == excerpt_of(pawn, few).size
    tables.take({pawn: more}, read.append)
    assert sum(read) == excerpt_of(pawn, more).size
    found = tables.take({pawn: more, parse("KvK"): None}, read.append)
    assert sum(read) == excerpt_of(pawn, more).size + layout_of(parse("KvK")).size
    (whole_table,) = parts_of(small_tables, {pawn: None}).values()
    for number, start in zip(found[pawn].layout.excerpt or (), found[pawn].layout.start.tolist(), strict=False):
        first, last = whole_table.layout.start[number : number + 2]
        assert np.array_equal(found[pawn].entries[start : start + last - first], whole_table.entries[first:last])
