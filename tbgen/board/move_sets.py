"""The legal moves of many positions at once, in plain numpy: for each man the set of squares that it may go to.

The positions have the same men. A man's squares are an array, and the arrays broadcast: columns of equal length are
one position per row; a man on an axis of its own takes all of its squares with all squares of the others; a man that
stands still is an array of one square, and what depends on it alone is worked out once. `fairy` has the men beyond
chess, whose kinds follow those of chess.

Nothing here has the right to castle or to capture en passant.
"""

from collections.abc import Iterable, Sequence
from functools import cache
from typing import Final, NamedTuple

import numpy as np
from numpy.typing import NDArray

from tbgen.board.geometry import (
    FAIRY,
    GEOMETRY,
    KING,
    PAWN_DOWN,
    PAWN_UP,
    SQUARE_PAIRS,
    Geometry,
    geometry_of,
    lines_of,
)
from tbgen.board.men import Man as Fairy

Ints = NDArray[np.int64]
Sets = NDArray[np.uint64]
Bools = NDArray[np.bool_]

BIT: Sets = np.uint64(1) << np.arange(64, dtype=np.uint64)
NOWHERE: Final = np.uint64(2**64 - 1)
NONE: Sets = np.zeros(1, np.uint64)
_LAST_RANKS: Final = np.uint64(0xFF000000000000FF)
_THIRD: Final = {PAWN_UP: np.uint64(0xFF << 16), PAWN_DOWN: np.uint64(0xFF << 40)}
_EIGHT: Final = np.uint64(8)


class Man(NamedTuple):
    """A man of many positions."""

    kind: int
    """See board/geometry.py."""
    side: int
    squares: Ints


class MoveSets(NamedTuple):
    """The moves of one side."""

    in_check: Bools
    men: list[Man]
    """The men of the side, in the order given."""
    targets: list[Sets]
    """The squares that each of them may go to."""
    promotions: int = FAIRY
    """How many kinds of men a pawn may become."""

    @property
    def level(self) -> Ints:
        """Twice the number of moves, promotions counted by what they make, and one more when not in check."""
        count: Ints = np.zeros(1, np.int64)
        for man, targets in zip(self.men, self.targets, strict=True):
            count = count + np.bitwise_count(targets)
            if man.kind in _THIRD:
                count = count + (self.promotions - 1) * np.bitwise_count(targets & _LAST_RANKS).astype(np.int64)
        level: Ints = 2 * count + ~self.in_check
        return level


@cache
def screen(kind: int, fairy: tuple[Fairy, ...] = ()) -> Sets:
    """`[a * 64 + b]`: what has to be empty for this kind of man on a to attack b; everything if it never does."""
    geometry = geometry_of(fairy)
    reach = (geometry.attacks[kind][:, None] & BIT[None, :]).reshape(-1) != 0
    return np.where(reach, _lines(geometry.between, kind), NOWHERE)


def _lines(lines: Sets, kind: int) -> Sets:
    """`[a * 64 + b]`: the lines of this kind of man."""
    return lines[lines_of(kind) :][:SQUARE_PAIRS]


def attacks(kind: int, own: Ints, others: Iterable[Ints], geometry: Geometry = GEOMETRY) -> Sets:
    """What a man attacks, the other men being in the way."""
    found: Sets = geometry.attacks[kind][own]
    if geometry.rides[kind]:
        for other in others:
            found = found & ~_lines(geometry.behind, kind)[own * 64 + other]
    return found


def union(sets: Iterable[Sets]) -> Sets:
    """All that is in any of them."""
    found = NONE
    for one in sets:
        found = found | one
    return found


def move_sets(men: Sequence[Man], mover: int, fairy: tuple[Fairy, ...] = ()) -> MoveSets:
    """The legal moves of a side, en passant and castling aside.

    Each side has one king, and no square has two men; of other positions the answer means nothing. Kings side by side
    are both in check.
    """
    geometry = geometry_of(fairy)
    ours = [man for man in men if man.side == mover]
    theirs = [man for man in men if man.side != mover]
    our_men = union(BIT[man.squares] for man in ours)
    their_men = union(BIT[man.squares] for man in theirs)
    occupied = our_men | their_men
    king = next(man for man in ours if man.kind == KING)

    danger, target, in_check = NONE, ~our_men, np.zeros(1, np.bool_)
    pins = []
    for man in theirs:
        # The king does not shield what is behind it.
        others = [other.squares for other in men if other is not man and other is not king]
        danger = danger | attacks(man.kind, man.squares, others, geometry)
        pair = man.squares * 64 + king.squares
        in_the_way = screen(man.kind, fairy)[pair] & occupied
        answer = _lines(geometry.between, man.kind)[pair] | BIT[man.squares]
        checks = in_the_way == 0
        target = np.where(checks, target & answer, target)
        in_check = in_check | checks
        if geometry.rides[man.kind]:
            pins.append((in_the_way, answer))

    found = []
    for man in ours:
        if man is king:
            found.append(GEOMETRY.attacks[KING][man.squares] & ~our_men & ~danger)
            continue
        allowed = target
        for in_the_way, answer in pins:
            allowed = np.where(in_the_way == BIT[man.squares], allowed & answer, allowed)
        if man.kind in _THIRD:
            found.append(_pawn_moves(man, occupied, their_men) & allowed)
        else:
            others = [other.squares for other in men if other is not man]
            found.append(attacks(man.kind, man.squares, others, geometry) & allowed)
    return MoveSets(in_check, ours, found, FAIRY + len(fairy))


def _pawn_moves(man: Man, occupied: Sets, their_men: Sets) -> Sets:
    def up(sets: Sets) -> Sets:
        return sets << _EIGHT if man.kind == PAWN_UP else sets >> _EIGHT

    pushed = up(BIT[man.squares]) & ~occupied
    doubled = up(pushed & _THIRD[man.kind]) & ~occupied
    return pushed | doubled | (GEOMETRY.attacks[man.kind][man.squares] & their_men)
