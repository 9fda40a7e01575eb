"""What men attack, and who stands in between: compiled steps on sets of squares.

`board` has the men of a table in its `atlas`, and the arrays `men_moves` and `lines`: the solver's `SliceGraph`, or
what the verifier has in its place.
"""

from typing import Final

import numpy as np

from tbgen.board.geometry import GEOMETRY, KINDS, SQUARE_PAIRS
from tbgen.intrinsics import lowest_bit
from tbgen.jit import inlined

BETWEEN: Final = len(KINDS) * 64
BEHIND: Final = BETWEEN + SQUARE_PAIRS
SKIP: Final = len(GEOMETRY.to)

_FIRST_MOVE: Final = len(GEOMETRY.start)
MEN_MOVES: Final = np.concatenate(
    [GEOMETRY.start + _FIRST_MOVE, GEOMETRY.to.astype(np.int32), GEOMETRY.skip + _FIRST_MOVE]
).astype(np.int32)
LINES: Final = np.concatenate([GEOMETRY.attacks.reshape(-1), GEOMETRY.between, GEOMETRY.behind])


@inlined
def bit(square):
    """The set of one square."""
    return np.uint64(1) << np.uint64(square)


@inlined
def hits(board, kind, square, target, occupied):
    """Whether a man attacks a square."""
    if board.lines[kind * 64 + square] >> np.uint64(target) & np.uint64(1) == 0:
        return False
    return board.lines[BETWEEN + square * 64 + target] & occupied == 0


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
            square = squares[slot]
            if board.lines[atlas.kind[slot] * 64 + square] >> np.uint64(king) & np.uint64(1):
                blockers = board.lines[BETWEEN + square * 64 + king] & occupied
                if blockers & (blockers - np.uint64(1)) == 0:
                    found |= blockers
    return found


@inlined
def reach(board, kind, square, occupied):
    """All squares that a man attacks, those of its own side included."""
    found = board.lines[kind * 64 + square]
    blockers = found & occupied
    while blockers:
        found &= ~board.lines[BEHIND + square * 64 + lowest_bit(blockers)]
        blockers &= blockers - np.uint64(1)
    return found
