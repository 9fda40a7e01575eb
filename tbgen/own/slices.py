"""The placements of pawns that can come up from one position, material by material.

A position is looked at in a frame in which White is the first side of its material; resets lead to other materials,
whose frames may have the colours swapped. So a part of the whole is a material and whether its first side is Black.
"""

from collections.abc import Iterator, Set
from functools import cache, lru_cache
from itertools import product
from typing import NamedTuple

import chess

from tbgen.errors import UnsupportedPosition
from tbgen.index.atlas import MEN
from tbgen.index.groups import MOST_ALIKE
from tbgen.index.layout import Layout
from tbgen.index.pawns import SLICE_SHIFT
from tbgen.material import PROMOTIONS, Material
from tbgen.own.walks import Placement
from tbgen.probe.own import material_of, number_in_slice
from tbgen.store.format.own import numbers_per_slice as slice_numbers


class PartName(NamedTuple):
    """The slices of a material, with the side that it names first."""

    material: Material
    swapped: bool
    """Whether that is Black."""


def name_of(board: chess.Board) -> PartName:
    """The part that a position's own placements belong to; UnsupportedPosition if there can be none."""
    material = material_of(board)
    if not can_be_solved(material):
        raise UnsupportedPosition(
            f"{material}: a position's own table has pawns, up to {MEN} men, and up to {MOST_ALIKE} like pieces a side"
        )
    return names_of(board)[0]


def names_of(board: chess.Board) -> list[PartName]:
    """The parts that may have a position: where both sides have the same men, either may be the first."""
    material = material_of(board)
    frames = (False, True) if material.even else (not material.is_normal,)
    return [PartName(material.normal, swapped) for swapped in frames]


@cache
def can_be_solved(material: Material) -> bool:
    """Whether there can be own tables of it."""
    alike = max(side.count(piece) for side in (material.first, material.second) for piece in PROMOTIONS)
    return material.pawns > 0 and material.men <= MEN and alike <= MOST_ALIKE


def in_frame(board: chess.Board, name: PartName) -> chess.Board:
    """The position with White as the first side."""
    return board.mirror() if name.swapped else board


def placement_of(board: chess.Board) -> Placement:
    """Of a position in its frame."""
    white, black = (tuple(sorted(board.pieces(chess.PAWN, color))) for color in (chess.WHITE, chess.BLACK))
    return white, black


class Reset(NamedTuple):
    """A capture or promotion, in the frame of the part that it leaves: what it makes of the men."""

    side: int
    """Who moves."""
    ours: str
    theirs: str
    pawns: Placement
    movers: str
    """The men that may have moved, the king left out."""
    target: int | None
    """Where to; None: anywhere."""


def resets(pawns: Placement, material: Material) -> Iterator[Reset]:
    """The captures and promotions that are possible in a slice. Pieces may be anywhere."""
    for side in (0, 1):
        ours, theirs = (material.first, material.second)[:: -1 if side else 1]
        movers = "".join(sorted(set(ours.replace("P", ""))))
        for piece in sorted(set(theirs.replace("P", ""))):  # a piece takes a piece
            yield Reset(side, ours, theirs.replace(piece, "", 1), pawns, movers, None)
        for taken in pawns[1 - side]:  # a piece, or a pawn that gets there, takes a pawn
            yield Reset(side, ours, theirs.replace("P", "", 1), _with(pawns, 1 - side, taken, None), movers, taken)
        yield from _pawn_resets(pawns, side, ours, theirs)


def _pawn_resets(pawns: Placement, side: int, ours: str, theirs: str) -> Iterator[Reset]:
    """What a side's pawns take, and what they promote to."""
    pieces = sorted(set(theirs.replace("P", "")))
    up = -8 if side else 8
    for square in pawns[side]:
        for shift in (-1, 0, 1):
            target = square + up + shift
            if not 0 <= square % 8 + shift < 8 or target in pawns[side]:
                continue
            last = not 8 <= target < 56
            if shift == 0:
                taken = [""] if last else []
            elif target in pawns[1 - side]:
                taken = ["P"]
            else:
                taken = [*pieces, *(["p"] if _may_have_passed(pawns, side, target) else [])]
            for letter, promotion in product(taken, PROMOTIONS if last else ("P",)):
                after = _with(pawns, side, square, None if last else target)
                if letter in ("P", "p"):
                    after = _with(after, 1 - side, target if letter == "P" else target - up, None)
                men = ours.replace("P", promotion, 1) if last else ours
                yield Reset(side, men, theirs.replace(letter.upper(), "", 1), after, promotion, target)


def _may_have_passed(pawns: Placement, side: int, target: int) -> bool:
    """Whether a pawn of the other side may have passed this square with a double step."""
    rank, up = (2, -8) if side else (5, 8)
    return target // 8 == rank and target - up in pawns[1 - side] and target + up not in pawns[0] + pawns[1]


def part_after(name: PartName, reset: Reset) -> tuple[PartName, Placement]:
    """The part that a reset leads to, with the placement."""
    return _part(name, reset.side, reset.ours, reset.theirs, reset.pawns)


def parts_after_retaking(name: PartName, reset: Reset) -> Iterator[tuple[PartName, Placement]]:
    """The same after the man that moved has been taken, without a promotion."""
    side = reset.side
    for mover in reset.movers:
        ours = reset.ours.replace(mover, "", 1)
        pawns = _with(reset.pawns, side, reset.target, None) if mover == "P" else reset.pawns
        yield _part(name, side, ours, reset.theirs, pawns)
        for square, shift in product(pawns[1 - side], (-1, 1)):  # by a pawn
            target = square + (8 if side else -8) + shift
            fits = 0 <= square % 8 + shift < 8 and 8 <= target < 56 and target not in (*pawns[0], *pawns[1])
            if fits and reset.target in (None, target):
                yield _part(name, side, ours, reset.theirs, _with(pawns, 1 - side, square, target))


def _with(pawns: Placement, side: int, square: int | None, target: int | None) -> Placement:
    """A pawn moved, or gone."""
    moved = {*pawns[side]} - {square} | (set() if target is None else {target})
    after = tuple(sorted(moved))
    return (after, pawns[1]) if side == 0 else (pawns[0], after)


def _part(name: PartName, side: int, ours: str, theirs: str, pawns: Placement) -> tuple[PartName, Placement]:
    first, second = (theirs, ours) if side else (ours, theirs)
    part = _named(first, second, name.swapped)
    if part.swapped == name.swapped:
        return part, pawns
    white, black = pawns
    return part, (_mirrored(black), _mirrored(white))


@cache
def _named(first: str, second: str, swapped: bool) -> PartName:
    """The part with these men, given the side that has the first ones."""
    material = Material(*("".join(sorted(letters, key="QRBNP".index)) for letters in (first, second)))
    return PartName(material.normal, swapped if material.is_normal else not swapped)


@lru_cache(1 << 16)
def _mirrored(squares: tuple[int, ...]) -> tuple[int, ...]:
    return tuple(sorted(square ^ 56 for square in squares))


@cache
def numbers_per_slice(material: Material) -> int:
    """Both sides to move."""
    return slice_numbers(Layout(material))


def layout_for(material: Material, placements: Set[Placement]) -> Layout:
    """The layout of some placements of pawns."""
    return Layout(material, tuple(sorted(white + black for white, black in placements)))


def number_of(board: chess.Board, layout: Layout) -> int | None:
    """The number of a position in its frame; None if the layout has no such placement of pawns."""
    white, black = placement_of(board)
    found = layout.placements.find(white + black)
    if found < 0:
        return None
    return int(layout.start[found >> SLICE_SHIFT]) + number_in_slice(board, layout)
