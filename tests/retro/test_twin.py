"""The solver against its slow twin: every position of three men, every record, every distance."""

from functools import cache

import numpy as np
import pytest

from tests.support.slow_twin.goals import Rules
from tests.support.slow_twin.placements import MAN_MAPS
from tests.support.slow_twin.twin import Twin
from tests.support.solved import contents
from tests.support.table_reader import Reader, differences


@cache
def twin(rules: Rules) -> Twin:
    return Twin(rules)


THREE_MEN = ["KvK", "KNvK", "KBvK", "KRvK", "KQvK", "KPvK", *(f"K{letter}vK" for letter in "ACDEFHJOW")]
ALL: list[tuple[str, Rules]] = [(name, rules) for name in THREE_MEN for rules in ("r", "wg")]
FEW = [("KvK", "r"), ("KvK", "wg"), ("KNvK", "r"), ("KRvK", "r"), ("KAvK", "r")]


@pytest.mark.parametrize(
    ("name", "rules"), [pytest.param(*one, marks=() if one in FEW else pytest.mark.full) for one in ALL]
)
def test_every_entry_for_three_men(name: str, rules: Rules) -> None:
    reader = Reader(contents(name, rules))
    judged = np.zeros(len(reader.table.entries), np.bool_)
    for slice_ in twin(rules).solve(name):
        assert not differences(reader, slice_)
        men, whites = np.array([men for men, _ in slice_.nodes]), np.array([turn for _, turn in slice_.nodes])
        numbers = reader.numbers(men, whites)
        # the twin solves one of all images; where both kings stand on the diagonal, a table may hold two
        for image in MAN_MAPS[: 2 if "P" in name else 8]:
            others = reader.numbers(np.array(image)[men], whites)
            judged[others] = True
            assert (reader.table.entries[others] == reader.table.entries[numbers]).all()
            assert (reader.table.staircases[others] == reader.table.staircases[numbers]).all()
    assert (judged == (reader.table.entries != 0)).all()
