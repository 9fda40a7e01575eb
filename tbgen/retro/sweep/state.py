"""The state of a slice while it is solved, and how a position is settled.

An open position has two values, both relative to the side to move: `theirs` while the *opponent* holds a record of
the current level, from which the mover would escape, and `ours` while the *mover* holds it and would keep it. Once
settled, `ours` is the one outcome that every weaker record leaves, and `theirs` is not used any more.

Each field is an array of its own, as narrow as possible. The neighbours of a position lie close together, so the more
positions a cache line holds, the fewer lines are fetched (docs/performance.md).
"""

from collections import deque
from collections.abc import Callable, Iterable
from typing import Any, Final, NamedTuple

import numpy as np
from numpy.typing import NDArray

from tbgen.contents import Make, in_memory
from tbgen.jit import inlined, kernel, plain
from tbgen.retro.survey.survey import ILLEGAL_LEVEL, Survey
from tbgen.retro.threads.lanes import LANE, at_most, laid_out, put
from tbgen.retro.threads.sets import AWAY, BLOCK, CLOSED, LOSING, SETTLED, PositionSets, has, lane_of, mark_lane
from tbgen.retro.values.codes import NONE, STANDS, is_full, make_code_table
from tbgen.retro.values.keys import level_of, outcome_of
from tbgen.retro.values.payoff import paid
from tbgen.turns import pieces

Each = Callable[[Callable[[slice], Any], Iterable[slice]], Iterable[Any]]
"""`map`, or that of a pool of threads."""

NOT_AGAIN: Final = 255
"""In `SliceState.due`."""


class SliceState(NamedTuple):
    theirs: NDArray[np.uint16]
    ours: NDArray[np.uint16]
    """Codes of patient keys."""
    pays: NDArray[np.uint16]
    """Codes of payoffs, see `Survey`."""
    level: NDArray[np.uint8]
    due: NDArray[np.uint8]
    """The level at which a scan must look at the position, at the latest."""
    soonest: NDArray[np.uint8]
    """`[block]`: no position of it is due before."""
    link: NDArray[np.int32]
    """The staircase so far."""
    keys: NDArray[np.int32]
    payoffs: NDArray[np.int32]
    """Code tables (retro/values/codes.py)."""


def make_state(
    survey: Survey, link: NDArray[np.int32], sets: PositionSets, make: Make = in_memory, each: Each = map
) -> SliceState:
    """The state before the sweep, which takes over the survey's arrays. `each` maps a function over pieces."""
    nodes = len(survey.level)
    state = SliceState(
        theirs=laid_out(nodes, np.uint16, make),
        ours=laid_out(nodes, np.uint16, make),
        pays=survey.pays,
        level=survey.level,
        due=laid_out(nodes, np.uint8, make),
        soonest=np.zeros(-(-nodes // BLOCK), np.uint8),
        link=link,
        keys=make_code_table(nodes),
        payoffs=survey.payoffs,
    )
    goals = _levels_paid(survey.payoffs)
    deque(each(lambda here: _begin(state, sets, goals, here.start, here.stop), pieces(nodes)), maxlen=0)
    return state


@kernel
def _begin(state, sets, goals, start, end):
    """The state of some nodes before the sweep. `goals`: `[code]`, the level of what resets pay."""
    for lane in range(start // LANE, -(-end // LANE)):
        illegal = losing = ~np.uint64(0)
        for node in range(lane * LANE, min((lane + 1) * LANE, end)):
            bit = np.uint64(1) << np.uint64(node % LANE)
            legal = state.level[node] != ILLEGAL_LEVEL
            pays = state.pays[node]
            if legal:
                illegal ^= bit
            if pays != NONE:
                losing ^= bit
            code = STANDS if legal else NONE
            state.theirs[node] = code
            state.ours[node] = code
            state.due[node] = min(state.level[node], goals[pays]) if legal else NOT_AGAIN
        for which in (SETTLED, CLOSED, AWAY):
            mark_lane(sets, which, lane, illegal)
        mark_lane(sets, LOSING, lane, losing)


def _levels_paid(payoffs: NDArray[np.int32]) -> NDArray[np.uint8]:
    """`[code]`: the level of what is paid, NOT_AGAIN for nothing."""
    levels = plain(level_of)(plain(paid)(payoffs))
    return np.where(payoffs == 0, NOT_AGAIN, levels).astype(np.uint8)


def is_complete(state: SliceState, sets: PositionSets, each: Each = map) -> bool:
    """Whether every position is settled, and no code table was too small."""
    full = is_full(state.keys) or is_full(state.payoffs)
    return not full and all(each(lambda here: _all_settled(sets, here.start, here.stop), pieces(len(state.level))))


@kernel
def _all_settled(sets, start, end):
    for lane in range(start // LANE, -(-end // LANE)):
        if ~lane_of(sets, SETTLED, lane):
            return False
    return True


@inlined
def key_at(state, code):
    """The patient key behind a code that is neither STANDS nor NONE."""
    return state.keys[code]


@inlined
def payoff_at(state, node):
    """The packed payoff of a position's resets."""
    return state.payoffs[state.pays[node]]


@inlined
def is_open(sets, node):
    return not has(sets, SETTLED, node)


@inlined
def escape_at(state, sets, node):
    """The code of `theirs`, or of the outcome if the position is settled."""
    return state.theirs[node] if is_open(sets, node) else state.ours[node]


@inlined
def put_off(state, node, level):
    """Set `due` of an open position: the first level from this one on at which a scan must look at it."""
    due = np.int64(state.level[node])
    pays = state.pays[node]
    if pays != NONE:
        due = _sooner(due, level_of(paid(state.payoffs[pays])), level)
    if state.theirs[node] != STANDS:
        due = _sooner(due, level_of(outcome_of(key_at(state, state.theirs[node]))), level)
    if state.ours[node] != STANDS:
        due = _sooner(due, level_of(outcome_of(key_at(state, state.ours[node]))), level)
    set_due(state, node, due)


@inlined
def set_due(state, node, level):
    """Have a scan look at a position at a level; no other thread may be at its block."""
    state.due[node] = level
    state.soonest[node // BLOCK] = min(state.soonest[node // BLOCK], np.uint8(level))


@kernel
def find_soonest(state, block):
    """Set `soonest` of a block anew, after its due positions have been put off."""
    soonest = np.uint8(NOT_AGAIN)
    for node in range(block * BLOCK, min((block + 1) * BLOCK, len(state.due))):
        soonest = min(soonest, state.due[node])
    state.soonest[block] = soonest


@inlined
def _sooner(due, one, level):
    return one if level <= one < due else due


@inlined
def due_ones(state, sets, lane, level):
    """The positions of a lane that a scan must look at at this level, no closed ones: these are never due again."""
    due = at_most(state.due, lane, level)
    if not due:
        return due
    behind = (lane + 1) * LANE - len(state.due)
    if behind > 0:
        due &= ~np.uint64(0) >> np.uint64(behind)
    closed = due & lane_of(sets, CLOSED, lane)
    if closed:
        put(state.due, lane, closed, NOT_AGAIN)
    return due ^ closed
