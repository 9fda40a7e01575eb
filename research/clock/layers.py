"""One layer from the one after it. Values are outcomes as the side to move sees them.

A row has a value for each record: those that the opponent holds by rising level, then those that the mover holds. Under
records of a level above the position's own it tells what a move to it gives: its own goal is the record then. So a move
turns a row into the negative of the other half of the row that it leads to.

Rows are short, as memory is what a step waits for. A record has the level of some position of the slice. And one above
all levels of a side is gone as soon as that side is to move, whatever it was: the last place of a row stands for all of
these. One ply before a closing one that does not count this is not so; then there is `fresh_before_closing`.

Outcomes are codes of a byte. Either half of a row fills whole vectors: more places stand for the last record.
"""

from typing import Final, NamedTuple

import numpy as np
from numpy.typing import NDArray

from research.clock.codes import BELOW_ALL, Codes, codes_of
from research.clock.graph import NO_RESET, Graph
from tbgen.compiler.intrinsics import VECTOR, raise_to_negative
from tbgen.compiler.jit import inlined, kernel
from tbgen.core.outcome import BASE, FIRST_RECORD
from tbgen.verify.moves import NO_POSITION

CLOCK: Final = 100
"""Plies without a reset that end a game."""
NO_RESTART: Final = NO_RESET
_NO_RANK: Final = 255
_WORD: Final = 8
_IN_ALL_BYTES: Final = np.uint64(0x0101010101010101)


class Records(NamedTuple):
    """The records that a slice's rows have."""

    levels: NDArray[np.int64]
    """`[rank]`, rising."""
    rank: NDArray[np.uint8]
    """`[node]`: of its own level; _NO_RANK where no game goes on."""

    @property
    def half(self) -> int:
        """Places in half a row."""
        return -(-len(self.levels) // VECTOR) * VECTOR

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


class Goals(NamedTuple):
    """What a step asks of a slice, as codes."""

    codes: Codes
    stands: NDArray[np.int8]
    """`[place in half a row]`: the record stands."""
    reset: NDArray[np.int8]
    """`[node]`: see `Graph`."""
    paid: NDArray[np.int8]
    """`[node]`: what its own goal is worth as a record, where setting it restarts the clock, else BELOW_ALL."""


def goals_of(graph: Graph, records: Records, paid: NDArray[np.int16]) -> Goals:
    """`paid`: outcomes, else NO_RESTART."""
    stands = (records.levels - BASE)[np.minimum(np.arange(records.half), len(records.levels) - 1)]
    codes = codes_of(np.arange(FIRST_RECORD) - BASE, stands, graph.reset, paid)
    return Goals(codes, codes.of(stands), codes.of(graph.reset), codes.of(paid))


class Pair(NamedTuple):
    """A layer, and which of its rows differ from those of the layer one ply later."""

    row: NDArray[np.int8]
    moved: NDArray[np.uint8]
    """`[node]`."""


def closing(graph: Graph, records: Records, goals: Goals, *, counts: bool) -> tuple[Pair, Pair]:
    """The layer at which the clock ends the game: the record stands. Mate and stalemate count; any other goal of the
    closing ply only if it `counts`. And room for another."""
    size = len(graph.level)
    found, other = (np.zeros(2 * records.half * size, np.int8) for _ in range(2))
    own = goals.codes.of(graph.level.astype(np.int64) - BASE)
    own = np.where(goals.paid != BELOW_ALL, goals.paid, own)
    _close(graph.level, records.levels, goals.stands, own, counts, found)
    return Pair(found, np.ones(size, np.uint8)), Pair(other, np.zeros(size, np.uint8))


def step_back(graph: Graph, records: Records, goals: Goals, closes: int, before: Pair, after: Pair) -> bool:
    """Fill `after`, which has the layer one ply after `before`, with the one before it. Returns whether these differ:
    if not, layers take turns from there on. `closes`: the level that ends a game if two positions in a row have it, 0
    for none."""
    row = np.empty(2 * records.half, np.int8)
    words = (one.view(np.uint64) for one in (before.row, after.row, row))
    differs: int = _step(
        graph.level, graph.start, graph.target, goals.reset, goals.stands, records.rank, goals.paid, closes,
        before.row, before.moved, after.moved, row, *words,
    )  # fmt: skip
    return differs != 0


def fresh_before_closing(graph: Graph, nodes: NDArray[np.int64]) -> NDArray[np.int16]:
    """What nodes are worth under their own goals at the last ply but the closing one, if nothing but mate and stalemate
    counts then."""
    found = np.empty(len(nodes), np.int16)
    _before_closing(graph.level, graph.start, graph.target, graph.reset, nodes, found)
    return found


@kernel
def _close(level, levels, stands, own, counts, after):
    half = len(stands)
    for node in range(len(level)):
        base = node * 2 * half
        for at in range(half):
            after[base + at] = stands[at]
            after[base + half + at] = -stands[at]
        ended = level[node] < FIRST_RECORD
        if level[node] == NO_POSITION or not (ended or counts):
            continue
        for at in range(half):
            if levels[min(at, len(levels) - 1)] > level[node]:
                after[base + at] = own[node]
                after[base + half + at] = own[node]


@inlined
def _any_moved(start, target, moved, node):
    move, end = start[node], start[node + 1]
    while move < end and not moved[target[move]]:
        move += 1
    return move < end


@kernel
def _step(
    level, start, target, reset, stands, rank, paid, closes,
    before, moved_before, moved_after, row, before_words, after_words, row_words,
):  # fmt: skip
    """Rows are given as bytes, and as the words that these make."""
    differs = np.uint64(0)
    half = len(stands)
    words = 2 * half // _WORD
    for node in range(len(level)):
        first = node * words
        place = np.int64(rank[node])
        if place == _NO_RANK:
            for at in range(words):
                after_words[first + at] = before_words[first + at]
            moved_after[node] = 0
            continue
        if not (moved_before[node] or _any_moved(start, target, moved_before, node)):
            moved_after[node] = 0  # nothing changes, and `after` has the same row from two plies on
            continue
        for at in range(words):
            row_words[at] = np.uint64(np.uint8(reset[node])) * _IN_ALL_BYTES
        for move in range(start[node], start[node + 1]):
            if closes and level[node] == closes and level[target[move]] == closes:
                for at in range(half):
                    row[at] = max(row[at], stands[at])
                    row[half + at] = max(row[half + at], np.int8(-stands[at]))
                continue
            there = np.int64(target[move]) * 2 * half
            for at in range(0, place + 1, VECTOR):
                raise_to_negative(row, at, before, there + half + at)
                raise_to_negative(row, half + at, before, there + at)
        goal = paid[node] if paid[node] != BELOW_ALL else row[place]
        for at in range(place + 1, half):
            row[at] = goal
            row[half + at] = goal
        moved = np.uint64(0)
        for at in range(words):
            differs |= row_words[at] ^ after_words[first + at]
            moved |= row_words[at] ^ before_words[first + at]
            after_words[first + at] = row_words[at]
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
