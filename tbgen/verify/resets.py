"""What tables say of the positions that captures and pawn moves lead to."""

from typing import Final

import numpy as np

from tbgen.board.attacks import bit, reach
from tbgen.board.geometry import PAWN_UP
from tbgen.board.moves import move_promotion, move_slot, move_taken, move_target
from tbgen.compiler.intrinsics import fetch_i32
from tbgen.compiler.jit import inlined, kernel
from tbgen.index.atlas import MEN
from tbgen.index.kernels import locate
from tbgen.verify.arrivals import COUNTED, NIBBLE, NOWHERE, UNSEEN, piece_at, slice_at
from tbgen.verify.values import distance_in, entry_of, outcome_in

_UNKNOWN: Final = -3
"""Among tables: none. What that means is in `Tables`."""


@inlined
def _is_alike(kind, other):
    return kind == other or (kind >= PAWN_UP and other >= PAWN_UP)


@inlined
def _table_of(atlas, tables, kinds):
    """The table with men of these kinds (NOWHERE: taken): twice its number, plus one if its colours are swapped."""
    found = 0
    for slot in range(2, atlas.men[0]):
        if kinds[slot] >= 0:
            place = 0 if kinds[slot] >= PAWN_UP else kinds[slot] + 1
            found += 1 << NIBBLE * (atlas.side[slot] * COUNTED + place)
    for row in range(len(tables.signature)):
        if tables.signature[row] == found:
            return row
    return NOWHERE


@inlined
def set_up_reset(atlas, squares, move, numbering):
    """The men after a capture or a pawn move, in their old slots."""
    after, kinds = numbering.after, numbering.kinds
    moved, taken, promotion = move_slot(move), move_taken(move), move_promotion(move)
    for slot in range(atlas.men[0]):
        after[slot] = squares[slot]
        kinds[slot] = atlas.kind[slot]
    after[moved] = move_target(move)
    if promotion >= 0:
        kinds[moved] = promotion
    if taken >= 0:
        kinds[taken] = NOWHERE


@inlined
def seat_men(atlas, tables, numbering):
    """The men that have been set up, in the slots of the table that has their kinds: twice its number, plus one if its
    colours are swapped; UNSEEN if the verifier was not given it, _UNKNOWN if there is none. To ask again, set up the
    men anew."""
    after, kinds, there, seat = numbering.after, numbering.kinds, numbering.there, numbering.seat
    row = _table_of(atlas, tables, kinds)
    if row < 0:
        return np.int64(_UNKNOWN)
    table, swap = row >> 1, row & 1
    if table and tables.address[table] == 0:
        return np.int64(UNSEEN)
    for place in range(atlas.men[table]):
        for slot in range(atlas.men[0]):
            if atlas.side[slot] ^ swap == atlas.side[table * MEN + place] and _is_alike(
                kinds[slot], atlas.kind[table * MEN + place]
            ):
                kinds[slot] = NOWHERE
                there[place] = after[slot] ^ (56 * swap)
                seat[slot] = place
                break
    return np.int64(row)


@inlined
def _entry_there(atlas, tables, mover, numbering):
    """What tables say of the position that has been set up, with this side to move: the entry, and UNSEEN, _UNKNOWN or
    0. No entry where there is no such position."""
    nothing = np.int32(0)
    row = seat_men(atlas, tables, numbering)
    if row < 0:
        return nothing, row
    table = row >> 1
    number = locate(atlas, table, numbering.there, mover ^ (row & 1))
    if number < 0 or number >= tables.size[table]:
        return nothing, np.int64(0)
    if table:
        return fetch_i32(tables.address[table], number), np.int64(0)
    slice_ = slice_at(tables, number)
    piece, place = piece_at(tables, slice_, number - tables.start[slice_], numbering)
    return fetch_i32(tables.entries[piece], place) if piece >= 0 else nothing, np.int64(0)


@inlined
def _arrive_where_known(atlas, tables, moves, side, at, numbering, arrivals):
    """Fill in the arrival of a capture or pawn move. Returns whether no table has it."""
    arrivals.entry[at] = 0
    arrivals.staircase[at] = 0
    arrivals.level[at] = 0
    if move_taken(moves.move[at]) in (0, 1):
        return False
    set_up_reset(atlas, moves.squares, moves.move[at], numbering)
    arrivals.entry[at], known = _entry_there(atlas, tables, 1 - side, numbering)
    if known == UNSEEN:
        arrivals.level[at] = UNSEEN
    if known != _UNKNOWN:
        return False
    arrivals.entry[at] = tables.unknown[1 - side]
    return True


@inlined
def _retake(board, atlas, man, moved, numbering):
    """Have a man take the one that has just moved, in the position that has been set up. Returns whether that is legal
    and no promotion."""
    after, kinds = numbering.after, numbering.kinds
    target, side = after[moved], atlas.side[man]
    if kinds[man] < 0 or side == atlas.side[moved] or (kinds[man] >= PAWN_UP and (target < 8 or target >= 56)):
        return False
    occupied = np.uint64(0)
    for slot in range(atlas.men[0]):
        if kinds[slot] >= 0:
            occupied |= bit(after[slot])
    if not reach(board, kinds[man], after[man], occupied) >> np.uint64(target) & np.uint64(1):
        return False
    occupied ^= bit(after[man])
    after[man] = target
    kinds[moved] = NOWHERE
    for slot in range(atlas.men[0]):
        if kinds[slot] >= 0 and atlas.side[slot] != side:
            if reach(board, kinds[slot], after[slot], occupied) >> np.uint64(after[side]) & np.uint64(1):
                return False
    return True


@kernel
def _best_retaking(board, atlas, tables, moves, side, at, numbering):
    """What the other side has at best by taking the man that has just moved: the outcome, 0 if it cannot, and the
    distance; UNSEEN in its place if that is in a table that the verifier was not given."""
    move = moves.move[at]
    best, distance = np.int64(0), np.int64(0)
    if move_slot(move) < 2:
        return best, distance
    for man in range(atlas.men[0]):
        set_up_reset(atlas, moves.squares, move, numbering)
        if not _retake(board, atlas, man, move_slot(move), numbering):
            continue
        entry, known = _entry_there(atlas, tables, side, numbering)
        if known == UNSEEN:
            return best, known
        if entry == 0:
            continue
        outcome, plies = -outcome_in(entry), distance_in(entry) + 1
        if best == 0 or outcome > best or (outcome == best and plies < distance):
            best, distance = outcome, plies
    return best, distance


@inlined
def arrive_by_reset(board, atlas, tables, moves, side, at, numbering, arrivals):
    """Fill in the arrival of a capture or pawn move. Where the mover would mate because nothing is known, the other
    side may retake."""
    unknown = _arrive_where_known(atlas, tables, moves, side, at, numbering, arrivals)
    if unknown and arrivals.entry[at] < 0:
        outcome, distance = _best_retaking(board, atlas, tables, moves, side, at, numbering)
        if distance == UNSEEN:
            arrivals.level[at] = UNSEEN
        elif outcome != 0 and outcome > outcome_in(arrivals.entry[at]):
            arrivals.entry[at] = entry_of(outcome, distance)
