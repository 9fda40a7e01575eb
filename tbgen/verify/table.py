"""A table on trial: its positions, their moves, and what is known of where those lead."""

from collections.abc import Callable, Iterable, Mapping
from typing import Final

import numpy as np
from numpy.typing import NDArray

from tbgen.board.moves import move_slot, move_target
from tbgen.index.atlas import make_atlas
from tbgen.index.kernels import decode_many
from tbgen.index.layout import Layout, layout_of
from tbgen.jit import plain
from tbgen.material import Material
from tbgen.verify.arrivals import (
    UNSEEN,
    Arrivals,
    arrive_by_reset,
    arrive_quietly,
    look_up_levels,
    make_arrivals,
    make_seats,
    make_tables,
)
from tbgen.verify.compare import ENTRY_UNSEEN, entries_with_right
from tbgen.verify.dictionary import Finding
from tbgen.verify.moves import (
    MOST_MOVES,
    NO_POSITION,
    Lists,
    Positions,
    find_levels,
    list_all,
    make_board,
    make_lists,
    make_positions,
)
from tbgen.verify.units import Source, Units

Numbers = NDArray[np.int64]
Levels = NDArray[np.uint8]

BATCH: Final = 1 << 11
"""Positions that are best looked at together."""


def _reach(layout: Layout, squares: list[int]) -> set[int]:
    """The slices of the same table that a pawn move leads to; where it gives a right to capture in passing,
    those that the moves from there lead to as well."""
    found = set()
    sides = [side for side, _ in layout.letters[layout.first_pawn :]]
    for pawn, (side, square) in enumerate(zip(sides, squares, strict=True)):
        for steps in (1, 2) if square // 8 == (6 if side else 1) else (1,):
            moved = [*squares]
            moved[pawn] += steps * (-8 if side else 8)
            code = sum(one << 6 * place for place, one in enumerate(moved))
            slice_of = int(layout.placements.slice_of[code])
            if slice_of >= 0:
                found.add(slice_of >> 4)
                if steps == 2 and any(other != side for other in sides):
                    found |= _reach(layout, moved)
    return found


class Table:
    def __init__(
        self, source: Source, answers: Mapping[Material, NDArray[np.int32]], note: Callable[[Iterable[Finding]], None]
    ) -> None:
        """`answers` holds the entries of the tables that resets lead to, as far as they are at hand; `note` hears
        what is wrong with dictionaries of staircases by themselves."""
        self.layout = layout = layout_of(source.material)
        layouts = [layout, *map(layout_of, source.material.successors())]
        self._answers = {material: np.ascontiguousarray(entries, np.int32) for material, entries in answers.items()}
        for other in layouts[1:]:
            if len(self._answers.get(other.material, range(other.size))) != other.size:
                raise ValueError(f"{other.material} has {other.size} numbers, not {len(answers[other.material])}")
        at_hand = [self._answers.get(other.material) for other in layouts[1:]]
        self._atlas = make_atlas(layouts)
        self._board = make_board(self._atlas)
        self._tables = make_tables(layouts, [0, *(0 if one is None else one.ctypes.data for one in at_hand)])
        self.units = Units(source, layout, self._tables, note)
        # compiled whether needed or not, so that no later table has to wait for it
        entries_with_right(self.units.book, make_lists(0), make_arrivals(0), np.zeros(0, np.int32))

    def fetch(self, parts: Iterable[int]) -> None:
        """Have these slices in memory, and those that their pawns lead to."""
        layout = self.layout
        self.units.fetch(
            {one for part in parts for one in (part, *_reach(layout, layout.placements.pawns[part].tolist()))}
        )

    def part_of(self, numbers: Numbers) -> Numbers:
        return np.searchsorted(self.layout.start, numbers, side="right") - 1

    def place(self, numbers: Numbers) -> Positions:
        """The positions that bear these numbers."""
        positions = make_positions(len(numbers))
        decode_many(self._atlas, 0, self.layout.placements.pawns, numbers, positions.squares, positions.movers)
        return positions

    def levels(self, numbers: Numbers) -> Levels:
        """Their own levels, NO_POSITION where there is none."""
        levels = np.empty(len(numbers), np.uint8)
        find_levels(self._board, self.place(numbers), np.empty(MOST_MOVES, np.int64), levels)
        return levels

    def list(self, positions: Positions) -> Lists:
        lists = make_lists(len(positions.movers))
        list_all(self._board, positions, lists)
        return lists

    def arrive(self, positions: Positions, lists: Lists, levels: tuple[int, Levels] | None = None) -> Arrivals:
        """What is known of all positions that the moves lead to. The levels of a slice, from its first number on,
        are a help where all positions belong to it."""
        moves = int(lists.first[-1])
        arrivals = make_arrivals(moves)
        arrive_quietly(self._atlas, self._tables, positions, lists, arrivals)
        pushes = arrive_by_reset(self._atlas, self._tables, positions, lists, make_seats(), arrivals)
        if levels is not None:
            look_up_levels(*levels, arrivals, moves)
        else:
            quiet = np.flatnonzero(arrivals.number[:moves] >= 0)
            arrivals.level[quiet] = self.levels(arrivals.number[quiet])
        if pushes:
            self._grant_rights(arrivals.pushes[:pushes], positions, lists, arrivals)
        return arrivals

    def _grant_rights(self, pushes: Numbers, positions: Positions, lists: Lists, arrivals: Arrivals) -> None:
        """After these double steps the pawn may be captured in passing, where that is legal: look one ply deeper."""
        origin = np.searchsorted(lists.first, pushes, side="right") - 1
        stepped = plain(move_slot)(lists.move[pushes])
        after = Positions(positions.squares[origin], 1 - positions.movers[origin], stepped)
        after.squares[np.arange(len(pushes)), stepped] = plain(move_target)(lists.move[pushes])
        replies = self.list(after)
        entries = np.zeros(len(pushes), np.int32)
        entries_with_right(self.units.book, replies, self.arrive(after, replies), entries)
        granted = replies.rights > 0
        arrivals.entry[pushes[granted]] = entries[granted]
        arrivals.number[pushes[granted & (entries == ENTRY_UNSEEN)]] = UNSEEN

    def draw(self, count: int, random: np.random.Generator) -> Numbers:
        """So many legal positions, each once, in rising order; all that there are if there are no more."""
        size = self.layout.size
        legal = tried = np.zeros(0, np.int64)
        while len(legal) < count and len(tried) < size:
            if 4 * (len(tried) + count) < size:
                new = np.setdiff1d(random.integers(0, size, 2 * count), tried)
            else:
                new = np.setdiff1d(np.arange(size), tried)
            tried = np.concatenate([tried, new])
            levels = np.concatenate([self.levels(new[at : at + BATCH]) for at in range(0, len(new), BATCH)])
            legal = np.concatenate([legal, random.permutation(new[levels != NO_POSITION])])
        return np.sort(legal[:count])
