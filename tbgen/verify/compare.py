"""Positions on trial: is what the table says of them the best that their moves lead to?"""

from typing import Final, NamedTuple

import numpy as np
from numpy.typing import NDArray

from tbgen.contents import MOVER_HOLDS, OPPONENT_HOLDS, OUTCOME_SHIFT
from tbgen.jit import inlined, kernel
from tbgen.outcome import BASE
from tbgen.verify.arrivals import UNSEEN
from tbgen.verify.dictionary import LEAST_RECORD
from tbgen.verify.moves import NO_POSITION
from tbgen.verify.values import (
    LOWEST,
    ROW,
    distance_in,
    key_distance,
    key_of,
    key_outcome,
    level_of,
    outcome_in,
    record_of,
    stands,
    step_level,
    unfold,
    value_at,
)

PROBLEMS: Final = (
    "",
    "no legal position, but an entry or a staircase",
    "the game has ended here",
    "worth something else",
    "the entry is not what the staircase says of its own goal",
    "no such staircase",
    "the staircase has a step out of reach",
    "a move leads to nothing that is known",
    "more moves than tables can hold",
)
_FINE, _FILLED, _ENDED, _WORTH, _FRESH, _NO_STAIRCASE, _REACH, _LOST, _HIGH = range(len(PROBLEMS))
_UNSEEN: Final = -1
"""In place of a problem: nothing wrong was found, but not all moves could be followed."""
ENTRY_UNSEEN: Final = 1
"""In place of an entry: the same. No entry has a distance and no outcome."""
FIELDS: Final = 8
"""Of a finding: which position, problem, holder and level (0: none), what was expected, what is stored."""


class Rows(NamedTuple):
    """`[holder * ROW + level]`: keys under all records; and what is wrong with the position."""

    best: NDArray[np.int32]
    """The best move."""
    own: NDArray[np.int32]
    """What is stored."""
    finding: NDArray[np.int64]


def make_rows() -> Rows:
    return Rows(np.empty(2 * ROW, np.int32), np.empty(2 * ROW, np.int32), np.zeros(FIELDS, np.int64))


@inlined
def _is_unknown(book, arrivals, at):
    """Whether a move leads to nothing that the tables know of."""
    staircase = arrivals.staircase[at]
    return (
        arrivals.entry[at] == 0
        or arrivals.level[at] == NO_POSITION
        or staircase < 0
        or staircase >= len(book.first) - 1
    )


@kernel
def own_goal_worth(book, lists, arrivals, here):
    """What a position's moves make of it under the record of its own goal: outcome and distance; 0 and 0 if a move
    leads to nothing that is known, ENTRY_UNSEEN in two if one leads to a table that is not at hand."""
    level, zero = lists.level[here], np.int64(0)
    record = record_of(OPPONENT_HOLDS, level)
    best = LOWEST
    unseen = False
    for at in range(lists.first[here], lists.first[here + 1]):
        if arrivals.number[at] == UNSEEN:
            unseen = True
            continue
        if _is_unknown(book, arrivals, at):
            return zero, zero
        entry, staircase, own = arrivals.entry[at], arrivals.staircase[at], arrivals.level[at]
        outcome, distance = value_at(book, entry, staircase, own, MOVER_HOLDS, level)
        best = max(best, key_of(-outcome, distance + 1, record))
    if unseen:
        return zero, np.int64(ENTRY_UNSEEN)
    outcome = key_outcome(best)
    return outcome, zero if outcome == record else key_distance(best, record)


@kernel
def entries_with_right(book, lists, arrivals, entries):
    """The entries of positions with a right to capture in passing; 0 where a move leads to nothing that is known."""
    for here in range(len(lists.level)):
        if lists.rights[here]:
            outcome, distance = own_goal_worth(book, lists, arrivals, here)
            entries[here] = outcome << OUTCOME_SHIFT | distance


# --- the trial ------------------------------------------------------------------------------------------------


@inlined
def _charge(finding, holder, level, expected, expected_distance, stored, stored_distance):
    finding[2], finding[3] = holder, level
    finding[4], finding[5] = expected, expected_distance
    finding[6], finding[7] = stored, stored_distance


@inlined
def _differs(due, told, unseen):
    """Whether what is stored is not what the moves make of a position, or less than some of them do."""
    return told < due if unseen else told != due


@inlined
def _try_records(book, rows, lists, arrivals, here, entry, staircase, finding):
    """Compare what is stored with what the moves are worth, under each record that can stand. Where moves lead to
    tables that are not at hand, it can only be worth less than it should be."""
    level = lists.level[here]
    best, own = rows.best, rows.own
    for at in range(level + 1):
        best[at] = LOWEST
        best[ROW + at] = LOWEST
        own[at] = LOWEST
        own[ROW + at] = LOWEST
    unseen = False
    for at in range(lists.first[here], lists.first[here + 1]):
        if arrivals.number[at] == UNSEEN:
            unseen = True
            continue
        if _is_unknown(book, arrivals, at):
            return _LOST
        staircase_there, level_there = np.int64(arrivals.staircase[at]), np.int64(arrivals.level[at])
        unfold(book, best, level, arrivals.entry[at], staircase_there, level_there, 1)
    unfold(book, own, level, entry, staircase, level, 0)
    wrong = 0
    for holder in range(2):
        for at in range(LEAST_RECORD, level + 1):
            record = record_of(holder, at)
            if key_outcome(best[holder * ROW + at]) == record:
                best[holder * ROW + at] = stands(record)
            wrong += _differs(best[holder * ROW + at], own[holder * ROW + at], unseen)
    if wrong:
        for at in range(LEAST_RECORD, level + 1):
            for holder in range(2):
                due, told = best[holder * ROW + at], own[holder * ROW + at]
                if _differs(due, told, unseen):
                    record = record_of(holder, at)
                    _charge(
                        finding, holder, at,
                        key_outcome(due), key_distance(due, record),
                        key_outcome(told), key_distance(told, record),
                    )  # fmt: skip
                    return _WORTH
    outcome, distance = value_at(book, entry, staircase, level, OPPONENT_HOLDS, level)
    if outcome != outcome_in(entry) or distance != distance_in(entry):
        _charge(finding, OPPONENT_HOLDS, level, outcome, distance, outcome_in(entry), distance_in(entry))
        return _FRESH
    end = book.first[staircase + 1]
    if end > book.first[staircase] and step_level(book.step[end - 1]) > min(level, level_of(outcome)):
        return _REACH
    return _UNSEEN if unseen else _FINE


@inlined
def _try_own_goal(book, lists, arrivals, here, entry, finding):
    """The whole game: the record of p's own goal tells all."""
    outcome, distance = own_goal_worth(book, lists, arrivals, here)
    if outcome == 0:
        return _UNSEEN if distance == ENTRY_UNSEEN else _LOST
    if outcome != outcome_in(entry) or distance != distance_in(entry):
        _charge(finding, OPPONENT_HOLDS, lists.level[here], outcome, distance, outcome_in(entry), distance_in(entry))
        return _WORTH
    return _FINE


@inlined
def _try(book, rows, lists, arrivals, here, entry, staircase, first, finding):
    level = lists.level[here]
    if level == NO_POSITION:
        return _FILLED if entry or staircase else _FINE
    if level > NO_POSITION:
        return _HIGH
    if level < LEAST_RECORD:
        if staircase or outcome_in(entry) != level - BASE or distance_in(entry):
            _charge(finding, OPPONENT_HOLDS, level, level - BASE, 0, outcome_in(entry), distance_in(entry))
            return _ENDED
        return _FINE
    if not book.whole_game:
        return _try_records(book, rows, lists, arrivals, here, entry, first + staircase, finding)
    return _REACH if staircase else _try_own_goal(book, lists, arrivals, here, entry, finding)


@kernel
def try_all(book, rows, lists, arrivals, entries, staircases, first, found):
    """Try a batch of positions with these entries and staircases, the `first` of which is this one in the book.
    Returns how many are legal, how many wrong, and how many could not be looked at in full; the first wrong ones go
    into the rows of `found`."""
    finding = rows.finding
    legal = 0
    wrong = 0
    unseen = 0
    for here in range(len(entries)):
        _charge(finding, 0, 0, 0, 0, 0, 0)
        staircase = np.int64(staircases[here])
        if 0 <= staircase < len(book.first) - 1 - first:
            problem = _try(book, rows, lists, arrivals, here, entries[here], staircase, first, finding)
        else:
            problem = _NO_STAIRCASE
        legal += lists.level[here] != NO_POSITION
        if problem == _UNSEEN:
            unseen += 1
        elif problem:
            if wrong < len(found):
                finding[0] = here
                finding[1] = problem
                for field in range(FIELDS):
                    found[wrong, field] = finding[field]
            wrong += 1
    return legal, wrong, unseen
