"""How many legal positions a material has, without a line of tbgen: every placement of all men but one.

Black's king comes last, as a set of squares.

Legal is what K. Kryukov counts: the side that is not to move is not in check, pawns are on the second to the seventh
rank. Each position counts once up to symmetry, of the board and, with the same men on both sides, of colours. He counts
two kinds of states as positions of their own: those with castling rights (each set of rights that kings and rooks
allow), and those with a right to capture en passant (each pawn that may have been pushed past one of the other side's).
As he counts, a pawn cannot have been pushed over another pawn, but over a king or a piece.
"""

from collections import Counter
from collections.abc import Callable, Iterator
from itertools import combinations_with_replacement
from typing import Any, Final, NamedTuple, TypeVar

import numpy as np
from numba import njit
from numpy.typing import NDArray

LETTERS: Final = "PNBRQ"
PAWN, KNIGHT, BISHOP, ROOK, QUEEN = range(5)
WHITE, BLACK = 0, 1

_BIT: Final = np.uint64(1) << np.arange(64, dtype=np.uint64)
_DIAGONAL: Final = _BIT[::9].sum()
_E1, _E8 = 4, 60


_Ints = NDArray[np.int64]
_Function = TypeVar("_Function", bound=Callable[..., Any])


def jit(function: _Function) -> _Function:
    """numba's decorator keeps no types."""
    compiled: _Function = njit(function)
    return compiled


class Counted(NamedTuple):
    positions: int
    castling: int
    """States with castling rights, those included in which a pawn can be captured en passant as well."""
    en_passant: int
    """States with a right to capture en passant and no castling rights."""

    @property
    def states(self) -> int:
        return sum(self)


def materials(men: int) -> Iterator[tuple[str, str]]:
    """The letters beside the kings, the side with more or with better men first."""
    for second in range((men - 2) // 2 + 1):
        for mine in combinations_with_replacement("QRBNP", men - 2 - second):
            for theirs in combinations_with_replacement("QRBNP", second):
                if len(mine) > len(theirs) or [*map("QRBNP".index, mine)] <= [*map("QRBNP".index, theirs)]:
                    yield "".join(mine), "".join(theirs)


def count(first: str, second: str) -> Counted:
    kinds = np.array([LETTERS.index(letter) for letter in first + second], np.int64)
    colours = np.array([WHITE] * len(first) + [BLACK] * len(second), np.int64)
    placements, on_diagonal, castling, en_passant = map(int, _count(kinds, colours))
    # Burnside: of a board's symmetries only those that mirror at a long diagonal leave some placement as it is; to
    # swap the colours leaves none, since the other side is to move
    swaps = 2 if Counter(first) == Counter(second) else 1
    boards = 2 if "P" in first + second else 8
    return Counted((placements + 2 * on_diagonal) // (boards * swaps), castling // swaps, en_passant // (2 * swaps))


def _leaps(steps: tuple[tuple[int, int], ...]) -> NDArray[np.uint64]:
    found = np.zeros(64, np.uint64)
    for square in range(64):
        for right, up in steps:
            file, rank = square % 8 + right, square // 8 + up
            if 0 <= file < 8 and 0 <= rank < 8:
                found[square] |= _BIT[8 * rank + file]
    return found


_KING: Final = _leaps(tuple((x, y) for x in (-1, 0, 1) for y in (-1, 0, 1) if x or y))
_KNIGHT: Final = _leaps(tuple((x, y) for x in (-2, -1, 1, 2) for y in (-2, -1, 1, 2) if abs(x) != abs(y)))
_PAWN: Final = np.stack([_leaps(((-1, 1), (1, 1))), _leaps(((-1, -1), (1, -1)))])


@jit
def _ray(square: int, occupied: np.uint64, right: int, up: int) -> np.uint64:
    file, rank, found = square % 8 + right, square // 8 + up, np.uint64(0)
    while 0 <= file < 8 and 0 <= rank < 8:
        found |= _BIT[8 * rank + file]
        if occupied & _BIT[8 * rank + file]:
            break
        file, rank = file + right, rank + up
    return found


@jit
def _reach(kind: int, colour: int, square: int, occupied: np.uint64) -> np.uint64:
    found = np.uint64(0)
    if kind == PAWN:
        found |= _PAWN[colour, square]
    elif kind == KNIGHT:
        found |= _KNIGHT[square]
    else:
        for right in range(-1, 2):
            for up in range(-1, 2):
                straight = right == 0 or up == 0
                if (right or up) and (kind == QUEEN or straight == (kind == ROOK)):
                    found |= _ray(square, occupied, right, up)
    return found


@jit
def _members(squares: np.uint64) -> int:
    found = 0
    while squares:
        squares &= squares - np.uint64(1)
        found += 1
    return found


@jit
def _place(code: int, kinds: _Ints, colours: _Ints, squares: _Ints) -> np.uint64:
    """Read the squares off a number; the occupied ones, or 0 if this is no placement or that of another number."""
    occupied = np.uint64(0)
    for man in range(len(squares)):
        square = code >> 6 * man & 63
        if occupied & _BIT[square]:
            return np.uint64(0)
        occupied |= _BIT[square]
        squares[man] = square
        if man and kinds[man - 1] == PAWN and (square < 8 or square > 55):
            return np.uint64(0)
        alike = man > 1 and kinds[man - 1] == kinds[man - 2] and colours[man - 1] == colours[man - 2]
        if alike and square < squares[man - 1]:
            return np.uint64(0)
    return occupied


@jit
def _black_kings(kinds: _Ints, colours: _Ints, squares: _Ints, occupied: np.uint64, found: NDArray[np.uint64]) -> None:
    """Where Black's king may stand, with White and with Black to move."""
    king = squares[0]
    free = ~occupied & ~_KING[king]
    attacked, silent = np.uint64(0), free
    for man in range(len(kinds)):
        square = squares[man + 1]
        reach = _reach(kinds[man], colours[man], square, occupied)
        if colours[man] == WHITE:
            attacked |= reach
        elif reach & _BIT[king]:  # White stands in check, unless Black's king stands in between
            screens = np.uint64(0)
            if kinds[man] != PAWN and kinds[man] != KNIGHT:
                right, up = square % 8 - king % 8, square // 8 - king // 8
                for screen in range(1, max(abs(right), abs(up))):
                    screens |= _BIT[king + screen * (np.sign(right) + 8 * np.sign(up))]
            silent &= screens
    found[WHITE], found[BLACK] = free & ~attacked, silent


@jit
def _is_own_image(kinds: _Ints, colours: _Ints, squares: _Ints) -> bool:
    """Whether mirroring at the diagonal from a1 to h8 leaves all men but Black's king where they are."""
    if not _DIAGONAL & _BIT[squares[0]]:
        return False
    for man in range(len(kinds)):
        image, found = squares[man + 1] % 8 * 8 + squares[man + 1] // 8, False
        for other in range(len(kinds)):
            alike = kinds[other] == kinds[man] and colours[other] == colours[man]
            found |= alike and squares[other + 1] == image
        if not found or kinds[man] == PAWN:
            return False
    return True


@jit
def _pawns_just_pushed(kinds: _Ints, colours: _Ints, squares: _Ints, mover: int) -> int:
    """Pawns that may have come by a double step, as far as pawns can tell, and stand beside one of the mover's."""
    rank, behind, found = (4, 8, 0) if mover == WHITE else (3, -8, 0)
    for pushed in range(len(kinds)):
        square = squares[pushed + 1]
        if kinds[pushed] != PAWN or colours[pushed] == mover or square // 8 != rank:
            continue
        beside, blocked = False, False
        for man in range(len(kinds)):
            there = squares[man + 1]
            if kinds[man] == PAWN:
                beside |= colours[man] == mover and there // 8 == rank and abs(there - square) == 1
                blocked |= there == square + behind or there == square + 2 * behind
        found += beside and not blocked
    return found


@jit
def _rooks_at_home(kinds: _Ints, colours: _Ints, squares: _Ints, colour: int) -> int:
    found, rank = 0, 0 if colour == WHITE else 56
    for man in range(len(kinds)):
        home = squares[man + 1] == rank or squares[man + 1] == rank + 7
        found += home and kinds[man] == ROOK and colours[man] == colour
    return found


@jit
def _count(kinds: _Ints, colours: _Ints) -> _Ints:
    """Placements; those that are their own image; states with castling rights; the others with a right to capture en
    passant."""
    total = np.zeros(4, np.int64)
    squares, kings = np.zeros(len(kinds) + 1, np.int64), np.zeros(2, np.uint64)
    for code in range(64 ** len(squares)):
        occupied = _place(code, kinds, colours, squares)
        if not occupied:
            continue
        _black_kings(kinds, colours, squares, occupied, kings)
        own_image = _is_own_image(kinds, colours, squares)
        white = _rooks_at_home(kinds, colours, squares, WHITE) if squares[0] == _E1 else 0
        black = _rooks_at_home(kinds, colours, squares, BLACK)
        for mover in range(2):
            legal = _members(kings[mover])
            total[0] += legal
            if own_image:
                total[1] += _members(kings[mover] & _DIAGONAL)
            at_home = _members(kings[mover] & _BIT[_E8])
            rights = (legal - at_home) * ((1 << white) - 1) + at_home * ((1 << white + black) - 1)
            pushed = _pawns_just_pushed(kinds, colours, squares, mover)
            total[2] += rights * (1 + pushed)
            total[3] += legal * pushed
    return total
