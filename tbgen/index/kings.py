"""The two kings, numbered up to the symmetries that the pawns leave.

Three families: without pawns all eight symmetries are free and 462 pairs remain; a set of pawns that is
its own mirror image leaves the mirrored files, 1806 pairs; any other pawns leave nothing, 3612 pairs.
Each family's table takes any pair of squares to its number and to the symmetry that brings it there.
"""

from collections.abc import Sequence
from functools import cache
from typing import Any, Final, NamedTuple

import numpy as np
from numpy.typing import NDArray

from tbgen.board.geometry import FILES_MIRRORED, GEOMETRY, KING, SQUARE_PAIRS

FREE, MIRRORED, FIXED = range(3)
SYMMETRIES: Final = (tuple(range(8)), (0, FILES_MIRRORED), (0,))
PAIRS: Final = (462, 1806, 3612)
"""`[family]`: the symmetries that are free, and how many pairs remain."""
FAMILIES: Final = len(PAIRS)
MOST_PAIRS: Final = max(PAIRS)


class Kings(NamedTuple):
    """One family. `[a * 64 + b]` stands for the first side's king on a and the second's on b."""

    number: NDArray[np.int16]
    """The pair's number, -1 where the kings touch."""
    symmetry: NDArray[np.int8]
    """The symmetry that takes the pair to the one that bears the number; 0 for that pair itself."""
    first: NDArray[np.int8]
    second: NDArray[np.int8]
    """`[number]`: the squares of the numbered pair."""


def _apart() -> NDArray[np.bool_]:
    """Which pairs do not touch."""
    squares = np.arange(64)
    step = np.maximum(
        abs(squares[:, None] % 8 - squares[None, :] % 8), abs(squares[:, None] // 8 - squares[None, :] // 8)
    )
    return (step > 1).reshape(-1)


@cache
def kings(family: int) -> Kings:
    a, b = np.divmod(np.arange(SQUARE_PAIRS), 64)
    best = np.arange(SQUARE_PAIRS)
    symmetry = np.zeros(SQUARE_PAIRS, np.int8)
    for candidate in SYMMETRIES[family]:
        image = GEOMETRY.image[candidate].astype(np.int64)
        pair = image[a] * 64 + image[b]
        better = pair < best
        best[better], symmetry[better] = pair[better], candidate
    apart = _apart()
    canonical = np.flatnonzero(apart & (best == np.arange(SQUARE_PAIRS)))
    number_of_canonical = np.full(SQUARE_PAIRS, -1, np.int16)
    number_of_canonical[canonical] = np.arange(len(canonical))
    number = np.where(apart, number_of_canonical[best], np.int16(-1)).astype(np.int16)
    first, second = (canonical // 64).astype(np.int8), (canonical % 64).astype(np.int8)
    return Kings(number, symmetry, first, second)


class Renumbering(NamedTuple):
    """The pair that a pair of kings becomes by a move, or comes from by one."""

    number: NDArray[np.int16]
    symmetry: NDArray[np.int8]
    """`[number]`: the pair, if another man moves, and the symmetry that leads there."""
    king_start: NDArray[np.int32]
    king_number: NDArray[np.int16]
    king_symmetry: NDArray[np.int8]
    king_target: NDArray[np.int8]
    """`[mover][number]` in rows from `king_start[mover * (pairs + 1) + number]`: the same for each move of the mover's
    king, and where it takes him, before the symmetry."""


class Passage(NamedTuple):
    """How a pair of kings is renumbered when the turn passes, forwards and backwards.

    In a slice that stores both sides to move (`flip` < 0) the turn passes to the other half of the table and
    the pair keeps its number. In one that stores one side, because the colours can be swapped (by the
    symmetry `flip`), the position after the move is looked up with colours swapped. Backwards tables are
    the exact inverse of the forward ones, edge by edge: where both kings stand on the diagonal a placement
    is stored in both of its mirror images, and every move leads to one of the two, never to both.
    """

    forth: Renumbering
    back: Renumbering


@cache
def passage(family: int, flip: int) -> Passage:
    table = kings(family)
    a, b = np.divmod(np.arange(SQUARE_PAIRS), 64)
    if flip < 0:
        to_number, to_symmetry = table.number, table.symmetry
    else:
        image = GEOMETRY.image[flip].astype(np.int64)
        swapped = image[b] * 64 + image[a]
        to_number = table.number[swapped]
        to_symmetry = GEOMETRY.after[table.symmetry[swapped], flip]

    pairs = len(table.first)
    stored = table.first.astype(np.int64) * 64 + table.second
    back_number = np.empty(pairs, np.int16)
    back_symmetry = np.empty(pairs, np.int8)
    back_number[to_number[stored]] = np.arange(pairs)
    back_symmetry[to_number[stored]] = GEOMETRY.inverse[to_symmetry[stored]]

    forth, back = [], []
    for mover in range(2):
        before, after = _king_moves(table, mover)
        legal = to_number[after] >= 0
        before, after = before[legal], after[legal]
        number, symmetry, target = to_number[after], to_symmetry[after], after % 64 if mover else after // 64
        forth.append((before, number, symmetry, target))
        back.append((number, before, GEOMETRY.inverse[symmetry], target))
    return Passage(
        Renumbering(to_number[stored], to_symmetry[stored], *_rows(pairs, forth)),
        Renumbering(back_number, back_symmetry, *_rows(pairs, back)),
    )


def _rows(
    pairs: int, moves: Sequence[tuple[NDArray[Any], ...]]
) -> tuple[NDArray[np.int32], NDArray[np.int16], NDArray[np.int8], NDArray[np.int8]]:
    """The last four of `Renumbering`. `moves`: for each mover, where his king's moves start, and the columns."""
    starts, filled = [], 0
    rows = []
    for start, *columns in moves:
        order = np.argsort(start, kind="stable")
        starts.append(filled + np.concatenate(([0], np.cumsum(np.bincount(start, minlength=pairs)))))
        rows.append([column[order] for column in columns])
        filled += len(order)
    number, symmetry, target = (np.concatenate(column) for column in zip(*rows, strict=True))
    return (
        np.concatenate(starts).astype(np.int32),
        number.astype(np.int16),
        symmetry.astype(np.int8),
        target.astype(np.int8),
    )


def _king_moves(table: Kings, mover: int) -> tuple[NDArray[np.int64], NDArray[np.int64]]:
    """Every step of the mover's king from every numbered pair: the pair's number and the two squares after."""
    squares = np.arange(KING * 64, KING * 64 + 64)
    reach = [GEOMETRY.to[GEOMETRY.start[s] : GEOMETRY.start[s + 1]].astype(np.int64) for s in squares]
    before, after = [], []
    for number, (a, b) in enumerate(zip(table.first.tolist(), table.second.tolist(), strict=True)):
        targets = reach[b if mover else a]
        before.append(np.full(len(targets), number))
        after.append(a * 64 + targets if mover else targets * 64 + b)
    return np.concatenate(before), np.concatenate(after)
