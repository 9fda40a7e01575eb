"""The largest number of legal moves that a side can have with a material, found without looking at every position.

The squares of a side's men alone give an upper bound: other men only take moves away, except that pawns need men to
capture. Placements of the side's men are tried from the highest bound down, each with the other men everywhere, until
no bound that is left exceeds the best count found. Rights to capture en passant are in no table and do not count.
"""

from collections.abc import Iterator
from functools import lru_cache
from typing import Final

import numpy as np
from numpy.typing import NDArray

from tbgen.board.geometry import GEOMETRY, PAWN_DOWN, PAWN_UP, geometry_of
from tbgen.board.move_sets import BIT, Ints, attacks
from tbgen.core.material import Material
from tbgen.index import layout_of
from tbgen.index.layout import Layout
from tbgen.probe.levels import levels
from tbgen.probe.vector import PositionColumns, sound
from tbgen.system.parallel import pieces

_KING_STEPS: Final = 8
_ROWS: Final = 1 << 15
"""Positions counted together."""
_STRIDE: Final = 0x9E3779B1
"""The step from a position to the next one that is tried. It is large, to spread them, and prime: each comes once."""


@lru_cache(maxsize=256)
def most_moves(material: Material, mover: int) -> int:
    """The most that the first (0) or the second (1) side has in any legal position with it to move."""
    layout = layout_of(material)
    men = [slot for slot, (side, _) in enumerate(layout.letters) if side == mover and slot != mover]
    others = [slot for slot in range(len(layout.letters)) if slot not in men]
    bounds = _bounds(layout, men) + np.int16(_KING_STEPS)
    best = 0
    for place in map(int, np.argsort(-bounds, kind="stable")):  # no list: four men have 17 million places
        if bounds[place] <= best:
            break
        for rows in _scattered(64 ** len(others)):
            around = _columns(rows, len(others))
            columns = [np.empty(0, np.int64)] * len(layout.letters)
            for slot, column in zip(others, around, strict=True):
                columns[slot] = column
            for slot, (square,) in zip(men, _columns(np.array([place]), len(men)), strict=True):
                columns[slot] = np.full(len(rows), square)
            best = max(best, _most(layout, columns, mover))
            if bounds[place] <= best:
                break
    return best


def _most(layout: Layout, columns: list[Ints], mover: int) -> int:
    good = sound(PositionColumns(layout, columns, np.full(len(columns[0]), bool(mover))))
    kept = [column[good] for column in columns]
    if not len(kept[0]):
        return 0
    return int(levels(PositionColumns(layout, kept, np.full(len(kept[0]), bool(mover)))).max()) // 2


def _columns(rows: Ints, men: int) -> list[Ints]:
    """The squares of so many men, placement by placement."""
    return [rows >> 6 * nth & 63 for nth in range(men)]


def _scattered(count: int) -> Iterator[Ints]:
    """All numbers below a power of two, in parts."""
    for here in pieces(count, _ROWS):
        yield np.arange(here.start, here.stop) * _STRIDE % count


def _bounds(layout: Layout, men: list[int]) -> NDArray[np.int16]:
    """`[placement]`: an upper bound on the moves of a side's men without its king, with any other men."""
    found = np.empty(64 ** len(men), np.int16)
    for here in pieces(len(found), _ROWS):
        rows = np.arange(here.start, here.stop)
        found[here] = _bounds_of(layout, men, _columns(rows, len(men)), np.zeros(len(rows), np.int64))
    return found


def _bounds_of(layout: Layout, men: list[int], squares: list[Ints], found: Ints) -> Ints:
    """The same for some placements; `found` is to be filled."""
    occupied = np.zeros(len(found), np.uint64)
    sound_rows = np.ones(len(found), np.bool_)
    bits = [BIT[column] for column in squares]
    for bit in bits:
        sound_rows &= (occupied & bit) == 0
        occupied |= bit
    for nth, (slot, own) in enumerate(zip(men, squares, strict=True)):
        kind = layout.kinds[slot]
        if kind in (PAWN_UP, PAWN_DOWN):
            found += _pawn_bounds(layout, kind)[own]
            sound_rows &= (own >= 8) & (own < 56)
            continue
        others = [column for other, column in enumerate(squares) if other != nth]
        found += np.bitwise_count(attacks(kind, own, others, geometry_of(layout.material.fairy)) & ~occupied)
    return np.where(sound_rows, found, -_KING_STEPS)


def _pawn_bounds(layout: Layout, kind: int) -> Ints:
    """`[square]`: pushes, and as many captures as there are men to capture; promotions by what they make."""
    side = 0 if kind == PAWN_UP else 1
    prey = [letter for owner, letter in layout.letters if owner != side and letter != "K"]
    pieces = len(prey) - prey.count("P")
    rank = np.arange(64) // 8 if kind == PAWN_UP else 7 - np.arange(64) // 8
    targets = np.bitwise_count(GEOMETRY.attacks[kind]).astype(np.int64)
    captures = np.minimum(targets, np.where(rank == 6, pieces, len(prey)))  # no pawn stands on the last rank
    pushes = np.where(rank == 1, 2, 1)
    moves: Ints = (pushes + captures) * np.where(rank == 6, len(layout.material.promotions_to), 1)
    return moves
