"""Averages of tables that were never built: they are what tables that were built say, and not far off with six men."""

import csv
from collections.abc import Callable
from pathlib import Path

import numpy as np
import pytest

from tbgen.core.material import Material, parse
from tbgen.core.table_rules import TableRules
from tbgen.generate import averages
from tbgen.generate.averages import Average, Terms, average, traits_of
from tbgen.generate.estimate import numbers_of

RECORDED = Path(__file__).resolve().parents[2] / "tbgen" / "generate" / "recorded.csv"


def took(rules: TableRules) -> dict[Material, Average]:
    """What each number took of the tables of four and five men, and of six."""
    found = {}
    with RECORDED.open(newline="") as file:
        for row in csv.DictReader(file):
            material = parse(row["material"])
            if row["rules"] == rules and material.men > 3:
                figures = int(row["positions"]), int(row["bytes"]), 1e6 * float(row["cpu_seconds"])
                found[material] = Average(*(figure / numbers_of(material) for figure in figures))
    return found


@pytest.mark.parametrize("rules", TableRules)
@pytest.mark.parametrize(
    ("name", "weights"),
    [
        ("positions", lambda rules: averages._POSITIONS),
        ("bytes", averages._BYTES.get),
        ("microseconds", averages._MICROSECONDS.get),
    ],
)
def test_averages_are_fitted(name: str, weights: Callable[[TableRules], Terms], rules: TableRules) -> None:
    tables = {material: one for material, one in took(rules).items() if material.men < 6}
    logarithms = np.log([getattr(one, name) for one in tables.values()])
    fitted, *_ = np.linalg.lstsq(np.array([traits_of(one) for one in tables]), logarithms, rcond=None)
    assert weights(rules) == pytest.approx(fitted, abs=0.002)


@pytest.mark.parametrize("rules", TableRules)
def test_most_tables_take_about_the_average(rules: TableRules) -> None:
    ratios = [one.microseconds / average(material, rules).microseconds for material, one in took(rules).items()]
    assert np.mean([1 / 1.6 < ratio < 1.6 for ratio in ratios]) > 0.65
    assert 1 / 3.1 < min(ratios) < max(ratios) < 3.1


def test_equal_sides_take_more() -> None:
    near, far = (average(parse(name), TableRules.RESET) for name in ("KRBvKRN", "KQRvKNN"))
    assert near.microseconds > 3 * far.microseconds
    assert near.bytes > 3 * far.bytes
