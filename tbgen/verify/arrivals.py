"""What tables say of the positions that moves lead to: the table that is checked, and those that its resets lead to."""

from collections.abc import Sequence
from typing import Final, NamedTuple

import numpy as np
from numpy.typing import NDArray

from tbgen.board.men import Man
from tbgen.board.moves import move_slot, move_target
from tbgen.compiler.intrinsics import fetch_i32
from tbgen.compiler.jit import inlined
from tbgen.core.material import PROMOTIONS, Material
from tbgen.index.atlas import G_COUNT, G_PARTNER, G_SLOT, G_STRIDE, GROUP, GROUPS, MEN, S_HALF, SLICE
from tbgen.index.exits import Reached
from tbgen.index.kernels import group_number, turned, turned_kings
from tbgen.index.layout import Layout
from tbgen.memory.arrays import Make, in_memory
from tbgen.verify.moves import MOST_MOVES, NO_POSITION, level_of_position
from tbgen.verify.values import LOWEST, distance_in, key_of, outcome_in

NOWHERE: Final = -1
UNSEEN: Final = -2
"""Among tables and levels: of a table that the verifier was not given."""
WHOLE: Final = 62
"""No slice has as many as 2 ** WHOLE numbers."""
NIBBLE: Final = 4
"""Bits for the number of men of one kind: see `signature`."""
COUNTED: Final = 8
"""Kinds of men that are counted: pawns, then those that they may become."""


class Tables(NamedTuple):
    """The table that is checked, number 0, and those that its resets lead to."""

    signature: NDArray[np.int64]
    """`[table * 2 + swapped]`: how many men of each kind each side has; NOWHERE where it is reached otherwise."""
    address: NDArray[np.int64]
    """`[table]`: where its entries are in memory; 0 if they are missing, and for table 0, which is there by pieces."""
    size: NDArray[np.int64]
    """`[table]`: how many numbers it has."""
    start: NDArray[np.int64]
    """`[slice]`: its first number; one more than there are slices."""
    shift: int
    """A slice is divided into pieces of 2 ** shift numbers."""
    piece: NDArray[np.int64]
    """`[slice]`: its first piece; one more than there are slices."""
    entries: NDArray[np.int64]
    """`[piece]`: where its entries are in memory; 0 while they are not."""
    staircases: NDArray[np.int64]
    """`[piece]`: the same for its staircases."""
    first_staircase: NDArray[np.int64]
    """`[piece]`: the number of its first staircase in `Dictionary`."""
    asked: NDArray[np.uint8]
    """`[piece]`: 1 once a position was looked for there that was not in memory."""
    unknown: NDArray[np.int32]
    """`[side to move]`: the entry of every position of which no table is known; 0 where there is to be none. It may
    be worth more to that side, which may retake (resets.py)."""


class Survey(NamedTuple):
    """The own levels of all positions of a slice."""

    slice: int
    """The number of the slice; NOWHERE where there is no survey."""
    level: NDArray[np.uint8]
    """`[number within the slice]`: NO_POSITION where there is none."""


class Arrivals(NamedTuple):
    """`[move]`, for one position: what tables say of the position that each move leads to."""

    entry: NDArray[np.int32]
    """0 if there is no such position."""
    staircase: NDArray[np.int64]
    """Its number in `Dictionary`; after a reset 0, which has no steps; negative if its unit has no such staircase."""
    level: NDArray[np.int32]
    """Its own level, or NO_POSITION. After a reset UNSEEN, or 0: then its value is the fresh one under every record."""


class NumberingBuffers(NamedTuple):
    """A thread's small arrays for the numbers of these positions."""

    node: NDArray[np.int64]
    """`[move]`: the number within the slice of the position it leads to."""
    group: NDArray[np.int64]
    """`[slot]`: the group of like men to which a piece belongs."""
    term: NDArray[np.int64]
    """`[group]`: what it adds to the number of the same position with the other side to move."""
    after: NDArray[np.int64]
    """`[slot]`: the man's square after a reset."""
    kinds: NDArray[np.int64]
    """`[slot]`: the man's kind; NOWHERE if it was taken, or once it has a slot in the table that the reset leads to."""
    there: NDArray[np.int64]
    """`[slot]` of that table: the man's square."""
    seat: NDArray[np.int64]
    """`[slot]`: the man's slot in that table."""
    absent: NDArray[np.int64]
    """Its only element: how many of these positions are not in memory."""


def signature(material: Material, fairy: tuple[Man, ...]) -> int:
    """How many men of each kind each side has, in one integer. `fairy`: the men beyond chess that there may be."""
    letters = ["P", *PROMOTIONS, *(man.letter for man in fairy)]
    return sum(
        men.count(letter) << NIBBLE * (side * COUNTED + place)
        for side, men in enumerate((material.first, material.second))
        for place, letter in enumerate(letters)
    )


def make_tables(layout: Layout, reached: Sequence[Reached], unknown: tuple[int, int], shift: int = WHOLE) -> Tables:
    fairy = layout.material.fairy
    signatures = [signature(layout.material, fairy), signature(layout.material.swapped, fairy)]
    for one in reached:
        for swapped, material in enumerate((one.layout.material, one.layout.material.swapped)):
            signatures.append(signature(material, fairy) if one.swapped in (None, bool(swapped)) else NOWHERE)
    piece = np.append(0, np.cumsum(-(-np.diff(layout.start) >> shift))).astype(np.int64)
    return Tables(
        np.array(signatures, np.int64),
        np.array([0, *(0 if one.entries is None else one.entries.ctypes.data for one in reached)], np.int64),
        np.array([layout.size, *(one.layout.size for one in reached)], np.int64),
        layout.start.astype(np.int64),
        shift,
        piece,
        np.zeros(piece[-1], np.int64),
        np.zeros(piece[-1], np.int64),
        np.zeros(piece[-1], np.int64),
        np.zeros(piece[-1], np.uint8),
        np.array(unknown, np.int32),
    )


def make_survey(slice_: int, numbers: int, make: Make = in_memory) -> Survey:
    return Survey(slice_, make(numbers, np.uint8))


NO_SURVEY: Final = make_survey(NOWHERE, 0)


def make_arrivals() -> Arrivals:
    return Arrivals(np.zeros(MOST_MOVES, np.int32), np.zeros(MOST_MOVES, np.int64), np.zeros(MOST_MOVES, np.int32))


def make_numbering_buffers(layout: Layout) -> NumberingBuffers:
    group = np.zeros(MEN, np.int64)
    for number, one in enumerate(layout.groups):
        group[one.slot : one.slot + one.count] = number
    return NumberingBuffers(
        np.zeros(MOST_MOVES, np.int64),
        group,
        np.zeros(GROUPS, np.int64),
        np.zeros(MEN, np.int64),
        np.zeros(MEN, np.int64),
        np.zeros(MEN, np.int64),
        np.zeros(MEN, np.int64),
        np.zeros(1, np.int64),
    )


@inlined
def best_fresh(arrivals, count):
    """The most that moves are worth by what they lead to under no record, as a key under a record worth nothing; and
    whether all of it is known. Without branches, so that the compiler treats many moves at once."""
    best, known = LOWEST, np.int32(1)
    for at in range(np.uint64(count)):
        entry, level = arrivals.entry[at], arrivals.level[at]
        best = max(best, key_of(-outcome_in(entry), distance_in(entry) + 1, 0))
        known &= np.int32((entry != 0) & (level != UNSEEN) & (level != NO_POSITION))
    return best, known


@inlined
def slice_at(tables, number):
    """The slice in which a number of the table lies."""
    low, high = 0, len(tables.start) - 1
    while high - low > 1:
        middle = (low + high) >> 1
        if number < tables.start[middle]:
            high = middle
        else:
            low = middle
    return low


@inlined
def piece_at(tables, slice_, node, numbering):
    """The piece of a slice in which a number lies, and the number within it; NOWHERE if it is not in memory."""
    piece = tables.piece[slice_] + (node >> tables.shift)
    if tables.entries[piece] == 0:
        tables.asked[piece] = 1
        numbering.absent[0] += 1
        return np.int64(NOWHERE), np.int64(0)
    return piece, node & ((np.int64(1) << tables.shift) - 1)


@inlined
def _term_of(atlas, symmetry, swap, squares, number):
    """What a group of like men adds to the number of a position to which this symmetry applies."""
    own = number * GROUP
    place = atlas.group[own + G_PARTNER] * GROUP if swap else own
    return atlas.group[place + G_STRIDE] * np.int64(
        group_number(atlas, symmetry, squares, atlas.group[own + G_SLOT], atlas.group[own + G_COUNT])
    )


@inlined
def _number_man(atlas, moves, at, quiet, symmetry, swap, rest, numbering):
    """Fill in the numbers of all quiet moves of the piece whose first is this one; `rest` is what other groups add to
    them. Returns where the next man's moves begin."""
    squares, node, slot = moves.squares, numbering.node, move_slot(moves.move[at])
    own = numbering.group[slot] * GROUP
    place = atlas.group[own + G_PARTNER] * GROUP if swap else own
    stride, first, count = atlas.group[place + G_STRIDE], atlas.group[own + G_SLOT], atlas.group[own + G_COUNT]
    origin, shift = squares[slot], symmetry * 64
    other = np.int64(atlas.image[shift + squares[2 * first + 1 - slot]]) if count == 2 else np.int64(0)
    while at < quiet and move_slot(moves.move[at]) == slot:
        target = move_target(moves.move[at])
        moved = np.int64(atlas.image[shift + target])
        if count == 1:  # this and the next as in `group_number`, with what does not change found once
            of_group = moved
        elif count == 2:
            of_group = atlas.choose[min(moved, other)] + atlas.choose[64 + max(moved, other)]
        else:
            squares[slot] = target
            of_group = np.int64(group_number(atlas, symmetry, squares, first, count))
        node[at] = rest + stride * of_group
        at += 1
    squares[slot] = origin
    return at


@inlined
def number_quietly(atlas, moves, side, quiet, numbering):
    """Fill in the numbers, within their slice, of the positions that quiet moves lead to; NOWHERE if kings touch.
    Returns the slice. `locate` would find the same numbers; here the share of men that do not move is computed once."""
    squares, node = moves.squares, numbering.node
    fields, turn, swap, mover = turned(atlas, 0, squares, 1 - side)
    if fields < 0:
        return np.int64(NOWHERE)
    offset = mover * atlas.slice[fields + S_HALF]
    kings, symmetry = turned_kings(atlas, fields, turn, swap, squares)
    pieces = np.int64(0)
    for group in range(atlas.groups[0]):
        numbering.term[group] = _term_of(atlas, symmetry, swap, squares, group)
        pieces += numbering.term[group]
    here = kings * atlas.inner[0] + offset + pieces
    at = 0
    while at < quiet:
        slot = move_slot(moves.move[at])
        if slot > 1:
            rest = here - numbering.term[numbering.group[slot]]
            at = _number_man(atlas, moves, at, quiet, symmetry, swap, rest, numbering)
            continue
        origin = squares[slot]
        squares[slot] = move_target(moves.move[at])
        kings_there, symmetry_there = turned_kings(atlas, fields, turn, swap, squares)
        pieces_there = pieces
        if symmetry_there != symmetry:
            pieces_there = np.int64(0)
            for group in range(atlas.groups[0]):
                pieces_there += _term_of(atlas, symmetry_there, swap, squares, group)
        node[at] = kings_there * atlas.inner[0] + offset + pieces_there if kings_there >= 0 else NOWHERE
        squares[slot] = origin
        at += 1
    return fields // SLICE


@inlined
def staircase_at(tables, piece, place):
    """The number in `Dictionary` of the staircase at this place; negative if the unit has no such staircase."""
    own = np.int64(fetch_i32(tables.staircases[piece], place))
    return tables.first_staircase[piece] + own if own >= 0 else own


@inlined
def arrive_quietly(board, atlas, tables, survey, moves, there, side, quiet, numbering, arrivals):
    """Fill in the arrivals of the quiet moves, which come first. `there` is a buffer for positions without a survey."""
    slice_ = number_quietly(atlas, moves, side, quiet, numbering)
    for at in range(quiet):
        node = numbering.node[at]
        arrivals.entry[at], arrivals.level[at] = 0, 0  # nothing is known yet
        if slice_ < 0 or node < 0:
            continue
        piece, place = piece_at(tables, slice_, node, numbering)
        if piece < 0:
            continue
        arrivals.entry[at] = fetch_i32(tables.entries[piece], place)
        arrivals.staircase[at] = staircase_at(tables, piece, place)
        if survey.slice == slice_:
            arrivals.level[at] = survey.level[node]
        else:
            for slot in range(board.atlas.men[0]):
                there.squares[slot] = moves.squares[slot]
            there.squares[move_slot(moves.move[at])] = move_target(moves.move[at])
            arrivals.level[at] = level_of_position(board, there, 1 - side)
