"""Double steps after which an en passant capture is legal.

The right to capture makes another position of the same placement, with more legal moves and another level. It arises
from a reset only, and no cycle leads through it. So it is worth what its best move is worth, one ply deep, under the
record that its own goal sets.
"""

from typing import NamedTuple

import numpy as np
from numpy.typing import NDArray

from tbgen.board.attacks import attacked
from tbgen.board.geometry import PAWN_DOWN
from tbgen.board.moves import is_checked, is_pawn, list_moves, move_slot, move_target, occupied_by, pack_move
from tbgen.compiler.intrinsics import fetch_i32
from tbgen.compiler.jit import inlined, kernel
from tbgen.core.outcome import BASE
from tbgen.core.table_contents import MOVER_HOLDS
from tbgen.index.kernels import locate
from tbgen.retro.survey.resets import follow, payoff_after
from tbgen.retro.values.keys import level_of, outcome_of, patience
from tbgen.retro.values.payoff import Payoff, best_of
from tbgen.retro.values.staircase import value_under_record


class Finished(NamedTuple):
    """The slices of this table that are solved already."""

    staircases: NDArray[np.int32]
    links: NamedTuple
    whole_game: int
    """1 under rules in which no move resets the record."""


@inlined
def gives_right(graph, squares, side, move):
    """Whether a double step ends beside an enemy pawn. Cheap; the capture may still be illegal."""
    atlas = graph.atlas
    slot = move_slot(move)
    target = move_target(move)
    if not is_pawn(atlas.kind[slot]) or abs(target - squares[slot]) != 16:
        return False
    for other in range(atlas.first_pawn[0], atlas.men[0]):
        if atlas.side[other] != side and squares[other] // 8 == target // 8 and abs(squares[other] - target) == 1:
            return True
    return False


@kernel
def _passant_captures(graph, squares, side, stepped, moves):
    """All legal captures by `side` of the pawn in slot `stepped`, which has just made a double step."""
    atlas = graph.atlas
    occupied = occupied_by(squares, atlas.men[0])
    behind = squares[stepped] + (8 if atlas.kind[stepped] == PAWN_DOWN else -8)
    gone = np.uint64(1) << np.uint64(squares[stepped])
    arrived = np.uint64(1) << np.uint64(behind)
    count = 0
    for slot in range(atlas.first_pawn[0], atlas.men[0]):
        if atlas.side[slot] != side or squares[slot] // 8 != squares[stepped] // 8:
            continue
        if abs(squares[slot] - squares[stepped]) != 1:
            continue
        after = (occupied ^ gone ^ (np.uint64(1) << np.uint64(squares[slot]))) | arrived
        if not attacked(graph, squares, 1 - side, squares[side], after, stepped):
            moves[count] = pack_move(slot, behind, stepped, -1)
            count += 1
    return count


@kernel
def value_with_right(graph, routes, finished, squares, side, stepped, moves, there):
    """The value of a position in which `side` may capture the pawn in slot `stepped` en passant: outcome and distance;
    (0, 0) if no such capture is legal."""
    rights = _passant_captures(graph, squares, side, stepped, moves)
    if rights == 0:
        return np.int64(0), np.int64(0)
    best = Payoff(0, 0, 0)
    for at in range(rights):
        best_one = payoff_after(graph, routes, squares, side, moves[at], there)
        best = best_of(best, best_one.outcome, best_one.shortest, best_one.longest)
    quiet, count = list_moves(graph, squares, side, moves)
    level = 2 * (count + rights) + (0 if is_checked(graph, squares, side) else 1)
    later = moves[count:]
    for at in range(count):
        move = moves[at]
        if at < quiet:
            outcome, distance = _under_record(graph, routes, finished, squares, side, move, level, later, there)
            best = best_of(best, -outcome, distance + 1, distance + 1)
            continue
        outcome = distance = np.int64(0)
        if gives_right(graph, squares, side, move):  # two pawns per side: local tables, whose rules are r
            slot = move_slot(move)
            origin = squares[slot]
            squares[slot] = move_target(move)
            outcome, distance = value_with_right(graph, routes, finished, squares, 1 - side, slot, later, there)
            squares[slot] = origin
        if outcome:
            best = best_of(best, -outcome, distance + 1, distance + 1)
            continue
        one = payoff_after(graph, routes, squares, side, move, there)
        best = best_of(best, one.outcome, one.shortest, one.longest)
    own_goal = np.int64(level - BASE)
    if finished.whole_game and level_of(best.outcome) >= level:
        return own_goal, np.int64(0)
    if best.outcome == own_goal:
        return own_goal, np.int64(0)
    return best.outcome, best.shortest if best.outcome > own_goal else best.longest


@kernel
def _under_record(graph, routes, finished, squares, side, move, level, moves, there):
    """The value of the position after a quiet move, whose side to move holds a record of this level."""
    table, mover = follow(graph, routes, squares, side, move, there)
    number = locate(graph.atlas, table, there, mover)
    entry = fetch_i32(routes.address[table], number)
    slot = move_slot(move)
    origin = squares[slot]
    squares[slot] = move_target(move)
    _, count = list_moves(graph, squares, 1 - side, moves)
    own_level = 2 * count + (0 if is_checked(graph, squares, 1 - side) else 1)
    squares[slot] = origin
    outcome, distance = outcome_of(entry), patience(entry)
    if finished.whole_game:
        if level_of(outcome) < level:
            return outcome, distance
        return np.int64(BASE - level), np.int64(0)
    link = np.int64(finished.staircases[number])
    return value_under_record(finished.links, link, outcome, distance, own_level, MOVER_HOLDS, level)
