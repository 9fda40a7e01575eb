"""From columns of squares to numbers: hundreds of thousands of positions of one material at once.

Numbers, and what counts as a sound position, are the same as in numbering.py, except that columns of squares hold
no rights to castle or to capture en passant.
"""

from dataclasses import dataclass
from functools import cache

import numpy as np
from numpy.typing import NDArray

from tbgen.board.geometry import GEOMETRY
from tbgen.board.move_sets import BIT, Bools, Ints, Sets
from tbgen.core.material import Material
from tbgen.index import Layout, layout_of
from tbgen.index.groups import choices
from tbgen.index.kings import kings
from tbgen.index.pawns import SWAP_BIT
from tbgen.index.positions import Placed, legal


@dataclass(frozen=True)
class PositionColumns:
    """The squares of many positions: a column for each slot of index/layout.py, a row for each position."""

    layout: Layout
    squares: list[Ints]
    second_moves: Bools

    def occupied(self) -> Sets:
        found = BIT[self.squares[0]]
        for squares in self.squares[1:]:
            found = found | BIT[squares]
        return found


def sound(men: PositionColumns) -> Bools:
    """Say which rows are legal positions."""
    return legal(men.layout, Placed(men.squares, men.second_moves))


@dataclass(frozen=True)
class _LookUps:
    """A layout's columns, with strides multiplied in."""

    pairs: tuple[Ints, ...]
    """By family: a pair of kings to its first number."""
    symmetries: tuple[Ints, ...]
    slice_of: NDArray[np.int32]
    start: Ints
    half: Ints
    family: Ints
    flip: Ints


def _wide(column: NDArray[np.generic]) -> Ints:
    return column.astype(np.int64)


@cache
def _look_ups(material: Material) -> _LookUps:
    layout = layout_of(material)
    families = [kings(family) for family in range(3)]
    return _LookUps(
        tuple(_wide(table.number) * layout.inner for table in families),
        tuple(_wide(table.symmetry) for table in families),
        layout.pawns.slice_of,
        layout.start[:-1],
        layout.half_size,
        _wide(layout.family),
        _wide(layout.flip),
    )


@cache
def _images(stride: int) -> Ints:
    """`[symmetry * 64 + square]`: a square's image times a stride."""
    return _wide(GEOMETRY.image.reshape(-1)) * stride


_AFTER: Ints = _wide(GEOMETRY.after.reshape(-1))


def numbers(men: PositionColumns) -> Ints:
    """The numbers of sound rows; other rows get numbers without meaning."""
    layout, squares, second_moves = men.layout, men.squares, men.second_moves
    look_ups = _look_ups(layout.material)
    if layout.material.pawns:
        return _with_pawns(men, look_ups)
    if layout.material.even:
        swap, symmetry = second_moves, None
        first, second = np.where(swap, squares[1], squares[0]), np.where(swap, squares[0], squares[1])
        number = look_ups.pairs[0][first * 64 + second]
        symmetry = look_ups.symmetries[0][first * 64 + second] * 64
        return _add_groups(men, number, symmetry, swap)
    pair = squares[0] * 64 + squares[1]
    number = look_ups.pairs[0][pair] + second_moves * look_ups.half[0]
    return _add_groups(men, number, look_ups.symmetries[0][pair] * 64, None)


def _with_pawns(men: PositionColumns, look_ups: _LookUps) -> Ints:
    layout, squares = men.layout, men.squares
    code = np.zeros(len(men.second_moves), np.int64)
    for place, slot in enumerate(range(layout.first_pawn, len(squares))):
        code |= squares[slot] << 6 * place
    found = _wide(look_ups.slice_of[code])
    slice_, symmetry = found >> 4, found & 7
    second_moves, swap = men.second_moves, None
    first, second = squares[0], squares[1]
    if layout.material.even:
        swap = (found & SWAP_BIT) != 0
        second_moves = second_moves ^ swap
        flip = look_ups.flip[slice_]
        flips = (flip >= 0) & second_moves
        symmetry = np.where(flips, _AFTER[flip * 8 + symmetry], symmetry)
        swap, second_moves = swap ^ flips, second_moves & ~flips
        first, second = np.where(swap, second, first), np.where(swap, first, second)
    image = _images(1)
    pair = image[symmetry * 64 + first] * 64 + image[symmetry * 64 + second]
    family = look_ups.family[slice_]
    number = look_ups.start[slice_] + second_moves * look_ups.half[slice_]
    turned = symmetry
    for one in np.unique(family).tolist():
        rows = family == one
        number += np.where(rows, look_ups.pairs[one][pair], 0)
        turned = np.where(rows, _AFTER[look_ups.symmetries[one][pair] * 8 + symmetry], turned)
    return _add_groups(men, number, turned * 64, swap)


def _add_groups(men: PositionColumns, number: Ints, image: Ints, swap: Bools | None) -> Ints:
    """Add the terms of the pieces, after each row's symmetry, with the sides exchanged where the row is swapped."""
    choose = choices().choose
    for group in men.layout.groups:
        partner = men.layout.groups[group.partner]
        columns = []
        for nth in range(group.count):
            column = men.squares[group.slot + nth]
            if swap is not None:
                column = np.where(swap, men.squares[partner.slot + nth], column)
            columns.append(image + column)
        if group.count == 1:
            number += _images(group.stride)[columns[0]]
            continue
        rising = np.sort([_images(1)[column] for column in columns], axis=0)
        for nth, column in enumerate(rising):
            number += choose[64 * nth + column] * group.stride
    return number
