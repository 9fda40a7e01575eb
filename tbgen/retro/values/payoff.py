"""Payoffs: the best outcome among the resets of a position, with the shortest and the longest distance to it."""

from typing import Final, NamedTuple

import numpy as np

from tbgen.compiler.jit import inlined
from tbgen.core.outcome import BASE

NO_OUTCOME: Final = 0
"""The entry of illegal positions; no outcome has this value."""

_SHORTEST_BITS: Final = 11
_GAP_BITS: Final = 10
LARGEST_SHORTEST: Final = (1 << _SHORTEST_BITS) - 1
LARGEST_GAP: Final = (1 << _GAP_BITS) - 1
LARGEST_DISTANCE: Final = LARGEST_SHORTEST + LARGEST_GAP

assert BASE < 1 << (31 - _SHORTEST_BITS - _GAP_BITS), "an outcome has its sign beside it"


class Payoff(NamedTuple):
    outcome: int
    """0 where there are no resets."""
    shortest: int
    longest: int
    """Distances among the resets that pay it: the side that gains takes the shortest, the other the longest."""


@inlined
def best_of(payoff, outcome, shortest, longest):
    """The better of a payoff and one more move; the distances of both if they pay the same."""
    if payoff.outcome == NO_OUTCOME or outcome > payoff.outcome:
        return Payoff(outcome, shortest, longest)
    if outcome == payoff.outcome:
        return Payoff(outcome, min(shortest, payoff.shortest), max(longest, payoff.longest))
    return payoff


@inlined
def fits(payoff):
    """Whether it can be packed."""
    return payoff.shortest <= LARGEST_SHORTEST and payoff.longest - payoff.shortest <= LARGEST_GAP


@inlined
def pack(payoff):
    """All three in 32 bits, 0 for none."""
    head = payoff.outcome << (_SHORTEST_BITS + _GAP_BITS)
    return np.int32(head | payoff.shortest << _GAP_BITS | (payoff.longest - payoff.shortest))


@inlined
def paid(packed):
    """The outcome."""
    return np.int64(packed) >> (_SHORTEST_BITS + _GAP_BITS)


@inlined
def shortest(packed):
    return np.int64(packed) >> _GAP_BITS & LARGEST_SHORTEST


@inlined
def longest(packed):
    return shortest(packed) + (np.int64(packed) & LARGEST_GAP)
