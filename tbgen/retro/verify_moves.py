"""Where the moves of a position lead, and what the table and its successors say there: forwards only."""

from typing import Final, NamedTuple

import numpy as np
from numpy.typing import NDArray

from tbgen.board.geometry import KING, PAWN_UP
from tbgen.index.atlas import MEN
from tbgen.index.kernels import locate
from tbgen.index.layout import Layout
from tbgen.jit import inlined, kernel
from tbgen.material import PIECES, Material
from tbgen.retro.atomics import fetch_i32
from tbgen.retro.ground import Ground, set_up
from tbgen.retro.moves import (
    is_checked,
    list_moves,
    move_promotion,
    move_slot,
    move_taken,
    move_target,
)

MOST_MOVES: Final = 512
MOST_LEVELS: Final = 256
NO_POSITION: Final = 255
"""Among levels: the number stands for no legal position."""
_NIBBLE: Final = 4


class Tables(NamedTuple):
    """The table in question, number 0, and those that its resets lead to."""

    signature: NDArray[np.int64]
    """`[table * 2 + swapped]`: how many men of each kind each side has."""
    address: NDArray[np.int64]
    size: NDArray[np.int64]
    """`[table]`: its entries in memory. The first table lies there by slices:"""
    start: NDArray[np.int64]
    """`[slice]`: its first number; one more entry than slices."""
    entries: NDArray[np.int64]
    staircases: NDArray[np.int64]
    """`[slice]`: address of its part, 0 where it is not in memory."""


class Case(NamedTuple):
    """What is on trial: one slice."""

    ground: Ground
    tables: Tables
    part: int
    """Which slice it is."""
    whole_game: int
    levels: NDArray[np.uint8]
    """The own level of every position of the slice, or nothing: then they are counted when needed."""
    first_step: NDArray[np.int64]
    """`[staircase]`: where its steps begin; one more entry than staircases."""
    step: NDArray[np.int64]
    """See verify_worth.py."""


class Desk(NamedTuple):
    """A thread's own arrays."""

    squares: NDArray[np.int64]
    after: NDArray[np.int64]
    kinds: NDArray[np.int64]
    there: NDArray[np.int64]
    moves: NDArray[np.int64]
    replies: NDArray[np.int64]
    counted: NDArray[np.int64]
    numbers: NDArray[np.int64]
    best: NDArray[np.int32]
    """`[holder * MOST_LEVELS + level]`: what the best move pays under each record, as a key."""
    own: NDArray[np.int32]
    """What the table says the position is worth."""
    finding: NDArray[np.int64]


def make_desk() -> Desk:
    small = [np.zeros(MEN, np.int64) for _ in range(4)]
    lists = [np.zeros(MOST_MOVES, np.int64) for _ in range(4)]
    rows = [np.zeros(2 * MOST_LEVELS, np.int32) for _ in range(2)]
    return Desk(*small, *lists, *rows, np.zeros(8, np.int64))


def signature(material: Material) -> int:
    """How many men of each kind each side has, as `_signature_after` counts them."""
    sides = (material.first, material.second)
    return sum(
        sides[side].count(letter) << _NIBBLE * (side * len(PIECES) + place)
        for side in (0, 1)
        for place, letter in enumerate(PIECES)
    )


def make_tables(layouts: list[Layout], addresses: list[int], parts: int) -> Tables:
    return Tables(
        np.array([signature(m) for x in layouts for m in (x.material, x.material.swapped)], np.int64),
        np.array(addresses, np.int64),
        np.array([layout.size for layout in layouts], np.int64),
        layouts[0].start.astype(np.int64),
        np.zeros(parts, np.int64),
        np.zeros(parts, np.int64),
    )


@inlined
def own_level(ground, squares, side, moves):
    """The level of a legal position, and how many of its moves are quiet and how many there are."""
    quiet, count = list_moves(ground, squares, side, moves)
    return 2 * count + (0 if is_checked(ground, squares, side) else 1), quiet, count


@inlined
def take_place(ground, node, squares):
    """Put the men on their squares. Returns the side to move, or -1 if this is no legal position."""
    side, _, _, shared = set_up(ground, node, squares)
    return -1 if shared or is_checked(ground, squares, 1 - side) else side


@kernel
def find_levels(ground, desk, levels, start, end):
    """Fill in the own levels of a range of a slice; returns how many are too high to be stored."""
    too_high = 0
    for node in range(start, end):
        side = take_place(ground, node, desk.squares)
        if side < 0:
            levels[node] = NO_POSITION
            continue
        level = own_level(ground, desk.squares, side, desk.replies)[0]
        too_high += level >= NO_POSITION
        levels[node] = min(level, NO_POSITION - 1)
    return too_high


@kernel
def count_legal(ground, desk, nodes, legal):
    """Mark which of these nodes are legal positions."""
    for at in range(len(nodes)):
        legal[at] = take_place(ground, nodes[at], desk.squares) >= 0


@inlined
def part_of(tables, number):
    return np.searchsorted(tables.start, number, side="right") - 1


@kernel
def locate_after(atlas, squares, side, moves, count, numbers):
    """Where the first `count` moves, quiet ones, lead: their numbers in the table."""
    for at in range(count):
        slot = move_slot(moves[at])
        origin = squares[slot]
        squares[slot] = move_target(moves[at])
        numbers[at] = locate(atlas, 0, squares, 1 - side)
        squares[slot] = origin


@kernel
def level_after(ground, squares, side, move, moves):
    """The own level of the position after a quiet move. `moves` is overwritten."""
    slot = move_slot(move)
    origin = squares[slot]
    squares[slot] = move_target(move)
    level = own_level(ground, squares, 1 - side, moves)[0]
    squares[slot] = origin
    return level


@inlined
def _is_alike(kind, other):
    return kind == other or (kind >= PAWN_UP and other >= PAWN_UP)


@kernel
def entry_after(case, desk, squares, side, move):
    """The entry of the position that a reset leads to; 0 where there is none.

    The men are counted and seated anew: nothing is remembered of where they came from."""
    atlas = case.ground.atlas
    tables = case.tables
    moved, taken, promotion = move_slot(move), move_taken(move), move_promotion(move)
    found = 0
    for slot in range(atlas.men[0]):
        kind = promotion if slot == moved and promotion >= 0 else atlas.kind[slot]
        desk.kinds[slot] = -1 if slot == taken else kind
        desk.after[slot] = move_target(move) if slot == moved else squares[slot]
        if slot != taken and kind != KING:
            found += 1 << _NIBBLE * (atlas.side[slot] * len(PIECES) + min(kind, len(PIECES) - 1))
    row = 0
    while tables.signature[row] != found:
        row += 1
        if row == len(tables.signature):
            return np.int32(0)
    table, swap = row >> 1, row & 1
    for place in range(atlas.men[table]):
        for slot in range(atlas.men[0]):
            if (
                desk.kinds[slot] >= 0
                and atlas.side[slot] ^ swap == atlas.side[table * MEN + place]
                and _is_alike(desk.kinds[slot], atlas.kind[table * MEN + place])
            ):
                desk.kinds[slot] = -1
                desk.there[place] = desk.after[slot] ^ (56 * swap)
                break
    number = locate(atlas, table, desk.there, (1 - side) ^ swap)
    if number < 0 or number >= tables.size[table]:
        return np.int32(0)
    if table:
        return fetch_i32(tables.address[table], number)
    part = part_of(tables, number)
    return fetch_i32(tables.entries[part], number - tables.start[part]) if tables.entries[part] else np.int32(0)
