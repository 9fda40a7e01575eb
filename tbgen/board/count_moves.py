"""How many legal moves a position has, by sets of squares: the first look at every position needs no list of the
quiet ones. `list_moves` (moves.py) finds the same moves one by one.
"""

from typing import Final

import numpy as np

from tbgen.board.attacks import BEHIND, BETWEEN, pinned, reach
from tbgen.board.geometry import KING
from tbgen.board.moves import NOBODY, add_pawn_move, forward, is_pawn, man_on, pack_move
from tbgen.intrinsics import bits_set, lowest_bit
from tbgen.jit import inlined, kernel

_ALL: Final = np.uint64(0xFFFFFFFFFFFFFFFF)


@inlined
def _bit(square):
    return np.uint64(1) << np.uint64(square)


@inlined
def _threats(board, squares, enemy, king, occupied):
    """What the enemy attacks once the king has left its square, and where moves of other men must end: anywhere,
    between the king and the man that gives check, or nowhere."""
    atlas = board.atlas
    lifted = occupied ^ _bit(king)
    danger = np.uint64(0)
    answer = _ALL
    for slot in range(atlas.men[0]):
        if atlas.side[slot] == enemy:
            square = squares[slot]
            attacks = reach(board, atlas.kind[slot], square, lifted)
            danger |= attacks
            if attacks & _bit(king):
                answer &= _bit(square) | board.lines[BETWEEN + square * 64 + king]
    return danger, answer


@inlined
def _list_captures(board, squares, slot, targets, resets, count):
    while targets:
        target = lowest_bit(targets)
        targets &= targets - np.uint64(1)
        taken = man_on(squares, board.atlas.men[0], target)
        if is_pawn(board.atlas.kind[slot]):
            count = add_pawn_move(resets, count, slot, target, taken)
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
        if occupied & _bit(target):
            break
        if allowed & _bit(target):
            count = add_pawn_move(resets, count, slot, target, NOBODY)
    return count


@kernel
def count_moves(board, squares, side, occupied, resets):
    """Put the legal captures and pawn moves into `resets`. Returns the number of all others, that of these, and
    whether the side to move is in check."""
    atlas = board.atlas
    enemies = np.uint64(0)
    for slot in range(atlas.men[0]):
        if atlas.side[slot] != side:
            enemies |= _bit(squares[slot])
    king = squares[side]
    danger, answer = _threats(board, squares, 1 - side, king, occupied)
    flights = board.lines[KING * 64 + king] & ~danger
    quiet = bits_set(flights & ~occupied)
    count = _list_captures(board, squares, side, flights & enemies, resets, 0)
    pins = pinned(board, squares, side, occupied)
    for slot in range(2, atlas.men[0]):
        if atlas.side[slot] != side:
            continue
        kind, square = atlas.kind[slot], squares[slot]
        allowed = answer
        if pins & _bit(square):
            ray = king * 64 + square
            allowed &= board.lines[BETWEEN + ray] | board.lines[BEHIND + ray]
        targets = reach(board, kind, square, occupied) & allowed
        count = _list_captures(board, squares, slot, targets & enemies, resets, count)
        if is_pawn(kind):
            count = _list_steps(board, squares, slot, occupied, allowed, resets, count)
        else:
            quiet += bits_set(targets & ~occupied)
    return quiet, count, danger & _bit(king) != 0
