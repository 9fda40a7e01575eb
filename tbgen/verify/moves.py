"""All moves of a batch of positions, forwards only, and the own level that their number gives."""

from typing import Final, NamedTuple

import numpy as np
from numpy.typing import NDArray

from tbgen.board.attacks import LINES, MEN_MOVES, attacked
from tbgen.board.geometry import PAWN_DOWN, PAWN_UP
from tbgen.board.moves import is_checked, list_moves, move_slot, move_target, occupied_by, pack_move
from tbgen.index.atlas import MEN, Atlas
from tbgen.jit import inlined, kernel

MOST_MOVES: Final = 256
"""No chess position has more than 218."""
NO_POSITION: Final = 255
"""Among levels: no legal position."""
TOO_HIGH: Final = 511
NOBODY: Final = -1


class Men(NamedTuple):
    """Of an `Atlas`, what the moves of its first table depend on."""

    men: NDArray[np.int64]
    first_pawn: NDArray[np.int64]
    side: NDArray[np.int64]
    kind: NDArray[np.int64]


class Board(NamedTuple):
    """What the moves depend on: `list_moves` takes whatever has these."""

    atlas: Men
    men_moves: NDArray[np.int32]
    lines: NDArray[np.uint64]


class Positions(NamedTuple):
    """A batch of positions of the table in question."""

    squares: NDArray[np.int64]
    """`[position, slot]`"""
    movers: NDArray[np.int64]
    stepped: NDArray[np.int64]
    """The slot of the pawn that may be captured in passing because it has just made a double step, or NOBODY."""


class Lists(NamedTuple):
    """Their moves."""

    first: NDArray[np.int64]
    """`[position]`: where its moves begin, quiet ones first, captures in passing last; one more entry."""
    quiet: NDArray[np.int64]
    rights: NDArray[np.int64]
    """How many are quiet, and how many capture in passing."""
    level: NDArray[np.int64]
    """The position's own, or NO_POSITION, or TOO_HIGH to be stored."""
    move: NDArray[np.int64]


def make_board(atlas: Atlas) -> Board:
    men = Men(atlas.men[:1].copy(), atlas.first_pawn[:1].copy(), atlas.side[:MEN].copy(), atlas.kind[:MEN].copy())
    return Board(men, MEN_MOVES, LINES)


def make_positions(count: int) -> Positions:
    return Positions(np.zeros((count, MEN), np.int64), np.zeros(count, np.int64), np.full(count, NOBODY))


def make_lists(count: int) -> Lists:
    first, quiet, rights, level = (np.zeros(count + more, np.int64) for more in (1, 0, 0, 0))
    return Lists(first, quiet, rights, level, np.empty(count * MOST_MOVES, np.int64))


@inlined
def _is_legal(board, squares, mover):
    """Whether every man has a square of its own and the side that has just moved is not in check."""
    men = board.atlas.men[0]
    for slot in range(men):
        for other in range(slot):
            if squares[slot] == squares[other]:
                return False
    return not is_checked(board, squares, 1 - mover)


@inlined
def _level(board, squares, mover, moves):
    level = 2 * moves + (0 if is_checked(board, squares, mover) else 1)
    return level if level < NO_POSITION else TOO_HIGH


@inlined
def _list_passant(board, squares, side, stepped, moves):
    """The legal captures in passing of the man in slot `stepped`."""
    atlas = board.atlas
    step = squares[stepped]
    passed = step + (8 if atlas.kind[stepped] == PAWN_DOWN else -8)
    count = 0
    for slot in range(atlas.first_pawn[0], atlas.men[0]):
        origin = squares[slot]
        if atlas.side[slot] != side or origin >> 3 != step >> 3 or abs(origin - step) != 1:
            continue
        squares[slot] = passed
        squares[stepped] = passed  # gone: where another man stands, it stops nobody
        occupied = occupied_by(squares, atlas.men[0])
        if not attacked(board, squares, 1 - side, squares[side], occupied, stepped):
            moves[count] = pack_move(slot, passed, stepped, -1)
            count += 1
        squares[slot] = origin
        squares[stepped] = step
    return count


@kernel
def list_all(board, positions, lists):
    """Fill in the lists."""
    at = 0
    for here in range(len(positions.movers)):
        squares, side = positions.squares[here], positions.movers[here]
        lists.first[here] = at
        if not _is_legal(board, squares, side):
            lists.level[here] = NO_POSITION
            continue
        quiet, count = list_moves(board, squares, side, lists.move[at:])
        if positions.stepped[here] >= 0:
            rights = _list_passant(board, squares, side, positions.stepped[here], lists.move[at + count :])
            lists.rights[here] = rights
            count += rights
        lists.quiet[here] = quiet
        lists.level[here] = _level(board, squares, side, count)
        at += count
    lists.first[len(positions.movers)] = at


@kernel
def find_levels(board, positions, moves, levels):
    """The own level of each position, or NO_POSITION; `moves` is room for those of one."""
    for here in range(len(positions.movers)):
        squares, side = positions.squares[here], positions.movers[here]
        levels[here] = NO_POSITION
        if _is_legal(board, squares, side):
            _, count = list_moves(board, squares, side, moves)
            levels[here] = min(_level(board, squares, side, count), NO_POSITION)


@inlined
def may_give_right(atlas, squares, side, move):
    """Whether this is a double step that ends beside an enemy pawn."""
    slot, target = move_slot(move), move_target(move)
    if atlas.kind[slot] < PAWN_UP or abs(target - squares[slot]) != 16:
        return False
    for other in range(atlas.first_pawn[0], atlas.men[0]):
        if atlas.side[other] != side and abs(squares[other] - target) == 1 and squares[other] >> 3 == target >> 3:
            return True
    return False
