"""A slice as a graph: what a kernel needs to know of it, and the quiet moves forwards.

Quiet moves (no capture, no pawn move) stay in the slice and are the edges of its graph; predecessors.py has them
backwards. Positions where the side not to move is in check, or where men share a square, are not part of the graph.
"""

from functools import cache
from typing import Final, NamedTuple

import numpy as np
from numpy.typing import NDArray

from tbgen.board.attacks import SKIP, attacked, move_tables, pinned
from tbgen.board.men import Man
from tbgen.compiler.jit import inlined
from tbgen.index.atlas import G_COUNT, G_PARTNER, G_SIDE, G_SLOT, G_STRIDE, GROUP, GROUPS, MEN, Atlas
from tbgen.index.kernels import decode_group, decode_half, decode_kings, group_number
from tbgen.index.kings import MOST_PAIRS, PAIRS, Renumbering, passage
from tbgen.retro.threads.ahead import Clusters, make_clusters
from tbgen.retro.threads.lanes import LANE
from tbgen.retro.threads.lines import LANES
from tbgen.retro.threads.pop import ENOUGH
from tbgen.retro.threads.sets import BLOCK

MOST_NEIGHBOURS = 256
"""More than the successors or predecessors of any position: four queens and a king have 4 * 27 + 8."""

AHEAD: Final = 2
"""Positions whose neighbours are found, or asked for, before those of another are looked at."""
MOST_CHANGES = 1 << 15
"""More than the positions that are popped together (retro/threads/pop.py); room for the neighbours of many."""


class SliceGraph(NamedTuple):
    atlas: Atlas
    """Its table is number 0; the tables that resets lead to follow."""
    family: int
    two_sided: int
    """1 where both sides to move are stored, 0 where swapped colours stand in for the other one."""
    half: int
    """Numbers per side to move."""
    pairs: int
    laned: int
    """1 where the positions of a lane (retro/threads/lanes.py) differ only in the square of the last man, before the
    turn passes and after it."""
    blocked: int
    """1 where the lanes of a block (block.py) differ only in the square of the last man but one."""
    pawns: NDArray[np.int64]
    """The squares of the pawns, in slot order."""
    pawn_set: np.uint64
    to_stride: NDArray[np.int64]
    """`[group]`: its stride after the turn has passed."""
    men_moves: NDArray[np.int32]
    """`[kind * 64 + square]`: where the destinations of a man begin in this array; at each, what is in `Geometry`
    as `to`, and SKIP behind it `skip`."""
    lines: NDArray[np.uint64]
    """`[kind * 64 + square]`: attacks; at BETWEEN and BEHIND `[pair_of(kind, a, b)]`: see `Geometry`."""
    promotions: int
    """How many kinds of men a pawn may become."""
    forth: NDArray[np.int16]
    back: NDArray[np.int16]
    """`[number]`: number of the kings after a move of another man, or before it, at TURN_SYMMETRY its symmetry; from
    KING_STEPS on the same for the moves of a king, STEP_SYMMETRY behind it its symmetry, STEP_TARGET behind it his
    square after the move (index/kings.py)."""
    king_start: NDArray[np.int32]
    """`[mover * (pairs + 1) + number]`: where in `forth` the moves of a king begin; at BACK those in `back`."""


TURN_SYMMETRY: Final = MOST_PAIRS
KING_STEPS: Final = 2 * TURN_SYMMETRY
STEP_SYMMETRY: Final = 1 << 16
STEP_TARGET: Final = 2 * STEP_SYMMETRY
BACK: Final = 2 * (MOST_PAIRS + 1)
_CASES: Final = 1 << 18
"""The most of `Buffers.cases`; and so many numbers of the slice to each, at the least:"""
_NUMBERS: Final = 1 << 8


def make_graph(
    atlas: Atlas, family: int, flip: int, half: int, pawns: list[int], fairy: tuple[Man, ...] = ()
) -> SliceGraph:
    groups = int(atlas.groups[0])
    fields = atlas.group[: GROUPS * GROUP].reshape(GROUPS, GROUP)
    partner = fields[:groups, G_PARTNER] if flip >= 0 else np.arange(groups)
    to_stride = fields[partner, G_STRIDE].copy()
    laned = groups > 0 and fields[groups - 1, G_COUNT] == 1 and to_stride[groups - 1] == 1
    return SliceGraph(
        atlas,
        family,
        int(flip < 0),
        half,
        PAIRS[family],
        int(laned),
        int(laned and flip < 0 and groups > 1 and fields[groups - 2, G_COUNT] == 1),
        np.array(pawns, np.int64),
        np.uint64(sum(1 << square for square in pawns)),
        to_stride,
        *move_tables(fairy),
        *_passage_arrays(family, flip),
    )


@cache
def _passage_arrays(family: int, flip: int) -> tuple[NDArray[np.int16], NDArray[np.int16], NDArray[np.int32]]:
    """`forth`, `back` and `king_start`."""
    found = passage(family, flip)
    start = np.zeros(2 * BACK, np.int32)
    for first, way in ((0, found.forth), (BACK, found.back)):
        start[first : first + len(way.king_start)] = way.king_start + KING_STEPS
    return _in_one(found.forth), _in_one(found.back), start


def _in_one(way: Renumbering) -> NDArray[np.int16]:
    assert len(way.king_number) <= STEP_SYMMETRY
    found = np.zeros(KING_STEPS + 3 * STEP_SYMMETRY, np.int16)
    for first, column in (
        (0, way.number),
        (TURN_SYMMETRY, way.symmetry),
        (KING_STEPS, way.king_number),
        (KING_STEPS + STEP_SYMMETRY, way.king_symmetry),
        (KING_STEPS + STEP_TARGET, way.king_target),
    ):
        found[first : first + len(column)] = column
    return found


class Buffers(NamedTuple):
    """Small arrays that each thread has to itself."""

    squares: NDArray[np.int64]
    term: NDArray[np.int64]
    """What each group adds to a number after the turn has passed."""
    near: NDArray[np.int64]
    """Neighbours found: positions, or lanes, with room for those of several (`room_for`)."""
    near_bits: NDArray[np.uint64]
    """The positions of each lane that are meant."""
    near_symmetry: NDArray[np.int64]
    """Of the move to each block (block.py)."""
    row: NDArray[np.uint64]
    """`[lane]`: the positions of each lane of a block that are meant; behind them those of lanes that
    are set aside for a moment."""
    news: NDArray[np.uint64]
    """Those of a line for whom it is news."""
    batch: NDArray[np.int64]
    """What has been popped (retro/threads/pop.py): positions, or lanes."""
    batch_bits: NDArray[np.uint64]
    """The positions of each lane that are meant."""
    clusters: Clusters
    """See retro/threads/ahead.py."""
    span: NDArray[np.int64]
    """Blocks that the thread has claimed and not popped yet: first and end (retro/threads/pop.py)."""
    changed: NDArray[np.int64]
    """Positions that have another value now, whose predecessors do not know it yet."""
    before: NDArray[np.uint16]
    """The codes of the values that they had."""
    cases: NDArray[np.int64]
    """`[slot]`: the staircase and values that a step was found for last, of those that have this slot; 0 for none."""
    lengthened: NDArray[np.int32]
    """`[slot]`: the staircase with that step."""


def make_buffers(numbers: int = 0) -> Buffers:
    """Those of a thread. `numbers`: those of the slice that it sweeps."""
    cases = max(1, min(_CASES, numbers // _NUMBERS))
    return Buffers(
        np.zeros(MEN, np.int64),
        np.zeros(GROUPS, np.int64),
        np.zeros((AHEAD + 1) * MOST_NEIGHBOURS, np.int64),
        np.zeros((AHEAD + 1) * MOST_NEIGHBOURS, np.uint64),
        np.zeros(MOST_NEIGHBOURS, np.int64),
        np.zeros(2 * LANE, np.uint64),
        np.zeros(LANES, np.uint64),
        np.zeros(ENOUGH + BLOCK, np.int64),
        np.zeros(ENOUGH + BLOCK, np.uint64),
        make_clusters(),
        np.zeros(2, np.int64),
        np.zeros(MOST_CHANGES, np.int64),
        np.zeros(MOST_CHANGES, np.uint16),
        np.zeros(cases, np.int64),
        np.zeros(cases, np.int32),
    )


@inlined
def room_for(at):
    """Where the neighbours of a position begin in `Buffers.near`, of several that follow each other."""
    return at % (AHEAD + 1) * MOST_NEIGHBOURS


@inlined
def _add_pawns(graph, squares):
    for pawn in range(len(graph.pawns)):
        squares[graph.atlas.first_pawn[0] + pawn] = graph.pawns[pawn]


@inlined
def set_up(graph, node, squares):
    """Decode a position into `squares`. Returns the side to move."""
    side = 1 if node >= graph.half else 0
    decode_half(graph.atlas, 0, graph.family, node - side * graph.half, squares)
    _add_pawns(graph, squares)
    return side


class Here(NamedTuple):
    """A position, and where it would be if only the turn had passed. Its neighbours are numbered from there."""

    side: int
    """Who is to move."""
    kings: int
    """The number of the two kings."""
    occupied: np.uint64
    symmetry: np.int64
    """The one that its men are to be seen by for their numbers at the other side's turn."""
    offset: int
    """Where numbers begin at that turn."""
    pieces: np.int64
    """What all groups add to them; `Buffers.term` has it group by group."""
    number: int
    """The whole of it: what the kings add, too."""


@inlined
def turn(graph, way, node, buffers, left_out):
    """Decode a position into `buffers.squares`, but for the last `left_out` groups, and number it for the other side's
    turn: `way` is `graph.forth` where moves follow, `graph.back` where they are taken back."""
    atlas, squares, term = graph.atlas, buffers.squares, buffers.term
    side = 1 if node >= graph.half else 0
    kings, left, occupied = decode_kings(atlas, 0, graph.family, node - side * graph.half, squares)
    symmetry = np.int64(way[TURN_SYMMETRY + kings])
    pieces = np.int64(0)
    for group in range(atlas.groups[0] - left_out):
        left, men = decode_group(atlas, group * GROUP, left, squares)
        occupied |= men
        slot, count = atlas.group[group * GROUP + G_SLOT], atlas.group[group * GROUP + G_COUNT]
        term[group] = graph.to_stride[group] * group_number(atlas, symmetry, squares, slot, count)
        pieces += term[group]
    _add_pawns(graph, squares)
    offset = (1 - side) * graph.half * graph.two_sided
    number = np.int64(way[kings]) * atlas.inner[0] + offset + pieces
    return Here(side, kings, occupied | graph.pawn_set, symmetry, offset, pieces, number)


@inlined
def king_target(graph, way, at, here, squares, left_out):
    """The number of a neighbour by a move of a king, which is at this place of `way`, and the symmetry for it."""
    atlas = graph.atlas
    symmetry = np.int64(way[at + STEP_SYMMETRY])
    number = np.int64(way[at]) * atlas.inner[0] + here.offset
    if symmetry == here.symmetry:
        return number + here.pieces, symmetry
    for group in range(atlas.groups[0] - left_out):
        number += graph.to_stride[group] * group_number(
            atlas, symmetry, squares, atlas.group[group * GROUP + G_SLOT], atlas.group[group * GROUP + G_COUNT]
        )
    return number, symmetry


@inlined
def successors(graph, buffers, node, start):
    """Write all positions that a legal quiet move leads to to `buffers.near`, from `start` on. Returns the end."""
    atlas = graph.atlas
    squares = buffers.squares
    here = turn(graph, graph.forth, node, buffers, 0)
    side, occupied = here.side, here.occupied
    enemy, king, nobody = 1 - side, squares[side], np.int64(-1)
    checked = attacked(graph, squares, enemy, king, occupied, nobody)
    pins = pinned(graph, squares, side, occupied)
    near = buffers.near
    count = start
    for group in range(atlas.groups[0]):
        if atlas.group[group * GROUP + G_SIDE] != side:
            continue
        rest = here.number - buffers.term[group]
        stride = graph.to_stride[group]
        first = atlas.group[group * GROUP + G_SLOT]
        alike = atlas.group[group * GROUP + G_COUNT]
        for slot in range(first, first + alike):
            square = squares[slot]
            lifted = occupied ^ (np.uint64(1) << np.uint64(square))
            unsure = checked or (pins >> np.uint64(square)) & np.uint64(1) != 0
            ray = atlas.kind[slot] * 64 + square
            at = graph.men_moves[ray]
            end = graph.men_moves[ray + 1]
            while at < end:
                target = np.int64(graph.men_moves[at])
                bit = np.uint64(1) << np.uint64(target)
                if occupied & bit:
                    at = graph.men_moves[at + SKIP]
                    continue
                at += 1
                if unsure and attacked(graph, squares, enemy, king, lifted | bit, nobody):
                    continue
                squares[slot] = target
                near[count] = rest + stride * group_number(atlas, here.symmetry, squares, first, alike)
                count += 1
            squares[slot] = square
    lifted = occupied ^ (np.uint64(1) << np.uint64(king))
    row = side * (graph.pairs + 1) + here.kings
    for at in range(graph.king_start[row], graph.king_start[row + 1]):
        target = np.int64(graph.forth[at + STEP_TARGET])
        bit = np.uint64(1) << np.uint64(target)
        if occupied & bit or attacked(graph, squares, enemy, target, lifted, nobody):
            continue
        near[count], _ = king_target(graph, graph.forth, at, here, squares, 0)
        count += 1
    return count
