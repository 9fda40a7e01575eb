"""What men attack, and who stands in between: compiled steps on sets of squares.

`board` has the men of a table in its `atlas`, the arrays `men_moves` and `lines`, and how many kinds of men a pawn may
become: the solver's `SliceGraph`, or what the verifier has in its place.
"""

from functools import cache
from typing import Final, NamedTuple

import numpy as np
from numpy.typing import NDArray

from tbgen.board.geometry import FAIRY, GEOMETRY, KINDS, SQUARE_PAIRS, geometry_of
from tbgen.board.men import Man
from tbgen.compiler.intrinsics import lowest_bit
from tbgen.compiler.jit import inlined

BETWEEN: Final = KINDS * 64
BEHIND: Final = BETWEEN + SQUARE_PAIRS
SKIP: Final = 16_000
"""More than all moves that a board's men have, of each kind from each square."""

_FIRST_MOVE: Final = len(GEOMETRY.start)


class MoveTables(NamedTuple):
    """What boards have as `men_moves`, `lines` and `promotions`."""

    men_moves: NDArray[np.int32]
    lines: NDArray[np.uint64]
    promotions: int


@cache
def move_tables(fairy: tuple[Man, ...]) -> MoveTables:
    """Those for the men of chess and these."""
    men = geometry_of(fairy)
    moves = np.zeros(_FIRST_MOVE + SKIP + len(men.skip), np.int32)
    moves[:_FIRST_MOVE] = men.start + _FIRST_MOVE
    moves[_FIRST_MOVE : _FIRST_MOVE + len(men.to)] = men.to
    moves[_FIRST_MOVE + SKIP :] = men.skip + _FIRST_MOVE
    pairs = np.stack([men.between.reshape(-1, SQUARE_PAIRS), men.behind.reshape(-1, SQUARE_PAIRS)], axis=1)
    return MoveTables(moves, np.concatenate([men.attacks.reshape(-1), pairs.reshape(-1)]), FAIRY + len(fairy))


@inlined
def pair_of(kind, a, b):
    """Where in `lines`, behind BETWEEN and BEHIND, this kind of man has two squares: `lines_of` in geometry.py."""
    return (kind >> 2 & 1) * (kind - FAIRY + 1) * (2 * SQUARE_PAIRS) + a * 64 + b


@inlined
def bit(square):
    """The set of one square."""
    return np.uint64(1) << np.uint64(square)


@inlined
def hits(board, kind, square, target, occupied):
    """Whether a man attacks a square."""
    if board.lines[kind * 64 + square] >> np.uint64(target) & np.uint64(1) == 0:
        return False
    return board.lines[BETWEEN + pair_of(kind, square, target)] & occupied == 0


@inlined
def attacked(board, squares, by_side, target, occupied, gone):
    """Whether any man of a side, except the one in slot `gone`, attacks a square."""
    atlas = board.atlas
    for slot in range(atlas.men[0]):
        if (
            atlas.side[slot] == by_side
            and slot != gone
            and hits(board, atlas.kind[slot], squares[slot], target, occupied)
        ):
            return True
    return False


@inlined
def pinned(board, squares, side, occupied):
    """The squares (of either side's men) that alone stand between this side's king and an enemy rider."""
    atlas = board.atlas
    king = squares[side]
    found = np.uint64(0)
    for slot in range(2, atlas.first_pawn[0]):
        if atlas.side[slot] != side:
            kind, square = atlas.kind[slot], squares[slot]
            if board.lines[kind * 64 + square] >> np.uint64(king) & np.uint64(1):
                blockers = board.lines[BETWEEN + pair_of(kind, square, king)] & occupied
                if blockers & (blockers - np.uint64(1)) == 0:
                    found |= blockers
    return found


@inlined
def reach(board, kind, square, occupied):
    """All squares that a man attacks, those of its own side included."""
    found = board.lines[kind * 64 + square]
    blockers = found & occupied
    while blockers:
        found &= ~board.lines[BEHIND + pair_of(kind, square, lowest_bit(blockers))]
        blockers &= blockers - np.uint64(1)
    return found
