"""Facts about squares alone: symmetries, steps and rides of each kind of man, lines between squares.

Squares are numbered as in python-chess: a1 = 0, b1 = 1, ... h8 = 63. Everything here is plain numpy,
made once at import in a few milliseconds; kernels take the bundle `GEOMETRY`. With men beyond chess there is another
bundle (`geometry_of`): what differs between men is data.
"""

from functools import cache
from typing import Final, NamedTuple

import numpy as np
from numpy.typing import NDArray

from tbgen.board.men import Man

SQUARE_PAIRS: Final = 64 * 64
"""Ordered pairs of squares: the pair a, b has the number `a * 64 + b`."""

QUEEN, ROOK, BISHOP, KNIGHT = range(4)
FAIRY: Final = 4
"""The first kind of man beyond chess; those of a material follow in its order. These kinds, and no others, have this
bit. A pawn promotes to kinds from 0 on."""
KING, PAWN_UP, PAWN_DOWN = range(8, 11)
KINDS: Final = 11
MOST_PROMOTIONS: Final = 7
KIND_OF_LETTER: Final = {"Q": QUEEN, "R": ROOK, "B": BISHOP, "N": KNIGHT, "K": KING}

_STRAIGHT: Final = ((1, 0), (-1, 0), (0, 1), (0, -1))
_SLANTED: Final = ((1, 1), (1, -1), (-1, 1), (-1, -1))
_JUMPS: Final = ((1, 2), (2, 1), (-1, 2), (-2, 1), (1, -2), (2, -1), (-1, -2), (-2, -1))
_FAR: Final = 7

# A kind of man is a row of data: its steps, each (file, rank, how often at most).
# Pawns stand here with their captures only; their pushes are no attacks.
_Steps = tuple[tuple[int, int, int], ...]


def _rides(*steps: tuple[int, int]) -> _Steps:
    return tuple((*step, _FAR) for step in steps)


def _leaps(*steps: tuple[int, int]) -> _Steps:
    return tuple((*step, 1) for step in steps)


_OF_CHESS: Final = {
    QUEEN: _rides(*_STRAIGHT, *_SLANTED),
    ROOK: _rides(*_STRAIGHT),
    BISHOP: _rides(*_SLANTED),
    KNIGHT: _leaps(*_JUMPS),
    KING: _leaps(*_STRAIGHT, *_SLANTED),
    PAWN_UP: _leaps((-1, 1), (1, 1)),
    PAWN_DOWN: _leaps((-1, -1), (1, -1)),
}

# The eight symmetries of the board by number: bit 0 mirrors files, bit 1 mirrors ranks, bit 2 then
# swaps the two (a reflection in the diagonal a1-h8). 0 changes nothing.
FILES_MIRRORED: Final = 1
RANKS_MIRRORED: Final = 2
TRANSPOSED: Final = 4


class Geometry(NamedTuple):
    """The tables as kernels take them."""

    start: NDArray[np.int32]
    """`[kind * 64 + square]`: where the destinations of this man begin in `to`; `+ 1` is where they end."""
    to: NDArray[np.int8]
    """Destinations on an empty board, ray by ray, outwards."""
    skip: NDArray[np.int32]
    """Where to go on in `to` when this destination is occupied: the start of the next ray."""
    attacks: NDArray[np.uint64]
    """`[kind, square]`: the set of all destinations on an empty board."""
    rides: tuple[bool, ...]
    """`[kind]`: whether other men may be in its way."""
    between: NDArray[np.uint64]
    """`[a * 64 + b]`: the squares strictly between two that share a line, else none. From `lines_of(kind)` on the same
    for a man beyond chess: the squares that he rides over from a to b."""
    behind: NDArray[np.uint64]
    """`[a * 64 + b]`, likewise: the squares beyond b, seen from a along a line, else none."""
    image: NDArray[np.int8]
    """`[symmetry, square]`: where a symmetry takes a square."""
    after: NDArray[np.int8]
    """`[second, first]`: the symmetry that does the same as `first` followed by `second`."""
    inverse: NDArray[np.int8]
    """`[symmetry]`: the symmetry that undoes it."""


def on_board(file: int, rank: int) -> bool:
    return 0 <= file < 8 and 0 <= rank < 8


def lines_of(kind: int) -> int:
    """Where the lines of a kind of man begin in `between` and `behind`. All men of chess share theirs."""
    return (kind >> 2 & 1) * (kind - FAIRY + 1) * SQUARE_PAIRS


def _rays(steps: _Steps, square: int) -> list[list[int]]:
    rays: list[list[int]] = []
    for step_file, step_rank, far in steps:
        file, rank = square % 8 + step_file, square // 8 + step_rank
        ray: list[int] = []
        while on_board(file, rank) and len(ray) < far:
            ray.append(rank * 8 + file)
            file, rank = file + step_file, rank + step_rank
        if ray:
            rays.append(ray)
    return rays


def _symmetry_images() -> NDArray[np.int8]:
    image = np.empty((8, 64), np.int8)
    for symmetry in range(8):
        for square in range(64):
            file, rank = square % 8, square // 8
            if symmetry & FILES_MIRRORED:
                file = 7 - file
            if symmetry & RANKS_MIRRORED:
                rank = 7 - rank
            if symmetry & TRANSPOSED:
                file, rank = rank, file
            image[symmetry, square] = rank * 8 + file
    return image


def _between_and_behind(steps: _Steps) -> tuple[NDArray[np.uint64], NDArray[np.uint64]]:
    between, behind = np.zeros((2, SQUARE_PAIRS), np.uint64)
    for square in range(64):
        for ray in _rays(steps, square):
            passed, ahead = 0, sum(1 << target for target in ray)
            for target in ray:
                ahead ^= 1 << target
                between[square * 64 + target], behind[square * 64 + target] = passed, ahead
                passed |= 1 << target
    return between, behind


@cache
def geometry_of(fairy: tuple[Man, ...]) -> Geometry:
    """The tables for the men of chess and these."""
    steps: dict[int, _Steps] = {**_OF_CHESS, **{FAIRY + place: man.steps for place, man in enumerate(fairy)}}
    start: list[int] = [0]
    to: list[int] = []
    skip: list[int] = []
    attacks = np.zeros((KINDS, 64), np.uint64)
    for kind in range(KINDS):
        for square in range(64):
            for ray in _rays(steps.get(kind, ()), square):
                end = len(to) + len(ray)
                to.extend(ray)
                skip.extend([end] * len(ray))
                attacks[kind, square] |= np.uint64(sum(1 << target for target in ray))
            start.append(len(to))
    lines = [_between_and_behind(steps[kind]) for kind in (QUEEN, *range(FAIRY, FAIRY + len(fairy)))]
    between, behind = map(np.concatenate, zip(*lines, strict=True))
    return Geometry(
        np.array(start, np.int32), np.array(to, np.int8), np.array(skip, np.int32), attacks,
        tuple(any(far > 1 for _, _, far in steps.get(kind, ())) for kind in range(KINDS)),
        between, behind, *_symmetries(),
    )  # fmt: skip


@cache
def _symmetries() -> tuple[NDArray[np.int8], NDArray[np.int8], NDArray[np.int8]]:
    """`image`, `after` and `inverse`."""
    image = _symmetry_images()
    number = {row.tobytes(): symmetry for symmetry, row in enumerate(image)}
    after = np.array([[number[image[b][image[a]].tobytes()] for a in range(8)] for b in range(8)], np.int8)
    inverse = np.array([int(np.flatnonzero(after[s] == 0)[0]) for s in range(8)], np.int8)
    return image, after, inverse


GEOMETRY: Final = geometry_of(())
