"""Every position of local tables, under every record, against the complete table, hidden while they are solved.

TBGEN_FIVE=DIR compares slices of all materials of five men whose tables are in DIR. It takes minutes for each.
"""

import os
from functools import partial
from pathlib import Path
from typing import NamedTuple

import chess
import numpy as np
import pytest
from numba import njit
from numpy.typing import NDArray

from tbgen.beyond.local.choose import make_plan
from tbgen.beyond.local.solve import LocalTables, of_bound, solve_plan
from tbgen.board.moves import NOBODY
from tbgen.core.material import Material, every, parse
from tbgen.core.outcome import FIRST_RECORD
from tbgen.core.packed_steps import pack_steps
from tbgen.core.table_contents import Contents
from tbgen.core.table_rules import TableRules
from tbgen.index.atlas import make_atlas
from tbgen.index.kernels import decode, locate
from tbgen.index.layout import layout_of
from tbgen.probe.numbering import material_of
from tbgen.store import TableFile, open_table, table_path
from tbgen.store.format.local import BOTH, Bound
from tbgen.verify.joined import Joined
from tbgen.verify.moves import NO_POSITION, list_all, make_board, make_moves
from tbgen.verify.values import Dictionary, level_of, value_at
from tests.support.local_tables import parts_of

FIVE = os.environ.get("TBGEN_FIVE", "")

RECORDS, WRONG, FIRST, SECOND, EXACT, DISTANCES, WRONG_DISTANCE = range(7)


class Compared(NamedTuple):
    records: int
    """Positions, each once for every record that may stand there."""
    wrong: int
    """Outside the bounds."""
    first: int
    """Where the first side is sure of the truth."""
    second: int
    exact: int
    distances: int
    """Where the distance is said to be known."""
    wrong_distances: int


class _Values(NamedTuple):
    """What a table says."""

    entries: NDArray[np.int32]
    staircases: NDArray[np.int32]
    dictionary: Dictionary


def _values(contents: Contents) -> _Values:
    joined = Joined(TableRules.RESET)
    joined.add(0, contents.steps.start, pack_steps(*contents.steps[1:]))
    return _Values(contents.entries, contents.staircases, joined.dictionary())


def compare(local: LocalTables, truth: TableFile) -> list[Compared]:
    """Slice by slice."""
    contents, layout = local.contents[local.root], of_bound(local.parts[local.root], Bound.BEST).layout
    complete = layout_of(layout.material)
    atlases = make_atlas([layout]), make_atlas([complete])
    low, high = (_values(of_bound(contents, bound)) for bound in BOTH)
    board, moves, pawns = make_board(atlases[0]), make_moves(), layout.pawns.squares
    found = []
    for slice_ in range(layout.slices):
        start, end = int(layout.start[slice_]), int(layout.start[slice_ + 1])
        there = np.zeros(2, np.int64)
        _span(atlases[0], atlases[1], pawns, slice_, start, end, moves, there)
        slice_there = int(np.searchsorted(complete.start, there[0], "right")) - 1
        first, last = int(complete.start[slice_there]), int(complete.start[slice_there + 1])
        assert first <= there[0] <= there[1] < last
        counts = np.zeros(7, np.int64)
        true = _values(truth.part(first, last))
        _compare(board, *atlases, pawns, slice_, start, end, first, low, high, true, moves, counts)
        found.append(Compared(*counts.tolist()))
    return found


@njit
def _span(atlas, complete, pawns, slice_, start, end, moves, there):
    """The least and the greatest number there."""
    there[0], there[1] = np.int64(1) << 62, -1
    for number in range(start, end):
        side = decode(atlas, 0, pawns, slice_, number, moves.squares)
        here = locate(complete, 0, moves.squares, side)
        if here >= 0:
            there[0], there[1] = min(there[0], here), max(there[1], here)


@njit
def _value(values, number, level, holder, record_level):
    return value_at(
        values.dictionary, values.entries[number], np.int64(values.staircases[number]), level, holder, record_level
    )


@njit
def _compare(board, atlas, complete, pawns, slice_, start, end, first, low, high, true, moves, counts):
    for number in range(start, end):
        side = decode(atlas, 0, pawns, slice_, number, moves.squares)
        _, _, _, level = list_all(board, moves, side, NOBODY)
        if level == NO_POSITION:
            continue
        there = locate(complete, 0, moves.squares, side) - first
        least, most = (high, low) if side else (low, high)
        for holder in range(2):
            for record_level in range(min(FIRST_RECORD, level), level + 1):
                at_least, soonest = _value(least, number, level, holder, record_level)
                at_most, latest = _value(most, number, level, holder, record_level)
                value, distance = _value(true, there, level, holder, record_level)
                counts[RECORDS] += 1
                counts[WRONG] += not at_least <= value <= at_most
                counts[SECOND if side else FIRST] += at_least == value
                counts[FIRST if side else SECOND] += at_most == value
                if at_least == at_most:
                    counts[EXACT] += 1
                    if soonest == latest and (soonest == 0 or level_of(at_least) < FIRST_RECORD):
                        counts[DISTANCES] += 1
                        counts[WRONG_DISTANCE] += soonest != distance


def compared(directory: Path, complete: list[Material], fen: str, most: int = 0, one_bound: int = 0) -> list[Compared]:
    """Solved with these tables, and with local ones of up to `most` numbers, or for one bound of up to `one_bound`."""
    plan = make_plan(chess.Board(fen), complete, most, one_bound=one_bound)
    local = solve_plan(plan, partial(parts_of, directory), threads=2, records=True)
    with open_table(table_path(directory, local.root, "r")) as truth:
        return compare(local, truth)


def check(slices: list[Compared], exact: float, first: float, second: float) -> None:
    """No bound is wrong, and they say as much as they should."""
    total = Compared(*map(sum, zip(*slices, strict=True)))
    print(total, *(round(one / total.records, 4) for one in (total.exact, total.first, total.second)))
    assert (total.wrong, total.wrong_distances) == (0, 0)
    assert total.exact >= exact * total.records
    assert total.first >= first * total.records
    assert total.second >= second * total.records


def test_three_men(small_tables: Path) -> None:
    """With some promotions unknown."""
    known = [parse(name) for name in ("KvK", "KBvK", "KNvK")]
    slices = compared(small_tables, known, "8/8/8/3k4/4P3/8/8/4K3 w - - 0 1")
    assert len(slices) == 4
    check(slices, 0.1, 0.1, 0.1)


@pytest.mark.full
@pytest.mark.parametrize(("one_bound", "least"), [(0, 0.1), (1 << 28, 0.5)])
def test_four_men(one_bound: int, least: float, four_men: Path) -> None:
    known = [one for men in (2, 3) for one in every(men)]
    slices = compared(four_men, known, "8/7p/8/8/P7/8/8/K6k w - - 0 1", one_bound=one_bound)
    assert len(slices) == 24
    check(slices, least, least, least)


@pytest.mark.full
@pytest.mark.skipif(not FIVE, reason="TBGEN_FIVE names no directory")
@pytest.mark.parametrize(
    ("fen", "most", "one_bound"),
    [
        ("8/8/3k4/4n3/P7/3B4/3K4/8 w - - 0 1", 0, 0),
        ("8/8/3k4/4r3/P7/3B4/3K4/8 w - - 0 1", 0, 0),
        ("8/8/3k4/4b3/P7/3B4/3K4/8 w - - 0 1", 0, 0),
        ("8/8/3k4/4r3/P7/3R4/3K4/8 w - - 0 1", 0, 0),
        ("8/7p/3k4/8/P7/3R4/3K4/8 w - - 0 1", 0, 0),
        ("8/7p/3k4/8/P7/3R4/3K4/8 w - - 0 1", 0, 1 << 28),
        ("8/7p/3k4/8/P7/3R4/3K4/8 w - - 0 1", 1 << 28, 0),
        ("8/7p/3k4/8/P7/7P/3K4/8 w - - 0 1", 0, 1 << 28),
        ("8/7p/3k4/8/P7/7P/3K4/8 w - - 0 1", 1 << 28, 0),
    ],
)
def test_five_men(fen: str, most: int, one_bound: int) -> None:
    directory = Path(FIVE)
    if not table_path(directory, material_of(chess.Board(fen)).normal, "r").exists():
        pytest.skip("its table is not there")
    known = [one for men in (2, 3, 4) for one in every(men)]
    check(compared(directory, known, fen, most, one_bound), 0.1, 0.1, 0.1)
