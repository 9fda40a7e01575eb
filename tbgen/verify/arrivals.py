"""What the table in question, and those that its resets lead to, say of the positions after a batch of moves."""

from typing import Final, NamedTuple

import numpy as np
from numpy.typing import NDArray

from tbgen.board.geometry import PAWN_UP
from tbgen.board.moves import move_promotion, move_slot, move_taken, move_target
from tbgen.index.atlas import MEN
from tbgen.index.kernels import locate
from tbgen.index.layout import Layout
from tbgen.intrinsics import fetch_i32
from tbgen.jit import inlined, kernel
from tbgen.material import PIECES, Material
from tbgen.verify.moves import NO_POSITION, may_give_right

NOWHERE: Final = -1
UNSEEN: Final = -2
"""Among numbers of arrivals: a position of a table that is not at hand."""
_NIBBLE: Final = 4


class Tables(NamedTuple):
    """The table in question, number 0, and those that its resets lead to."""

    signature: NDArray[np.int64]
    """`[table * 2 + swapped]`: how many men of each kind each side has."""
    address: NDArray[np.int64]
    size: NDArray[np.int64]
    """`[table]`: its entries in memory, 0 where they are not at hand. The first table lies there by slices:"""
    start: NDArray[np.int64]
    """`[slice]`: its first number; one more entry than slices."""
    entries: NDArray[np.int64]
    staircases: NDArray[np.int64]
    """`[slice]`: address of its part, 0 where it is not in memory."""
    first_staircase: NDArray[np.int64]
    """`[slice]`: where in the book its dictionary begins."""


class Seats(NamedTuple):
    """Room for the men of one position after a reset."""

    after: NDArray[np.int64]
    """`[slot]`: where each stands."""
    kinds: NDArray[np.int64]
    """What each is; NOWHERE if gone, or once it has found its place."""
    there: NDArray[np.int64]
    """The squares, as the table has them to which they belong now."""


class Arrivals(NamedTuple):
    """`[move]`, for a batch of lists: where it leads, and what is said of the position there."""

    number: NDArray[np.int64]
    """In the table in question; NOWHERE after a reset, UNSEEN after one to a table that is not at hand."""
    entry: NDArray[np.int32]
    """0 where no position can be found."""
    staircase: NDArray[np.int32]
    level: NDArray[np.uint8]
    """Its own level, or NO_POSITION; 0 after a reset, so that it is fresh under every record."""
    pushes: NDArray[np.int64]
    """The moves that may give a right to capture in passing, in a list of their own."""


def signature(material: Material) -> int:
    """How many men of each kind each side has."""
    sides = (material.first, material.second)
    return sum(
        sides[side].count(letter) << _NIBBLE * (side * len(PIECES) + place)
        for side in (0, 1)
        for place, letter in enumerate(PIECES)
    )


def make_tables(layouts: list[Layout], addresses: list[int]) -> Tables:
    parts = layouts[0].slices
    return Tables(
        np.array([signature(m) for x in layouts for m in (x.material, x.material.swapped)], np.int64),
        np.array(addresses, np.int64),
        np.array([layout.size for layout in layouts], np.int64),
        layouts[0].start.astype(np.int64),
        *(np.zeros(parts, np.int64) for _ in range(3)),
    )


def make_seats() -> Seats:
    return Seats(np.empty(MEN, np.int64), np.empty(MEN, np.int64), np.empty(MEN, np.int64))


def make_arrivals(moves: int) -> Arrivals:
    return Arrivals(
        np.empty(moves, np.int64),
        np.empty(moves, np.int32),
        np.zeros(moves, np.int32),
        np.zeros(moves, np.uint8),
        np.empty(moves, np.int64),
    )


@inlined
def part_of(tables, number):
    """The slice in which a number of the table lies."""
    low, high = 0, len(tables.start) - 1
    while high - low > 1:
        middle = (low + high) >> 1
        if number < tables.start[middle]:
            high = middle
        else:
            low = middle
    return low


@kernel
def arrive_quietly(atlas, tables, positions, lists, arrivals):
    """Fill in the arrivals of all quiet moves, but for the levels."""
    for here in range(len(positions.movers)):
        squares, reply = positions.squares[here], 1 - positions.movers[here]
        for at in range(lists.first[here], lists.first[here] + lists.quiet[here]):
            slot = move_slot(lists.move[at])
            origin = squares[slot]
            squares[slot] = move_target(lists.move[at])
            number = locate(atlas, 0, squares, reply)
            squares[slot] = origin
            arrivals.number[at] = NOWHERE
            arrivals.entry[at] = 0
            if number < 0 or number >= tables.size[0]:
                continue
            part = part_of(tables, number)
            if tables.entries[part] == 0:
                continue
            arrivals.number[at] = number
            arrivals.entry[at] = fetch_i32(tables.entries[part], number - tables.start[part])
            staircase = fetch_i32(tables.staircases[part], number - tables.start[part])
            arrivals.staircase[at] = tables.first_staircase[part] + staircase


@kernel
def look_up_levels(start, levels, arrivals, moves):
    """Fill in the levels of all quiet arrivals, from those of the slice that starts at this number."""
    for at in range(moves):
        number = arrivals.number[at]
        if number >= 0:
            node = number - start
            arrivals.level[at] = levels[node] if 0 <= node < len(levels) else NO_POSITION


@inlined
def _is_alike(kind, other):
    return kind == other or (kind >= PAWN_UP and other >= PAWN_UP)


@inlined
def _table_of(atlas, tables, kinds):
    """Which table men of these kinds (NOWHERE: gone) make, twice its number, and one more where it has the
    colours swapped."""
    found = 0
    for slot in range(2, atlas.men[0]):
        if kinds[slot] >= 0:
            found += 1 << _NIBBLE * (atlas.side[slot] * len(PIECES) + min(kinds[slot], len(PIECES) - 1))
    for row in range(len(tables.signature)):
        if tables.signature[row] == found:
            return row
    return NOWHERE


@kernel
def arrive_by_reset(atlas, tables, positions, lists, seats, arrivals):
    """Fill in the arrivals of all captures and pawn moves. Returns how many may give a right.

    The men are counted and seated anew: nothing is kept of where they came from."""
    after, kinds, there = seats.after, seats.kinds, seats.there
    pushes = 0
    for here in range(len(positions.movers)):
        squares, side = positions.squares[here], positions.movers[here]
        for at in range(lists.first[here] + lists.quiet[here], lists.first[here + 1]):
            move = lists.move[at]
            arrivals.number[at] = NOWHERE
            arrivals.entry[at] = 0
            if may_give_right(atlas, squares, side, move):
                arrivals.pushes[pushes] = at
                pushes += 1
            moved, taken, promotion = move_slot(move), move_taken(move), move_promotion(move)
            for slot in range(atlas.men[0]):
                after[slot] = squares[slot]
                kinds[slot] = atlas.kind[slot]
            after[moved] = move_target(move)
            if promotion >= 0:
                kinds[moved] = promotion
            if taken >= 0:
                kinds[taken] = NOWHERE
            row = _table_of(atlas, tables, kinds)
            if row < 0 or taken in (0, 1):
                continue
            table, swap = row >> 1, row & 1
            if table and tables.address[table] == 0:
                arrivals.number[at] = UNSEEN
                continue
            for place in range(atlas.men[table]):
                for slot in range(atlas.men[0]):
                    if atlas.side[slot] ^ swap == atlas.side[table * MEN + place] and _is_alike(
                        kinds[slot], atlas.kind[table * MEN + place]
                    ):
                        kinds[slot] = NOWHERE
                        there[place] = after[slot] ^ (56 * swap)
                        break
            number = locate(atlas, table, there, (1 - side) ^ swap)
            if number < 0 or number >= tables.size[table]:
                continue
            if table:
                arrivals.entry[at] = fetch_i32(tables.address[table], number)
                continue
            part = part_of(tables, number)
            if tables.entries[part]:
                arrivals.entry[at] = fetch_i32(tables.entries[part], number - tables.start[part])
    return pushes
