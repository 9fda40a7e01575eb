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
from tbgen.retro.team import Queue, Team, make_queue, push

OPEN: Final = 0
CLOSED: Final = 1
"""Settled, and its predecessors know it or are being told; or no legal position."""
PENDING: Final = 2
"""Settled with an outcome of a level that the sweep has not reached."""

REVIEW_OURS: Final = 1
REVIEW_THEIRS: Final = 2
STOOD: Final = 4
"""The record stood here, whatever the mover tried, until the position was settled."""
CHANGED: Final = 8
SEEDED: Final = 16
"""Settled with a payoff, and waiting in `Queues.timed` for its distance."""


class Field(NamedTuple):
    survey: Survey
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


class Queues(NamedTuple):
    now: Queue
    later: Queue
    timed: Queue
    """Positions that become known at a distance of their own within the coming level."""
    review_ours: Queue
    review_theirs: Queue
    changed_ours: Queue
    """Here also those that were settled with a payoff instead of their own goal."""
    changed_theirs: Queue
    """In this one `~node` marks those where the record no longer stands."""
    changed: Queue
    """All that changed within the level."""


def make_field(survey: Survey) -> Field:
    nodes = len(survey.level)
    legal = survey.level != ILLEGAL_LEVEL
    return Field(
        survey,
        np.where(legal, np.uint8(OPEN), np.uint8(CLOSED)),
        survey.quiet + (survey.outcome != 0).astype(np.uint8),
        survey.quiet.copy(),
        np.zeros(nodes, np.uint8),
        np.where(legal, NEVER, np.int32(0)),
        np.where(legal, ALWAYS, np.int32(0)),
        np.zeros(nodes, np.int32),
    )


def make_queues(team: Team, nodes: int) -> Queues:
    # capacities are address space, not memory: only what is pushed is ever touched
    return Queues(*(make_queue(team, 2 * nodes + 1) for _ in Queues._fields))


@inlined
def settle(field, node, outcome, distance):
    """Write down the outcome; whoever calls has taken the node out of OPEN, alone."""
    if field.theirs[node] == NEVER:
        set_bits(field.flags, node, STOOD)
    field.theirs[node] = hasty(outcome, distance)
    field.ours[node] = patient(outcome, distance)


@inlined
def review(field, queue, me, node, which):
    """Have a node looked at again, once however often it is asked for."""
    if field.flags[node] & which == 0 and set_bits(field.flags, node, which) & which == 0:
        push(queue, me, node)
