"""What a position is said to be worth, record by record.

All is seen by the side to move. Under a given record every payoff becomes one key, so that the best move is
the largest: the outcome first; then, when it is the record, nothing; gains over it the sooner the better,
losses the later the better.
"""

from typing import Final, NamedTuple

import numpy as np
from numpy.typing import NDArray

from tbgen.contents import DISTANCE_MASK, MOVER_HOLDS, OPPONENT_HOLDS, OUTCOME_SHIFT, Steps
from tbgen.jit import inlined, plain
from tbgen.outcome import BASE
from tbgen.table_rules import TableRules
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


def make_book(dictionaries: list[Steps], rules: TableRules) -> Book:
    lengths = np.concatenate([np.zeros(1, np.int64), *(np.diff(steps.start) for steps in dictionaries)])
    return Book(
        np.cumsum(lengths),
        np.concatenate([np.zeros(0, np.int64), *map(_packed, dictionaries)]),
        int(rules == TableRules.WHOLE_GAME),
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


class Sheet(NamedTuple):
    """`[level]`: what has been found so far, as keys."""

    soon: NDArray[np.int32]
    late: NDArray[np.int32]
    """Payoffs that count from this level on, whoever holds the record: as they are when they come soon, and when they
    come late."""
    opponent: NDArray[np.int32]
    mover: NDArray[np.int32]
    """What counts under a record of this level in the hands of the opponent, or of the mover."""


def make_sheet() -> Sheet:
    return Sheet(*(np.empty(ROW, np.int32) for _ in range(4)))


def make_records() -> Sheet:
    """What records are worth; the rest is empty."""
    levels = np.arange(ROW)
    rows = ((plain(record_of)(holder, levels) << _DISTANCE_BITS).astype(np.int32) for holder in range(2))
    return Sheet(np.empty(0, np.int32), np.empty(0, np.int32), *rows)


@inlined
def levels(first, last):
    """Those from `first` to `last`. As an index, a number that has no sign lets a loop be compiled for many levels at
    once."""
    return range(np.uint64(first), np.uint64(max(first, last + 1)))


@inlined
def clear(sheet, top):
    for level in levels(0, top):
        sheet.soon[level] = LOWEST
        sheet.late[level] = LOWEST
        sheet.opponent[level] = LOWEST
        sheet.mover[level] = LOWEST


@inlined
def _raise(row, first, last, key):
    for level in levels(first, last):
        row[level] = max(row[level], key)


@inlined
def enter(book, sheet, records, top, entry, staircase, own, ahead):
    """Enter into a sheet what is said of a position under records of the levels up to `top`. Returns up to which level
    the record stands, if nothing better is entered, for either holder.

    `ahead`: 0 for the position itself, 1 for one that is a move ahead of it. `own` is the position's level:
    under a weaker record it is fresh."""
    sign = 1 - 2 * ahead
    outcome = sign * outcome_in(entry)
    inside = min(own, level_of(outcome), top)
    start = max(LEAST_RECORD, inside + 1)
    if start <= top:
        sheet.soon[start] = max(sheet.soon[start], _soon(outcome, distance_in(entry) + ahead))
        sheet.late[start] = max(sheet.late[start], _late(outcome, distance_in(entry) + ahead))
    last_of_opponent = last_of_mover = inside
    for at in range(book.first[staircase + 1] - 1, book.first[staircase] - 1, -1):
        step = book.step[at]
        holder, first = _step_holder(step) ^ ahead, max(LEAST_RECORD, step_level(step))
        outcome, distance = sign * _step_outcome(step), _step_distance(step) + ahead
        if holder == OPPONENT_HOLDS:
            # where the record is better for the mover, that is what is found in the end
            _raise(sheet.opponent, first, last_of_opponent, _soon(outcome, distance))
            last_of_opponent = min(last_of_opponent, first - 1)
        elif holder == MOVER_HOLDS:
            last = last_of_mover
            if outcome > 0:
                # from there on the record is worse for the mover, and the opponent has it
                last = min(last, level_of(outcome) - 1)
                for level in levels(max(first, last + 1), last_of_mover):
                    sheet.mover[level] = max(sheet.mover[level], records.mover[level])
            _raise(sheet.mover, first, last, _late(outcome, distance))
            last_of_mover = min(last_of_mover, first - 1)
    return inside, last_of_mover


@inlined
def _settle(row, sheet, records, top, standing):
    limit = np.int32(standing)
    for level in levels(LEAST_RECORD, top):
        record = records[level]
        above = np.int32(record + _FARTHEST)
        soon, late = sheet.soon[level], sheet.late[level]
        key = max(row[level], soon if soon > above else late)
        key = max(key, record if np.int32(level) <= limit else LOWEST)
        row[level] = record if (record <= key) & (key <= above) else key


@inlined
def settle(sheet, records, top, standing_of_opponent, standing_of_mover):
    """Find the best key under each record, which stands up to these levels, by holder."""
    soon, late = LOWEST, LOWEST
    for level in levels(LEAST_RECORD, top):
        sheet.soon[level] = soon = max(soon, sheet.soon[level])
        sheet.late[level] = late = max(late, sheet.late[level])
    _settle(sheet.opponent, sheet, records.opponent, top, standing_of_opponent)
    _settle(sheet.mover, sheet, records.mover, top, standing_of_mover)


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
