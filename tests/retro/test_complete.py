"""A slice counts as done if nothing in it could be lost."""

import numpy as np
import pytest
from numpy.typing import NDArray

from tbgen.core.material import parse
from tbgen.errors import OutOfRoom
from tbgen.index.exits import exits_of
from tbgen.retro import slice_solver, solver
from tbgen.retro.survey import survey
from tbgen.retro.sweep import state
from tbgen.retro.sweep.levels import Schedule, make_schedule
from tbgen.retro.threads.counters import LEVEL
from tbgen.retro.values.codes import make_code_table
from tbgen.retro.values.keys import patient
from tbgen.retro.values.overflow import overflow
from tbgen.retro.values.payoff import LARGEST_SHORTEST
from tests.support.solved import entries_of

SLOTS = 8


def make_small_table(nodes: int) -> NDArray[np.int32]:
    return make_code_table(nodes)[:SLOTS]


@pytest.mark.parametrize("outcome", [500, -501])
def test_no_distance_is_longer_than_a_payoff_can_say(outcome: int) -> None:
    keys, payoffs = make_code_table(0), make_code_table(0)
    for distance, words in ((LARGEST_SHORTEST, ""), (LARGEST_SHORTEST + 1, "a distance is longer than 2,047 plies")):
        keys[7] = patient(outcome, distance)
        assert overflow(keys, payoffs) == words


@pytest.mark.parametrize("threads", [1, 2])
@pytest.mark.parametrize(("values", "module"), [("positions", state), ("resets", survey)])
def test_a_build_ends_at_once_where_values_have_no_codes_left(
    values: str, module: object, threads: int, monkeypatch: pytest.MonkeyPatch, request: pytest.FixtureRequest
) -> None:
    if threads > 1:
        request.getfixturevalue("always_together")
    material = parse("KPvK")
    exits = exits_of(material, entries_of(material.successors(), "r"))
    schedules: list[Schedule] = []

    def make_and_keep(*arguments: object) -> Schedule:
        schedules.append(make_schedule(*arguments))  # type: ignore[arg-type]
        return schedules[-1]

    monkeypatch.setattr(module, "make_code_table", make_small_table)
    monkeypatch.setattr(slice_solver, "make_schedule", make_and_keep)
    told = f"^KPvK, 0 to [0-9]+: {values} have more than {SLOTS - 2} different values, for which there is no room$"
    with pytest.raises(OutOfRoom, match=told):
        solver.solve_table(exits, threads=threads)
    assert all(one.counts[LEVEL] < one.top for one in schedules), "no slice goes on to its end"
    assert len(schedules) == (values == "positions"), "resets are surveyed before"
