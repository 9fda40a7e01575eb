"""Which kept own tables say all that solving the parts of a plan would."""

from collections.abc import Callable, Collection, Iterator, Mapping, Sequence, Set
from pathlib import Path
from typing import NamedTuple

from tbgen.material import Material
from tbgen.own.plan import PlannedPart
from tbgen.own.slices import PartName, beyond
from tbgen.own.walks import Placement, mirrored
from tbgen.store.format.own import Bound, OwnNotes, OwnPart, tells


class PartKey(NamedTuple):
    """What the file of a table says of another part that it was solved with."""

    key: str
    only: Bound | None
    """The bound that was known, if the other one was not."""


def part_key(key: str, bounds: Collection[Bound]) -> PartKey:
    """Of a part that is known for these bounds."""
    (only,) = bounds if len(bounds) == 1 else (None,)
    return PartKey(key, None if only == Bound.EXACT else only)


class Kept(NamedTuple):
    """A part that files have."""

    key: str
    files: dict[Bound, Path]
    """The exact table, or both bounds, or one."""

    @property
    def part_key(self) -> PartKey:
        return part_key(self.key, self.files)

    @property
    def file(self) -> Path:
        """One whose notes, but for the bound, are those of all."""
        return next(iter(self.files.values()))


class Search:
    """A look at the parts of a plan, those that others lead to first."""

    def __init__(
        self,
        plan: Sequence[PlannedPart],
        kept: Mapping[Material, Sequence[Kept]],
        notes_of: Callable[[Path], OwnNotes | None],
    ) -> None:
        """`kept` is all that there is; `notes_of` gives None for a file that is not there any more."""
        self._plan = {part.name: part for part in plan}
        self._kept = kept
        self._notes_of = notes_of
        self._keys: dict[PartName, PartKey] = {}
        self._serving: dict[PartName, dict[str, Kept]] = {}
        """By key: the tables that know as much as the plan does."""
        self.found: dict[PartName, Kept] = {}
        """Those to be read."""
        for part in plan:
            serving = {one.key: one for one in self._serving_of(part, kept.get(part.name.material, ()))}
            if serving:
                first = next(iter(serving.values()))
                self.found[part.name] = first if len(serving) == 1 else serving.get(self._key(part.name).key, first)
                self._serving[part.name] = serving

    def _key(self, name: PartName) -> PartKey:
        """Of the table that solving a part would make. Most are never asked for: placements may be very many."""
        key = self._keys.get(name)
        if key is None:
            part = self._plan[name]
            found = ((one, self.found.get(one)) for one in (beyond(name, lead) for lead in part.known))
            keys = {one: self._key(one) if kept is None else kept.part_key for one, kept in found}
            key = self._keys[name] = part_key(notes_for(part, keys).key(name.material), part.bounds)
        return key

    def _serving_of(self, part: PlannedPart, kept: Sequence[Kept]) -> Iterator[Kept]:
        for one in kept:
            if not all(tells(one.files, bound) for bound in part.bounds):
                continue
            notes = self._notes_of(one.file)
            if notes is not None and _has_all(notes, part.placements) and self._serves(notes, part):
                yield one

    def _serves(self, notes: OwnNotes, part: PlannedPart) -> bool:
        """Whether a table that has a part's placements knows all that solving it would."""
        if part.exact or notes.bound == Bound.EXACT:
            return notes.bound == Bound.EXACT
        planned = {*part.known}

        def is_planned(lead: PartName) -> bool:
            return lead in planned or lead.material in part.complete

        for lead, retaken in part.leads_to.items():
            there_too = beyond(part.name, lead)
            if is_planned(lead) and not self._knows(notes, lead, there_too):
                return False
            is_told = lead in planned and self._plan[there_too].tells(part.bounds, lead.swapped)
            if not is_told and lead.material not in (*part.complete, *notes.complete):
                # it may know more than the plan, and the man that moved is retaken there
                keys = {one.key for one in _parts(notes, lead)}
                there = [self._notes_of(one.file) for one in self._kept.get(lead.material, ()) if one.key in keys]
                for behind in filter(is_planned, retaken):
                    name = beyond(part.name, behind)
                    asked = [(notes, behind), *((one, _seen_from(lead, behind)) for one in there if one is not None)]
                    if not any(self._knows(notes, seen, name) for notes, seen in asked):
                        return False
        return True

    def _knows(self, notes: OwnNotes, seen: PartName, name: PartName) -> bool:
        """Whether a table was solved with as much of another part, which is seen so from there, as the plan knows."""
        if notes.bound == Bound.EXACT or seen.material in notes.complete:
            return True
        if name not in self._plan:
            return False
        bounds = self._plan[name].bounds
        keys = {one.key for one in _parts(notes, seen) if one.only is None or bounds == (one.only,)}
        if not keys.isdisjoint(self._serving.get(name, ())):
            return True
        return bool(keys) and self._key(name).key in keys


def _has_all(notes: OwnNotes, placements: Set[Placement]) -> bool:
    """Whether a table has placements of pawns, or their mirror images."""
    there = {*notes.placements}

    def is_there(pawns: Placement) -> bool:
        white, black = pawns
        return white + black in there

    return all(is_there(one) or is_there(mirrored(one)) for one in placements)


def _seen_from(lead: PartName, behind: PartName) -> PartName:
    """What lies behind a lead, as it is seen from there. Of equal men the other placements are seen there if colours
    are swapped on the way: no table is known to have these."""
    return PartName(behind.material, behind.swapped != lead.swapped)


def notes_for(part: PlannedPart, keys: Mapping[PartName, PartKey]) -> OwnNotes:
    """What the file of a part will say, but for the bound, given the keys of those that it leads to."""
    placements = tuple(sorted(white + black for white, black in part.placements))
    parts = tuple(OwnPart(*one, *keys[beyond(part.name, one)]) for one in part.known)
    return OwnNotes(Bound.EXACT, placements, tuple(part.complete), parts)


def _parts(notes: OwnNotes, seen: PartName) -> list[OwnPart]:
    """The tables of a part that another one was solved with."""
    return [one for one in notes.parts if one[:2] == seen]
