"""The own tables of a directory, found by the pawns of a position.

An own table answers for its placements of pawns, for their mirror images, and for both with the colours swapped: then
its first side's worst is the other side's best.
"""

import time
from collections import OrderedDict
from collections.abc import Iterator
from contextlib import suppress
from os import PathLike
from pathlib import Path
from threading import Lock
from typing import Final, NamedTuple

import chess

from tbgen.errors import MissingTable
from tbgen.index.groups import choices
from tbgen.index.kings import FIXED, kings
from tbgen.index.layout import Layout
from tbgen.material import Material
from tbgen.probe.numbering import material_with, signature
from tbgen.probe.result import Result
from tbgen.probe.tables import worth
from tbgen.store import TableFile, open_table
from tbgen.store.format.own import BOTH, Bound, numbers_per_slice, tells
from tbgen.store.own import OWN_DIRECTORY, OwnFile, list_own, replaceable

_OPEN: Final = 32
"""Files that are open at a time: a directory may have thousands."""

_TICK: Final = 100_000_000
"""Nanoseconds: of two changes that are closer to each other, the second may not be seen by the time of the last one."""

Pawns = tuple[int, ...]
"""The squares of the first side's pawns in rising order, then the second's."""


class Seen(NamedTuple):
    """A position as a table sees it: its first side plays as White."""

    board: chess.Board
    swapped: bool
    """Whether that is Black."""


class _Shelved(NamedTuple):
    """A file, and what of it is in memory all the time."""

    file: OwnFile
    slice_of: dict[Pawns, int]


class OwnFiles:
    """The own tables that belong to a directory of tables. Threads may ask at the same time, one is answered at a time.
    Tables that are written meanwhile are found."""

    def __init__(self, tables: str | PathLike[str]) -> None:
        self._tables = Path(tables)
        self._lock = Lock()
        self._listed = 0
        """When the directory was listed: the time of its last change."""
        self._files: dict[Material, list[OwnFile]] = {}
        self._shelf: dict[Path, _Shelved] = {}
        self._open: OrderedDict[Path, TableFile] = OrderedDict()

    def close(self) -> None:
        """Close all files. They are opened again when they are needed."""
        with self._lock:
            self._shelf.clear()
            while self._open:
                self._open.popitem()[1].close()

    def covers(self, board: chess.Board) -> bool:
        """Whether there are tables of a position that know both bounds."""
        with self._lock, replaceable():
            there = {one.file.bound.seen(seen.swapped) for one, seen, _ in self._found(board)}
        return all(tells(there, bound) for bound in BOTH)

    def result(self, board: chess.Board, record: int | None, winner: chess.Color) -> Result | None:
        """The best bound that tables know if this side mates wherever nothing is known; None where there is no table.
        A position with a right to capture en passant is in no table."""
        best: Result | None = None
        with self._lock, replaceable():
            for shelved, seen, slice_number in self._found(board):
                wins = Bound.BEST if winner != seen.swapped else Bound.WORST
                if shelved.file.bound not in (wins, Bound.EXACT):
                    continue
                try:
                    found = self._ask(shelved, seen, slice_number, record)
                except MissingTable:  # it has just been removed
                    continue
                if shelved.file.bound == Bound.EXACT:
                    return found
                if best is None or (found.outcome < best.outcome) == winner:
                    best = found
        return best

    def _ask(self, shelved: _Shelved, seen: Seen, slice_number: int, record: int | None) -> Result:
        table, sign = self._opened(shelved), -1 if seen.swapped else 1
        number = slice_number * numbers_per_slice(table.layout) + number_in_slice(seen.board, table.layout)
        found = worth(seen.board, "", table, number, None if record is None else sign * record)
        name, exact = shelved.file.material.name, shelved.file.bound == Bound.EXACT
        return found._replace(material=name, outcome=sign * found.outcome, record=sign * found.record, exact=exact)

    def _found(self, board: chess.Board) -> Iterator[tuple[_Shelved, Seen, int]]:
        """Each table that has a position, how it sees it, and the slice."""
        self._list()
        if not self._files:  # as a rule
            return
        material = material_of(board)
        there = map(self._at_hand, self._files.get(material.normal, ()))
        shelves = [one for one in there if one is not None]
        for seen in views_of(board, material) if shelves else ():
            pawns = pawns_of(seen.board)
            for shelved in shelves:
                slice_number = shelved.slice_of.get(pawns)
                if slice_number is not None:
                    yield shelved, seen, slice_number

    def _list(self) -> None:
        """Look again if the directory has changed."""
        try:
            changed = (self._tables / OWN_DIRECTORY).stat().st_mtime_ns
        except OSError:
            changed = 0
        if changed != self._listed or (changed and time.time_ns() - changed < _TICK):
            self._files.clear()
            for one in list_own(self._tables):
                self._files.setdefault(one.material, []).append(one)
            self._listed = changed

    def _at_hand(self, file: OwnFile) -> _Shelved | None:
        """None if it has just been removed: another process may have replaced it."""
        found = self._shelf.get(file.path)
        if found is None:
            with suppress(MissingTable), open_table(file.path) as table:
                assert table.own is not None, "its name says so"
                slices = {pawns: slice_number for slice_number, pawns in enumerate(table.own.placements)}
                found = self._shelf[file.path] = _Shelved(file, slices)
        return found

    def _opened(self, shelved: _Shelved) -> TableFile:
        path = shelved.file.path
        found = self._open.get(path)
        if found is None:
            if len(self._open) >= _OPEN:
                self._open.popitem(last=False)[1].close()
            found = self._open[path] = open_table(path)
        self._open.move_to_end(path)
        return found


def material_of(board: chess.Board) -> Material:
    """White's men first."""
    return material_with(signature(board))


def views_of(board: chess.Board, material: Material) -> Iterator[Seen]:
    """All ways in which a table may see a position, whose material this is."""
    for swapped in (False, True):
        if (material.swapped if swapped else material) == material.normal:
            seen = board.mirror() if swapped else board
            yield Seen(seen, swapped)
            yield Seen(seen.transform(chess.flip_horizontal), swapped)


def pawns_of(board: chess.Board) -> Pawns:
    white, black = (sorted(board.pieces(chess.PAWN, color)) for color in chess.COLORS)
    return (*white, *black)


def number_in_slice(board: chess.Board, layout: Layout) -> int:
    """The number of a position in its slice of an own table, whose first side plays as White."""
    table = kings(FIXED)
    first, second = board.king(chess.WHITE), board.king(chess.BLACK)
    assert first is not None
    assert second is not None
    number = 0 if board.turn else numbers_per_slice(layout) // 2
    number += int(table.number[first * 64 + second]) * layout.inner
    for group in layout.groups:
        kind = chess.PIECE_SYMBOLS.index(group.letter.lower())
        squares = sorted(board.pieces(kind, group.side == 0))
        number += group.stride * sum(int(choices().choose[64 * nth + square]) for nth, square in enumerate(squares))
    return number
