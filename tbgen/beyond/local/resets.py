"""Where captures and promotions lead to from a slice: to which men of White's and Black's, with pawns on which squares.

Pieces may stand anywhere, so all that can happen with these pawns is listed.
"""

from collections.abc import Iterator
from functools import cache
from itertools import product
from typing import NamedTuple

from tbgen.beyond.local.walks import Pawns
from tbgen.core.material import PROMOTIONS, Material, in_order


class Reset(NamedTuple):
    """A capture or a promotion, and what it makes of the men."""

    side: int
    """Who moves: 0 for White, 1 for Black."""
    material: Material
    """White's men, and Black's."""
    pawns: Pawns
    movers: str
    """The men that may have moved and can be retaken: all but the king."""
    target: int | None
    """The square to which it moves; None: any."""
    promotion: str = ""
    """What a pawn becomes."""


def resets(pawns: Pawns, material: Material) -> Iterator[Reset]:
    """The captures and promotions that are possible in a slice."""
    for side in (0, 1):
        movers, others = _pieces(material, side), _pieces(material, 1 - side)
        for piece in others:  # a piece takes a piece
            yield Reset(side, _changed(material, 1 - side, piece), pawns, movers, None)
        for taken in pawns[1 - side]:  # a piece, or a pawn that gets there, takes a pawn
            after = _moved(pawns, 1 - side, taken, None)
            yield Reset(side, _changed(material, 1 - side, "P"), after, movers, taken)
        yield from _by_pawns(pawns, material, side)


def _by_pawns(pawns: Pawns, material: Material, side: int) -> Iterator[Reset]:
    """What a side's pawns take, and what they promote to."""
    up = -8 if side else 8
    for square, shift in product(pawns[side], (-1, 0, 1)):
        target = square + up + shift
        if not 0 <= square % 8 + shift < 8 or target in pawns[side]:
            continue
        last = not 8 <= target < 56
        for taken, at in _takes(pawns, material, side, target, shift):
            after = _moved(pawns, side, square, None if last else target)
            if at is not None:
                after = _moved(after, 1 - side, at, None)
            left = _changed(material, 1 - side, taken) if taken else material
            for promotion in PROMOTIONS if last else ("",):
                men = _changed(left, side, "P", promotion) if promotion else left
                yield Reset(side, men, after, promotion or "P", target, promotion)


def _takes(pawns: Pawns, material: Material, side: int, target: int, shift: int) -> Iterator[tuple[str, int | None]]:
    """What a pawn may take that moves to a square, and where from if that is a pawn. Nothing is taken straight ahead,
    where a move counts only on the last rank."""
    up = -8 if side else 8
    if shift == 0:
        if not 8 <= target < 56:
            yield "", None
    elif target in pawns[1 - side]:
        yield "P", target
    else:
        yield from ((piece, None) for piece in _pieces(material, 1 - side))
        passed = target // 8 == (2 if side else 5) and target - up in pawns[1 - side]
        if passed and target + up not in pawns[0] + pawns[1]:  # with a double step
            yield "P", target - up


def after_retaking(reset: Reset) -> Iterator[tuple[Material, Pawns]]:
    """What is there when the man that moved has been taken, without a promotion."""
    side, up = reset.side, 8 if reset.side else -8
    for mover in reset.movers:
        men = _changed(reset.material, side, mover)
        pawns = _moved(reset.pawns, side, reset.target, None) if mover == "P" else reset.pawns
        yield men, pawns
        for square, shift in product(pawns[1 - side], (-1, 1)):  # by a pawn
            target = square + up + shift
            fits = 0 <= square % 8 + shift < 8 and 8 <= target < 56 and target not in pawns[0] + pawns[1]
            if fits and reset.target in (None, target):
                yield men, _moved(pawns, 1 - side, square, target)


@cache
def _pieces(material: Material, side: int) -> str:
    """The kinds of a side's pieces."""
    men = (material.first, material.second)[side]
    return "".join(letter for letter in PROMOTIONS if letter in men)


@cache
def _changed(material: Material, side: int, man: str, new: str = "") -> Material:
    """A side's man has become another one, or is gone."""
    sides = [material.first, material.second]
    sides[side] = in_order(sides[side].replace(man, new, 1))
    return Material(sides[0], sides[1])


def _moved(pawns: Pawns, side: int, square: int | None, target: int | None) -> Pawns:
    """A side's pawn has moved, or is gone."""
    moved = {*pawns[side]} - {square} | (set() if target is None else {target})
    after = tuple(sorted(moved))
    return (after, pawns[1]) if side == 0 else (pawns[0], after)
