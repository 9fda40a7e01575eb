"""The placements of pawns that can come up from one position, material by material.

A position is looked at in a frame in which White is the first side of its material; resets lead to other materials,
whose frames may have the colours swapped. So a part of the whole is a material and whether its first side is Black.
"""

from collections.abc import Iterator
from itertools import product
from typing import NamedTuple

import chess

from tbgen.errors import UnsupportedPosition
from tbgen.index.atlas import MEN
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
    """The part that a position belongs to."""
    material = material_of(board)
    if not material.pawns or material.men > MEN:
        raise UnsupportedPosition(f"{material}: a position's own table has pawns, and up to {MEN} men")
    return PartName(material.normal, not material.is_normal)


def in_frame(board: chess.Board, name: PartName) -> chess.Board:
    """The position with White as the first side."""
    return board.mirror() if name.swapped else board


def placement_of(board: chess.Board) -> Placement:
    """Of a position in its frame."""
    white, black = (tuple(sorted(board.pieces(chess.PAWN, color))) for color in (chess.WHITE, chess.BLACK))
    return white, black


def resets(name: PartName, pawns: Placement) -> Iterator[tuple[PartName, Placement]]:
    """The parts that captures and promotions lead to, each with a placement. Pieces may be anywhere."""
    material = name.material
    for side in (0, 1):
        ours, theirs = (material.first, material.second)[:: -1 if side else 1]
        pieces = sorted(set(theirs.replace("P", "")))
        for piece in pieces:  # a piece takes a piece
            yield _part(name, side, ours, theirs.replace(piece, "", 1), pawns)
        for taken in pawns[1 - side]:  # a piece, or a pawn that gets there, takes a pawn
            yield _part(name, side, ours, theirs.replace("P", "", 1), _with(pawns, 1 - side, taken, None))
        yield from _pawn_resets(name, pawns, side, ours, theirs)


def _pawn_resets(
    name: PartName, pawns: Placement, side: int, ours: str, theirs: str
) -> Iterator[tuple[PartName, Placement]]:
    """What a side's pawns take, and what they promote to."""
    pieces = sorted(set(theirs.replace("P", "")))
    up = -8 if side else 8
    for square in pawns[side]:
        for shift in (-1, 0, 1):
            target = square + up + shift
            if not 0 <= square % 8 + shift < 8 or target in pawns[side]:
                continue
            last = not 8 <= target < 56
            taken = [""] if shift == 0 else [*pieces, *(["P"] if target in pawns[1 - side] else [])]
            if shift and target not in pawns[1 - side] and target - up in pawns[1 - side]:
                taken.append("p")  # en passant
            if shift == 0 and (target in pawns[1 - side] or not last):
                continue
            for letter, promotion in product(taken, PROMOTIONS if last else ("P",)):
                after = _with(pawns, side, square, None if last else target)
                if letter in ("P", "p"):
                    after = _with(after, 1 - side, target if letter == "P" else target - up, None)
                men = ours.replace("P", promotion, 1) if last else ours
                yield _part(name, side, men, theirs.replace(letter.upper(), "", 1) if letter else theirs, after)


def _with(pawns: Placement, side: int, square: int, target: int | None) -> Placement:
    """A pawn moved, or gone."""
    moved = {*pawns[side]} - {square} | (set() if target is None else {target})
    after = tuple(sorted(moved))
    return (after, pawns[1]) if side == 0 else (pawns[0], after)


def _part(name: PartName, side: int, ours: str, theirs: str, pawns: Placement) -> tuple[PartName, Placement]:
    first, second = (theirs, ours) if side else (ours, theirs)
    material = Material(*("".join(sorted(letters, key="QRBNP".index)) for letters in (first, second)))
    if material.is_normal:
        return PartName(material, name.swapped), pawns
    white, black = (tuple(sorted(square ^ 56 for square in one)) for one in pawns)
    return PartName(material.normal, not name.swapped), (black, white)


def numbers_per_slice(material: Material) -> int:
    """Both sides to move."""
    return slice_numbers(Layout(material))


def layout_for(material: Material, placements: set[Placement]) -> Layout:
    """The layout of some placements of pawns."""
    return Layout(material, tuple(sorted(white + black for white, black in placements)))


def number_of(board: chess.Board, layout: Layout) -> int | None:
    """The number of a position in its frame; None if the layout has no such placement of pawns."""
    white, black = placement_of(board)
    found = layout.placements.find(white + black)
    if found < 0:
        return None
    return int(layout.start[found >> SLICE_SHIFT]) + number_in_slice(board, layout)
