"""The levels of many positions at once: moves counted with sets of squares, column by column.

The count is that of position.py, for positions without rights to castle or to capture en passant.
"""

from functools import cache

import numpy as np
from numpy.typing import NDArray

from tbgen.board.geometry import GEOMETRY, KINDS, KING, PAWN_DOWN, PAWN_UP
from tbgen.probe.vector import BIT, Bools, Ints, PositionColumns, Sets, screen

_LAST_RANKS = np.uint64(0xFF000000000000FF)
_THIRD = {PAWN_UP: np.uint64(0xFF << 16), PAWN_DOWN: np.uint64(0xFF << 40)}
_EIGHT = np.uint64(8)


@cache
def _behind() -> Sets:
    """`[a * 64 + b]`: the squares that a man on b hides from a rider on a."""
    seen = (GEOMETRY.between.reshape(64, 64, 1) >> np.arange(64, dtype=np.uint64)) & np.uint64(1)  # [a, c, b]
    found: Sets = (seen * BIT[None, :, None]).sum(axis=1, dtype=np.uint64).reshape(-1)
    return found


def attacks(kind: int, own: Ints, others: list[Ints]) -> Sets:
    """`[row]`: what a man attacks, the other men being in the way."""
    found: Sets = GEOMETRY.attacks[kind][own]
    if KINDS[kind][1]:
        for other in others:
            found = found & ~_behind()[own * 64 + other]
    return found


def _union(sets: list[Sets], rows: int) -> Sets:
    found = np.zeros(rows, np.uint64)
    for one in sets:
        found |= one
    return found


def levels(men: PositionColumns) -> NDArray[np.int64]:
    """The level of each sound row."""
    found = np.empty(len(men.second_moves), np.int64)
    for side in (0, 1):
        rows = np.flatnonzero(men.second_moves == bool(side))
        found[rows] = _of_side(men, [squares[rows] for squares in men.squares], side)
    return found


def _of_side(men: PositionColumns, squares: list[Ints], mover: int) -> Ints:
    slots = range(len(squares))
    sides = [side for side, _ in men.layout.letters]
    kinds = men.layout.kinds
    bits = [BIT[column] for column in squares]
    rows = len(squares[0])
    theirs = [slot for slot in slots if sides[slot] != mover]
    their_men = _union([bits[slot] for slot in theirs], rows)
    our_men = _union([bits[slot] for slot in slots if sides[slot] == mover], rows)
    occupied = our_men | their_men
    king = squares[mover]

    danger = np.zeros(rows, np.uint64)  # the king does not shield what is behind it
    target = ~our_men
    in_check: Bools = np.zeros(rows, np.bool_)
    pins = []
    for slot in theirs:
        others = [squares[other] for other in slots if other not in (slot, mover)]
        danger |= attacks(kinds[slot], squares[slot], others)
        if kinds[slot] == KING:
            continue
        pair = squares[slot] * 64 + king
        in_the_way = screen(kinds[slot])[pair] & occupied
        answer = GEOMETRY.between[pair] | bits[slot]
        checks = in_the_way == 0
        target = np.where(checks, target & answer, target)
        in_check |= checks
        if KINDS[kinds[slot]][1]:
            pins.append((in_the_way, answer))

    count = np.bitwise_count(GEOMETRY.attacks[KING][king] & ~our_men & ~danger).astype(np.int64)
    for slot in slots:
        if sides[slot] != mover or slot == mover:
            continue
        allowed = target
        for in_the_way, answer in pins:
            allowed = np.where(in_the_way == bits[slot], allowed & answer, allowed)
        if kinds[slot] in _THIRD:
            count += _pawn_moves(kinds[slot], squares[slot], bits[slot], occupied, their_men, allowed)
        else:
            others = [squares[other] for other in slots if other != slot]
            count += np.bitwise_count(attacks(kinds[slot], squares[slot], others) & allowed)
    found: Ints = 2 * count + ~in_check
    return found


def _pawn_moves(kind: int, own: Ints, bit: Sets, occupied: Sets, their_men: Sets, allowed: Sets) -> Ints:
    def up(sets: Sets) -> Sets:
        return sets << _EIGHT if kind == PAWN_UP else sets >> _EIGHT

    pushed = up(bit) & ~occupied
    doubled = up(pushed & _THIRD[kind]) & ~occupied
    moves = (pushed | doubled | (GEOMETRY.attacks[kind][own] & their_men)) & allowed
    count: Ints = np.bitwise_count(moves) + 3 * np.bitwise_count(moves & _LAST_RANKS).astype(np.int64)
    return count
