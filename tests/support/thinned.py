"""Combinations of two things: each of both in the short suite, all of them in the long one."""

from collections.abc import Sequence
from itertools import product

import pytest
from _pytest.mark import ParameterSet


def thinned(first: Sequence[str], second: Sequence[str]) -> list[ParameterSet]:
    """All pairs, of which those that are not needed to have each member once are for `--full`."""
    needed = {(first[at % len(first)], second[at % len(second)]) for at in range(max(len(first), len(second)))}
    return [pytest.param(*pair, marks=() if pair in needed else pytest.mark.full) for pair in product(first, second)]
