"""Best moves counted, position by position."""

from collections.abc import Mapping
from typing import NamedTuple

import numpy as np
from numpy.typing import NDArray

from tbgen.compiler.jit import inlined, kernel
from tbgen.core.material import Material
from tbgen.core.outcome import BASE, FIRST_RECORD
from tbgen.core.table_contents import MOVER_HOLDS, OUTCOME_SHIFT, Contents
from tbgen.index.exits import exits_of
from tbgen.index.kernels import decode
from tbgen.index.layout import Layout
from tbgen.index.symmetry import HALVES, KINDS, SymmetryClasses
from tbgen.system.parallel import pieces
from tbgen.verify.arrivals import make_arrivals, make_numbering_buffers, number_quietly
from tbgen.verify.moves import NO_POSITION, list_all, make_moves
from tbgen.verify.resets import arrive_by_reset
from tbgen.verify.table import Surroundings, surroundings

_STANDS = 0
"""In place of an outcome: the record."""
_AT_A_TIME = 1 << 18
"""Positions: within a kernel no Ctrl-C is heard."""


class BestMoves(NamedTuple):
    """Sums over positions in which the game goes on, each once up to symmetry."""

    positions: int
    moves: int
    of_chess: int
    """Moves that keep the result of chess."""
    of_mobility: int
    """Moves that keep the outcome."""
    drawn: int
    """Positions that chess calls drawn, and the same sums for them."""
    drawn_moves: int
    drawn_of_chess: int
    drawn_of_mobility: int


def count(layout: Layout, contents: Contents, reached: Mapping[Material, NDArray[np.int32]]) -> BestMoves:
    """`reached`: the entries of the tables that resets lead to."""
    around = surroundings(exits_of(layout.material, reached))
    entries = np.ascontiguousarray(contents.entries)
    for slice_ in range(layout.slices):
        around.tables.entries[slice_] = entries[layout.start[slice_] :].ctypes.data
    symmetry = SymmetryClasses(layout)
    halves = HALVES[symmetry.keys(0, layout.size) % KINDS]
    under, sums = _holding(contents), np.zeros(8, np.int64)
    level = _levels(layout, around)
    fresh = (entries >> OUTCOME_SHIFT).astype(np.int16)
    moves, arrivals, numbering = make_moves(), make_arrivals(), make_numbering_buffers(layout)
    for slice_ in range(layout.slices):
        numbers = layout.numbers_in(slice_)
        here = slice(numbers.start, numbers.stop)
        for some in pieces(len(numbers), _AT_A_TIME):
            _count(
                around.board, around.atlas, around.tables, layout.pawns.squares, slice_, here.start, some.start,
                some.stop, level[here], halves[here], fresh[here], contents.staircases[here], under.reshape(-1),
                under.shape[1], moves, arrivals, numbering, sums,
            )  # fmt: skip
    return BestMoves(*(int(one) // 2 for one in sums))


def _holding(contents: Contents) -> NDArray[np.int16]:
    """`[staircase, level]`: the outcome under a record of this level that the mover holds, _STANDS where it stands."""
    steps = contents.steps
    top = int(steps.level.max(initial=0)) + 1
    found = np.full((len(steps.start) - 1, top + 1), _STANDS, np.int16)
    of_step = np.repeat(np.arange(len(steps.start) - 1), np.diff(steps.start))
    for level in range(FIRST_RECORD, top + 1):
        found[:, level] = found[:, level - 1]
        here = np.flatnonzero((steps.holder == MOVER_HOLDS) & (steps.level == level))
        found[of_step[here], level] = steps.outcome[here]
    return found


def _levels(layout: Layout, around: Surroundings) -> NDArray[np.uint8]:
    parts = pieces(layout.size, _AT_A_TIME)
    return np.concatenate([around.levels(layout, np.arange(part.start, part.stop)) for part in parts])


@inlined
def _held(under, width, staircase, level):
    """What a record of this level that the mover holds comes to."""
    record = np.int64(BASE - level)
    found = np.int64(under[np.int64(staircase) * width + min(level, width - 1)])
    return found if found != _STANDS and found < record else record


@inlined
def _result(outcome):
    """In chess."""
    return np.sign(outcome) if abs(outcome) == BASE else np.int64(0)


@kernel
def _count(
    board, atlas, tables, pawns, slice_, first, begin, end, level, halves, fresh, staircase, under, width, moves,
    arrivals, numbering, sums,
):  # fmt: skip
    for node in range(begin, end):
        own = np.int64(level[node])
        if own == NO_POSITION or own < FIRST_RECORD:
            continue
        side = decode(atlas, 0, pawns, slice_, first + node, moves.squares)
        quiet, total, _, _ = list_all(board, moves, side, -1)
        number_quietly(atlas, moves, side, quiet, numbering)
        best = best_result = np.int64(-BASE)
        alike = alike_in_chess = 0
        for at in range(total):
            if at < quiet:
                there = numbering.node[at]
                paid = np.int64(fresh[there])
                if level[there] >= own and BASE - abs(paid) >= own:
                    paid = _held(under, width, staircase[there], own)
            else:
                arrive_by_reset(board, atlas, tables, moves, side, at, numbering, arrivals)
                paid = np.int64(arrivals.entry[at]) >> OUTCOME_SHIFT
            value = -paid
            if value > best:
                best, alike = value, 0
            alike += value == best
            result = _result(value) * BASE
            if result > best_result:
                best_result, alike_in_chess = result, 0
            alike_in_chess += result == best_result
        weight = halves[node]
        sums[0] += weight
        sums[1] += weight * total
        sums[2] += weight * alike_in_chess
        sums[3] += weight * alike
        if best_result == 0:
            sums[4] += weight
            sums[5] += weight * total
            sums[6] += weight * alike_in_chess
            sums[7] += weight * alike
