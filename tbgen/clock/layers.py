"""One layer from the one after it. Values are outcomes as the side to move sees them.

A row has a value for each record: those that the opponent holds by rising level, then those that the mover holds. Under
records of a level above the position's own it tells what a move to it gives: its own goal is the record then. So a move
turns a row into the negative of the other half of the row that it leads to.

Rows are short, as memory is what a step waits for. A record has the level of some position of the slice. And one above
all levels of a side is gone as soon as that side is to move, whatever it was: the last place of a row stands for all of
these. One ply before a closing one that does not count this is not so; then there is `fresh_before_closing`.
"""

from typing import Final, NamedTuple

import numpy as np
from numpy.typing import NDArray

from tbgen.clock.graph import NO_RESET, Graph
from tbgen.jit import inlined, kernel
from tbgen.outcome import BASE, FIRST_RECORD
from tbgen.verify.moves import NO_POSITION

CLOCK: Final = 100
"""Plies without a reset that end a game."""
NO_RESTART: Final = NO_RESET
_NO_RANK: Final = 255


class Records(NamedTuple):
    """The records that a slice's rows have."""

    levels: NDArray[np.int64]
    """`[rank]`, rising."""
    rank: NDArray[np.uint8]
    """`[node]`: of its own level; _NO_RANK where no game goes on."""

    @property
    def row(self) -> int:
        """Values in a row."""
        return 2 * len(self.levels)

    def rank_of(self, level: int) -> int:
        """The rank of records of this level."""
        return min(int(np.searchsorted(self.levels, level)), len(self.levels) - 1)


def records_of(graph: Graph, halves: tuple[slice, ...]) -> Records:
    """`halves`: the nodes with either side to move."""
    own = graph.level.astype(np.int64)
    going_on = (own >= FIRST_RECORD) & (own != NO_POSITION)
    levels = np.unique(own[going_on])
    tops = [int(own[half][going_on[half]].max(initial=FIRST_RECORD)) for half in halves]
    levels = levels[: np.count_nonzero(levels <= min(tops)) + 1] if len(levels) else np.array([FIRST_RECORD])
    rank = np.minimum(np.searchsorted(levels, own), len(levels) - 1)
    return Records(levels, np.where(going_on, rank, _NO_RANK).astype(np.uint8))


def one_record(graph: Graph, level: int) -> Records:
    """Records of one level only: a game that betters them leaves them."""
    own = graph.level
    going_on = (own >= level) & (own != NO_POSITION)
    return Records(np.array([level]), np.where(going_on, 0, _NO_RANK).astype(np.uint8))


class Pair(NamedTuple):
    """A layer, and which of its rows differ from those of the layer one ply later."""

    row: NDArray[np.int16]
    moved: NDArray[np.uint8]
    """`[node]`."""


def closing(graph: Graph, records: Records, paid: NDArray[np.int16], *, counts: bool) -> tuple[Pair, Pair]:
    """The layer at which the clock ends the game: the record stands. Mate and stalemate count; any other goal of the
    closing ply only if it `counts`. And room for another. `paid`: see `step_back`."""
    found, other = (np.zeros(records.row * len(graph.level), np.int16) for _ in range(2))
    _close(graph.level, records.levels, paid, counts, found)
    return Pair(found, np.ones(len(graph.level), np.uint8)), Pair(other, np.zeros(len(graph.level), np.uint8))


def step_back(graph: Graph, records: Records, paid: NDArray[np.int16], closes: int, before: Pair, after: Pair) -> bool:
    """Fill `after`, which has the layer one ply after `before`, with the one before it. Returns whether these differ:
    if not, layers take turns from there on. `paid`: what a position's own goal is worth as a record, where setting it
    restarts the clock; `closes`: the level that ends a game if two positions in a row have it, 0 for none."""
    differs: int = _step(
        graph.level, graph.start, graph.target, graph.reset, records.levels, records.rank, paid, closes,
        before.row, before.moved, after.row, after.moved, np.empty(records.row, np.int16),
    )  # fmt: skip
    return differs != 0


def fresh_before_closing(graph: Graph, nodes: NDArray[np.int64]) -> NDArray[np.int16]:
    """What nodes are worth under their own goals at the last ply but the closing one, if nothing but mate and stalemate
    counts then."""
    found = np.empty(len(nodes), np.int16)
    _before_closing(graph.level, graph.start, graph.target, graph.reset, nodes, found)
    return found


@inlined
def _places(first, last):
    """Unsigned indices let the compiler treat many records at once."""
    return range(np.uint64(first), np.uint64(max(first, last)))


@kernel
def _close(level, levels, paid, counts, after):
    width = len(levels)
    for node in range(len(level)):
        base = node * 2 * width
        own = np.int64(level[node])
        for at in range(width):
            after[base + at] = levels[at] - BASE
            after[base + width + at] = BASE - levels[at]
        ended = own < FIRST_RECORD
        if own == NO_POSITION or not (ended or counts):
            continue
        goal = paid[node] if paid[node] != NO_RESTART else own - BASE
        for at in range(width):
            if levels[at] > own:
                after[base + at] = goal
                after[base + width + at] = goal


@inlined
def _any_moved(start, target, moved, node):
    move, end = start[node], start[node + 1]
    while move < end and not moved[target[move]]:
        move += 1
    return move < end


@kernel
def _step(level, start, target, reset, levels, rank, paid, closes, before, moved_before, after, moved_after, row):
    differs = 0
    width = len(levels)
    for node in range(len(level)):
        base = node * 2 * width
        place = np.int64(rank[node])
        if place == _NO_RANK:
            for at in _places(0, 2 * width):
                after[base + at] = before[base + at]
            moved_after[node] = 0
            continue
        if not (moved_before[node] or _any_moved(start, target, moved_before, node)):
            moved_after[node] = 0  # nothing changes, and `after` has the same row from two plies on
            continue
        for at in _places(0, 2 * width):
            row[at] = reset[node]
        for move in range(start[node], start[node + 1]):
            if closes and level[node] == closes and level[target[move]] == closes:
                for at in range(width):
                    row[at] = max(row[at], np.int16(levels[at] - BASE))
                    row[width + at] = max(row[width + at], np.int16(BASE - levels[at]))
                continue
            there = np.int64(target[move]) * 2 * width
            for at in _places(0, width):
                row[at] = max(row[at], np.int16(-before[there + width + at]))
            for at in _places(0, width):
                row[width + at] = max(row[width + at], np.int16(-before[there + at]))
        goal = paid[node] if paid[node] != NO_RESTART else row[place]
        for at in range(place + 1, width):
            row[at] = goal
            row[width + at] = goal
        moved = 0
        for at in _places(0, 2 * width):
            differs |= row[at] ^ after[base + at]
            moved |= row[at] ^ before[base + at]
            after[base + at] = row[at]
        moved_after[node] = moved != 0
    return differs


@kernel
def _before_closing(level, start, target, reset, nodes, found):
    for place in range(len(nodes)):
        node = nodes[place]
        best = np.int64(reset[node])
        for move in range(start[node], start[node + 1]):
            there = np.int64(level[target[move]])
            best = max(best, BASE - there if there < FIRST_RECORD else np.int64(level[node]) - BASE)
        found[place] = best
