"""The local tables of a directory, found by the pawns of a position.

A local table answers for its placements of pawns, for their mirror images, and for both with the colours swapped: then
its first side's worst is the other side's best. Whoever asks a table turns the board with `Numbers` and the answer with
`ask`, and nowhere else.
"""

import time
from collections import OrderedDict
from collections.abc import Iterable, Iterator, Sequence
from contextlib import suppress
from os import PathLike
from pathlib import Path
from threading import Lock
from typing import Final, NamedTuple

import chess

from tbgen.core.material import Material
from tbgen.errors import MissingTable
from tbgen.index.groups import choices
from tbgen.index.kings import FIXED, kings
from tbgen.index.layout import Layout
from tbgen.probe.numbering import material_of
from tbgen.probe.result import Result
from tbgen.probe.tables import Lookup, worth
from tbgen.store import TableFile, open_table
from tbgen.store.format.local import BOTH, Bound, numbers_per_slice, tells
from tbgen.store.local import LOCAL_DIRECTORY, LocalFile, list_local, refuse_old, replaceable

_OPEN: Final = 32
"""Files that are open at a time: a directory may have thousands."""

_TICK: Final = 100_000_000
"""Nanoseconds: of two changes that are closer to each other, the second may not be seen by the time of the last one."""


class Place(NamedTuple):
    """Where a local table has a position."""

    number: int
    board: chess.Board
    """The position as the table has it: its first side plays as White."""
    swapped: bool
    """Whether that is Black."""

    def ask(self, table: Lookup, record: int | None, bound: Bound) -> Result:
        """What a table of this bound says of the position under a record, in White's view again."""
        sign = -1 if self.swapped else 1
        name = material_of(self.board).name
        found = worth(self.board, name, table, self.number, None if record is None else sign * record)
        exact = bound == Bound.EXACT
        return found._replace(outcome=sign * found.outcome, record=sign * found.record, exact=exact)


class Numbers:
    """From positions to their numbers in a local table."""

    def __init__(self, material: Material, slices: Iterable[Sequence[int]]) -> None:
        self._layout = Layout(material)
        whites = material.first.count("P")
        self._slice_of = {
            (_squares(pawns[:whites]), _squares(pawns[whites:])): number for number, pawns in enumerate(slices)
        }

    def place(self, board: chess.Board, *, swapped: bool) -> Place | None:
        """Where a position is; None if no slice has its pawns, mirrored or not."""
        board = board.mirror() if swapped else board
        white, black = (board.pawns & board.occupied_co[color] for color in chess.COLORS)
        found = self._slice_of.get((white, black))
        if found is None:
            found = self._slice_of.get((chess.flip_horizontal(white), chess.flip_horizontal(black)))
            if found is None:
                return None
            board = board.transform(chess.flip_horizontal)
        number = found * numbers_per_slice(self._layout.material) + _number_in_slice(board, self._layout)
        return Place(number, board, swapped)


class LocalFiles:
    """The local tables that belong to a directory of tables. Threads may ask at the same time; one is answered at a
    time. Tables that are written meanwhile are found."""

    def __init__(self, tables: str | PathLike[str]) -> None:
        self._tables = Path(tables)
        refuse_old(self._tables)
        self._lock = Lock()
        self._listed = 0
        """When the directory was listed: the time of its last change."""
        self._files: dict[Material, list[LocalFile]] = {}
        self._numbers: dict[Path, Numbers] = {}
        """Of files that have been asked: this stays in memory."""
        self._open: OrderedDict[Path, TableFile] = OrderedDict()

    def close(self) -> None:
        """Close all files. They are opened again when they are needed."""
        with self._lock:
            self._numbers.clear()
            while self._open:
                self._open.popitem()[1].close()

    def covers(self, board: chess.Board) -> bool:
        """Whether there are tables of a position that know both bounds."""
        with self._lock, replaceable():
            there = {bound for _, bound, _ in self._found(board)}
        return all(tells(there, bound) for bound in BOTH)

    def result(self, board: chess.Board, record: int | None, winner: chess.Color) -> Result | None:
        """The best bound that tables know if this side mates wherever nothing is known; None where there is no table.
        A position with a right to capture en passant is in no table."""
        best: Result | None = None
        wanted = Bound.BEST if winner else Bound.WORST
        with self._lock, replaceable():
            for file, bound, place in self._found(board):
                if not tells((bound,), wanted):
                    continue
                with suppress(MissingTable):  # it has just been removed
                    best = tighter(best, place.ask(self._opened(file), record, bound), winner)
        return best

    def _found(self, board: chess.Board) -> Iterator[tuple[LocalFile, Bound, Place]]:
        """Each table that has a position, what it is for White, and where the position is."""
        self._list()
        if not self._files:  # as a rule
            return
        material = material_of(board)
        for swapped in (False, True):
            for file in self._files.get(material.swapped if swapped else material, ()):
                numbers = self._numbers_of(file)
                place = None if numbers is None else numbers.place(board, swapped=swapped)
                if place is not None:
                    yield file, file.name.bound.swapped if swapped else file.name.bound, place

    def _list(self) -> None:
        """Look again if the directory has changed."""
        try:
            changed = (self._tables / LOCAL_DIRECTORY).stat().st_mtime_ns
        except OSError:
            changed = 0
        if changed != self._listed or (changed and time.time_ns() - changed < _TICK):
            self._files.clear()
            for one in list_local(self._tables):
                self._files.setdefault(one.material, []).append(one)
            self._listed = changed

    def _numbers_of(self, file: LocalFile) -> Numbers | None:
        """The numbers of a file; None if it has just been removed: another process may have replaced it."""
        found = self._numbers.get(file.path)
        if found is None:
            with suppress(MissingTable), open_table(file.path) as table:
                assert table.local is not None, "its name says so"
                found = self._numbers[file.path] = Numbers(file.material, table.local.slices)
        return found

    def _opened(self, file: LocalFile) -> TableFile:
        found = self._open.get(file.path)
        if found is None:
            if len(self._open) >= _OPEN:
                self._open.popitem(last=False)[1].close()
            found = self._open[file.path] = open_table(file.path)
        self._open.move_to_end(file.path)
        return found


def tighter(one: Result | None, other: Result | None, winner: chess.Color) -> Result | None:
    """The better of two bounds, both of which hold if this side mates wherever nothing is known; of equal ones the
    first, unless only the second is exact."""
    if one is None or other is None:
        return one or other
    if one.exact or other.exact:
        return one if one.exact else other
    return other if (other.outcome < one.outcome) == winner and other.outcome != one.outcome else one


def _squares(pawns: Sequence[int]) -> int:
    """The squares as python-chess has a set of them."""
    return sum(chess.BB_SQUARES[square] for square in pawns)


def _number_in_slice(board: chess.Board, layout: Layout) -> int:
    """The number of a position in its slice, the table's first side playing as White."""
    table = kings(FIXED)
    first, second = board.king(chess.WHITE), board.king(chess.BLACK)
    assert first is not None
    assert second is not None
    number = 0 if board.turn else numbers_per_slice(layout.material) // 2
    number += int(table.number[first * 64 + second]) * layout.inner
    for group in layout.groups:
        kind = chess.PIECE_SYMBOLS.index(group.letter.lower())
        squares = sorted(board.pieces(kind, group.side == 0))
        number += group.stride * sum(int(choices().choose[64 * nth + square]) for nth, square in enumerate(squares))
    return number
