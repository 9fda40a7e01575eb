"""Checking positions: does the table say of each the best that its moves lead to?"""

from typing import Final

import numpy as np

from tbgen.board.moves import NOBODY, move_slot, move_target
from tbgen.compiler.intrinsics import bits_set, fetch_i32, lowest_bit, prefetch_to_read
from tbgen.compiler.jit import inlined, kernel
from tbgen.core.outcome import BASE, FIRST_RECORD
from tbgen.core.packed_steps import step_level
from tbgen.core.table_contents import MOVER_HOLDS, OPPONENT_HOLDS
from tbgen.verify.arrivals import UNSEEN, arrive_quietly, best_fresh, piece_at
from tbgen.verify.buffers import FIELDS
from tbgen.verify.lanes import lane_from, prove_lane
from tbgen.verify.moves import NO_NUMBER, NO_POSITION, decode_after, list_all, may_give_right
from tbgen.verify.resets import arrive_by_reset
from tbgen.verify.values import (
    LOWEST,
    clear,
    distance_in,
    enter,
    entry_of,
    key_distance,
    key_of,
    key_outcome,
    level_of,
    levels,
    outcome_in,
    record_of,
    set_stored,
    settle,
    value_at,
)

PROBLEMS: Final = (
    "",
    "an entry or a staircase, but no legal position",
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
"""It stands in place of a problem: all is well so far, but moves lead to tables that the verifier was not given."""
_ENTRY_UNSEEN: Final = 1
"""It stands in place of an entry whose worth nobody knows. No real entry has a distance without an outcome."""


@inlined
def _problem_there(dictionary, arrivals, at):
    """_FINE if tables say what the move leads to, _UNSEEN if one does that the verifier was not given, else _LOST."""
    if arrivals.level[at] == UNSEEN:
        return _UNSEEN
    staircase = arrivals.staircase[at]
    if arrivals.entry[at] == 0 or arrivals.level[at] == NO_POSITION or not 0 <= staircase < len(dictionary.first) - 1:
        return _LOST
    return _FINE


@inlined
def own_goal_worth(dictionary, arrivals, count, level):
    """A position's value by its moves, under the record of its own goal: outcome and distance. 0 and 0 if a move leads
    to an unknown position, 0 and _ENTRY_UNSEEN if one leads to a table that the verifier was not given."""
    zero = np.int64(0)
    record = record_of(OPPONENT_HOLDS, level)
    best = LOWEST
    unseen = False
    for at in range(count):
        problem = _problem_there(dictionary, arrivals, at)
        if problem == _LOST:
            return zero, zero
        if problem == _UNSEEN:
            unseen = True
            continue
        entry, staircase, own = arrivals.entry[at], arrivals.staircase[at], arrivals.level[at]
        outcome, distance = value_at(dictionary, entry, staircase, own, MOVER_HOLDS, level)
        best = max(best, key_of(-outcome, distance + 1, record))
    if unseen:
        return zero, np.int64(_ENTRY_UNSEEN)
    outcome = key_outcome(best)
    return outcome, zero if outcome == record else key_distance(best, record)


@inlined
def _put(arrivals, at, outcome, distance):
    """What a double step leads to that gives a right to capture en passant."""
    arrivals.entry[at] = entry_of(outcome, distance)
    arrivals.level[at] = UNSEEN if outcome == 0 and distance == _ENTRY_UNSEEN else 0


@kernel
def _list_replies(board, atlas, tables, buffers, moves, later, replies, side, at):
    """The position after this double step, and where all replies lead to, captures en passant included. Returns how
    many replies there are, 0 if no such capture is legal; how many of them are quiet; and the level."""
    move = moves.move[at]
    for slot in range(board.atlas.men[0]):
        later.squares[slot] = moves.squares[slot]
    stepped = move_slot(move)
    later.squares[stepped] = move_target(move)
    quiet, count, total, level = list_all(board, later, 1 - side, stepped)
    if total == count:
        return np.int64(0), np.int64(quiet), np.int64(level)
    numbering = buffers.numbering
    arrive_quietly(board, atlas, tables, buffers.no_survey, later, buffers.other, 1 - side, quiet, numbering, replies)
    for reply in range(quiet, total):
        arrive_by_reset(board, atlas, tables, later, 1 - side, reply, numbering, replies)
    return np.int64(total), np.int64(quiet), np.int64(level)


@kernel
def _answer_with_right(board, atlas, tables, dictionary, buffers, moves, arrivals, side, at):
    """A double step that answers another, where both sides have two pawns. A third one takes five pawns: where it leads
    to is not followed."""
    later, replies = buffers.latest, buffers.last_replies
    total, quiet, level = _list_replies(board, atlas, tables, buffers, moves, later, replies, side, at)
    if total == 0:
        return
    for reply in range(quiet, total):
        if may_give_right(atlas, later.squares, 1 - side, later.move[reply]):
            replies.level[reply] = UNSEEN
    outcome, distance = own_goal_worth(dictionary, replies, total, level)
    _put(arrivals, at, outcome, distance)


@kernel
def _grant_right(board, atlas, tables, dictionary, buffers, side, at):
    """After this double step the pawn may be captured en passant: where that is legal, look one ply deeper."""
    later, replies = buffers.later, buffers.replies
    total, quiet, level = _list_replies(board, atlas, tables, buffers, buffers.moves, later, replies, side, at)
    if total == 0:
        return
    for reply in range(quiet, total):
        if may_give_right(atlas, later.squares, 1 - side, later.move[reply]):
            _answer_with_right(board, atlas, tables, dictionary, buffers, later, replies, 1 - side, reply)
    outcome, distance = own_goal_worth(dictionary, replies, total, level)
    _put(buffers.arrivals, at, outcome, distance)


@inlined
def arrive(board, atlas, tables, dictionary, survey, buffers, side, quiet, count):
    """Fill in the arrivals of all moves, which have been listed."""
    moves, arrivals = buffers.moves, buffers.arrivals
    arrive_quietly(board, atlas, tables, survey, moves, buffers.other, side, quiet, buffers.numbering, arrivals)
    for at in range(quiet, count):
        arrive_by_reset(board, atlas, tables, moves, side, at, buffers.numbering, arrivals)
    for at in range(quiet, count):  # by itself: what is rare slows a loop down
        if may_give_right(atlas, moves.squares, side, moves.move[at]):
            _grant_right(board, atlas, tables, dictionary, buffers, side, at)


# --- the check ------------------------------------------------------------------------------------------------


@inlined
def _set_worths(finding, holder, level, expected, expected_distance, stored, stored_distance):
    finding[2], finding[3] = holder, level
    finding[4], finding[5] = expected, expected_distance
    finding[6], finding[7] = stored, stored_distance


@inlined
def _keep(finding, number, problem, found, wrong):
    """Write a finding down, where there is room after so many others."""
    finding[0], finding[1] = number, problem
    if wrong < len(found):
        for field in range(FIELDS):
            found[wrong, field] = finding[field]


@inlined
def _differs(due, told, unseen):
    """Whether the stored value is not that of the best move; if some moves are unseen, whether it is lower."""
    return told < due if unseen else told != due


@inlined
def _send_for_steps(dictionary, arrivals, count):
    """Send for the staircases that all moves lead to. In a large table each lies elsewhere."""
    for at in range(count):
        prefetch_to_read(dictionary.first, arrivals.staircase[at])
    for at in range(count):
        staircase = arrivals.staircase[at]
        if 0 < staircase < len(dictionary.first) - 1:
            prefetch_to_read(dictionary.step, dictionary.first[staircase + 1] - 1)


@inlined
def enter_moves(dictionary, comparison, arrivals, count, level):
    """Enter what all moves lead to into the keys of the best move. Returns a problem, _UNSEEN or none; and, for either
    holder, the level up to which the record stands if nothing better is entered."""
    best, records = comparison.best, comparison.records
    clear(best, level)
    best_of_opponent = best_of_mover = 0
    state = _FINE
    _send_for_steps(dictionary, arrivals, count)
    for at in range(count):
        problem = _problem_there(dictionary, arrivals, at)
        if problem == _LOST:
            return _LOST, 0, 0
        if problem == _UNSEEN:
            state = _UNSEEN
            continue
        staircase_there, level_there = arrivals.staircase[at], arrivals.level[at]
        one, other = enter(dictionary, best, records, level, arrivals.entry[at], staircase_there, level_there)
        best_of_opponent, best_of_mover = max(best_of_opponent, one), max(best_of_mover, other)
    return state, best_of_opponent, best_of_mover


@inlined
def _ends_alike(dictionary, highest, arrivals, count, entry, staircase):
    """Whether what is stored is mate or stalemate whatever the record, and is what the moves are worth. No record is
    worth as much to either side, so keys for each of them are not needed: one move has to be worth this, and none more.
    False says nothing."""
    outcome = outcome_in(entry)
    if outcome == 0 or not 0 <= level_of(outcome) < FIRST_RECORD:
        return False
    if dictionary.first[staircase + 1] > dictionary.first[staircase]:
        return False
    due = key_of(outcome, distance_in(entry), 0)
    best, known = best_fresh(arrivals, count)
    if best != due or not known:
        return False
    for at in range(count):
        there = arrivals.staircase[at]
        if not 0 <= there < len(highest) or highest[there] > due:
            return False
    return True


@inlined
def _check_records(dictionary, highest, comparison, arrivals, count, level, entry, staircase, finding):
    """Compare what is stored with what the moves are worth, under each record that can stand. Where some moves are
    unseen, only a stored value that is too low can be found wrong."""
    if _ends_alike(dictionary, highest, arrivals, count, entry, staircase):
        return _FINE
    best, stored, records = comparison.best, comparison.stored, comparison.records
    state, best_of_opponent, best_of_mover = enter_moves(dictionary, comparison, arrivals, count, level)
    if state == _LOST:
        return _LOST
    unseen = state == _UNSEEN
    settle(best, records, level, best_of_opponent, best_of_mover)
    set_stored(dictionary, stored, records, level, entry, staircase)
    differs = np.int32(0)
    for at in levels(FIRST_RECORD, level):
        differs |= (best.opponent[at] ^ stored.opponent[at]) | (best.mover[at] ^ stored.mover[at])
    if differs:
        for at in range(FIRST_RECORD, level + 1):
            for holder in range(2):
                due = best.mover[at] if holder else best.opponent[at]
                told = stored.mover[at] if holder else stored.opponent[at]
                if _differs(due, told, unseen):
                    record = record_of(holder, at)
                    _set_worths(
                        finding, holder, at,
                        key_outcome(due), key_distance(due, record),
                        key_outcome(told), key_distance(told, record),
                    )  # fmt: skip
                    return _WORTH
    outcome, distance = value_at(dictionary, entry, staircase, level, OPPONENT_HOLDS, level)
    if outcome != outcome_in(entry) or distance != distance_in(entry):
        _set_worths(finding, OPPONENT_HOLDS, level, outcome, distance, outcome_in(entry), distance_in(entry))
        return _FRESH
    if abs(outcome) > BASE:
        # keys have no room for such an outcome and hold another one in its place
        due, record = best.opponent[level], record_of(OPPONENT_HOLDS, level)
        _set_worths(finding, OPPONENT_HOLDS, level, key_outcome(due), key_distance(due, record), outcome, distance)
        return _WORTH
    end = dictionary.first[staircase + 1]
    if end > dictionary.first[staircase] and step_level(dictionary.step[end - 1]) > min(level, level_of(outcome)):
        return _REACH
    return _UNSEEN if unseen else _FINE


@inlined
def _check_own_goal(dictionary, arrivals, count, level, entry, finding):
    """Check a position of the whole game, where the record of its own goal is enough."""
    outcome, distance = own_goal_worth(dictionary, arrivals, count, level)
    if outcome == 0:
        return _UNSEEN if distance == _ENTRY_UNSEEN else _LOST
    if outcome != outcome_in(entry) or distance != distance_in(entry):
        _set_worths(finding, OPPONENT_HOLDS, level, outcome, distance, outcome_in(entry), distance_in(entry))
        return _WORTH
    return _FINE


@inlined
def _check(board, atlas, tables, dictionary, highest, survey, buffers, side, slice_, number):
    """The problem with a position, and its own level. Its moves are followed only where they matter."""
    moves, arrivals, finding = buffers.moves, buffers.arrivals, buffers.comparison.finding
    node = number - tables.start[slice_]
    quiet, count, level = 0, 0, np.int64(NO_POSITION)
    if survey.slice != slice_ or survey.level[node] != NO_POSITION:
        quiet, count, _, level = list_all(board, moves, side, NOBODY)
    piece, place = piece_at(tables, slice_, node, buffers.numbering)
    if piece < 0:
        if FIRST_RECORD <= level < NO_POSITION:  # where its moves lead is asked for as well
            arrive(board, atlas, tables, dictionary, survey, buffers, side, quiet, count)
        return _LOST, level
    entry = fetch_i32(tables.entries[piece], place)
    staircase = np.int64(fetch_i32(tables.staircases[piece], place))
    first = tables.first_staircase[piece]
    if not 0 <= staircase < len(dictionary.first) - 1 - first:
        return _NO_STAIRCASE, level
    if level == NO_POSITION:
        return _FILLED if entry or staircase else _FINE, level
    if level > NO_POSITION:
        return _HIGH, level
    if level < FIRST_RECORD:
        if staircase or outcome_in(entry) != level - BASE or distance_in(entry):
            _set_worths(finding, OPPONENT_HOLDS, level, level - BASE, 0, outcome_in(entry), distance_in(entry))
            return _ENDED, level
        return _FINE, level
    if dictionary.whole_game and staircase:
        return _REACH, level
    arrive(board, atlas, tables, dictionary, survey, buffers, side, quiet, count)
    if dictionary.whole_game:
        return _check_own_goal(dictionary, arrivals, count, level, entry, finding), level
    return _check_records(
        dictionary, highest, buffers.comparison, arrivals, count, level, entry, first + staircase, finding
    ), level


@kernel
def check_all(board, atlas, pawns, tables, dictionary, highest, survey, slice_, numbers, buffers, found):
    """Check these positions of a slice. Returns how many are legal, how many are wrong, and how many have moves that
    could not be followed. The rows of `found` take the first wrong ones. If a position that is looked up is not in
    memory, this ends, and the first number is -1: `tables.asked` says what is to be read before it is called again."""
    finding, absent, squares = buffers.comparison.finding, buffers.numbering.absent, buffers.moves.squares
    legal = 0
    wrong = 0
    unseen = 0
    side, before, here = 0, np.int64(NO_NUMBER), 0
    while here < len(numbers):
        first = numbers[here]
        side = decode_after(before, side, atlas, pawns, slice_, first, squares)
        before = first
        ahead, left = lane_from(atlas, squares), np.uint64(1)
        last = here + ahead - 1
        if ahead and survey.slice == slice_ and last < len(numbers) and numbers[last] == first + ahead - 1:
            proven, left = prove_lane(board, atlas, pawns, tables, highest, survey, buffers, first, ahead)
            legal += bits_set(proven)
            here = last
        here += 1
        while left:
            number = first + lowest_bit(left)
            left &= left - np.uint64(1)
            _set_worths(finding, 0, 0, 0, 0, 0, 0)
            side = decode_after(before, side, atlas, pawns, slice_, number, squares)
            before = number
            problem, level = _check(board, atlas, tables, dictionary, highest, survey, buffers, side, slice_, number)
            if absent[0]:
                return np.int64(-1), wrong, unseen
            legal += level != NO_POSITION
            if problem == _UNSEEN:
                unseen += 1
            elif problem:
                _keep(finding, number, problem, found, wrong)
                wrong += 1
    return legal, wrong, unseen
