"""The table that is checked: its positions, their moves, and the tables that these lead to."""

from collections.abc import Callable, Iterable, Sequence
from typing import Final, NamedTuple

import numpy as np
from numpy.typing import NDArray

from tbgen.index.atlas import Atlas, make_atlas
from tbgen.index.exits import Exits, Reached
from tbgen.index.layout import Layout
from tbgen.system.parallel import pieces
from tbgen.verify.arrivals import WHOLE, Survey, Tables, make_survey, make_tables
from tbgen.verify.buffers import FIELDS, make_buffers
from tbgen.verify.compare import check_all
from tbgen.verify.finding import Finding
from tbgen.verify.moves import NO_POSITION, Board, find_levels, make_board, make_moves
from tbgen.verify.units import IN_MEMORY, Memory, Source, Units

Numbers = NDArray[np.int64]
Levels = NDArray[np.uint8]

BATCH: Final = 1 << 15
"""Positions that one call of a kernel checks. A call takes some 0.1 milliseconds before its first position."""
_BITS: Final = 22
"""Slices of more than 2 ** _BITS numbers are divided."""


class Surroundings(NamedTuple):
    """What kernels need to know of a table and of those that its resets lead to."""

    atlas: Atlas
    board: Board
    tables: Tables
    reached: Sequence[Reached]
    """Keeps the entries in memory to which `tables` has addresses."""

    def levels(self, layout: Layout, numbers: Numbers) -> Levels:
        """The own levels of these numbers; NO_POSITION where there is no legal position."""
        levels = np.empty(len(numbers), np.uint8)
        find_levels(self.board, self.atlas, layout.pawns.squares, numbers, make_moves(), levels)
        return levels


def surroundings(exits: Exits, shift: int = WHOLE) -> Surroundings:
    reached = [
        one if one.entries is None else one._replace(entries=np.ascontiguousarray(one.entries, np.int32))
        for one in exits.reached
    ]
    for there, entries, _ in reached:
        if entries is not None and len(entries) != there.size:
            raise ValueError(f"{there.material} has {there.size} numbers, not {len(entries)}")
    atlas = make_atlas([exits.layout, *(one.layout for one in reached)])
    board = make_board(atlas, exits.layout.material.fairy)
    return Surroundings(atlas, board, make_tables(exits.layout, reached, exits.unknown, shift), reached)


class Table:
    def __init__(
        self,
        source: Source,
        exits: Exits,
        note: Callable[[Iterable[Finding]], None],
        memory: Memory = IN_MEMORY,
    ) -> None:
        """`note` is called with what is wrong with dictionaries of staircases by themselves."""
        self.layout = exits.layout
        self._make = memory.make
        self._around = surroundings(exits, _BITS if memory.divides else WHOLE)
        self._fetch = exits.fetch
        self.units = Units(source, self.layout, self._around.tables, note, memory)

    def fetch(self, unit: int) -> None:
        """Have the entries there that the resets of a unit lead to."""
        self._fetch(self.units.spans[unit].slices)

    def slices_at(self, numbers: Numbers) -> Numbers:
        return np.searchsorted(self.layout.start, numbers, side="right") - 1

    def levels(self, numbers: Numbers) -> Levels:
        """The own levels of these numbers; NO_POSITION where there is no legal position."""
        return self._around.levels(self.layout, numbers)

    def survey(self, slice_: int) -> Survey:
        """An empty survey of a slice."""
        return make_survey(slice_, len(self.layout.numbers_in(slice_)), self._make)

    def check_all(
        self, slice_: int, numbers: Numbers, survey: Survey, limit: int
    ) -> tuple[int, int, int, NDArray[np.int64]] | None:
        """Check positions of a slice: how many are legal, how many wrong, how many have moves that cannot be followed,
        and what is wrong with the first `limit`. With a survey of the slice it takes less time. None if units that are
        not in memory are asked for."""
        found = np.zeros((limit, FIELDS), np.int64)
        atlas, board, tables, _ = self._around
        legal, wrong, unseen = check_all(
            board, atlas, self.layout.pawns.squares, tables, self.units.dictionary,
            self.units.highest, survey, slice_, numbers, make_buffers(self.layout), found,
        )  # fmt: skip
        return None if legal < 0 else (legal, wrong, unseen, found[:wrong])

    def draw(self, count: int, random: np.random.Generator) -> Numbers:
        """`count` legal positions at random, each once, in rising order; all of them if there are no more."""
        size = self.layout.size
        legal = tried = np.zeros(0, np.int64)
        while len(legal) < count and len(tried) < size:
            if 4 * (len(tried) + count) < size:
                new = np.setdiff1d(random.integers(0, size, 2 * count), tried)
            else:
                new = np.setdiff1d(np.arange(size), tried)
            tried = np.concatenate([tried, new])
            levels = np.concatenate([self.levels(new[here]) for here in pieces(len(new), BATCH)])
            legal = np.concatenate([legal, random.permutation(new[levels != NO_POSITION])])
        return np.sort(legal[:count])
