"""The moves of a slice: where quiet ones lead, and the best that resets pay at clock 0."""

from typing import Final, NamedTuple

import numpy as np
from numpy.typing import NDArray

from tbgen.board.geometry import PAWN_UP
from tbgen.board.moves import NOBODY
from tbgen.compiler.jit import inlined, kernel
from tbgen.index.kernels import decode
from tbgen.index.layout import Layout
from tbgen.verify.arrivals import make_arrivals, make_numbering_buffers, number_quietly
from tbgen.verify.moves import NO_POSITION, list_all, make_moves, may_give_right
from tbgen.verify.resets import arrive_by_reset
from tbgen.verify.table import Surroundings

NO_RESET: Final = -(1 << 15)
"""Below every outcome."""
_SHIFT: Final = 16
_LOW: Final = (1 << _SHIFT) - 1


class Graph(NamedTuple):
    """Nodes are the numbers of a slice, then those positions in which a pawn may be captured en passant."""

    level: NDArray[np.uint8]
    """`[node]`: its own; NO_POSITION where there is none."""
    start: NDArray[np.int64]
    """`[node]`: where its quiet moves begin; one more than there are nodes."""
    target: NDArray[np.int32]
    """`[quiet move]`: the node that it leads to."""
    reset: NDArray[np.int16]
    """`[node]`: the best that a reset pays the side to move, NO_RESET without one."""
    with_right: NDArray[np.int64]
    """The numbers of the last nodes."""


def packed(fresh: NDArray[np.int16], with_right: NDArray[np.int64], worth: NDArray[np.int16]) -> NDArray[np.int32]:
    """What a solved slice tells those before it: fresh outcomes at clock 0, and beside them those of the same positions
    with a right to capture en passant."""
    found = fresh.astype(np.int32) << _SHIFT
    found[with_right] |= worth.astype(np.int32) & _LOW
    return found


def graph_of(layout: Layout, around: Surroundings, slice_: int) -> Graph:
    """`around` has the addresses of all that resets lead to, as `packed` gives it."""
    first, size = layout.numbers_in(slice_).start, len(layout.numbers_in(slice_))
    moves, rest = make_moves(), (make_arrivals(), make_numbering_buffers(layout))
    pawns = layout.pawns.squares
    stepped = np.full(size, NOBODY, np.int8)
    if layout.material.first.count("P") and layout.material.second.count("P"):
        _find_rights(around.board, around.atlas, pawns, slice_, first, moves, stepped)
    with_right = np.flatnonzero(stepped != NOBODY)
    number = np.concatenate([np.arange(size), with_right])
    rights = np.concatenate([np.full(size, NOBODY, np.int8), stepped[with_right]])
    level, quiet = np.empty(len(number), np.uint8), np.zeros(len(number) + 1, np.int64)
    _count(around.board, around.atlas, pawns, slice_, first, number, rights, moves, level, quiet)
    start = np.cumsum(quiet)
    target, reset = np.empty(start[-1], np.int32), np.full(len(number), NO_RESET, np.int16)
    _fill(
        around.board, around.atlas, around.tables, pawns, slice_, first, number, rights, moves, *rest,
        start, target, reset,
    )  # fmt: skip
    return Graph(level, start, target, reset, with_right)


@inlined
def _last_step(atlas, squares, side):
    """The slot of a pawn of the other side that may just have made a double step beside one of this side's."""
    for slot in range(atlas.first_pawn[0], atlas.men[0]):
        if atlas.side[slot] == side or squares[slot] >> 3 != (3 if atlas.kind[slot] == PAWN_UP else 4):
            continue
        for other in range(atlas.first_pawn[0], atlas.men[0]):
            if atlas.side[other] == side and squares[other] >> 3 == squares[slot] >> 3:
                if abs(squares[other] - squares[slot]) == 1:
                    return slot
    return NOBODY


@kernel
def _find_rights(board, atlas, pawns, slice_, first, moves, stepped):
    """Where a capture en passant is legal, if the last move was a double step: the slot of the pawn that made it."""
    for node in range(len(stepped)):
        side = decode(atlas, 0, pawns, slice_, first + node, moves.squares)
        slot = _last_step(atlas, moves.squares, side)
        if slot != NOBODY:
            _, count, total, _ = list_all(board, moves, side, slot)
            if total > count:
                stepped[node] = slot


@kernel
def _count(board, atlas, pawns, slice_, first, number, rights, moves, level, quiet):
    for node in range(len(number)):
        side = decode(atlas, 0, pawns, slice_, first + number[node], moves.squares)
        quiet[node + 1], _, _, own = list_all(board, moves, side, rights[node])
        level[node] = min(own, NO_POSITION)


@kernel
def _fill(board, atlas, tables, pawns, slice_, first, number, rights, moves, arrivals, numbering, start, target, reset):
    for node in range(len(number)):
        side = decode(atlas, 0, pawns, slice_, first + number[node], moves.squares)
        quiet, _, total, own = list_all(board, moves, side, rights[node])
        if own == NO_POSITION:
            continue
        number_quietly(atlas, moves, side, quiet, numbering)
        for at in range(quiet):
            target[start[node] + at] = numbering.node[at]
        best = np.int64(NO_RESET)
        for at in range(quiet, total):
            arrive_by_reset(board, atlas, tables, moves, side, at, numbering, arrivals)
            paid = np.int64(arrivals.entry[at]) >> _SHIFT
            right = np.int64(arrivals.entry[at]) & _LOW
            if right and may_give_right(atlas, moves.squares, side, moves.move[at]):
                paid = right if right < 1 << _SHIFT - 1 else right - (1 << _SHIFT)
            best = max(best, -paid)
        reset[node] = best
