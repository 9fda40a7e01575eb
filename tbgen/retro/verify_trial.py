"""One position on trial: is what the table says of it the best that its moves lead to?"""

from typing import Final

import numpy as np

from tbgen.board.geometry import PAWN_DOWN, PAWN_UP
from tbgen.index.contents import MOVER_HOLDS, OPPONENT_HOLDS
from tbgen.index.kernels import locate
from tbgen.jit import inlined, kernel
from tbgen.outcome import BASE
from tbgen.retro.atomics import fetch_i32
from tbgen.retro.ground import attacked
from tbgen.retro.moves import is_checked, list_moves, move_slot, move_target, occupied_by, pack_move
from tbgen.retro.verify_moves import (
    MOST_LEVELS,
    NO_POSITION,
    entry_after,
    level_after,
    locate_after,
    own_level,
    part_of,
    take_place,
)
from tbgen.retro.verify_steps import LEAST_RECORD
from tbgen.retro.verify_worth import (
    LOWEST,
    add_constant,
    distance_in,
    distance_of_key,
    level_of,
    outcome_in,
    outcome_of_key,
    rank,
    record_of,
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
    "a move leads to no position",
    "more moves than tables can hold",
    "two double steps in a row with a right to capture en passant",
)
_FINE, _FILLED, _ENDED, _WORTH, _FRESH, _NO_STAIRCASE, _REACH, _LOST, _HIGH, _RIGHTS = range(len(PROBLEMS))
FIELDS: Final = 8
"""Columns of a finding: number, problem, holder and level (0: none), what was expected, what is stored."""


@inlined
def _charge(desk, holder, level, outcome, distance, stored_outcome, stored_distance):
    finding = desk.finding
    finding[2], finding[3] = holder, level
    finding[4], finding[5] = outcome, distance
    finding[6], finding[7] = stored_outcome, stored_distance


@inlined
def _entry_of(case, node):
    return fetch_i32(case.tables.entries[case.part], node)


@inlined
def _staircase_of(case, node):
    """-1 for a number that no staircase has."""
    staircase = np.int64(fetch_i32(case.tables.staircases[case.part], node))
    return staircase if 0 <= staircase < len(case.first_step) - 1 else np.int64(-1)


# --- en passant -----------------------------------------------------------------------------------------------


@kernel
def may_give_right(case, squares, side, move):
    """Whether this is a double step that ends beside an enemy pawn."""
    atlas = case.ground.atlas
    slot, target = move_slot(move), move_target(move)
    if atlas.kind[slot] < PAWN_UP or abs(target - squares[slot]) != 16:
        return False
    for other in range(atlas.first_pawn[0], atlas.men[0]):
        if atlas.side[other] != side and abs(squares[other] - target) == 1 and squares[other] >> 3 == target >> 3:
            return True
    return False


@kernel
def _list_passant(case, squares, side, stepped, moves):
    """The legal captures in passing of the man in slot `stepped`."""
    ground = case.ground
    atlas = ground.atlas
    passed = squares[stepped] + (8 if atlas.kind[stepped] == PAWN_DOWN else -8)
    count = 0
    for slot in range(atlas.first_pawn[0], atlas.men[0]):
        origin = squares[slot]
        if atlas.side[slot] != side or origin >> 3 != squares[stepped] >> 3 or abs(origin - squares[stepped]) != 1:
            continue
        gone = squares[stepped]
        squares[slot] = passed
        squares[stepped] = passed  # under the man that took it, where it hides nothing
        occupied = occupied_by(squares, atlas.men[0])
        safe = not attacked(ground, squares, 1 - side, squares[side], occupied, stepped)
        squares[slot] = origin
        squares[stepped] = gone
        if safe:
            moves[count] = pack_move(slot, passed, stepped, -1)
            count += 1
    return count


@kernel
def worth_with_right(case, desk, squares, side, stepped):
    """What it is worth to `side` that it may capture in passing: problem, outcome and distance.

    Outcome 0: it may not. `desk.replies` is overwritten."""
    moves = desk.replies
    rights = _list_passant(case, squares, side, stepped, moves)
    zero = np.int64(0)
    if rights == 0:
        return _FINE, zero, zero
    quiet, count = list_moves(case.ground, squares, side, moves[rights:])
    level = 2 * (count + rights) + (0 if is_checked(case.ground, squares, side) else 1)
    record = np.int64(level - BASE)
    best = LOWEST
    for at in range(rights + count):
        move = moves[at]
        if rights <= at < rights + quiet:
            outcome, distance = _value_after(case, desk, squares, side, move, level)
        else:
            if at >= rights and may_give_right(case, squares, side, move):
                return _RIGHTS, zero, zero
            entry = entry_after(case, desk, squares, side, move)
            outcome, distance = outcome_in(entry), distance_in(entry)
            if case.whole_game and level_of(outcome) >= level:
                outcome, distance = -record, zero
        if outcome == 0:
            return _LOST, zero, zero
        best = max(best, rank(-outcome, distance + 1, record))
    outcome = outcome_of_key(best)
    return _FINE, outcome, zero if outcome == record else distance_of_key(best, record)


@kernel
def _value_after(case, desk, squares, side, move, level):
    """What a quiet move is worth to the other side, which holds the record of this level: outcome and distance."""
    tables = case.tables
    slot, zero = move_slot(move), np.int64(0)
    origin = squares[slot]
    own = level_after(case.ground, squares, side, move, desk.counted)
    squares[slot] = move_target(move)
    number = locate(case.ground.atlas, 0, squares, 1 - side)
    squares[slot] = origin
    if number < 0 or number >= tables.size[0]:
        return zero, zero
    part = part_of(tables, number)
    if tables.entries[part] == 0:
        return zero, zero
    node = number - tables.start[part]
    staircase = np.int64(fetch_i32(tables.staircases[part], node))
    if staircase < 0 or staircase >= len(case.first_step) - 1:
        return zero, zero
    return value_at(case, fetch_i32(tables.entries[part], node), staircase, own, MOVER_HOLDS, level)


# --- the trial ------------------------------------------------------------------------------------------------


@inlined
def _worth_of_reset(case, desk, side, move):
    """What a reset is worth to the other side: problem, outcome and distance."""
    squares = desk.squares
    if may_give_right(case, squares, side, move):
        slot = move_slot(move)
        origin = squares[slot]
        squares[slot] = move_target(move)
        problem, outcome, distance = worth_with_right(case, desk, squares, 1 - side, slot)
        squares[slot] = origin
        if problem or outcome:
            return problem, outcome, distance
    entry = entry_after(case, desk, squares, side, move)
    return (_FINE if entry else _LOST), outcome_in(entry), distance_in(entry)


@kernel
def _try_records(case, desk, node, side, level, quiet, count):
    """Compare what is stored with what the moves are worth, under each record that can stand."""
    squares, moves, best, own = desk.squares, desk.moves, desk.best, desk.own
    entry, staircase = _entry_of(case, node), _staircase_of(case, node)
    for at in range(level + 1):
        best[at] = LOWEST
        best[MOST_LEVELS + at] = LOWEST
        own[at] = LOWEST
        own[MOST_LEVELS + at] = LOWEST
    locate_after(case.ground.atlas, squares, side, moves, quiet, desk.numbers)
    first, size = case.tables.start[case.part], case.tables.start[case.part + 1] - case.tables.start[case.part]
    for at in range(quiet):
        there = desk.numbers[at] - first
        if there < 0 or there >= size:
            return _LOST
        if len(case.levels):
            own_there = np.int64(case.levels[there])
        else:
            own_there = level_after(case.ground, squares, side, moves[at], desk.replies)
        on = _staircase_of(case, there)
        if own_there == NO_POSITION or on < 0:
            return _LOST
        unfold(case, best, level, _entry_of(case, there), on, own_there, 1)
    for at in range(quiet, count):
        problem, outcome, distance = _worth_of_reset(case, desk, side, moves[at])
        if problem:
            return problem
        add_constant(best, LEAST_RECORD, level, -outcome, distance + 1)
    unfold(case, own, level, entry, staircase, level, 0)

    wrong = 0
    for at in range(level - 1):
        for holder in range(2):
            record = record_of(holder, LEAST_RECORD + at)
            place = holder * MOST_LEVELS + LEAST_RECORD + at
            if outcome_of_key(best[place]) == record:
                best[place] = rank(record, 0, record)
            wrong += best[place] != own[place]
    if wrong:
        for at in range(LEAST_RECORD, level + 1):
            for holder in range(2):
                record = record_of(holder, at)
                place = holder * MOST_LEVELS + at
                if best[place] != own[place]:
                    _charge(
                        desk, holder, at,
                        outcome_of_key(best[place]), distance_of_key(best[place], record),
                        outcome_of_key(own[place]), distance_of_key(own[place], record),
                    )  # fmt: skip
                    return _WORTH
    outcome, distance = value_at(case, entry, staircase, level, OPPONENT_HOLDS, level)
    if outcome != outcome_in(entry) or distance != distance_in(entry):
        _charge(desk, OPPONENT_HOLDS, level, outcome, distance, outcome_in(entry), distance_in(entry))
        return _FRESH
    end = case.first_step[staircase + 1]
    if end > case.first_step[staircase] and step_level(case.step[end - 1]) > min(level, level_of(outcome)):
        return _REACH
    return _FINE


@kernel
def _try_own_goal(case, desk, node, side, level, quiet, count):
    """The whole game: one record tells all. Nothing resets it, so whatever is no better leaves it standing."""
    squares, moves = desk.squares, desk.moves
    entry = _entry_of(case, node)
    record = np.int64(level - BASE)
    best = LOWEST
    locate_after(case.ground.atlas, squares, side, moves, quiet, desk.numbers)
    first, size = case.tables.start[case.part], case.tables.start[case.part + 1] - case.tables.start[case.part]
    for at in range(count):
        if at < quiet:
            there = desk.numbers[at] - first
            if there < 0 or there >= size:
                return _LOST
            after = _entry_of(case, there)
            problem, outcome, distance = (_FINE if after else _LOST), outcome_in(after), distance_in(after)
        else:
            problem, outcome, distance = _worth_of_reset(case, desk, side, moves[at])
        if problem:
            return problem
        if level_of(outcome) < level:
            best = max(best, rank(-outcome, distance + 1, record))
        else:
            best = max(best, rank(record, 0, record))
    outcome = outcome_of_key(best)
    distance = np.int64(0) if outcome == record else distance_of_key(best, record)
    if outcome != outcome_in(entry) or distance != distance_in(entry):
        _charge(desk, OPPONENT_HOLDS, level, outcome, distance, outcome_in(entry), distance_in(entry))
        return _WORTH
    return _FINE


@kernel
def _try(case, desk, node, used):
    """Whether this node is a legal position, and the problem with it, 0 if there is none."""
    _charge(desk, 0, 0, 0, 0, 0, 0)
    entry, staircase = _entry_of(case, node), _staircase_of(case, node)
    side = take_place(case.ground, node, desk.squares)
    if staircase < 0:
        return side >= 0, _NO_STAIRCASE
    used[staircase] = 1
    if side < 0:
        return False, (_FILLED if entry or staircase else _FINE)
    level, quiet, count = own_level(case.ground, desk.squares, side, desk.moves)
    if level >= NO_POSITION:
        return True, _HIGH
    if level < LEAST_RECORD:
        if staircase or outcome_in(entry) != level - BASE or distance_in(entry):
            _charge(desk, OPPONENT_HOLDS, level, level - BASE, 0, outcome_in(entry), distance_in(entry))
            return True, _ENDED
        return True, _FINE
    if not case.whole_game:
        return True, _try_records(case, desk, node, side, level, quiet, count)
    return True, (_REACH if staircase else _try_own_goal(case, desk, node, side, level, quiet, count))


@kernel
def try_nodes(case, desk, nodes, used, found):
    """Try these nodes of the slice. Returns how many are legal positions and how many are wrong; the first
    wrong ones go into the rows of `found`. `used[staircase]` becomes 1 where a node has it."""
    legal = 0
    wrong = 0
    for at in range(len(nodes)):
        is_legal, problem = _try(case, desk, nodes[at], used)
        legal += is_legal
        if problem:
            if wrong < len(found):
                desk.finding[0] = case.tables.start[case.part] + nodes[at]
                desk.finding[1] = problem
                for column in range(FIELDS):
                    found[wrong, column] = desk.finding[column]
            wrong += 1
    return legal, wrong
