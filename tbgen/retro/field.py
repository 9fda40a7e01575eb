"""The state of a slice while it is solved, and how a position is settled.

Two outcomes are kept of every open position, both read from the side to move: what it is worth while the
*opponent* holds a record of the current level (`theirs`: the mover would escape from it, a hasty key), and
while the *mover* holds it (`ours`: the mover would keep it, a patient key). Once settled, both hold the
one outcome that every weaker record leaves.
"""

from typing import Final, NamedTuple

import numpy as np
from numpy.typing import NDArray

from tbgen.jit import inlined
from tbgen.retro.atomics import set_bits
from tbgen.retro.entry import ALWAYS, NEVER, hasty, patient
from tbgen.retro.survey import ILLEGAL_LEVEL, Survey
from tbgen.retro.team import Lists, Team, make_lists, push

OPEN: Final = 0
CLOSED: Final = 1
"""Settled, and its predecessors know it or are being told; or no legal position."""
PENDING: Final = 2
"""Settled with an outcome of a level that the sweep has not reached."""

# flags; the two lowest say that a position is in DOUBT_OURS or in DOUBT_THEIRS
STOOD: Final = 4
"""The record stood here, whatever the mover tried, until the position was settled."""
CHANGED: Final = 8
SEEDED: Final = 16
"""Settled with a payoff, and waiting in TIMED for its distance."""


class Field(NamedTuple):
    level: NDArray[np.uint8]
    pays: NDArray[np.int32]
    """See `Survey`."""
    state: NDArray[np.uint8]
    left: NDArray[np.uint8]
    """How many moves are not yet known to lose to a goal of a level dealt with; all resets count as one."""
    standing: NDArray[np.uint8]
    """How many quiet moves lead to positions where the record stands, if the mover holds it."""
    flags: NDArray[np.uint8]
    theirs: NDArray[np.int32]
    ours: NDArray[np.int32]
    link: NDArray[np.int32]
    """The staircase so far."""


# the lists of positions that a sweep works with
NOW: Final = np.int64(0)
LATER: Final = np.int64(1)
"""Reached at the distance at hand, and at the next."""
TIMED: Final = np.int64(2)
"""Known from a distance of their own on, within the coming level."""
DOUBT_OURS: Final = np.int64(3)
DOUBT_THEIRS: Final = np.int64(4)
"""To be looked at again."""
CHANGED_OURS: Final = np.int64(5)
"""Told to predecessors; among them those that were settled with a payoff instead of their own goal."""
CHANGED_THEIRS: Final = np.int64(6)
"""In this one `~node` marks those where the record no longer stands."""
LISTS: Final = 7


def make_field(survey: Survey) -> Field:
    """The survey's arrays become part of it."""
    nodes = len(survey.level)
    legal = survey.level != ILLEGAL_LEVEL
    return Field(
        level=survey.level,
        pays=survey.pays,
        state=np.where(legal, np.uint8(OPEN), np.uint8(CLOSED)),
        left=survey.quiet + (survey.pays != 0),
        standing=survey.quiet,
        flags=np.zeros(nodes, np.uint8),
        theirs=np.where(legal, NEVER, np.int32(0)),
        ours=np.where(legal, ALWAYS, np.int32(0)),
        link=np.zeros(nodes, np.int32),
    )


def make_position_lists(team: Team, nodes: int) -> Lists:
    """A position may be in a list twice: with either side holding the record."""
    return make_lists(team, LISTS, 2 * nodes + 1)


@inlined
def settle(field, node, outcome, distance):
    """Write down the outcome; whoever calls has taken the node out of OPEN, alone."""
    if field.theirs[node] == NEVER:
        set_bits(field.flags, node, STOOD)
    field.theirs[node] = hasty(outcome, distance)
    field.ours[node] = patient(outcome, distance)


@inlined
def review_flag(which):
    """The flag of a position that is in this list."""
    return np.int64(1) << (which - DOUBT_OURS)


@inlined
def review(field, lists, which, me, node):
    """Have a node looked at again (DOUBT_OURS or DOUBT_THEIRS), once however often it is asked for."""
    flag = review_flag(which)
    if field.flags[node] & flag == 0 and set_bits(field.flags, node, flag) & flag == 0:
        push(lists, which, me, node)
