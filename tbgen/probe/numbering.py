"""From a `chess.Board` to its number in a table, in plain Python and a few microseconds.

What depends on the men alone is computed once and kept as a `Numbering`, which a probe finds by the men's signature.
The numbers are the same as those of index/kernels.py, which is compiled: a probe must not wait for that.
"""

from collections.abc import Sequence
from functools import cache
from math import comb
from typing import Final, NamedTuple

import chess

from tbgen.board.geometry import GEOMETRY, RANKS_MIRRORED
from tbgen.board.men.board import FairyBoard
from tbgen.core import position
from tbgen.core.material import MEN_IN_TABLES, Material, in_order, make
from tbgen.errors import UnsupportedPosition
from tbgen.index import layout_of
from tbgen.index.kings import kings
from tbgen.index.pawns import SWAP_BIT

# The kinds in a signature, four bits each: no side has more than ten men of one kind.
_KINDS: Final = "PNBRQ"
Signature = int | Material
"""The men of both sides without their kings, as one number; with men beyond chess White's and Black's by letter."""
_SIDE_BITS: Final = 4 * len(_KINDS)

# Items of a view are plain integers of Python: faster than those of an array, and nothing is copied.
_IMAGE: Final = GEOMETRY.image.reshape(-1).data
_AFTER: Final = GEOMETRY.after.reshape(-1).data


class Pairs(NamedTuple):
    """A family of pairs of kings, see index/kings.py."""

    number: memoryview
    symmetry: memoryview


class Group(NamedTuple):
    """Like men of one side, see `Group` in index/layout.py."""

    kind: int
    side: int
    size: int
    stride: int


class Numbering(NamedTuple):
    """How positions with certain men are numbered: the table's `Layout`, and which side is which."""

    material: Material
    """The table's material, in normal order."""
    white_first: bool
    """Whether White has the men named first. If not, colours are swapped and ranks mirrored."""
    pawns: bool
    groups: tuple[Group, ...]
    inner: int
    slice_of: memoryview
    start: memoryview
    half: memoryview
    family: memoryview
    flip: memoryview
    pairs: tuple[Pairs, ...]
    """By family."""
    fairy: tuple[int, ...]
    """The types of men beyond chess, as a `FairyBoard` has them."""


@cache
def _pairs() -> tuple[Pairs, ...]:
    """The numbers of pairs of kings, by family."""
    return tuple(Pairs(table.number.data, table.symmetry.data) for table in map(kings, range(3)))


def signature(board: chess.Board) -> Signature:
    """The men of both sides without their kings."""
    if board.__class__ is FairyBoard:
        return _fairy_material(board)
    white = board.occupied_co[chess.WHITE]
    black = board.occupied_co[chess.BLACK]
    found = 0
    # Most kinds are on neither side: to look first is faster.
    if men := board.pawns:
        found = (men & white).bit_count() | (men & black).bit_count() << 20
    if men := board.knights:
        found |= (men & white).bit_count() << 4 | (men & black).bit_count() << 24
    if men := board.bishops:
        found |= (men & white).bit_count() << 8 | (men & black).bit_count() << 28
    if men := board.rooks:
        found |= (men & white).bit_count() << 12 | (men & black).bit_count() << 32
    if men := board.queens:
        found |= (men & white).bit_count() << 16 | (men & black).bit_count() << 36
    return found


def _letters(of_side: int) -> str:
    """The men of one side, heaviest first, from its part of a signature."""
    return "".join(_KINDS[kind] * (of_side >> 4 * kind & 15) for kind in reversed(range(len(_KINDS))))


@cache
def material_with(men: Signature) -> Material:
    """The men that have this signature, White's first."""
    if isinstance(men, Material):
        return men
    return Material(_letters(men), _letters(men >> _SIDE_BITS))


def _fairy_material(board: FairyBoard) -> Material:
    """White's men first."""
    white, black = (
        in_order(
            man.symbol().upper()
            for man in board.piece_map().values()
            if man.color == color and man.piece_type != chess.KING
        )
        for color in (chess.WHITE, chess.BLACK)
    )
    return make(white, black, board.definitions)


def material_of(board: chess.Board) -> Material:
    """White's men first."""
    return material_with(signature(board))


def make_numbering(men: Signature) -> Numbering:
    """Make the numbering for the men that have this signature."""
    material = material_with(men)
    layout = layout_of(material.normal)
    fairy = tuple(man.letter for man in material.fairy)
    kinds = (*_KINDS, *fairy)
    return Numbering(
        material.normal,
        material.is_normal,
        material.pawns > 0,
        tuple(Group(kinds.index(group.letter), group.side, group.count, group.stride) for group in layout.groups),
        layout.inner,
        layout.pawns.slice_of.data,
        layout.start.data,
        layout.half_size.data,
        layout.family.data,
        layout.flip.data,
        _pairs(),
        tuple(map(ord, fairy)),
    )


def is_sound(board: chess.Board) -> bool:
    """Whether `check` and `check_men` would pass, in a tenth of their time; but for the rights of who is mated."""
    few = board.occupied.bit_count() <= MEN_IN_TABLES
    return few and not board.castling_rights and position.fault(board) is None


def check(board: chess.Board) -> None:
    """Raise what is wrong with a board that is not sound, but for too many men: local tables may have more."""
    position.check_legal(board)
    if board.castling_rights and position.level(board) > position.STALEMATE:  # who is mated castles no more
        check_men(board.occupied.bit_count())
        raise UnsupportedPosition(f"tables know no castling: {board.fen()}")


def check_men(men: int) -> None:
    """UnsupportedPosition if no table has this many men."""
    if men > MEN_IN_TABLES:
        raise UnsupportedPosition(
            f"too many men: {men}, and tables have {MEN_IN_TABLES} at most (tbgen solve takes more)"
        )


def number_of(numbering: Numbering, board: chess.Board) -> int:
    """The number of a sound board with the men that the numbering was made for."""
    _, white_first, has_pawns, groups, inner, slice_of, start, half, families, flips, pairs, fairy = (
        numbering  # at once: faster
    )
    white, black = board.occupied_co[chess.WHITE], board.occupied_co[chess.BLACK]
    if white_first:
        first, second, second_moves, symmetry = white, black, not board.turn, 0
    else:
        first, second, second_moves, symmetry = black, white, board.turn, RANKS_MIRRORED
    code = shift = 0
    if has_pawns:
        mirror = 0 if white_first else 56
        for pawns in (board.pawns & first, board.pawns & second):
            while pawns:
                pawn = pawns.bit_length() - 1
                pawns ^= 1 << pawn
                code |= (pawn ^ mirror) << shift
                shift += 6
    found = slice_of[code]
    slice_ = found >> 4
    symmetry = _AFTER[(found & 7) << 3 | symmetry]
    if found & SWAP_BIT:
        first, second, second_moves = second, first, not second_moves
    if second_moves:
        flip = flips[slice_]
        if flip >= 0:
            first, second, second_moves = second, first, False
            symmetry = _AFTER[flip << 3 | symmetry]
    image = symmetry << 6
    men = board.kings
    pair = _IMAGE[image | (men & first).bit_length() - 1] << 6 | _IMAGE[image | (men & second).bit_length() - 1]
    first_number, turned = pairs[families[slice_]]
    image = _AFTER[turned[pair] << 3 | symmetry] << 6
    number: int = start[slice_] + first_number[pair] * inner
    if second_moves:
        number += half[slice_]
    kinds: Sequence[int] = (0, board.knights, board.bishops, board.rooks, board.queens)
    if fairy:
        assert isinstance(board, FairyBoard)
        kinds = (*kinds, *(board.fairy[kind] for kind in fairy))
    for kind, side, size, stride in groups:
        men = kinds[kind] & (second if side else first)
        if size == 1:
            number += _IMAGE[image | men.bit_length() - 1] * stride
        else:
            number += _choice(men, image) * stride
    return number


def _choice(men: int, image: int) -> int:
    """The number of a set of like men: index/groups.py."""
    squares = []
    while men:
        square = men.bit_length() - 1
        men ^= 1 << square
        squares.append(_IMAGE[image | square])
    squares.sort()
    a, b, *more = squares
    number: int = a + b * (b - 1) // 2
    for count, square in enumerate(more, 3):
        number += comb(square, count)
    return number
