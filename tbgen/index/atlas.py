"""Several layouts side by side in flat arrays, as kernels take them.

Every array that a kernel is given costs compile time in it and in all that it calls, so tables of a kind
share one array: fields are found at fixed places, named here.
"""

from typing import Final, NamedTuple

import numpy as np
from numpy.typing import NDArray

from tbgen.board.geometry import GEOMETRY, SQUARE_PAIRS
from tbgen.index.groups import GROUP_SIZES, choices
from tbgen.index.hash import NO_HASH
from tbgen.index.kings import FAMILIES, MOST_PAIRS, kings
from tbgen.index.layout import Layout

MEN: Final = 12
"""Slots per table."""
GROUPS: Final = 6
"""Groups per table, at most."""
_WORD: Final = 1 << 64

G_SIDE, G_SLOT, G_COUNT, G_STRIDE, G_PARTNER, G_INVERSE = range(6)
GROUP: Final = 6
"""Fields of a group, and how many there are."""
S_START, S_HALF, S_FAMILY, S_FLIP = range(4)
SLICE: Final = 4
"""Fields of a slice, and how many there are."""
T_PAWNS, T_SLICES, T_WEIGHTS, T_SHIFTS, T_MASK, T_INVERSE = range(6)
TABLE: Final = 6
"""Where a table's part of `slice_of`, of the slices, and of the weights and shifts of its hash begins; the mask of
that, 0 if there is none; the inverse of `inner`; and how many fields these are."""

KINGS_SYMMETRY: Final = FAMILIES * SQUARE_PAIRS
FIRST: Final = 2 * KINGS_SYMMETRY
SECOND: Final = FIRST + FAMILIES * MOST_PAIRS
"""Where parts of `kings` begin."""
AFTER: Final = 8 * 64
"""Where the second part of `image` begins."""
THREES: Final = 2 * GROUP_SIZES[2]
FOURS: Final = THREES + 3 * GROUP_SIZES[3]
"""Where parts of `squares` begin."""


class Atlas(NamedTuple):
    men: NDArray[np.int64]
    first_pawn: NDArray[np.int64]
    groups: NDArray[np.int64]
    inner: NDArray[np.int64]
    """`[table]`, see `Layout`."""
    side: NDArray[np.int64]
    kind: NDArray[np.int64]
    """`[table * MEN + slot]`; kinds are those of the first table."""
    group: NDArray[np.int64]
    """`[(table * GROUPS + group) * GROUP + field]`."""
    table: NDArray[np.int64]
    """`[table * TABLE + field]`."""
    slice: NDArray[np.int64]
    """`[(where the table's slices begin + slice) * SLICE + field]`."""
    slice_of: NDArray[np.int32]
    """See index/pawns.py."""
    weight: NDArray[np.int64]
    shift: NDArray[np.int32]
    """See index/hash.py."""
    kings: NDArray[np.int16]
    """By family: the number of every pair of squares, at KINGS_SYMMETRY its symmetry; at FIRST and SECOND the
    squares of every number (index/kings.py)."""
    choose: NDArray[np.int64]
    squares: NDArray[np.int8]
    """The way back for groups of two, at THREES of three, at FOURS of four (index/groups.py)."""
    image: NDArray[np.int8]
    """`[symmetry * 64 + square]`, and at AFTER `[second * 8 + first]` (board/geometry.py)."""


def _rows(width: int, rows: list[list[int]]) -> NDArray[np.int64]:
    table = np.zeros((len(rows), width), np.int64)
    for row, numbers in zip(table, rows, strict=True):
        row[: len(numbers)] = numbers
    return table.reshape(-1)


def _bases(lengths: list[int]) -> NDArray[np.int64]:
    return np.concatenate(([0], np.cumsum(lengths)))[:-1].astype(np.int64)


def inverse(divisor: int) -> int:
    """What `quotient` (kernels.py) multiplies by instead of a division; all bits of it, -1, for 1."""
    return -1 if divisor == 1 else (_WORD - 1) // divisor


def make_atlas(layouts: list[Layout]) -> Atlas:
    assert all(int(x.half_size.max(initial=0)) * x.inner < _WORD for x in layouts), "inverses need larger words"
    families = [kings(family) for family in range(FAMILIES)]
    padded = np.zeros((2, FAMILIES, MOST_PAIRS), np.int16)
    for family, table in enumerate(families):
        padded[0, family, : len(table.first)] = table.first
        padded[1, family, : len(table.second)] = table.second
    pawns = [x.pawns for x in layouts]
    hashes = [x.hash or NO_HASH for x in pawns]
    lay = choices()
    return Atlas(
        men=np.array([len(x.letters) for x in layouts], np.int64),
        first_pawn=np.array([x.first_pawn for x in layouts], np.int64),
        groups=np.array([len(x.groups) for x in layouts], np.int64),
        inner=np.array([x.inner for x in layouts], np.int64),
        side=_rows(MEN, [[side for side, _ in x.letters] for x in layouts]),
        kind=_rows(MEN, [list(x.kinds_among(layouts[0].material.fairy)) for x in layouts]),
        group=_rows(
            GROUPS * GROUP,
            [
                [n for g in x.groups for n in (g.side, g.slot, g.count, g.stride, g.partner, inverse(g.stride))]
                for x in layouts
            ],
        ),
        table=np.stack(
            [
                _bases([len(x.slice_of) for x in pawns]),
                _bases([x.slices for x in layouts]),
                _bases([len(x.weight) for x in hashes]),
                _bases([len(x.shift) for x in hashes]),
                np.array([x.mask for x in hashes], np.int64),
                np.array([inverse(x.inner) for x in layouts], np.int64),
            ],
            axis=1,
        ).reshape(-1),
        slice=np.concatenate(
            [np.stack([x.start[:-1], x.half_size, x.family, x.flip], axis=1).reshape(-1) for x in layouts]
        ),
        slice_of=np.concatenate([x.slice_of for x in pawns]),
        weight=np.concatenate([x.weight for x in hashes]),
        shift=np.concatenate([x.shift for x in hashes]),
        kings=np.concatenate(
            [*(t.number for t in families), *(t.symmetry.astype(np.int16) for t in families), padded.reshape(-1)]
        ),
        choose=lay.choose,
        squares=np.concatenate(lay.squares[2:]),
        image=np.concatenate([GEOMETRY.image.reshape(-1), GEOMETRY.after.reshape(-1)]),
    )
