"""Which kept own tables say all that solving the parts of a plan would."""

from collections.abc import Callable, Iterator, Mapping, Sequence, Set
from pathlib import Path
from typing import NamedTuple

from tbgen.material import Material
from tbgen.own.plan import PlannedPart
from tbgen.own.slices import PartName, beyond
from tbgen.own.walks import Placement, mirrored
from tbgen.store.format.own import Bound, OwnNotes, OwnPart


class Kept(NamedTuple):
    """A part that files have."""

    key: str
    files: dict[Bound, Path]
    """The exact table, or both bounds."""

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
        self._keys: dict[PartName, str] = {}
        self._serving: dict[PartName, dict[str, Kept]] = {}
        """By key: the tables that know as much as the plan does."""
        self.found: dict[PartName, Kept] = {}
        """Those to be read."""
        for part in plan:
            serving = {one.key: one for one in self._serving_of(part, kept.get(part.name.material, ()))}
            if serving:
                first = next(iter(serving.values()))
                self.found[part.name] = first if len(serving) == 1 else serving.get(self._key(part.name), first)
                self._serving[part.name] = serving

    def _key(self, name: PartName) -> str:
        """Of the table that solving a part would make. Most are never asked for: placements may be very many."""
        key = self._keys.get(name)
        if key is None:
            part = self._plan[name]
            found = ((one, self.found.get(one)) for one in (beyond(name, lead) for lead in part.known))
            keys = {one: self._key(one) if kept is None else kept.key for one, kept in found}
            key = self._keys[name] = notes_for(part, keys).key(name.material)
        return key

    def _serving_of(self, part: PlannedPart, kept: Sequence[Kept]) -> Iterator[Kept]:
        for one in kept:
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
            if is_planned(lead):
                if not self._knows(notes, lead, beyond(part.name, lead)):
                    return False
            elif lead.material not in notes.complete:
                # it may know more than the plan, and the man that moved is retaken there
                keys = _keys(notes, lead)
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
        keys = _keys(notes, seen)
        if not keys.isdisjoint(self._serving.get(name, ())):
            return True
        return bool(keys) and name in self._plan and self._key(name) in keys


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


def notes_for(part: PlannedPart, keys: Mapping[PartName, str]) -> OwnNotes:
    """What the file of a part will say, but for the bound, given the keys of those that it leads to."""
    placements = tuple(sorted(white + black for white, black in part.placements))
    parts = tuple(OwnPart(*one, keys[beyond(part.name, one)]) for one in part.known)
    return OwnNotes(Bound.EXACT, placements, tuple(part.complete), parts)


def _keys(notes: OwnNotes, seen: PartName) -> set[str]:
    """Of the tables of a part that another one was solved with."""
    return {one.key for one in notes.parts if one[:2] == seen}
