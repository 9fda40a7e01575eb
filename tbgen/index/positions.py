"""The positions that numbers stand for, many at once, by numpy: no compiler has to be waited for."""

from functools import cache
from typing import Final, NamedTuple

import numpy as np
from numpy.typing import NDArray

from tbgen.board.geometry import KING
from tbgen.board.move_sets import BIT, screen
from tbgen.index.groups import choices
from tbgen.index.kings import FAMILIES, PAIRS, kings
from tbgen.index.layout import Layout

_EMPTY: Final = 0
"""Where a text has no character: these are left out."""
_REST: Final = b" - - 0 1"
_RANK: Final = 9
"""Characters of a rank of eight men, and the one behind it."""


class Position(NamedTuple):
    men: tuple[tuple[int, str], ...]
    """(square, letter) slot by slot: capital letters for the first side, as for White."""
    first_to_move: bool


class Placed(NamedTuple):
    """Positions, the first side playing as White."""

    squares: list[NDArray[np.int64]]
    """`[slot][position]`."""
    second_moves: NDArray[np.bool_]


def placed(layout: Layout, numbers: NDArray[np.int64]) -> Placed:
    """The positions of numbers that the layout has."""
    slices = np.searchsorted(layout.start, numbers, "right") - 1
    rest = numbers - layout.start[slices]
    half = layout.half_size[slices]
    second_moves = rest >= half
    pairs, rest = np.divmod(rest - second_moves * half, layout.inner)
    pairs += np.append(0, np.cumsum(PAIRS))[layout.family[slices]]
    squares = [side[pairs] for side in _kings()]
    for group in layout.groups:
        of_group, rest = np.divmod(rest, group.stride)
        squares.extend(choices().squares[group.count].reshape(-1, group.count)[of_group].T.astype(np.int64))
    return Placed([*squares, *layout.pawns.squares[slices].T.astype(np.int64)], second_moves)


def legal(layout: Layout, men: Placed) -> NDArray[np.bool_]:
    """Which positions are legal."""
    squares, fairy = men.squares, layout.material.fairy
    good = np.ones(len(men.second_moves), np.bool_)
    occupied = np.zeros(len(men.second_moves), np.uint64)
    for slot, own in enumerate(squares):
        good &= occupied & BIT[own] == 0
        occupied |= BIT[own]
        if slot >= layout.first_pawn:
            good &= (own >= 8) & (own < 56)
    good &= screen(KING)[squares[0] * 64 + squares[1]] != 0
    for slot in range(2, len(squares)):
        side = layout.letters[slot][0]
        path = screen(layout.kinds[slot], fairy)[squares[slot] * 64 + squares[1 - side]]
        takes_king = (path & occupied) == 0
        good &= ~(takes_king & (men.second_moves if side else ~men.second_moves))
    return good


def first_to_move(layout: Layout, men: Placed) -> Placed:
    """The same with colours swapped where the second side is to move; both sides have the same men."""
    slots = list(range(len(layout.letters)))
    partner = [next(s for s in slots if _is_partner(layout, slot, s)) for slot in slots]
    squares = [
        np.where(men.second_moves, men.squares[other] ^ 56, own)
        for own, other in zip(men.squares, partner, strict=True)
    ]
    return Placed(squares, np.zeros_like(men.second_moves))


def fens(layout: Layout, men: Placed) -> NDArray[np.bytes_]:
    """Positions as FENs in ASCII, White being the first side."""
    rows = np.arange(len(men.second_moves))
    occupied = np.zeros((len(rows), 8), np.uint8)
    for squares in men.squares:
        occupied[rows, 7 - squares // 8] |= (1 << squares % 8).astype(np.uint8)
    board = _empty_ranks()[occupied]
    for (side, letter), squares in zip(layout.letters, men.squares, strict=True):
        board[rows, 7 - squares // 8, squares % 8] = ord(letter.lower() if side else letter)
    board[:, -1, -1] = ord(" ")
    turn = np.where(men.second_moves, ord("b"), ord("w")).astype(np.uint8)
    rest = np.broadcast_to(np.frombuffer(_REST, np.uint8), (len(rows), len(_REST)))
    text = np.concatenate([board.reshape(len(rows), 8 * _RANK), turn[:, None], rest], axis=1)
    there = text != _EMPTY
    found = np.zeros((len(rows), longest_fen(layout)), np.uint8)
    found[np.arange(found.shape[1]) < there.sum(axis=1)[:, None]] = text[there]
    return found.view(f"S{found.shape[1]}")[:, 0]


def longest_fen(layout: Layout) -> int:
    """Characters: men, empty squares before, between and behind them, ends of ranks, and the other fields."""
    return 2 * len(layout.letters) + 8 + 8 + 1 + len(_REST)


def position(layout: Layout, number: int) -> Position:
    """The first side plays as White."""
    men = _one(layout, number)
    letters = [letter.lower() if side else letter for side, letter in layout.letters]
    return Position(
        tuple((int(squares[0]), letter) for squares, letter in zip(men.squares, letters, strict=True)),
        not men.second_moves[0],
    )


def fen(layout: Layout, number: int) -> str:
    """The position of a number as a FEN, White being the first side."""
    return str(fens(layout, _one(layout, number))[0], "ascii")


def _one(layout: Layout, number: int) -> Placed:
    if not 0 <= number < layout.size:
        raise IndexError(f"{layout.material} has no number {number}")
    return placed(layout, np.array([number]))


def _is_partner(layout: Layout, slot: int, other: int) -> bool:
    """Whether like men stand in these slots, one of each side, each at the same place among those of its side."""
    (side, letter), man = layout.letters[slot], layout.letters[other]
    return man == (1 - side, letter) and layout.letters[:slot].count((side, letter)) == layout.letters[:other].count(
        man
    )


@cache
def _kings() -> tuple[NDArray[np.int64], NDArray[np.int64]]:
    """The first side's and the second's by the number of the pair, family after family."""
    tables = [kings(family) for family in range(FAMILIES)]
    first, second = (np.concatenate([getattr(table, side) for table in tables]) for side in ("first", "second"))
    return first.astype(np.int64), second.astype(np.int64)


@cache
def _empty_ranks() -> NDArray[np.uint8]:
    """`[occupied files]`: the characters of a rank, with nothing where men stand."""
    found = np.full((256, _RANK), _EMPTY, np.uint8)
    for occupied in range(256):
        empty = 0
        for file in range(8):
            empty = 0 if occupied >> file & 1 else empty + 1
            if empty and (file == 7 or occupied >> file + 1 & 1):
                found[occupied, file] = ord(str(empty))
        found[occupied, 8] = ord("/")
    return found
