"""Positions on trial: is what the table says of them the best that their moves lead to?"""

from typing import Final, NamedTuple

import numpy as np
from numpy.typing import NDArray

from tbgen.board.moves import move_slot, move_target
from tbgen.contents import MOVER_HOLDS, OPPONENT_HOLDS, OUTCOME_SHIFT
from tbgen.index.kernels import decode
from tbgen.index.layout import Layout
from tbgen.intrinsics import fetch_i32
from tbgen.jit import inlined, kernel
from tbgen.outcome import BASE
from tbgen.verify.arrivals import (
    NO_SURVEY,
    UNSEEN,
    Arrivals,
    Seats,
    Survey,
    arrive_by_reset,
    arrive_quietly,
    make_arrivals,
    make_seats,
)
from tbgen.verify.dictionary import LEAST_RECORD
from tbgen.verify.moves import NO_POSITION, NOBODY, Moves, list_all, make_moves, may_give_right
from tbgen.verify.values import (
    LOWEST,
    Sheet,
    clear,
    distance_in,
    enter,
    key_distance,
    key_of,
    key_outcome,
    level_of,
    levels,
    make_records,
    make_sheet,
    outcome_in,
    record_of,
    settle,
    step_level,
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
_ENTRY_UNSEEN: Final = 1
"""In place of an entry: the same. No entry has a distance and no outcome."""
FIELDS: Final = 8
"""Of a finding: which position, problem, holder and level (0: none), what was expected, what is stored."""


class Sheets(NamedTuple):
    """Keys under all records (values.py); and what is wrong with the position."""

    best: Sheet
    """The best move."""
    own: Sheet
    """What is stored."""
    records: Sheet
    finding: NDArray[np.int64]


def make_sheets() -> Sheets:
    return Sheets(make_sheet(), make_sheet(), make_records(), np.zeros(FIELDS, np.int64))


class Desk(NamedTuple):
    """A thread's own small arrays: for a position, for one after a double step, and for any other."""

    moves: Moves
    arrivals: Arrivals
    later: Moves
    replies: Arrivals
    other: Moves
    seats: Seats
    sheets: Sheets
    no_survey: Survey


def make_desk(layout: Layout) -> Desk:
    return Desk(
        make_moves(), make_arrivals(), make_moves(), make_arrivals(), make_moves(), make_seats(layout), make_sheets(),
        NO_SURVEY,
    )  # fmt: skip


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
def own_goal_worth(book, arrivals, count, level):
    """What a position's moves make of it under the record of its own goal: outcome and distance; 0 and 0 if a move
    leads to nothing that is known, 0 and _ENTRY_UNSEEN if one leads to a table that is not at hand."""
    zero = np.int64(0)
    record = record_of(OPPONENT_HOLDS, level)
    best = LOWEST
    unseen = False
    for at in range(count):
        if arrivals.level[at] == UNSEEN:
            unseen = True
            continue
        if _is_unknown(book, arrivals, at):
            return zero, zero
        entry, staircase, own = arrivals.entry[at], arrivals.staircase[at], arrivals.level[at]
        outcome, distance = value_at(book, entry, staircase, own, MOVER_HOLDS, level)
        best = max(best, key_of(-outcome, distance + 1, record))
    if unseen:
        return zero, np.int64(_ENTRY_UNSEEN)
    outcome = key_outcome(best)
    return outcome, zero if outcome == record else key_distance(best, record)


@kernel
def _grant_right(board, atlas, tables, book, desk, side, at):
    """After this double step the pawn may be captured in passing, where that is legal: look one ply deeper. Replies
    that give such a right themselves take six men; they lead to nothing that is known."""
    later, move = desk.later, desk.moves.move[at]
    for slot in range(board.atlas.men[0]):
        later.squares[slot] = desk.moves.squares[slot]
    stepped = move_slot(move)
    later.squares[stepped] = move_target(move)
    quiet, count, total, level = list_all(board, later, 1 - side, stepped)
    if total == count:
        return
    arrive_quietly(board, atlas, tables, desk.no_survey, later, desk.other, 1 - side, quiet, desk.seats, desk.replies)
    for reply in range(quiet, total):
        arrive_by_reset(atlas, tables, later, 1 - side, reply, desk.seats, desk.replies)
        if may_give_right(atlas, later.squares, 1 - side, later.move[reply]):
            desk.replies.entry[reply] = 0
    outcome, distance = own_goal_worth(book, desk.replies, total, level)
    desk.arrivals.entry[at] = outcome << OUTCOME_SHIFT | distance
    desk.arrivals.level[at] = UNSEEN if outcome == 0 and distance == _ENTRY_UNSEEN else 0


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
def _try_records(book, sheets, arrivals, count, level, entry, staircase, finding):
    """Compare what is stored with what the moves are worth, under each record that can stand. Where moves lead to
    tables that are not at hand, it can only be worth less than it should be."""
    best, own, records = sheets.best, sheets.own, sheets.records
    clear(best, level)
    clear(own, level)
    best_of_opponent = best_of_mover = 0
    unseen = False
    for at in range(count):
        if arrivals.level[at] == UNSEEN:
            unseen = True
            continue
        if _is_unknown(book, arrivals, at):
            return _LOST
        staircase_there, level_there = np.int64(arrivals.staircase[at]), arrivals.level[at]
        one, other = enter(book, best, records, level, arrivals.entry[at], staircase_there, level_there, 1)
        best_of_opponent, best_of_mover = max(best_of_opponent, one), max(best_of_mover, other)
    own_of_opponent, own_of_mover = enter(book, own, records, level, entry, staircase, level, 0)
    settle(best, records, level, best_of_opponent, best_of_mover)
    settle(own, records, level, own_of_opponent, own_of_mover)
    differs = np.int32(0)
    for at in levels(LEAST_RECORD, level):
        differs |= (best.opponent[at] ^ own.opponent[at]) | (best.mover[at] ^ own.mover[at])
    if differs:
        for at in range(LEAST_RECORD, level + 1):
            for holder in range(2):
                due, told = (best.mover[at], own.mover[at]) if holder else (best.opponent[at], own.opponent[at])
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
    if abs(outcome) > BASE:
        # keys have no room for it: to them it is another one
        due, record = best.opponent[level], record_of(OPPONENT_HOLDS, level)
        _charge(finding, OPPONENT_HOLDS, level, key_outcome(due), key_distance(due, record), outcome, distance)
        return _WORTH
    end = book.first[staircase + 1]
    if end > book.first[staircase] and step_level(book.step[end - 1]) > min(level, level_of(outcome)):
        return _REACH
    return _UNSEEN if unseen else _FINE


@inlined
def _try_own_goal(book, arrivals, count, level, entry, finding):
    """The whole game: the record of p's own goal tells all."""
    outcome, distance = own_goal_worth(book, arrivals, count, level)
    if outcome == 0:
        return _UNSEEN if distance == _ENTRY_UNSEEN else _LOST
    if outcome != outcome_in(entry) or distance != distance_in(entry):
        _charge(finding, OPPONENT_HOLDS, level, outcome, distance, outcome_in(entry), distance_in(entry))
        return _WORTH
    return _FINE


@inlined
def _try(board, atlas, tables, book, survey, desk, side, part, number):
    """The problem, and the own level. What moves lead to is looked up only where it matters."""
    moves, arrivals, finding = desk.moves, desk.arrivals, desk.sheets.finding
    entry = fetch_i32(tables.entries[part], number - tables.start[part])
    staircase = np.int64(fetch_i32(tables.staircases[part], number - tables.start[part]))
    first = tables.first_staircase[part]
    quiet, count, _, level = list_all(board, moves, side, NOBODY)
    if not 0 <= staircase < len(book.first) - 1 - first:
        return _NO_STAIRCASE, level
    if level == NO_POSITION:
        return _FILLED if entry or staircase else _FINE, level
    if level > NO_POSITION:
        return _HIGH, level
    if level < LEAST_RECORD:
        if staircase or outcome_in(entry) != level - BASE or distance_in(entry):
            _charge(finding, OPPONENT_HOLDS, level, level - BASE, 0, outcome_in(entry), distance_in(entry))
            return _ENDED, level
        return _FINE, level
    if book.whole_game and staircase:
        return _REACH, level
    arrive_quietly(board, atlas, tables, survey, moves, desk.other, side, quiet, desk.seats, arrivals)
    for at in range(quiet, count):
        arrive_by_reset(atlas, tables, moves, side, at, desk.seats, arrivals)
        if may_give_right(atlas, moves.squares, side, moves.move[at]):
            _grant_right(board, atlas, tables, book, desk, side, at)
    if book.whole_game:
        return _try_own_goal(book, arrivals, count, level, entry, finding), level
    return _try_records(book, desk.sheets, arrivals, count, level, entry, first + staircase, finding), level


@kernel
def try_all(board, atlas, pawns, tables, book, survey, part, numbers, desk, found):
    """Try these positions of a slice. Returns how many are legal, how many wrong, and how many could not be looked at
    in full; the first wrong ones go into the rows of `found`."""
    finding = desk.sheets.finding
    legal = 0
    wrong = 0
    unseen = 0
    for here in range(len(numbers)):
        _charge(finding, 0, 0, 0, 0, 0, 0)
        side = decode(atlas, 0, pawns, part, numbers[here], desk.moves.squares)
        problem, level = _try(board, atlas, tables, book, survey, desk, side, part, numbers[here])
        legal += level != NO_POSITION
        if problem == _UNSEEN:
            unseen += 1
        elif problem:
            if wrong < len(found):
                finding[0] = numbers[here]
                finding[1] = problem
                for field in range(FIELDS):
                    found[wrong, field] = finding[field]
            wrong += 1
    return legal, wrong, unseen
