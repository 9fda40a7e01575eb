"""A slice counts as done if nothing in it could be lost."""

from types import SimpleNamespace
from typing import Any

import numpy as np
import pytest

from tbgen.retro.sweep.state import is_complete
from tbgen.retro.values.codes import make_code_table
from tbgen.retro.values.keys import patient
from tbgen.retro.values.payoff import LARGEST_SHORTEST


@pytest.mark.parametrize("outcome", [500, -501])
def test_no_distance_is_longer_than_a_payoff_can_say(outcome: int) -> None:
    state: Any = SimpleNamespace(keys=make_code_table(0), payoffs=make_code_table(0), worth=np.zeros(0, np.uint16))
    for distance, complete in ((LARGEST_SHORTEST, True), (LARGEST_SHORTEST + 1, False)):
        state.keys[7] = patient(outcome, distance)
        assert is_complete(state, None) is complete  # type: ignore[arg-type]
