"""Checking the positions of a lane together, where what is stored is mate or stalemate whatever the record.

Such a position is right if one move is worth this and none is worth more (`_ends_alike` in compare.py), which takes no
record. Positions of a lane differ in one man's square: he *varies*. Wherever another man moves, they come to positions
that differ in that alone, and whose numbers are near each other. What is not proven here is checked position by
position.
"""

from typing import Final, NamedTuple

import numpy as np
from numpy.typing import NDArray

from tbgen.board.attacks import bit
from tbgen.board.geometry import PAWN_UP
from tbgen.board.moves import add_pawn_move, man_on, occupied_by, pack_move
from tbgen.compiler.intrinsics import bits_set, fetch_i32, lowest_bit
from tbgen.compiler.jit import inlined, kernel
from tbgen.core.outcome import FIRST_RECORD
from tbgen.index.atlas import G_COUNT, G_PARTNER, G_SLOT, G_STRIDE, GROUP, GROUPS, MEN, S_HALF, S_START, SLICE
from tbgen.index.kernels import decode, group_number, turned, turned_kings
from tbgen.verify.arrivals import best_fresh, piece_at, staircase_at
from tbgen.verify.moves import NO_POSITION, find_targets, list_resets, may_give_right
from tbgen.verify.resets import arrive_by_reset, seat_men, set_up_reset
from tbgen.verify.values import LOWEST, distance_in, key_of, level_of, outcome_in

SQUARES: Final = 64
_FEWEST: Final = 12
"""With fewer positions to be proven, a lane takes longer than these do one by one."""
_UNKNOWN: Final = np.int32(2**31 - 1)
"""In place of a key: worth more than all that can be proven."""
_NONE: Final = np.uint64(0)
_NOWHERE, _IN_ROW, _SCATTERED = range(3)


class Lane(NamedTuple):
    """A thread's arrays for the positions of a lane: `[square]` of the man who varies, where not said otherwise."""

    targets: NDArray[np.uint64]
    """`[slot * SQUARES + square]`: where a man of the side to move may go, but for captures by and of the man who
    varies; none where nothing is to be proven."""
    due: NDArray[np.int32]
    """What is stored, as a key under a record worth nothing."""
    best: NDArray[np.int32]
    """The most that the moves followed so far are worth under no record,"""
    most: NDArray[np.int32]
    """and under any."""
    place: NDArray[np.int64]
    """Of the positions that a move leads to: their numbers within their slice or table,"""
    key: NDArray[np.int32]
    """what they are worth under no record to the side that moves there,"""
    top: NDArray[np.int32]
    """and under any."""


def make_lane() -> Lane:
    due, best, most, key, top = (np.zeros(SQUARES, np.int32) for _ in range(5))
    return Lane(np.zeros(MEN * SQUARES, np.uint64), due, best, most, np.zeros(SQUARES, np.int64), key, top)


@inlined
def lane_from(atlas, squares):
    """How many positions the lane has that begins with this one; 0 if none does. The last man varies; of like men the
    first does, in front of the others."""
    group = (atlas.groups[0] - 1) * GROUP
    if group < 0:
        return np.int64(0)
    slot = atlas.group[group + G_SLOT]
    if squares[slot] != 0:
        return np.int64(0)
    return squares[slot + 1] if atlas.group[group + G_COUNT] > 1 else np.int64(SQUARES)


@inlined
def _find_due(tables, survey, lane, node, length, numbering):
    """Fill in what is due. Returns the set of squares where that can be proven here, and of those where nothing is
    stored as there is no legal position. Without branches, so that the compiler treats many positions at once.

    Staircase 0 of a unit has no steps: `is_readable` (dictionary.py) has seen to that."""
    at, place = piece_at(tables, survey.slice, node, numbering)
    if at < 0 or piece_at(tables, survey.slice, node + length - 1, numbering)[0] != at:
        return _NONE, _NONE
    entries, staircases, wanted, empty = tables.entries[at], tables.staircases[at], _NONE, _NONE
    for square in range(np.uint64(length)):
        level = np.int32(survey.level[np.uint64(node) + square])
        entry = fetch_i32(entries, place + np.int64(square))
        plain, outcome = fetch_i32(staircases, place + np.int64(square)) == 0, outcome_in(entry)
        lane.due[square] = key_of(outcome, distance_in(entry), 0)
        ends = (level_of(outcome) >= 0) & (level_of(outcome) < FIRST_RECORD)
        wanted |= np.uint64(plain & ends & (level >= FIRST_RECORD) & (level < NO_POSITION)) << square
        empty |= np.uint64(plain & (entry == 0) & (level == NO_POSITION)) << square
    return wanted, empty


@inlined
def _begin(board, atlas, tables, lane, buffers, side, varies):
    """Find where men may go in one position of a lane, and follow captures by and of the man who varies. Returns
    whether all that these lead to is known."""
    moves, arrivals = buffers.other, buffers.arrivals
    square = moves.squares[varies]
    find_targets(board, moves, side)
    occupied = occupied_by(moves.squares, board.atlas.men[0])
    for slot in range(board.atlas.men[0]):
        if board.atlas.side[slot] == side:
            apart = ~occupied if slot == varies else ~bit(square)
            lane.targets[slot * SQUARES + square] = moves.targets[slot] & apart
            moves.targets[slot] &= ~apart
    count = list_resets(board, moves, side, occupied, 0)
    for at in range(count):
        arrive_by_reset(board, atlas, tables, moves, side, at, buffers.numbering, arrivals)
    best, known = best_fresh(arrivals, count)
    lane.best[square] = lane.most[square] = best
    return known != 0


# --- looking up a lane that a move leads to -------------------------------------------------------------------


@inlined
def _find_places(atlas, table, squares, slot, flip, mover, lane):
    """Find the numbers of the positions of which one has its men here, in the slots of a table: the man in this slot
    varies, all his squares changed by `flip`. Returns _NOWHERE if there are none; _IN_ROW if numbers follow each other:
    then only the first is filled in. Also returns where the fields of the slice begin."""
    fields, turn, swap, mover = turned(atlas, table, squares, mover)
    if fields < 0:
        return _NOWHERE, fields
    kings, symmetry = turned_kings(atlas, fields, turn, swap, squares)
    if kings < 0:
        return _NOWHERE, fields
    rest = kings * atlas.inner[table] + mover * atlas.slice[fields + S_HALF]
    stride = first = count = np.int64(0)
    for group in range(table * GROUPS * GROUP, (table * GROUPS + atlas.groups[table]) * GROUP, GROUP):
        source = (table * GROUPS + atlas.group[group + G_PARTNER]) * GROUP if swap else group
        one, men = atlas.group[source + G_SLOT], atlas.group[source + G_COUNT]
        if one <= slot < one + men:
            stride, first, count = atlas.group[group + G_STRIDE], one, men
        else:
            rest += atlas.group[group + G_STRIDE] * group_number(atlas, symmetry, squares, one, men)
    if stride == 1 and count == 1 and symmetry == 0 and flip == 0:
        lane.place[0] = rest
        return _IN_ROW, fields
    if count == 1:  # what follows finds the same, more slowly
        shift = symmetry * 64
        for square in range(SQUARES):
            lane.place[square] = rest + stride * np.int64(atlas.image[shift + (square ^ flip)])
        return _SCATTERED, fields
    origin, taken = squares[slot], _NONE
    for like in range(first, first + count):
        if like != slot:
            taken |= bit(squares[like])
    for square in range(SQUARES):
        squares[slot] = square ^ flip
        if taken & bit(squares[slot]):
            lane.place[square] = rest
        else:
            lane.place[square] = rest + stride * group_number(atlas, symmetry, squares, first, count)
    squares[slot] = origin
    return _SCATTERED, fields


@inlined
def _take_entry(lane, square, entry):
    lane.key[square] = key_of(-outcome_in(entry), distance_in(entry) + 1, 0) if entry != 0 else _UNKNOWN
    lane.top[square] = lane.key[square]


@inlined
def _take_steps(lane, highest, square, staircase):
    known = 0 <= staircase < len(highest)
    lane.top[square] = max(lane.key[square], highest[staircase] if known else _UNKNOWN)


@inlined
def _look_up_row(tables, highest, lane, at, place):
    """Look up positions of a piece whose numbers follow each other, from this place on."""
    entries, staircases = tables.entries[at], tables.staircases[at]
    stepped = _NONE
    for square in range(np.uint64(SQUARES)):
        _take_entry(lane, square, fetch_i32(entries, place + np.int64(square)))
    for square in range(np.uint64(SQUARES)):
        stepped |= np.uint64(fetch_i32(staircases, place + np.int64(square)) != 0) << square
    while stepped:
        square = lowest_bit(stepped)
        stepped &= stepped - np.uint64(1)
        _take_steps(lane, highest, square, staircase_at(tables, at, place + square))


@inlined
def _look_up_elsewhere(tables, lane, table, places, start):
    """Look up positions of another table, where a slice starts with this number."""
    address, size = tables.address[table], tables.size[table]
    for square in range(np.uint64(SQUARES)):
        number = start + (lane.place[0] + np.int64(square) if places == _IN_ROW else lane.place[square])
        inside = 0 <= number < size
        entry = fetch_i32(address, number if inside else 0)
        _take_entry(lane, square, entry if inside else np.int32(0))


@inlined
def _look_up(atlas, tables, highest, table, squares, slot, flip, mover, lane, numbering):
    """What tables say of all positions of which one has its men here. Returns whether they say anything."""
    places, fields = _find_places(atlas, table, squares, slot, flip, mover, lane)
    if places == _NOWHERE:
        return False
    if table:
        _look_up_elsewhere(tables, lane, table, places, atlas.slice[fields + S_START])
        return True
    slice_ = fields // SLICE
    if places == _IN_ROW:
        at, place = piece_at(tables, slice_, lane.place[0], numbering)
        if at >= 0:
            _look_up_row(tables, highest, lane, at, place)
        return at >= 0
    for square in range(SQUARES):
        at, place = piece_at(tables, slice_, lane.place[square], numbering)
        if at < 0:
            return False
        _take_entry(lane, square, fetch_i32(tables.entries[at], place))
        _take_steps(lane, highest, square, staircase_at(tables, at, place))
    return True


# --- all moves of a lane --------------------------------------------------------------------------------------


@inlined
def _reached(lane, slot):
    """All squares to which a man goes from some position of the lane."""
    found = _NONE
    for square in range(np.uint64(SQUARES)):
        found |= lane.targets[np.uint64(slot * SQUARES) + square]
    return found


@inlined
def _enter(lane, slot, target):
    """Enter what a man's move to this square is worth, where he may go there."""
    first, shift = np.uint64(slot * SQUARES), np.uint64(target)
    for square in range(np.uint64(SQUARES)):
        goes = lane.targets[first + square] >> shift & np.uint64(1)
        lane.best[square] = max(lane.best[square], lane.key[square] if goes else LOWEST)
        lane.most[square] = max(lane.most[square], lane.top[square] if goes else LOWEST)


@inlined
def _enter_own(lane, slot, wanted):
    """Enter what the moves of the man who varies are worth: all lead to one lane."""
    while wanted:
        square = lowest_bit(wanted)
        wanted &= wanted - np.uint64(1)
        targets = lane.targets[slot * SQUARES + square]
        while targets:
            target = lowest_bit(targets)
            targets &= targets - np.uint64(1)
            lane.best[square] = max(lane.best[square], lane.key[target])
            lane.most[square] = max(lane.most[square], lane.top[target])


@inlined
def _follow(board, atlas, tables, highest, lane, moves, side, varies, slot, target, numbering):
    """Follow all moves of a man to this square that others than the man who varies take part in. Returns whether what
    they lead to is known."""
    squares = moves.squares
    taken = man_on(squares, board.atlas.men[0], target)
    if taken == varies:
        taken = -1
    if board.atlas.kind[slot] < PAWN_UP and taken < 0:
        origin = squares[slot]
        squares[slot] = target
        known = _look_up(atlas, tables, highest, 0, squares, varies, 0, 1 - side, lane, numbering)
        squares[slot] = origin
        _enter(lane, slot, target)
        return known
    moves.move[0] = pack_move(slot, target, taken, -1)
    if may_give_right(atlas, squares, side, moves.move[0]):
        return False
    count = 1
    if board.atlas.kind[slot] >= PAWN_UP:
        count = add_pawn_move(board, moves.move, 0, slot, target, taken)
    for at in range(count):
        set_up_reset(atlas, squares, moves.move[at], numbering)
        row = seat_men(atlas, tables, numbering)
        if row < 0:
            return False
        swap = row & 1
        seat, flip = numbering.seat[varies], 56 * swap
        if not _look_up(
            atlas, tables, highest, row >> 1, numbering.there, seat, flip, 1 - side ^ swap, lane, numbering
        ):
            return False
        _enter(lane, slot, target)
    return True


@inlined
def _proven(lane, wanted):
    """Where one move is worth what is due, and none is worth more."""
    found = _NONE
    for square in range(np.uint64(SQUARES)):
        is_due = (lane.best[square] == lane.due[square]) & (lane.most[square] <= lane.due[square])
        found |= np.uint64(is_due) << square
    return found & wanted


@inlined
def _follow_all(board, atlas, pawns, tables, highest, slice_, buffers, number, wanted):
    """Follow all moves of these positions of a lane. Returns whether it could be done."""
    lane, moves, numbering, men = buffers.lane, buffers.other, buffers.numbering, board.atlas.men[0]
    squares = moves.squares
    for at in range(men * SQUARES):
        lane.targets[at] = _NONE
    side = decode(atlas, 0, pawns, slice_, number, squares)
    varies = atlas.group[(atlas.groups[0] - 1) * GROUP + G_SLOT]
    left = wanted
    while left:
        squares[varies] = lowest_bit(left)
        left &= left - np.uint64(1)
        if not _begin(board, atlas, tables, lane, buffers, side, varies):
            lane.most[squares[varies]] = _UNKNOWN
    for slot in range(men):
        targets = _reached(lane, slot)
        if slot == varies and targets:
            if not _look_up(atlas, tables, highest, 0, squares, varies, 0, 1 - side, lane, numbering):
                return False
            _enter_own(lane, slot, wanted)
            continue
        while targets:
            target = lowest_bit(targets)
            targets &= targets - np.uint64(1)
            if not _follow(board, atlas, tables, highest, lane, moves, side, varies, slot, target, numbering):
                return False
    return True


@inlined
def _first(count):
    """The set of so many squares, the lowest."""
    return ~_NONE >> np.uint64(SQUARES - count)


@kernel
def prove_lane(board, atlas, pawns, tables, highest, survey, buffers, number, length):
    """Prove positions of the lane from this number on. Returns, as sets of squares, those that are proven to be right,
    and those that are left to be checked. The survey is of their slice."""
    node = number - tables.start[survey.slice]
    wanted, empty = _find_due(tables, survey, buffers.lane, node, length, buffers.numbering)
    left = _first(length) & ~empty
    if bits_set(wanted) < _FEWEST or not _follow_all(
        board, atlas, pawns, tables, highest, survey.slice, buffers, number, wanted
    ):
        return _NONE, left
    proven = _proven(buffers.lane, wanted)
    return proven, left & ~proven
