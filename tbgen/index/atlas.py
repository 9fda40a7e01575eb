"""Several layouts side by side in flat arrays, as kernels take them: row t of every array is table t."""

from typing import Final, NamedTuple

import numpy as np
from numpy.typing import NDArray

from tbgen.board.geometry import GEOMETRY
from tbgen.index.groups import choices
from tbgen.index.kings import PAIRS, kings
from tbgen.index.layout import Layout

MEN: Final = 8
"""Slots a row."""
GROUPS: Final = 6


class Atlas(NamedTuple):
    men: NDArray[np.int64]
    first_pawn: NDArray[np.int64]
    side: NDArray[np.int64]
    kind: NDArray[np.int64]
    swapped: NDArray[np.int64]
    """`[t * MEN + slot]`, see `Layout`."""
    groups: NDArray[np.int64]
    group_side: NDArray[np.int64]
    group_slot: NDArray[np.int64]
    group_count: NDArray[np.int64]
    group_stride: NDArray[np.int64]
    group_partner: NDArray[np.int64]
    """`[t * GROUPS + group]`."""
    inner: NDArray[np.int64]
    pawn_base: NDArray[np.int64]
    """`[t]`: where this table's part of `slice_of` begins."""
    slice_of: NDArray[np.int32]
    slice_base: NDArray[np.int64]
    """`[t]`: where this table's slices begin in the next three."""
    slice_start: NDArray[np.int64]
    slice_half: NDArray[np.int64]
    slice_family: NDArray[np.int8]
    slice_flip: NDArray[np.int8]
    king_number: NDArray[np.int16]
    king_symmetry: NDArray[np.int8]
    """`[family * 4096 + pair of squares]`."""
    king_first: NDArray[np.int8]
    king_second: NDArray[np.int8]
    """`[family * 3612 + number]`."""
    choose: NDArray[np.int64]
    squares1: NDArray[np.int8]
    squares2: NDArray[np.int8]
    squares3: NDArray[np.int8]
    image: NDArray[np.int8]
    """`[symmetry * 64 + square]`."""
    after: NDArray[np.int8]
    """`[second * 8 + first]`."""


def _rows(width: int, rows: list[list[int]]) -> NDArray[np.int64]:
    table = np.zeros((len(rows), width), np.int64)
    for row, numbers in zip(table, rows, strict=True):
        row[: len(numbers)] = numbers
    return table.reshape(-1)


def _bases(lengths: list[int]) -> NDArray[np.int64]:
    return np.concatenate(([0], np.cumsum(lengths)))[:-1].astype(np.int64)


def make_atlas(layouts: list[Layout]) -> Atlas:
    families = [kings(family) for family in range(3)]
    padded = np.zeros((2, 3, PAIRS[-1]), np.int8)
    for family, table in enumerate(families):
        padded[0, family, : len(table.first)] = table.first
        padded[1, family, : len(table.second)] = table.second
    lay = choices()
    return Atlas(
        men=np.array([len(x.letters) for x in layouts], np.int64),
        first_pawn=np.array([x.first_pawn for x in layouts], np.int64),
        side=_rows(MEN, [[side for side, _ in x.letters] for x in layouts]),
        kind=_rows(MEN, [list(x.kinds) for x in layouts]),
        swapped=_rows(MEN, [list(x.swapped_slots) for x in layouts]),
        groups=np.array([len(x.groups) for x in layouts], np.int64),
        group_side=_rows(GROUPS, [[g.side for g in x.groups] for x in layouts]),
        group_slot=_rows(GROUPS, [[g.slot for g in x.groups] for x in layouts]),
        group_count=_rows(GROUPS, [[g.count for g in x.groups] for x in layouts]),
        group_stride=_rows(GROUPS, [[g.stride for g in x.groups] for x in layouts]),
        group_partner=_rows(GROUPS, [[g.partner for g in x.groups] for x in layouts]),
        inner=np.array([x.inner for x in layouts], np.int64),
        pawn_base=_bases([len(x.placements.slice_of) for x in layouts]),
        slice_of=np.concatenate([x.placements.slice_of for x in layouts]),
        slice_base=_bases([x.slices for x in layouts]),
        slice_start=np.concatenate([x.start[:-1] for x in layouts]),
        slice_half=np.concatenate([x.half_size for x in layouts]),
        slice_family=np.concatenate([x.family for x in layouts]),
        slice_flip=np.concatenate([x.flip for x in layouts]),
        king_number=np.concatenate([table.number for table in families]),
        king_symmetry=np.concatenate([table.symmetry for table in families]),
        king_first=padded[0].reshape(-1),
        king_second=padded[1].reshape(-1),
        choose=lay.choose,
        squares1=lay.squares[1],
        squares2=lay.squares[2],
        squares3=lay.squares[3],
        image=GEOMETRY.image.reshape(-1),
        after=GEOMETRY.after.reshape(-1),
    )
