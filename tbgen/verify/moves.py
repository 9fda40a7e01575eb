"""All moves of a position, forwards only, and the own level that their number gives.

Moves are found as sets of squares: one word holds the targets of a man, so that counting moves takes no list. The
solver lists and counts moves in other ways; both share the squares that each man attacks."""

from typing import Final, NamedTuple

import numpy as np
from numpy.typing import NDArray

from tbgen.board.attacks import BETWEEN, attacked, bit, move_tables, pair_of, reach
from tbgen.board.geometry import PAWN_DOWN, PAWN_UP
from tbgen.board.men import Man
from tbgen.board.moves import NOBODY, add_pawn_move, man_on, move_slot, move_target, occupied_by, pack_move
from tbgen.compiler.intrinsics import bits_set, lowest_bit
from tbgen.compiler.jit import inlined, kernel
from tbgen.index.atlas import G_COUNT, G_SLOT, G_STRIDE, GROUP, MEN, Atlas
from tbgen.index.kernels import decode, slice_from

MOST_MOVES: Final = 256
"""No chess position has more than 218."""
NO_POSITION: Final = 255
"""In place of a level: there is no legal position."""
NO_NUMBER: Final = -(1 << 62)
"""In place of the number before: there is none."""
TOO_HIGH: Final = 511
"""In place of a level: a table cannot store it."""

_ILLEGAL, _FREE, _CHECKED = -1, 0, 1
_ALL: Final = np.uint64(0xFFFFFFFFFFFFFFFF)
_LAST_RANKS: Final = np.uint64(0xFF000000000000FF)
_STEPPED_UP: Final = np.uint64(0x0000000000FF0000)
_STEPPED_DOWN: Final = np.uint64(0x0000FF0000000000)
"""The squares of pawns after one step from their first squares."""
_RANK: Final = np.uint64(8)


class Men(NamedTuple):
    """The part of an `Atlas` that the moves of its first table depend on."""

    men: NDArray[np.int64]
    first_pawn: NDArray[np.int64]
    side: NDArray[np.int64]
    kind: NDArray[np.int64]


class Board(NamedTuple):
    """All that moves depend on: kernels of tbgen/board take any record with these fields."""

    atlas: Men
    lines: NDArray[np.uint64]
    promotions: int
    """How many kinds of men a pawn may become."""


class Moves(NamedTuple):
    """A thread's small arrays for a position and its moves."""

    squares: NDArray[np.int64]
    """`[slot]`"""
    targets: NDArray[np.uint64]
    """`[slot]`: the squares to which a man of the side to move may go."""
    move: NDArray[np.int64]
    """`[move]`: quiet moves first, captures en passant last."""


def make_board(atlas: Atlas, fairy: tuple[Man, ...] = ()) -> Board:
    men = Men(atlas.men[:1].copy(), atlas.first_pawn[:1].copy(), atlas.side[:MEN].copy(), atlas.kind[:MEN].copy())
    tables = move_tables(fairy)
    return Board(men, tables.lines, tables.promotions)


def make_moves() -> Moves:
    return Moves(np.zeros(MEN, np.int64), np.zeros(MEN, np.uint64), np.zeros(MOST_MOVES, np.int64))


@inlined
def decode_after(before, side, atlas, pawns, slice_, number, squares):
    """`decode`, where the men of the number `before` still stand there, with this side to move. As a rule only the
    last man stands a few squares farther, which takes no division."""
    group, ahead = (atlas.groups[0] - 1) * GROUP, number - before
    if ahead == 0:
        return side
    if ahead > 0 and atlas.groups[0] and atlas.group[group + G_COUNT] == atlas.group[group + G_STRIDE] == 1:
        slot = atlas.group[group + G_SLOT]
        if squares[slot] + ahead < 64:
            squares[slot] += ahead
            return side
    return decode(atlas, 0, pawns, slice_, number, squares)


@inlined
def _pawn_steps(kind, square, occupied):
    free = ~occupied
    if kind == PAWN_UP:
        once = (bit(square) << _RANK) & free
        return once | (((once & _STEPPED_UP) << _RANK) & free)
    once = (bit(square) >> _RANK) & free
    return once | (((once & _STEPPED_DOWN) >> _RANK) & free)


@kernel
def _towards_pinners(board, squares, side, pinned, occupied):
    """Where the man on a square may go if it is all that stands between its king and enemy riders."""
    atlas, lines, king = board.atlas, board.lines, squares[side]
    targets = _ALL
    for slot in range(atlas.men[0]):
        kind, square = atlas.kind[slot], squares[slot]
        if atlas.side[slot] != side and lines[kind * 64 + square] & bit(king):
            between = lines[BETWEEN + pair_of(kind, square, king)]
            if between & occupied == bit(pinned):
                targets &= between | bit(square)
    return targets


@inlined
def find_targets(board, moves, side):
    """Fill in the targets, without captures en passant. Returns _CHECKED if the side to move is in check, _ILLEGAL if
    the position is not legal (men share a square, or the other side is in check), else _FREE."""
    atlas, lines, squares = board.atlas, board.lines, moves.squares
    men = atlas.men[0]
    own = np.uint64(0)
    enemies = np.uint64(0)
    for slot in range(men):
        if atlas.side[slot] == side:
            own |= bit(squares[slot])
        else:
            enemies |= bit(squares[slot])
    occupied = own | enemies
    if bits_set(occupied) != men:
        return _ILLEGAL
    king = squares[side]
    lifted = occupied ^ bit(king)
    danger = np.uint64(0)  # what the enemy attacks once the king has left its square
    evasions = _ALL  # where the moves of other men must end
    pinned = np.uint64(0)
    for slot in range(men):
        kind, square = atlas.kind[slot], squares[slot]
        if atlas.side[slot] == side:
            targets = reach(board, kind, square, occupied)
            if targets & bit(squares[1 - side]):
                return _ILLEGAL
            if kind >= PAWN_UP:
                targets = (targets & enemies) | _pawn_steps(kind, square, occupied)
            moves.targets[slot] = targets & ~own
            continue
        danger |= reach(board, kind, square, lifted)
        if lines[kind * 64 + square] & bit(king):
            between = lines[BETWEEN + pair_of(kind, square, king)]
            blockers = between & occupied
            if not blockers:
                evasions &= between | bit(square)
            elif not blockers & (blockers - np.uint64(1)):
                pinned |= blockers
    for slot in range(2, men):
        if atlas.side[slot] == side:
            moves.targets[slot] &= evasions
            if pinned & bit(squares[slot]):
                moves.targets[slot] &= _towards_pinners(board, squares, side, squares[slot], occupied)
    moves.targets[side] &= ~danger
    return _CHECKED if danger & bit(king) else _FREE


@inlined
def _level(moves, checked):
    level = 2 * moves + (0 if checked == _CHECKED else 1)
    return level if level < NO_POSITION else TOO_HIGH


@inlined
def level_of_position(board, moves, side):
    """The own level, without a list of moves; NO_POSITION if tables cannot hold it. Overwrites the targets."""
    atlas = board.atlas
    checked = find_targets(board, moves, side)
    if checked == _ILLEGAL:
        return NO_POSITION
    count = 0
    for slot in range(atlas.men[0]):
        if atlas.side[slot] == side:
            count += bits_set(moves.targets[slot])
            if atlas.kind[slot] >= PAWN_UP:
                count += (board.promotions - 1) * bits_set(moves.targets[slot] & _LAST_RANKS)
    return min(_level(count, checked), NO_POSITION)


@kernel
def find_levels(board, atlas, pawns, numbers, moves, levels):
    """The own level of each of these numbers of the first table, or NO_POSITION."""
    slice_, side = 0, 0
    before = np.int64(NO_NUMBER)
    for here in range(len(numbers)):
        slice_ = slice_from(atlas, 0, slice_, numbers[here])
        side = decode_after(before, side, atlas, pawns, slice_, numbers[here], moves.squares)
        before = numbers[here]
        levels[here] = level_of_position(board, moves, side)


@inlined
def _list_passant(board, moves, side, stepped, count):
    """Add the legal captures en passant of the pawn in slot `stepped`. Returns the new number of moves."""
    atlas, squares = board.atlas, moves.squares
    step = squares[stepped]
    passed = step + (8 if atlas.kind[stepped] == PAWN_DOWN else -8)
    for slot in range(atlas.first_pawn[0], atlas.men[0]):
        origin = squares[slot]
        if atlas.side[slot] != side or origin >> 3 != step >> 3 or abs(origin - step) != 1:
            continue
        squares[slot] = passed
        squares[stepped] = passed  # as good as gone: it stands on the capturing pawn's square
        occupied = occupied_by(squares, atlas.men[0])
        if not attacked(board, squares, 1 - side, squares[side], occupied, stepped):
            moves.move[count] = pack_move(slot, passed, stepped, -1)
            count += 1
        squares[slot] = origin
        squares[stepped] = step
    return count


@inlined
def list_resets(board, moves, side, occupied, count):
    """Add captures and pawn moves to the list, but for those en passant. Returns the new number of moves."""
    atlas, squares, move = board.atlas, moves.squares, moves.move
    men = atlas.men[0]
    for slot in range(men):
        if atlas.side[slot] == side:
            pawn = atlas.kind[slot] >= PAWN_UP
            targets = moves.targets[slot] if pawn else moves.targets[slot] & occupied
            while targets:
                target = lowest_bit(targets)
                targets &= targets - np.uint64(1)
                taken = man_on(squares, men, target)
                if pawn:
                    count = add_pawn_move(board, move, count, slot, target, taken)
                else:
                    move[count] = pack_move(slot, target, taken, -1)
                    count += 1
    return count


@inlined
def list_all(board, moves, side, stepped):
    """Fill in the list. `stepped` is the slot of the pawn that may be captured en passant, or NOBODY. Returns the
    number of quiet moves, of all but captures en passant, of all, and the own level, NO_POSITION or TOO_HIGH."""
    atlas, squares, move = board.atlas, moves.squares, moves.move
    men = atlas.men[0]
    checked = find_targets(board, moves, side)
    if checked == _ILLEGAL:
        return 0, 0, 0, NO_POSITION
    occupied = occupied_by(squares, men)
    count = 0
    for slot in range(atlas.first_pawn[0]):
        if atlas.side[slot] == side:
            targets = moves.targets[slot] & ~occupied
            while targets:
                move[count] = pack_move(slot, lowest_bit(targets), NOBODY, -1)
                count += 1
                targets &= targets - np.uint64(1)
    quiet = count
    count = list_resets(board, moves, side, occupied, count)
    total = _list_passant(board, moves, side, stepped, count) if stepped >= 0 else count
    return quiet, count, total, _level(total, checked)


@inlined
def may_give_right(atlas, squares, side, move):
    """Whether this move is a double step that ends beside an enemy pawn."""
    slot, target = move_slot(move), move_target(move)
    if atlas.kind[slot] < PAWN_UP or abs(target - squares[slot]) != 16:
        return False
    for other in range(atlas.first_pawn[0], atlas.men[0]):
        if atlas.side[other] != side and abs(squares[other] - target) == 1 and squares[other] >> 3 == target >> 3:
            return True
    return False
