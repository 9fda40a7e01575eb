"""What the table says a position is worth, record by record, and what its moves make of it.

All is seen by the side to move. Under a given record every payoff becomes one key, so that the best move is
the largest: the outcome first; then the record itself without a distance, gains over it the sooner the
better, losses the later the better.
"""

from typing import Final

import numpy as np
from numpy.typing import NDArray

from tbgen.index.contents import MOVER_HOLDS, OPPONENT_HOLDS, Steps
from tbgen.jit import inlined, kernel
from tbgen.outcome import BASE
from tbgen.retro.verify_moves import MOST_LEVELS
from tbgen.retro.verify_steps import LEAST_RECORD

_DISTANCE_BITS: Final = 18
_FARTHEST: Final = (1 << _DISTANCE_BITS) - 1
LOWEST: Final = np.int32(-(2**31))
"""Below all keys."""


def pack_steps(steps: Steps) -> NDArray[np.int64]:
    """A step in one integer: outcome, distance, level and holder, in this order from above."""
    packed = steps.outcome.astype(np.int64) << 16 | steps.distance
    return (packed << 8 | steps.level) << 8 | steps.holder


@inlined
def step_holder(step):
    return step & 0xFF


@inlined
def step_level(step):
    return step >> 8 & 0xFF


@inlined
def step_distance(step):
    return step >> 16 & 0xFFFF


@inlined
def step_outcome(step):
    return step >> 32


@inlined
def level_of(outcome):
    return BASE - abs(outcome)


@inlined
def outcome_in(entry):
    return np.int64(entry) >> 16


@inlined
def distance_in(entry):
    return np.int64(entry) & 0xFFFF


@inlined
def record_of(holder, level):
    """The record as an outcome."""
    return (BASE - level) * (2 * holder - 1)


@inlined
def _soon(outcome, distance):
    return np.int32(outcome << _DISTANCE_BITS | (_FARTHEST - distance))


@inlined
def _late(outcome, distance):
    return np.int32(outcome << _DISTANCE_BITS | distance)


@inlined
def _stands(record):
    return np.int32(record << _DISTANCE_BITS)


@inlined
def rank(outcome, distance, record):
    """The key of a payoff under a record."""
    if outcome == record:
        return _stands(record)
    return _soon(outcome, distance) if outcome > record else _late(outcome, distance)


@inlined
def outcome_of_key(key):
    return np.int64(key) >> _DISTANCE_BITS


@inlined
def distance_of_key(key, record):
    rest = np.int64(key) & _FARTHEST
    return _FARTHEST - rest if outcome_of_key(key) > record else rest


# --- all records at once: rows of keys, `[holder * MOST_LEVELS + level]` --------------------------------------


@inlined
def _raise(row, first, last, key):
    for at in range(first, last + 1):
        row[at] = max(row[at], key)


@inlined
def _raise_to_record(row, holder, first, last):
    for level in range(first, last + 1):
        at = holder * MOST_LEVELS + level
        row[at] = max(row[at], _stands(record_of(holder, level)))


@inlined
def add_constant(row, first, last, outcome, distance):
    """A payoff that is the same under records of these levels."""
    own = level_of(outcome)
    split = max(first, min(own, last) + 1)
    _raise(
        row, OPPONENT_HOLDS * MOST_LEVELS + first, OPPONENT_HOLDS * MOST_LEVELS + split - 1, _soon(outcome, distance)
    )
    _raise(row, MOVER_HOLDS * MOST_LEVELS + first, MOVER_HOLDS * MOST_LEVELS + split - 1, _late(outcome, distance))
    # these records are weaker than the outcome, whoever holds them
    key = _late(outcome, distance) if outcome < 0 else _soon(outcome, distance)
    _raise(row, split, last, key)
    _raise(row, MOST_LEVELS + split, MOST_LEVELS + last, key)


@inlined
def _add_run(case, row, holder, first, last, at, ahead):
    """What step `at` of a staircase says (-1: there is none yet). It counts while the side behind on the record
    likes it better."""
    if at < 0:
        _raise_to_record(row, holder, first, last)
        return
    outcome = (1 - 2 * ahead) * step_outcome(case.step[at])
    distance = step_distance(case.step[at]) + ahead
    end = last
    if (outcome > 0) == (holder == MOVER_HOLDS):
        end = max(first - 1, min(last, level_of(outcome) - 1))
    key = _late(outcome, distance) if holder == MOVER_HOLDS else _soon(outcome, distance)
    _raise(row, holder * MOST_LEVELS + first, holder * MOST_LEVELS + end, key)
    _raise_to_record(row, holder, end + 1, last)


@inlined
def unfold(case, row, top, entry, staircase, own, ahead):
    """Raise a row to what the table says a position is worth under records of the levels up to `top`.

    `ahead`: 0 for the position itself, 1 for one that is a move ahead of it. `own` is its own level: behind
    a weaker record it is fresh."""
    inside = min(own, level_of(outcome_in(entry)), top)
    for holder in range(2):
        first = LEAST_RECORD
        before = -1
        for at in range(case.first_step[staircase], case.first_step[staircase + 1]):
            if step_holder(case.step[at]) ^ ahead == holder:
                last = min(step_level(case.step[at]) - 1, inside)
                _add_run(case, row, holder, first, last, before, ahead)
                first = max(first, last + 1)
                before = at
        _add_run(case, row, holder, first, inside, before, ahead)
    outcome = (1 - 2 * ahead) * outcome_in(entry)
    add_constant(row, max(LEAST_RECORD, inside + 1), top, outcome, distance_in(entry) + ahead)


# --- one record at a time -------------------------------------------------------------------------------------


@kernel
def value_at(case, entry, staircase, own, holder, level):
    """What the table says a position is worth under a record of this level: outcome and distance.

    `own` is the position's own level."""
    outcome = outcome_in(entry)
    if level > own or level > level_of(outcome):
        return outcome, distance_in(entry)
    record = np.int64(record_of(holder, level))
    if not case.whole_game:
        for at in range(case.first_step[staircase + 1] - 1, case.first_step[staircase] - 1, -1):
            step = case.step[at]
            if step_holder(step) == holder and step_level(step) <= level:
                found = step_outcome(step)
                if (found < record) if holder == MOVER_HOLDS else (found > record):
                    return found, step_distance(step)
                break
    return record, np.int64(0)
