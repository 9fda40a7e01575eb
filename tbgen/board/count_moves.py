"""How many legal moves positions have, by sets of squares: the first look at every position needs no list of the quiet
ones. `list_moves` (moves.py) finds the same moves one by one.

Positions come in runs, which differ in the square of one man. What the others attack without him is worked out once for
a run; in each position he hides from them what lies behind him.
"""

from typing import Final, NamedTuple

import numpy as np
from numpy.typing import NDArray

from tbgen.board.attacks import BEHIND, BETWEEN, bit, pair_of, reach
from tbgen.board.geometry import KING
from tbgen.board.moves import NOBODY, add_pawn_move, forward, is_pawn, man_on, pack_move
from tbgen.intrinsics import bits_set, lowest_bit
from tbgen.jit import inlined, kernel

_ALL: Final = np.uint64(0xFFFFFFFFFFFFFFFF)


class Run(NamedTuple):
    """What is the same in all positions of a run, per slot."""

    attacks: NDArray[np.uint64]
    """What a man attacks without the one that varies. The king whose side has the move is in no enemy's way."""
    between: NDArray[np.uint64]
    """Of an enemy that would attack this king on an empty board: the squares between them."""
    now: NDArray[np.uint64]
    """What a man attacks in the position at hand."""


def make_run(men: int) -> Run:
    return Run(*np.zeros((3, men), np.uint64))


@inlined
def _to_king(board, kind, square, king):
    """The squares between a man and a king that it would attack on an empty board; none if it would not."""
    aligned = board.lines[kind * 64 + square] & bit(king) != 0
    return board.lines[BETWEEN + pair_of(kind, square, king)] if aligned else np.uint64(0)


@kernel
def begin_run(board, run, squares, side, varies, others):
    """Fill in a run. `varies` is the slot of the man that varies, -1 if there is none, and `others` are the squares of
    the others."""
    atlas = board.atlas
    king = squares[side]
    for slot in range(atlas.men[0]):
        if slot == varies:
            continue
        kind, square = atlas.kind[slot], squares[slot]
        if atlas.side[slot] == side:
            run.attacks[slot] = reach(board, kind, square, others)
        else:
            run.attacks[slot] = reach(board, kind, square, others ^ bit(king))
            run.between[slot] = _to_king(board, kind, square, king)


@inlined
def _look(board, run, squares, side, varies, occupied):
    """Note what each man attacks now. Returns whether the side to move could take the other king."""
    atlas = board.atlas
    enemy_king = bit(squares[1 - side])
    lifted = occupied ^ bit(squares[side])
    takes_king = False
    for slot in range(atlas.men[0]):
        kind, square, ours = atlas.kind[slot], squares[slot], atlas.side[slot] == side
        if slot == varies:
            attacks = reach(board, kind, square, occupied if ours else lifted)
            run.between[slot] = _to_king(board, kind, square, squares[side])
        else:
            in_the_way = squares[varies] if varies >= 0 else square
            attacks = run.attacks[slot] & ~board.lines[BEHIND + pair_of(kind, square, in_the_way)]
        run.now[slot] = attacks
        takes_king |= ours and attacks & enemy_king != 0
    return takes_king


@inlined
def _threats(board, run, squares, side, occupied):
    """What the enemy attacks once the king has left its square; where moves of other men must end: anywhere, between
    the king and the man that gives check, or nowhere; and the squares that alone stand between the king and an enemy
    rider."""
    atlas = board.atlas
    king = squares[side]
    danger = pins = np.uint64(0)
    answer = _ALL
    for slot in range(atlas.men[0]):
        if atlas.side[slot] == side:
            continue
        attacks = run.now[slot]
        danger |= attacks
        if attacks & bit(king):
            answer &= bit(squares[slot]) | run.between[slot]
        blockers = run.between[slot] & occupied
        if blockers & (blockers - np.uint64(1)) == 0:
            pins |= blockers
    return danger, answer, pins


@inlined
def _along_pins(board, run, squares, side, square, occupied):
    """Where a man may go that alone stands between its king and enemy riders: towards each of them."""
    atlas = board.atlas
    allowed = _ALL
    for slot in range(atlas.men[0]):
        if atlas.side[slot] != side and run.between[slot] & occupied == bit(square):
            allowed &= run.between[slot] | bit(squares[slot])
    return allowed


@inlined
def _list_captures(board, squares, slot, targets, resets, count):
    while targets:
        target = lowest_bit(targets)
        targets &= targets - np.uint64(1)
        taken = man_on(squares, board.atlas.men[0], target)
        if is_pawn(board.atlas.kind[slot]):
            count = add_pawn_move(board, resets, count, slot, target, taken)
        else:
            resets[count] = pack_move(slot, target, taken, -1)
            count += 1
    return count


@inlined
def _list_steps(board, squares, slot, occupied, allowed, resets, count):
    """A pawn's steps straight ahead."""
    kind, target = board.atlas.kind[slot], squares[slot]
    for _ in range(2 if target // 8 == (1 if forward(kind) > 0 else 6) else 1):
        target += forward(kind)
        if occupied & bit(target):
            break
        if allowed & bit(target):
            count = add_pawn_move(board, resets, count, slot, target, NOBODY)
    return count


@inlined
def count_moves(board, run, squares, side, varies, occupied, resets):
    """Put the legal captures and pawn moves of a position of the run into `resets`. Returns the number of all others,
    that of these, and whether the side to move is in check; -1 first if it could take the other king."""
    if _look(board, run, squares, side, varies, occupied):
        return -1, 0, False
    atlas = board.atlas
    enemies = np.uint64(0)
    for slot in range(atlas.men[0]):
        if atlas.side[slot] != side:
            enemies |= bit(squares[slot])
    king = squares[side]
    danger, answer, pins = _threats(board, run, squares, side, occupied)
    flights = board.lines[KING * 64 + king] & ~danger
    quiet = bits_set(flights & ~occupied)
    count = _list_captures(board, squares, side, flights & enemies, resets, 0)
    for slot in range(2, atlas.men[0]):
        if atlas.side[slot] != side:
            continue
        kind, square = atlas.kind[slot], squares[slot]
        allowed = answer
        if pins & bit(square):
            allowed &= _along_pins(board, run, squares, side, square, occupied)
        targets = run.now[slot] & allowed
        count = _list_captures(board, squares, slot, targets & enemies, resets, count)
        if is_pawn(kind):
            count = _list_steps(board, squares, slot, occupied, allowed, resets, count)
        else:
            quiet += bits_set(targets & ~occupied)
    return quiet, count, danger & bit(king) != 0
