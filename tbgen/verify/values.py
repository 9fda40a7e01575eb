"""What a table says that a position is worth, record by record, as the side to move sees it.

Under a given record every payoff becomes one key, so that the best move has the largest. A key ranks by outcome first.
Among equal outcomes, a gain over the record ranks higher the sooner it comes (a hasty key), a loss the later it comes
(a patient one); if the outcome is the record itself, all keys are equal.
"""

from typing import Final, NamedTuple

import numpy as np
from numpy.typing import NDArray

from tbgen.compiler.jit import inlined, kernel, plain
from tbgen.core.outcome import BASE, FIRST_RECORD
from tbgen.core.packed_steps import step_distance, step_holder, step_level, step_outcome
from tbgen.core.table_contents import DISTANCE_MASK, MOVER_HOLDS, OPPONENT_HOLDS, OUTCOME_SHIFT
from tbgen.core.table_rules import TableRules

ROW: Final = 256
_DISTANCE_BITS: Final = 18
_FARTHEST: Final = (1 << _DISTANCE_BITS) - 1
LOWEST: Final = np.int32(-(2**31))


class Dictionary(NamedTuple):
    """All staircases that are in memory."""

    first: NDArray[np.int64]
    """`[staircase]`: its first step; one more than there are staircases."""
    step: NDArray[np.int64]
    """See steps.py."""
    whole_game: int


def dictionary_of(first: NDArray[np.int64], step: NDArray[np.int64], rules: TableRules) -> Dictionary:
    return Dictionary(first, step, int(rules == TableRules.WHOLE_GAME))


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
def entry_of(outcome, distance):
    return outcome << OUTCOME_SHIFT | distance


@inlined
def record_of(holder, level):
    return (BASE - level) * (2 * holder - 1)


# --- keys -----------------------------------------------------------------------------------------------------


@inlined
def _hasty(outcome, distance):
    return np.int32(outcome << _DISTANCE_BITS | (_FARTHEST - distance))


@inlined
def _patient(outcome, distance):
    return np.int32(outcome << _DISTANCE_BITS | distance)


@inlined
def stands(record):
    return np.int32(record << _DISTANCE_BITS)


@inlined
def key_of(outcome, distance, record):
    if outcome == record:
        return stands(record)
    return _hasty(outcome, distance) if outcome > record else _patient(outcome, distance)


@inlined
def key_outcome(key):
    return np.int64(key) >> _DISTANCE_BITS


@inlined
def key_distance(key, record):
    rest = np.int64(key) & _FARTHEST
    return _FARTHEST - rest if key_outcome(key) > record else rest


# --- all records at once --------------------------------------------------------------------------------------


class LevelKeys(NamedTuple):
    """`[level]`: the best keys found so far."""

    hasty: NDArray[np.int32]
    patient: NDArray[np.int32]
    """Both are for payoffs that count from this level on, whoever holds the record, ranked as gains and as losses."""
    opponent: NDArray[np.int32]
    mover: NDArray[np.int32]
    """Both are for payoffs that count under a record of this level, held by the opponent or by the mover."""


class RecordKeys(NamedTuple):
    """`[level]`: a key under each record of this level, held by the opponent or by the mover."""

    opponent: NDArray[np.int32]
    mover: NDArray[np.int32]


def make_level_keys() -> LevelKeys:
    return LevelKeys(*(np.empty(ROW, np.int32) for _ in range(4)))


def make_record_keys() -> RecordKeys:
    return RecordKeys(np.empty(ROW, np.int32), np.empty(ROW, np.int32))


def make_records() -> RecordKeys:
    """The keys of the records themselves."""
    levels = np.arange(ROW)
    rows = ((plain(record_of)(holder, levels) << _DISTANCE_BITS).astype(np.int32) for holder in range(2))
    return RecordKeys(*rows)


@inlined
def levels(first, last):
    """The levels from `first` to `last`. Unsigned indices let the compiler treat many levels at once."""
    return range(np.uint64(first), np.uint64(max(first, last + 1)))


@inlined
def clear(keys, top):
    for level in levels(0, top):
        keys.hasty[level] = LOWEST
        keys.patient[level] = LOWEST
        keys.opponent[level] = LOWEST
        keys.mover[level] = LOWEST


@inlined
def _raise(row, first, last, key):
    for level in levels(first, last):
        row[level] = max(row[level], key)


@inlined
def enter(dictionary, keys, records, top, entry, staircase, own):
    """Enter into `keys` what the table says of a position that a move leads to, under records of the levels up to
    `top`. Returns, for either holder, the level up to which the record stands if nothing better is entered.

    `own` is the position's own level; under records of higher levels its fresh value counts."""
    outcome = -outcome_in(entry)
    inside = min(own, level_of(outcome), top)
    start = max(FIRST_RECORD, inside + 1)
    if start <= top:
        keys.hasty[start] = max(keys.hasty[start], _hasty(outcome, distance_in(entry) + 1))
        keys.patient[start] = max(keys.patient[start], _patient(outcome, distance_in(entry) + 1))
    last_of_opponent = last_of_mover = inside
    for at in range(dictionary.first[staircase + 1] - 1, dictionary.first[staircase] - 1, -1):
        step = dictionary.step[at]
        holder, first = step_holder(step), max(FIRST_RECORD, step_level(step))  # as the other side sees it
        outcome, distance = -step_outcome(step), step_distance(step) + 1
        if holder == MOVER_HOLDS:
            # if the record is better for the mover, `_settle` takes the record
            _raise(keys.opponent, first, last_of_opponent, _hasty(outcome, distance))
            last_of_opponent = min(last_of_opponent, first - 1)
        elif holder == OPPONENT_HOLDS:
            last = last_of_mover
            if outcome > 0:
                # from that level on the mover's record is worth less than the outcome, and the opponent lets it stand
                last = min(last, level_of(outcome) - 1)
                for level in levels(max(first, last + 1), last_of_mover):
                    keys.mover[level] = max(keys.mover[level], records.mover[level])
            _raise(keys.mover, first, last, _patient(outcome, distance))
            last_of_mover = min(last_of_mover, first - 1)
    return inside, last_of_mover


@inlined
def _settle(row, keys, records, top, standing):
    limit = np.int32(standing)
    for level in levels(FIRST_RECORD, top):
        record = records[level]
        above = np.int32(record + _FARTHEST)
        hasty, patient = keys.hasty[level], keys.patient[level]
        key = max(row[level], hasty if hasty > above else patient)
        key = max(key, record if np.int32(level) <= limit else LOWEST)
        row[level] = record if (record <= key) & (key <= above) else key


@inlined
def settle(keys, records, top, standing_of_opponent, standing_of_mover):
    """Find the best key under each record. Records stand up to these levels, by holder."""
    hasty, patient = LOWEST, LOWEST
    for level in levels(FIRST_RECORD, top):
        keys.hasty[level] = hasty = max(hasty, keys.hasty[level])
        keys.patient[level] = patient = max(patient, keys.patient[level])
    _settle(keys.opponent, keys, records.opponent, top, standing_of_opponent)
    _settle(keys.mover, keys, records.mover, top, standing_of_mover)


@inlined
def set_stored(dictionary, stored, records, top, entry, staircase):
    """The keys of what the table says of a position of level `top`, record by record."""
    outcome, distance = outcome_in(entry), distance_in(entry)
    fresh = _hasty(outcome, distance) if outcome > 0 else _patient(outcome, distance)
    inside = min(level_of(outcome), top)
    for level in levels(max(FIRST_RECORD, inside + 1), top):
        stored.opponent[level] = fresh
        stored.mover[level] = fresh
    last_of_opponent = last_of_mover = inside
    for at in range(dictionary.first[staircase + 1] - 1, dictionary.first[staircase] - 1, -1):
        step = dictionary.step[at]
        first, outcome, distance = max(FIRST_RECORD, step_level(step)), step_outcome(step), step_distance(step)
        if step_holder(step) == OPPONENT_HOLDS:
            key = _hasty(outcome, distance)
            for level in levels(first, last_of_opponent):
                record = records.opponent[level]
                stored.opponent[level] = key if key > np.int32(record + _FARTHEST) else record
            last_of_opponent = min(last_of_opponent, first - 1)
        elif step_holder(step) == MOVER_HOLDS:
            key = _patient(outcome, distance)
            for level in levels(first, last_of_mover):
                stored.mover[level] = min(key, records.mover[level])
            last_of_mover = min(last_of_mover, first - 1)
    for level in levels(FIRST_RECORD, last_of_opponent):
        stored.opponent[level] = records.opponent[level]
    for level in levels(FIRST_RECORD, last_of_mover):
        stored.mover[level] = records.mover[level]


@kernel
def find_highest(first, step, highest):
    """Find the most that steps of each staircase are worth to the side that moves to a position with it, as a key under
    a record worth nothing; LOWEST if there is no step."""
    for staircase in range(len(highest)):
        best = LOWEST
        for at in range(first[staircase], first[staircase + 1]):
            best = max(best, key_of(-step_outcome(step[at]), step_distance(step[at]) + 1, 0))
        highest[staircase] = best


# --- one record at a time -------------------------------------------------------------------------------------


@inlined
def value_at(dictionary, entry, staircase, own, holder, level):
    """What the table says of a position of this own level under a record: outcome and distance."""
    outcome = outcome_in(entry)
    if (level > own and not dictionary.whole_game) or level > level_of(outcome):
        return outcome, distance_in(entry)
    record = record_of(holder, level) + np.int64(0)
    for at in range(dictionary.first[staircase + 1] - 1, dictionary.first[staircase] - 1, -1):
        step = dictionary.step[at]
        if step_holder(step) == holder and step_level(step) <= level:
            found = step_outcome(step)
            if (found < record) if holder == MOVER_HOLDS else (found > record):
                return found, step_distance(step)
            break
    return record, np.int64(0)
