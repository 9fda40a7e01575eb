"""What a position is said to be worth, record by record.

All is seen by the side to move. Under a given record every payoff becomes one key, so that the best move is
the largest: the outcome first; then, when it is the record, nothing; gains over it the sooner the better,
losses the later the better.
"""

from typing import Final, NamedTuple

import numpy as np
from numpy.typing import NDArray

from tbgen.contents import DISTANCE_MASK, MOVER_HOLDS, OPPONENT_HOLDS, OUTCOME_SHIFT, Steps
from tbgen.jit import inlined, kernel
from tbgen.outcome import BASE
from tbgen.verify.dictionary import LEAST_RECORD

ROW: Final = 256
_DISTANCE_BITS: Final = 18
_FARTHEST: Final = (1 << _DISTANCE_BITS) - 1
LOWEST: Final = np.int32(-(2**31))


class Book(NamedTuple):
    """Dictionaries of staircases, one behind the other."""

    first: NDArray[np.int64]
    """`[staircase]`: its first step; one more entry than staircases."""
    step: NDArray[np.int64]
    """Outcome, distance, level and holder in one, in this order from above."""
    whole_game: int


def make_book(dictionaries: list[Steps], whole_game: bool) -> Book:
    lengths = np.concatenate([np.zeros(1, np.int64), *(np.diff(steps.start) for steps in dictionaries)])
    return Book(
        np.cumsum(lengths), np.concatenate([np.zeros(0, np.int64), *map(_packed, dictionaries)]), int(whole_game)
    )


def _packed(steps: Steps) -> NDArray[np.int64]:
    packed = steps.outcome.astype(np.int64) << 16 | steps.distance
    return (packed << 8 | steps.level) << 8 | steps.holder


@inlined
def _step_holder(step):
    return step & 0xFF


@inlined
def step_level(step):
    return step >> 8 & 0xFF


@inlined
def _step_distance(step):
    return step >> 16 & 0xFFFF


@inlined
def _step_outcome(step):
    return step >> 32


@inlined
def level_of(outcome):
    return BASE - abs(outcome)


@inlined
def outcome_in(entry):
    return np.int64(entry) >> OUTCOME_SHIFT


@inlined
def distance_in(entry):
    return np.int64(entry) & DISTANCE_MASK


@inlined
def record_of(holder, level):
    return (BASE - level) * (2 * holder - 1)


# --- keys -----------------------------------------------------------------------------------------------------


@inlined
def _soon(outcome, distance):
    return np.int32(outcome << _DISTANCE_BITS | (_FARTHEST - distance))


@inlined
def _late(outcome, distance):
    return np.int32(outcome << _DISTANCE_BITS | distance)


@inlined
def stands(record):
    return np.int32(record << _DISTANCE_BITS)


@inlined
def key_of(outcome, distance, record):
    if outcome == record:
        return stands(record)
    return _soon(outcome, distance) if outcome > record else _late(outcome, distance)


@inlined
def key_outcome(key):
    return np.int64(key) >> _DISTANCE_BITS


@inlined
def key_distance(key, record):
    rest = np.int64(key) & _FARTHEST
    return _FARTHEST - rest if key_outcome(key) > record else rest


# --- all records at once --------------------------------------------------------------------------------------


@inlined
def _raise(row, first, last, key):
    for at in range(first, last + 1):
        row[at] = max(row[at], key)


@inlined
def _raise_to_record(row, holder, first, last):
    for level in range(first, last + 1):
        at = holder * ROW + level
        row[at] = max(row[at], stands(record_of(holder, level)))


@inlined
def _add_constant(row, first, last, outcome, distance):
    """A payoff that is the same under records of these levels."""
    split = max(first, min(level_of(outcome), last) + 1)
    _raise(row, OPPONENT_HOLDS * ROW + first, OPPONENT_HOLDS * ROW + split - 1, _soon(outcome, distance))
    _raise(row, MOVER_HOLDS * ROW + first, MOVER_HOLDS * ROW + split - 1, _late(outcome, distance))
    # from here on records are weaker than the outcome, whoever holds them
    key = _late(outcome, distance) if outcome < 0 else _soon(outcome, distance)
    _raise(row, split, last, key)
    _raise(row, ROW + split, ROW + last, key)


@inlined
def _add_run(book, row, holder, first, last, at, ahead):
    """What step `at` says (-1: there is none yet). It counts while the side behind on the record likes it better."""
    if at < 0:
        _raise_to_record(row, holder, first, last)
        return
    outcome = (1 - 2 * ahead) * _step_outcome(book.step[at])
    distance = _step_distance(book.step[at]) + ahead
    end = last
    if (outcome > 0) == (holder == MOVER_HOLDS):
        end = max(first - 1, min(last, level_of(outcome) - 1))
    key = _late(outcome, distance) if holder == MOVER_HOLDS else _soon(outcome, distance)
    _raise(row, holder * ROW + first, holder * ROW + end, key)
    _raise_to_record(row, holder, end + 1, last)


@kernel
def unfold(book, row, top, entry, staircase, level, ahead):
    """Raise a row to what is said of a position under records of the levels up to `top`.

    `ahead`: 0 for the position itself, 1 for one that is a move ahead of it. `level` is the position's own:
    under a weaker record it is fresh."""
    inside = min(level, level_of(outcome_in(entry)), top)
    for holder in range(2):
        first = LEAST_RECORD
        before = -1
        for at in range(book.first[staircase], book.first[staircase + 1]):
            if _step_holder(book.step[at]) ^ ahead == holder:
                last = min(step_level(book.step[at]) - 1, inside)
                _add_run(book, row, holder, first, last, before, ahead)
                first = max(first, last + 1)
                before = at
        _add_run(book, row, holder, first, inside, before, ahead)
    outcome = (1 - 2 * ahead) * outcome_in(entry)
    _add_constant(row, max(LEAST_RECORD, inside + 1), top, outcome, distance_in(entry) + ahead)


# --- one record at a time -------------------------------------------------------------------------------------


@inlined
def value_at(book, entry, staircase, own, holder, level):
    """What is said of a position of this own level under a record: outcome and distance."""
    outcome = outcome_in(entry)
    if (level > own and not book.whole_game) or level > level_of(outcome):
        return outcome, distance_in(entry)
    record = record_of(holder, level) + np.int64(0)
    for at in range(book.first[staircase + 1] - 1, book.first[staircase] - 1, -1):
        step = book.step[at]
        if _step_holder(step) == holder and step_level(step) <= level:
            found = _step_outcome(step)
            if (found < record) if holder == MOVER_HOLDS else (found > record):
                return found, _step_distance(step)
            break
    return record, np.int64(0)
