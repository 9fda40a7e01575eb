"""Best moves, counted for `tbgen report tree`."""

import pytest

from research.optimal import count
from tbgen.core.material import parse
from tbgen.index import layout_of
from tests.support.solved import contents, entries_of


def test_sums_do_not_depend_on_how_many_are_counted_at_a_time(monkeypatch: pytest.MonkeyPatch) -> None:
    material = parse("KPvK")
    reached = entries_of(material.successors(), "r")
    whole = count.count(layout_of(material), contents("KPvK"), reached)
    monkeypatch.setattr(count, "_AT_A_TIME", 1000)
    assert count.count(layout_of(material), contents("KPvK"), reached) == whole
    assert whole.positions > 0
