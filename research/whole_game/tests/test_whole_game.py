"""The file whole-game.csv has whole-game mobility of all materials, as tables and kept figures have it."""

import csv
from collections import defaultdict
from pathlib import Path
from typing import Any

import pytest

from research.five_men import figures
from research.five_men import rows as rows_of_five_men
from research.whole_game import table
from tbgen.core import outcome
from tbgen.core.material import build_key, every
from tbgen.core.table_rules import TableRules
from tbgen.report.census import Tally


@pytest.fixture(scope="module")
def rows() -> dict[str, dict[str, str]]:
    with table.FILE.open(newline="") as file:
        return {row["material"]: row for row in csv.DictReader(file)}


def same(found: dict[str, Any], row: dict[str, str]) -> bool:
    """An outcome that is not found is forced nowhere."""
    return {name: str(found.get(name, 0)) for name in row} == row


def test_every_material_has_a_row(rows: dict[str, dict[str, str]]) -> None:
    materials = sorted((one for men in range(2, 6) for one in every(men)), key=build_key)
    assert list(rows) == [one.name for one in materials]
    for name, row in rows.items():
        assert sum(int(row[column]) for column in row if column not in table.HEAD) == int(row["placements"]), name


def test_small_tables_are_counted(rows: dict[str, dict[str, str]], small_tables: Path) -> None:
    found = list(table.counted(small_tables))
    assert {"KvK", "KBvK", "KPvK"} <= {row["material"] for row in found}
    assert [row["material"] for row in found if not same(row, rows[row["material"]])] == []


def test_five_men_are_those_kept(rows: dict[str, dict[str, str]]) -> None:
    found = list(table.kept())
    assert len(found) == 110
    assert [row["material"] for row in found if not same(row, rows[row["material"]])] == []


def test_mates_are_those_of_the_other_rules(rows: dict[str, dict[str, str]]) -> None:
    """As in chess."""
    tallies: list[Tally] = figures.tallies(rows_of_five_men.read("outcomes"), TableRules.RESET)
    for tally in tallies:
        mates: defaultdict[str, float] = defaultdict(float)
        for (_, value), weight in tally.weights.items():
            mates[outcome.text(value)] += weight
        for name in ("G0.0", "-G0.0"):
            assert int(rows[tally.material.name][name]) == mates[name], tally.material.name
