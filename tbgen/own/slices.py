"""The placements of pawns that can come up from one position, material by material.

Positions of a material are looked at in its frame, in which White is the first side, and mirrored where their pawns
come first that way (`walks.order`): what differs by symmetry is one. Resets lead to other materials, in whose frames
colours may be swapped.
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
from tbgen.index.pawns import SLICE_SHIFT, SYMMETRY_MASK
from tbgen.material import PROMOTIONS, Material
from tbgen.own.walks import Placement, first_image, order
from tbgen.probe.own import material_of, number_in_slice, views_of
from tbgen.store.format.own import numbers_per_slice as slice_numbers


class PartName(NamedTuple):
    """Slices of a material, as seen from others: from the position's own, or from those that resets leave."""

    material: Material
    swapped: bool
    """Whether their first side is the second there; never if both sides have the same men."""


def beyond(name: PartName, lead: PartName) -> PartName:
    """What is seen from a part so, as it is seen from where that part is."""
    return PartName(lead.material, lead.swapped != name.swapped and not lead.material.even)


def in_frame(board: chess.Board) -> chess.Board:
    """A position in the frame of its material, the same one for all of its images. UnsupportedPosition if there can be
    no own table of it."""
    material = material_of(board)
    if not can_be_solved(material):
        raise UnsupportedPosition(
            f"{material}: a position's own table has pawns, up to {MEN} men, and up to {MOST_ALIKE} like pieces a side"
        )
    return min((seen.board for seen in views_of(board, material)), key=lambda seen: order(placement_of(seen)))


@cache
def can_be_solved(material: Material) -> bool:
    """Whether there can be own tables of it."""
    alike = max(side.count(piece) for side in (material.first, material.second) for piece in PROMOTIONS)
    return material.pawns > 0 and material.men <= MEN and alike <= MOST_ALIKE


def placement_of(board: chess.Board) -> Placement:
    """Of a position in its frame."""
    white, black = (tuple(sorted(board.pieces(chess.PAWN, color))) for color in (chess.WHITE, chess.BLACK))
    return white, black


def root_of(board: chess.Board) -> tuple[PartName, Placement]:
    """The part of a position's own, and its placement there."""
    start = in_frame(board)
    return PartName(material_of(start), swapped=False), placement_of(start)


class Reset(NamedTuple):
    """A capture or promotion, in the frame that it leaves: what it makes of the men."""

    side: int
    """Who moves."""
    ours: str
    theirs: str
    pawns: Placement
    movers: str
    """The men that may have moved, the king left out."""
    target: int | None
    """Where to; None: anywhere."""
    promotion: str = ""
    """What a pawn becomes."""


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
                rest = theirs.replace(letter.upper(), "", 1)
                yield Reset(side, men, rest, after, promotion, target, promotion if last else "")


def _may_have_passed(pawns: Placement, side: int, target: int) -> bool:
    """Whether a pawn of the other side may have passed this square with a double step."""
    rank, up = (2, -8) if side else (5, 8)
    return target // 8 == rank and target - up in pawns[1 - side] and target + up not in pawns[0] + pawns[1]


def lead_of(reset: Reset) -> tuple[PartName, Placement]:
    """Where a reset leads to, with the placement in the frame there."""
    return _lead(reset.side, reset.ours, reset.theirs, reset.pawns)


def leads_after_retaking(reset: Reset) -> Iterator[tuple[PartName, Placement]]:
    """The same after the man that moved has been taken, without a promotion."""
    side = reset.side
    for mover in reset.movers:
        ours = reset.ours.replace(mover, "", 1)
        pawns = _with(reset.pawns, side, reset.target, None) if mover == "P" else reset.pawns
        yield _lead(side, ours, reset.theirs, pawns)
        for square, shift in product(pawns[1 - side], (-1, 1)):  # by a pawn
            target = square + (8 if side else -8) + shift
            fits = 0 <= square % 8 + shift < 8 and 8 <= target < 56 and target not in (*pawns[0], *pawns[1])
            if fits and reset.target in (None, target):
                yield _lead(side, ours, reset.theirs, _with(pawns, 1 - side, square, target))


def _with(pawns: Placement, side: int, square: int | None, target: int | None) -> Placement:
    """A pawn moved, or gone."""
    moved = {*pawns[side]} - {square} | (set() if target is None else {target})
    after = tuple(sorted(moved))
    return (after, pawns[1]) if side == 0 else (pawns[0], after)


def _lead(side: int, ours: str, theirs: str, pawns: Placement) -> tuple[PartName, Placement]:
    lead = _to_men(*((theirs, ours) if side else (ours, theirs)))
    return lead, first_image(_swapped(pawns) if lead.swapped else pawns)


@cache
def _to_men(first: str, second: str) -> PartName:
    """Where the first and the second side have these men."""
    material = Material(*("".join(sorted(letters, key="QRBNP".index)) for letters in (first, second)))
    return PartName(material.normal, not material.is_normal)


@lru_cache(1 << 16)
def _swapped(pawns: Placement) -> Placement:
    """The other colours' pawns, in their view."""
    black, white = (tuple(sorted(square ^ 56 for square in side)) for side in pawns)
    return white, black


@cache
def numbers_per_slice(material: Material) -> int:
    """Both sides to move."""
    return slice_numbers(Layout(material))


def layout_for(material: Material, placements: Set[Placement]) -> Layout:
    """The layout of some placements of pawns."""
    return Layout(material, tuple(sorted(white + black for white, black in placements)))


def number_of(board: chess.Board, layout: Layout) -> int | None:
    """The number of a position whose pawns stand as in a slice; None if there is no such slice."""
    white, black = placement_of(board)
    found = layout.placements.find(white + black)
    if found < 0 or found & SYMMETRY_MASK:
        return None
    return int(layout.start[found >> SLICE_SHIFT]) + number_in_slice(board, layout)
