"""Local tables that are kept as files beside the complete ones: read there instead of solved again.

Files have the stronger side first, as complete tables do. A part is told by White's men and Black's: here, between the
two, colours are swapped. A file is found by the key of what it says (`Part.keys`); it may have more slices than a part.
"""

import time
from collections.abc import Callable, Container, Iterable, Iterator, Mapping, Sequence
from contextlib import ExitStack, contextmanager, suppress
from pathlib import Path
from typing import Final, NamedTuple

from tbgen.beyond.local.choose import Part
from tbgen.beyond.local.walks import Pawns, mirrored, swapped
from tbgen.core.material import Material
from tbgen.core.table_contents import Contents
from tbgen.errors import CorruptTable, MissingTable
from tbgen.index.exits import Reached
from tbgen.memory.arrays import Make
from tbgen.store import building, open_table
from tbgen.store.format.local import Bound, LocalName, LocalNotes, SolvedWith
from tbgen.store.local import LocalFile, list_local, local_file, replaceable
from tbgen.store.lock import Busy, refuse
from tbgen.store.write import write_table

_GLANCE: Final = 0.1
"""Seconds between two looks whether another process is done."""

Row = tuple[int, ...]
"""A slice's pawns as files have them: the first side's squares in rising order, then the second's."""


class KeptTable(NamedTuple):
    """A table of a part that a file has."""

    file: LocalFile
    swapped: bool
    """Whether its first side is Black."""

    def read(self, make: Make, threads: int) -> Reached:
        """MissingTable if it is not there any more."""
        with replaceable(), open_table(self.file.path, threads=threads) as table:
            return Reached(table.ordered_layout(), table.entries(make=make), self.swapped)


KeptPart = Mapping[Bound, KeptTable]
"""The exact table, or both bounds, or one, in White's view."""


class Slot(NamedTuple):
    """Where a part will be."""

    kept: KeptPart
    notes: Mapping[Bound, LocalNotes]

    @property
    def is_filled(self) -> bool:
        """Whether another process has put it there."""
        return all(one.file.path.exists() for one in self.kept.values())


def rows_of(part: Part) -> tuple[Row, ...]:
    """Its slices as files have them."""
    turned = map(swapped, part.slices) if part.swapped else part.slices
    return tuple(sorted(first + second for first, second in turned))


class Shelf:
    """The local tables of a directory of tables; None: nothing is read. Only with `writes` new ones are kept."""

    def __init__(self, tables: Path | None, *, writes: bool) -> None:
        self.writes = writes and tables is not None
        self._tables = tables
        self._notes: dict[Path, LocalNotes] = {}
        self.written: list[Path] = []
        """What this shelf has written."""

    def look_up(self, plan: Sequence[Part]) -> dict[Material, KeptPart]:
        """The parts of a plan that files have."""
        files: dict[tuple[Material, str, Bound], list[LocalFile]] = {}
        for one in () if self._tables is None else list_local(self._tables):
            files.setdefault((one.material, one.name.key, one.name.bound), []).append(one)
        found = dict[Material, KeptPart]()
        for part in plan:
            kept = {bound: self._find(part, bound, files) for bound in part.bounds}
            there = {bound: one for bound, one in kept.items() if one is not None}
            if len(there) == len(kept):
                found[part.material] = there
        return found

    def _find(
        self, part: Part, bound: Bound, files: Mapping[tuple[Material, str, Bound], list[LocalFile]]
    ) -> KeptTable | None:
        """The smallest file that has a part's slices. If both sides have the same men, either may come first there."""
        white, black = part.keys[bound]
        found = [(one, False) for one in files.get((part.material, white, bound), ())]
        found += [(one, True) for one in files.get((part.material.swapped, black, bound.swapped), ())]
        there = [
            (len(rows), KeptTable(one, is_swapped))
            for one, is_swapped in found
            if _has_all(rows := self._rows_of(one.path), part.slices, is_swapped=is_swapped)
        ]
        return min(there)[1] if there else None

    def _rows_of(self, path: Path) -> set[Row]:
        """The slices that a file has; none if it is not there any more."""
        notes = self._notes_of(path)
        return set() if notes is None else {*notes.slices}

    @contextmanager
    def solving(
        self, part: Part, kept: Mapping[Material, KeptPart], waiting: Callable[[], None]
    ) -> Iterator[Slot | None]:
        """Nobody else solves this part meanwhile, given the files of those that it is solved with; None if nothing is
        kept. `waiting` is called as long as another process does. What it raises ends the wait."""
        if not self.writes:
            yield None
            return
        assert self._tables is not None
        rows = rows_of(part)
        complete = tuple({one.normal for one in part.complete})
        files, notes = dict[Bound, KeptTable](), dict[Bound, LocalNotes]()
        for bound in part.bounds:
            there = (kept[one].get(Bound.EXACT) or kept[one].get(bound) for one in part.known)
            tables = [SolvedWith(one.file.name, one.swapped != part.swapped) for one in there if one is not None]
            seen = bound.swapped if part.swapped else bound
            notes[bound] = LocalNotes(seen, part.keys[bound][part.swapped], rows, complete, tuple(tables))
            files[bound] = KeptTable(local_file(self._tables, notes[bound].name(part.material.normal)), part.swapped)
        with ExitStack() as stack:
            for path in sorted(one.file.path for one in files.values()):  # as whoever solves the mirror image does
                _hold(stack, path, waiting)
            yield Slot(files, notes)

    def put(self, slot: Slot, contents: Mapping[Bound, Contents], threads: int, make: Make) -> None:
        """Write a part that was solved."""
        for bound, kept in slot.kept.items():
            path = kept.file.path
            write_table(path, contents[bound], {}, local=slot.notes[bound], threads=threads, make=make)
            self.written.append(path)

    def forget(self, weaker: Iterable[Path]) -> None:
        """Remove tables that better ones have replaced, but for those that others were solved with."""
        paths = {*weaker}
        if self._tables is None or not paths:
            return
        files = {one.name: one.path for one in list_local(self._tables)}
        spare = {name for name, path in files.items() if path in paths}
        waiting = files.keys() - spare
        while waiting:
            name = waiting.pop()
            if any(_may_lead(name.material, one.material) for one in spare):
                needed = spare & self._solved_with(files[name])
                spare -= needed
                waiting |= needed
        for name in spare:
            files[name].unlink(missing_ok=True)

    def _solved_with(self, path: Path) -> set[LocalName]:
        """The tables that a file was solved with; none if it cannot be read any more."""
        notes = None
        with suppress(CorruptTable):
            notes = self._notes_of(path)
        return set() if notes is None else {one.name for one in notes.tables}

    def _notes_of(self, path: Path) -> LocalNotes | None:
        """What a file says; None if it is not there any more: another process may just have replaced it."""
        found = self._notes.get(path)
        if found is None:
            with suppress(MissingTable), open_table(path) as table:
                assert table.local is not None, "its name says so"
                found = self._notes[path] = table.local
        return found


def _has_all(rows: Container[Row], slices: Iterable[Pawns], *, is_swapped: bool) -> bool:
    """Whether these slices are there, or their mirror images."""

    def has(pawns: Pawns) -> bool:
        first, second = swapped(pawns) if is_swapped else pawns
        return first + second in rows

    return all(has(pawns) or has(mirrored(pawns)) for pawns in slices)


def _hold(stack: ExitStack, path: Path, waiting: Callable[[], None]) -> None:
    """Hold a lock until the stack ends."""
    while True:
        try:
            stack.enter_context(building(path, refuse))
        except Busy:
            waiting()
            time.sleep(_GLANCE)
        else:
            return


def _may_lead(material: Material, to: Material) -> bool:
    """False where no captures and promotions lead from one material to another."""
    return material != to and material.men >= to.men and material.pawns >= to.pawns
