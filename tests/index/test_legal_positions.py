"""The number of legal positions, against a count of another kind and against what K. Kryukov has published."""

import csv

import pytest

from tbgen.core.material import every, parse
from tests.support.legal_positions import Counted, count, materials
from tests.support.places import ROOT

KRYUKOV = {2: (462, 0), 3: (368_079, 211), 4: (125_246_598, 113_158), 5: (25_912_594_054, 29_955_209)}
"""Unique legal states, and those of them that have castling rights: http://kirill-kryukov.com/chess/nulp/results.html"""

LARGEST = {"KvK": 462, "KNvK": 53_806, "KPvK": 165_676, "KBNvK": 3_067_466, "KNPvK": 9_699_457}
"""The largest endings of two, three and four men on that page, which no castling rights add to."""


def counted(name: str) -> Counted:
    material = parse(name)
    return count(material.first, material.second)


def test_every_material_is_counted() -> None:
    for men in (2, 3, 4, 5):
        assert sorted(materials(men)) == sorted((one.first, one.second) for one in every(men))


@pytest.mark.full
@pytest.mark.parametrize("name", LARGEST)
def test_the_largest_endings(name: str) -> None:
    assert counted(name).positions == LARGEST[name]


@pytest.mark.full
@pytest.mark.parametrize("men", KRYUKOV)
def test_the_total_to_the_last_position(men: int) -> None:
    found = [count(*letters) for letters in materials(men)]
    assert (sum(one.states for one in found), sum(one.castling for one in found)) == KRYUKOV[men]


@pytest.mark.full
def test_tables_of_five_men_have_as_many_positions() -> None:
    with (ROOT / "research" / "five_men" / "tables.csv").open(newline="") as file:
        found = {row["material"]: int(row["positions"]) for row in csv.DictReader(file)}
    assert found
    assert found == {name: counted(name).positions for name in found}
