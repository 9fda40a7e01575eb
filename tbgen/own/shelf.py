"""Own tables that are kept as files beside the complete ones: read there instead of solved again."""

import time
from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from contextlib import ExitStack, contextmanager, suppress
from pathlib import Path
from typing import Final, NamedTuple

from tbgen.contents import Contents, Make
from tbgen.errors import CorruptTable, MissingTable
from tbgen.material import Material
from tbgen.own.plan import PlannedPart
from tbgen.own.search import Kept, PartKey, Search, notes_for
from tbgen.own.slices import PartName
from tbgen.retro.solver import Part
from tbgen.store import building, open_table
from tbgen.store.format.own import Bound, OwnNotes, OwnPart
from tbgen.store.lock import Busy, refuse
from tbgen.store.own import OwnFile, list_own, own_path, replaceable
from tbgen.store.write import write_table

_GLANCE: Final = 0.1
"""Seconds between two looks whether another process is done."""


class Slot(NamedTuple):
    """Where a part will be."""

    notes: OwnNotes
    kept: Kept

    @property
    def is_filled(self) -> bool:
        """Whether another process has put it there."""
        return all(path.exists() for path in self.kept.files.values())


class Shelf:
    """The own tables of a directory of tables; None: nothing is read. Only with `writes` new ones are kept."""

    def __init__(self, tables: Path | None, *, writes: bool) -> None:
        self.writes = writes and tables is not None
        self._tables = tables
        self._notes: dict[Path, OwnNotes] = {}
        self.written: list[Path] = []
        """What this shelf has written."""

    def look_up(self, plan: Sequence[PlannedPart]) -> dict[PartName, Kept]:
        """The parts of a plan of which files say all that solving them would; placements may be more."""
        return Search(plan, self._shelved(), self._notes_of).found

    @contextmanager
    def solving(
        self, part: PlannedPart, keys: Mapping[PartName, PartKey], waiting: Callable[[], None]
    ) -> Iterator[Slot | None]:
        """Nobody else solves this part meanwhile, given the keys of those that it leads to; None if nothing is kept.
        `waiting` is called as long as another process does. What it raises ends the wait."""
        if not self.writes:
            yield None
            return
        assert self._tables is not None
        notes, material = notes_for(part, keys), part.name.material
        key = notes.key(material)
        files = {bound: own_path(self._tables, material, key, bound) for bound in part.bounds}
        with ExitStack() as stack:
            for path in files.values():
                _hold(stack, path, waiting)
            yield Slot(notes, Kept(key, files))

    def put(self, slot: Slot, contents: Mapping[Bound, Contents], threads: int, make: Make) -> None:
        """Write a part that was solved."""
        for bound, path in slot.kept.files.items():
            write_table(path, contents[bound], {}, own=slot.notes._replace(bound=bound), threads=threads, make=make)
            self.written.append(path)

    def forget(self, weaker: Iterable[Path]) -> None:
        """Remove tables that better ones have replaced, but for those that others were solved with."""
        paths = {*weaker}
        if self._tables is None or not paths:
            return
        files = {*list_own(self._tables)}
        spare = {one for one in files if one.path in paths}
        waiting = files - spare
        while waiting:
            file = waiting.pop()
            asked = {one for one in spare if _may_lead(file.material, one.material)}
            parts = {(part.material, part.key) for part in self._parts_of(file)} if asked else set()
            needed = {one for one in asked if (one.material, one.key) in parts}
            spare -= needed
            waiting |= needed
        for one in spare:
            one.path.unlink(missing_ok=True)

    def _parts_of(self, file: OwnFile) -> tuple[OwnPart, ...]:
        """What a table was solved with; nothing if it cannot be read any more."""
        notes = None
        with suppress(CorruptTable):
            notes = self._notes_of(file.path)
        return () if notes is None else notes.parts

    def _shelved(self) -> dict[Material, list[Kept]]:
        """All that files have."""
        by_key: dict[tuple[Material, str], dict[Bound, Path]] = {}
        for one in () if self._tables is None else list_own(self._tables):
            by_key.setdefault((one.material, one.key), {})[one.bound] = one.path
        found: dict[Material, list[Kept]] = {}
        for (material, key), files in by_key.items():
            if Bound.EXACT in files:
                files = {Bound.EXACT: files[Bound.EXACT]}
            found.setdefault(material, []).append(Kept(key, files))
        return found

    def _notes_of(self, path: Path) -> OwnNotes | None:
        """None if it is not there any more: another process may just have replaced it."""
        found = self._notes.get(path)
        if found is None:
            with suppress(MissingTable), open_table(path) as table:
                assert table.own is not None, "its name says so"
                found = self._notes[path] = table.own
        return found


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


def read_kept(kept: Kept, make: Make, threads: int) -> dict[Bound, Part]:
    """A part from files. MissingTable if they are not there any more."""
    return {bound: _read(path, make, threads) for bound, path in kept.files.items()}


def _read(path: Path, make: Make, threads: int) -> Part:
    with replaceable(), open_table(path, threads=threads) as table:
        return Part(table.ordered_layout(), table.entries(make=make))
