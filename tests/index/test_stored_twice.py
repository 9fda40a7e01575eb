"""How many positions tables store twice, against counts of another kind."""

import csv
from pathlib import Path

import numpy as np
import pytest
from numpy.typing import NDArray

from tbgen.core.material import every, parse
from tbgen.index import Layout, layout_of
from tbgen.index.groups import choices
from tbgen.index.kings import FREE, kings
from tbgen.index.stored_twice import stored_twice
from tbgen.index.symmetry import SymmetryClasses
from tbgen.probe.vector import PositionColumns, sound
from tbgen.store import list_tables, open_table
from tests.support.legal_positions import count
from tests.support.places import ROOT

FEW = [material.name for men in (2, 3, 4) for material in every(men)]


def legal(layout: Layout, numbers: NDArray[np.int64]) -> NDArray[np.bool_]:
    """Which numbers of a table without pawns have a legal position."""
    mover, rest = np.divmod(numbers, layout.half_size[0])
    pair, rest = np.divmod(rest, layout.inner)
    table = kings(FREE)
    squares = [table.first[pair].astype(np.int64), table.second[pair].astype(np.int64)]
    for group in layout.groups:
        of_group, rest = np.divmod(rest, group.stride)
        squares.extend(choices().squares[group.count].reshape(-1, group.count)[of_group].T.astype(np.int64))
    return sound(PositionColumns(layout, squares, mover == 1))


def looked_up(name: str) -> int:
    """The same by looking at each number that may be one of two."""
    layout = layout_of(parse(name))
    return sum(int(legal(layout, numbers).sum()) for numbers in SymmetryClasses(layout).twice()) // 2


@pytest.mark.parametrize("name", FEW)
def test_every_number_looked_at(name: str) -> None:
    assert stored_twice(parse(name)) == looked_up(name)
    assert (stored_twice(parse(name)) > 0) == (not parse(name).pawns and parse(name).men > 2)


@pytest.mark.full
@pytest.mark.parametrize("name", ["KQRvKN", "KBNvKN", "KNNvKR", "KRRRvK", "KQBvKQ"])
def test_every_number_of_five_men(name: str) -> None:
    assert stored_twice(parse(name)) == looked_up(name)


def compare(tables: Path) -> int:
    """Compare the positions of all tables with a count that has no table. Returns how many there are."""
    found = {}
    for path, material, _ in list_tables(tables):
        with open_table(path) as table:
            found[material] = table.positions
            assert table.stored_entries == table.positions + stored_twice(material)
    assert found == {material: count(material.first, material.second).positions for material in found}
    return sum(found.values())


def test_small_tables_have_as_many_positions_as_there_are(small_tables: Path) -> None:
    assert compare(small_tables) == 462 + 367_868 + 1_573_368


@pytest.mark.full
def test_tables_of_four_men_have_as_many_positions_as_there_are(four_men: Path) -> None:
    assert compare(four_men) > 60_000_000


def test_tables_of_five_men_had_as_many_entries() -> None:
    with (ROOT / "research" / "five_men" / "tables.csv").open(newline="") as file:
        found = {row["material"]: int(row["stored_entries"]) - int(row["positions"]) for row in csv.DictReader(file)}
    assert len(found) > 10
    assert found == {name: stored_twice(parse(name)) for name in found}
