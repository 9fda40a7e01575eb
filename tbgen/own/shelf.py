"""Own tables that are kept as files beside the complete ones: read there instead of solved again."""

from collections.abc import Iterable
from pathlib import Path
from typing import Final, NamedTuple

import chess
import numpy as np

from tbgen.contents import Contents, Make
from tbgen.material import Material
from tbgen.own.plan import PlannedPart
from tbgen.own.slices import PartName
from tbgen.retro.solver import Part
from tbgen.store import building, open_table
from tbgen.store.format.own import Bound, OwnNotes, OwnPart
from tbgen.store.own import OwnFile, list_own, own_path
from tbgen.store.write import write_table
from tbgen.turns import pieces

BOTH: Final = (Bound.WORST, Bound.BEST)


class Taken(NamedTuple):
    """A part that was read."""

    key: str
    parts: dict[chess.Color, Part]
    """By who mates where nothing is known."""


class Shelf:
    """The own tables of a directory of tables; None: nothing is read. Only with `writes` new ones are kept."""

    def __init__(self, tables: Path | None, *, writes: bool) -> None:
        self.writes = writes and tables is not None
        self._tables = tables
        self._notes: dict[Path, OwnNotes] = {}
        self.written: list[Path] = []
        """What this shelf has written."""

    def has(self, part: PlannedPart) -> bool:
        """Whether files say all of a part that solving it would."""
        return self._find(part) is not None

    def take(self, part: PlannedPart, make: Make) -> Taken | None:
        """A part from files, if they say all that solving it would; placements may be more."""
        found = self._find(part)
        if found is None:
            return None
        read = {one.bound: _read(one.path, make) for one in found}
        parts = {winner: read.get(Bound.EXACT) or read[_bound(part.name, winner)] for winner in chess.COLORS}
        return Taken(found[0].key, parts)

    def put(
        self,
        part: PlannedPart,
        keys: dict[PartName, str],
        contents: dict[chess.Color, Contents],
        threads: int,
        make: Make,
    ) -> str:
        """Write a part that was solved, given the keys of those that it leads to. Returns its own."""
        assert self._tables is not None
        placements = tuple(sorted(white + black for white, black in part.placements))
        parts = tuple(OwnPart(*relative(part.name, one), keys[one]) for one in part.known)
        for winner in chess.COLORS[: part.times]:
            bound = Bound.EXACT if part.exact else _bound(part.name, winner)
            notes = OwnNotes(bound, placements, tuple(part.complete), parts)
            path = own_path(self._tables, part.name.material, notes.key(part.name.material), bound)
            with building(path):
                write_table(path, contents[winner], {}, own=notes, threads=threads, make=make)
            self.written.append(path)
        return notes.key(part.name.material)

    def forget(self, paths: Iterable[Path]) -> None:
        """Remove tables that better ones have replaced."""
        for path in paths:
            path.unlink(missing_ok=True)

    def _find(self, part: PlannedPart) -> list[OwnFile] | None:
        """The exact table, or both bounds, of one key."""
        if self._tables is None:
            return None
        by_key: dict[str, list[OwnFile]] = {}
        for one in list_own(self._tables, part.name.material):
            by_key.setdefault(one.key, []).append(one)
        for files in by_key.values():
            bounds = {one.bound for one in files}
            complete = [one for one in files if one.bound == Bound.EXACT] or files
            if (Bound.EXACT in bounds or bounds.issuperset(BOTH)) and _serves(self._notes_of(files[0].path), part):
                return complete
        return None

    def _notes_of(self, path: Path) -> OwnNotes:
        found = self._notes.get(path)
        if found is None:
            with open_table(path) as table:
                assert table.own is not None, "its name says so"
                found = self._notes[path] = table.own
        return found


def relative(name: PartName, target: PartName) -> tuple[Material, bool]:
    """A part as another one sees it: its material, and whether its first side is the other's second."""
    return target.material, target.swapped != name.swapped


def _serves(notes: OwnNotes, part: PlannedPart) -> bool:
    """Whether a table knows all that solving a part would."""
    if not {white + black for white, black in part.placements} <= {*notes.placements}:
        return False
    if part.exact or notes.bound == Bound.EXACT:
        return notes.bound == Bound.EXACT
    known = {one[:2] for one in notes.parts}
    return {*part.complete} <= {*notes.complete} and {relative(part.name, one) for one in part.known} <= known


def _bound(name: PartName, winner: chess.Color) -> Bound:
    """What values are for the first side if this side mates wherever nothing is known."""
    return Bound.BEST if winner != name.swapped else Bound.WORST


def _read(path: Path, make: Make) -> Part:
    with open_table(path) as table:
        layout, entries = table.ordered_layout(), make(table.size, np.int32)
        for here in pieces(table.size):
            entries[here] = table.entries(here.start, here.stop)
        return Part(layout, entries)
