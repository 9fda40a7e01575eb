"""What `tbgen report` counts, against brute force that shares nothing with it."""

from collections import Counter
from pathlib import Path

import chess
import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st
from numpy.typing import NDArray

from tbgen.board.geometry import GEOMETRY
from tbgen.core import outcome
from tbgen.core.material import every, parse, with_dependencies
from tbgen.index import layout_of
from tbgen.index.symmetry import HALVES, KINDS, PLAIN, TWICE, SymmetryClasses
from tbgen.probe import Positions, open_tablebase
from tbgen.probe.levels import levels
from tbgen.probe.vector import PositionColumns, sound
from tbgen.report.census import BLACK, WHITE, Census, take
from tbgen.report.compare import grouped
from tbgen.report.mobility import most_moves
from tbgen.store import open_table, table_path
from tests.support.placements import count_placements
from tests.support.small_tables import make

SMALL = [material.name for men in (2, 3) for material in every(men)]


def census_of(tables: Path, name: str, rules: str = "r") -> Census:
    with open_table(table_path(tables, parse(name), rules)) as table:
        return take(table)


@pytest.mark.parametrize("name", [*SMALL, "KNNvK"])
def test_weighted_counts_are_all_legal_placements(small_tables: Path, name: str) -> None:
    material = parse(name)
    assert census_of(small_tables, name).placements == count_placements(material.first, material.second)


def test_with_the_same_men_on_both_sides(tmp_path: Path) -> None:
    make(tmp_path, with_dependencies([parse("KNvKN")]), "r")
    assert census_of(tmp_path, "KNvKN").placements == count_placements("N", "N")


@pytest.mark.full
@pytest.mark.parametrize("name", ["KPvKP", "KQvKP", "KRvKN", "KQvKQ", "KNNvK"])
def test_tables_of_four_men_are_counted_as_by_hand(four_men: Path, name: str) -> None:
    material = parse(name)
    assert census_of(four_men, name).placements == count_placements(material.first, material.second)


def images(squares: NDArray[np.int64], second_moves: NDArray[np.bool_], name: str) -> NDArray[np.int64]:
    """`[placement]`: one number for all images under the symmetries, told with White to move if colours can swap."""
    material = parse(name)
    symmetries = [0, 1] if material.pawns else range(8)
    columns = [squares[:, 1], squares[:, 0]] if material.even else [squares[:, 0], squares[:, 1]]
    swapped = second_moves & material.even
    first = np.where(swapped, columns[0], squares[:, 0])
    second = np.where(swapped, columns[1], squares[:, 1])
    men = [first, second, *squares[:, 2:].T]
    best = np.full(len(squares), np.iinfo(np.int64).max)
    for symmetry in symmetries:
        image = GEOMETRY.image[symmetry].astype(np.int64)
        best = np.minimum(best, sum(image[column] << 6 * place for place, column in enumerate(men)))
    return best << 1 | (second_moves & ~swapped)


@pytest.mark.parametrize(("name", "rules"), [*((name, "r") for name in SMALL), ("KPvK", "wg")])
def test_every_case_at_every_distance(small_tables: Path, name: str, rules: str) -> None:
    """All placements, probed one by one, and grouped by their images."""
    material = parse(name)
    cells = np.indices((64,) * material.men + (2,)).reshape(material.men + 1, -1)
    squares, second_moves = cells[:-1].T.astype(np.int64), cells[-1] == 1
    columns = squares[:, [0, *range(2, material.men), 1]]  # White's men, then Black's king
    with open_tablebase(small_tables, rules) as tablebase:
        answers = tablebase.probe_many(Positions(name, columns, ~second_moves))
    legal = answers.outcomes != 0
    sign = np.where(second_moves & material.even, -1, 1)
    movers = np.where(second_moves & (not material.even), BLACK, WHITE)
    codes = np.stack([movers, answers.outcomes.astype(np.int64) * sign, answers.dtg])[:, legal].T
    placements = Counter(map(tuple, codes.tolist()))
    classes, places = np.unique(images(squares[legal], second_moves[legal], name), return_index=True)
    positions = Counter(map(tuple, codes[places].tolist()))

    census = census_of(small_tables, name, rules)
    for counts, part in ((placements, "placements"), (positions, "positions")):
        counted = {
            (*case, distance): count
            for case, spread in census.cases.items()
            for distance, count in enumerate(getattr(spread, part).tolist())
            if count
        }
        assert counted == counts
    assert census.positions == len(classes)


@pytest.mark.parametrize("name", ["KRvK", "KPvK", "KNNvK"])
def test_positions_with_a_staircase(small_tables: Path, name: str) -> None:
    material = parse(name)
    with open_table(table_path(small_tables, material, "r")) as table:
        census, layout = take(table), layout_of(material)
        staircases = np.concatenate([bulk.shape_table.inside[bulk.shapes] for _, bulk in table.in_order(0, table.size)])
        kinds = SymmetryClasses(layout).keys(0, table.size) % KINDS
    assert census.recorded[0] == int(HALVES[kinds[staircases]].sum()) // 2
    assert 0 < census.recorded[1] < census.placements


@pytest.mark.parametrize("name", ["KBvK", "KNNvK"])
def test_twins_say_the_same(small_tables: Path, name: str) -> None:
    """A placement with both kings on the diagonal and its mirror image have the same entries, so halves add up."""
    with open_table(table_path(small_tables, parse(name), "r")) as table:
        entries, keys = table.entries(), SymmetryClasses(table.layout).keys(0, table.size)
    twins = entries[keys % KINDS == TWICE]
    assert all(count % 2 == 0 for count in Counter(twins.tolist()).values())


@given(name=st.sampled_from(["KvK", "KBvK", "KPvK", "KNNvK", "KRvKR", "KPvKP"]), data=st.data())
def test_keys_do_not_depend_on_the_range(name: str, data: st.DataObject) -> None:
    layout = layout_of(parse(name))
    symmetry = SymmetryClasses(layout)
    start = data.draw(st.integers(0, layout.size - 1))
    end = data.draw(st.integers(start + 1, min(layout.size, start + 5000)))
    cut = data.draw(st.integers(start, end))
    whole = symmetry.keys(start, end)
    parts = [symmetry.keys(*part) for part in ((start, cut), (cut, end)) if part[0] < part[1]]
    assert len(whole) == end - start
    assert (np.concatenate(parts) == whole).all()
    if layout.material.pawns:
        assert (whole % KINDS == PLAIN).all()


@given(st.lists(st.tuples(st.integers(0, 5), st.integers(-512, 512), st.integers(-512, 512)), min_size=1))
def test_changes_are_grouped(cells: list[tuple[int, int, int]]) -> None:
    found = list(grouped(*map(np.array, zip(*cells, strict=True))))
    assert {(key, *pair): count for key, pair, count, _ in found} == Counter(cells)
    assert all(cells.index((key, *pair)) == place for key, pair, _, place in found)


def most_by_looking(name: str, mover: int) -> int:
    """The largest number of legal moves, by counting them in all placements."""
    layout = layout_of(parse(name))
    men = len(layout.letters)
    best = 0
    for king in range(64):
        rows = np.arange(64 ** (men - 1))
        squares = [np.full(len(rows), king), *(rows >> 6 * place & 63 for place in range(men - 1))]
        good = sound(PositionColumns(layout, squares, np.full(len(rows), bool(mover))))
        if good.any():
            kept = [column[good] for column in squares]
            best = max(best, int(levels(PositionColumns(layout, kept, np.full(len(kept[0]), bool(mover)))).max()) // 2)
    return best


@pytest.mark.parametrize("name", SMALL)
@pytest.mark.parametrize("mover", [WHITE, BLACK])
def test_no_position_has_more_moves_than_the_most(name: str, mover: int) -> None:
    assert most_moves(parse(name), mover) == most_by_looking(name, mover)


@pytest.mark.full
@pytest.mark.parametrize("name", ["KPvKP", "KRvKP", "KQQvK", "KQvKB", "KBPvK"])
@pytest.mark.parametrize("mover", [WHITE, BLACK])
def test_most_moves_of_four_men(name: str, mover: int) -> None:
    assert most_moves(parse(name), mover) == most_by_looking(name, mover)


def test_most_moves_with_prey() -> None:
    """A pawn that can take two pieces and promote has twelve moves; against pawns nobody has so many."""
    board = chess.Board("3r1r2/4P3/8/8/1K6/8/8/k7 w - - 0 1")
    assert most_moves(parse("KPvKRR"), BLACK) >= board.legal_moves.count() == 20
    assert most_moves(parse("KPPvKP"), WHITE) == 16


def test_the_longest_known(small_tables: Path) -> None:
    """Mates in 10, 16 and 28 moves at the most."""
    for name, plies in (("KQvK", 20), ("KRvK", 32), ("KPvK", 56)):
        assert census_of(small_tables, name).cases[BLACK, outcome.BASE].longest == plies
