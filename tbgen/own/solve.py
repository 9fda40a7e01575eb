"""Own tables solved, at the worst and at the best of what is not known.

What the solver computes is monotone in what resets pay. So a reset to a material that no table covers is taken for a
mate, by White and by Black: the values under both are bounds of the true one, under every record.
"""

from collections.abc import Callable, Mapping
from contextlib import suppress
from dataclasses import dataclass, field
from pathlib import Path
from types import MappingProxyType
from typing import NamedTuple, TypeVar

import numpy as np
from numpy.typing import DTypeLike, NDArray

from tbgen.contents import OUTCOME_SHIFT, Contents, Make, in_memory
from tbgen.errors import MissingTable, OutOfRoom
from tbgen.generate.workspace import Workspace
from tbgen.index import Layout, layout_of
from tbgen.material import Material
from tbgen.outcome import BASE
from tbgen.own.choice import Tables
from tbgen.own.complete import CompleteTables
from tbgen.own.plan import PlannedPart
from tbgen.own.search import Kept, PartKey
from tbgen.own.shelf import Shelf, Slot, read_kept
from tbgen.own.slices import PartName, beyond, layout_for
from tbgen.retro.checkpoint import Checkpoint, Counts, TableArrays
from tbgen.retro.export import finish
from tbgen.retro.solver import STAND_IN, Own, Part, Solved, solve
from tbgen.store.disk_arrays import DiskArrays
from tbgen.store.format.own import Bound, tells
from tbgen.table_rules import TableRules

T = TypeVar("T")

CompleteParts = Mapping[Material, Part]
MakeWorkspace = Callable[[Path, Layout, Tables], Workspace]


class OwnTables(NamedTuple):
    """All parts of a plan, each exact or with both bounds or one."""

    root: PartName
    """The part of the position itself."""
    parts: dict[PartName, dict[Bound, Part]]
    contents: dict[PartName, dict[Bound, Contents]]
    """Of the root, and of others if asked for: what records that a game brings along are worth as well."""


def solve_plan(
    plan: list[PlannedPart],
    complete_parts: Callable[[Tables], CompleteParts],
    *,
    threads: int = 1,
    make: Make = in_memory,
    report: Callable[[int], None] = lambda numbers: None,
    shelf: Shelf | None = None,
    there: Mapping[PartName, Kept] = MappingProxyType({}),
    workspace: MakeWorkspace | None = None,
    records: bool = False,
) -> OwnTables:
    """Solve all parts. `complete_parts` reads complete tables, `make` makes arrays, and `report` is called with the
    numbers that are solved, of a part that is solved twice both times; what it raises ends the work. Parts that are
    `there`, as a shelf says, are read, but for the position's own. `workspace` makes one for a file of the shelf, given
    the complete tables that it depends on. `records`: contents of all parts that are solved here stay."""
    solver = PartSolver(complete_parts, threads, make, report, shelf or Shelf(None, writes=False), workspace)
    for part in plan:
        is_root = part is plan[-1]
        if not is_root and solver.read(part.name, there.get(part.name)):
            report(part.times * part.numbers)
        else:
            solver.solve(part, stays=records or is_root, reads=not is_root)
    return OwnTables(part.name, solver.done, solver.contents)


@dataclass
class PartSolver:
    """Solves the parts of a plan one after the other; see `solve_plan`."""

    complete_parts: Callable[[Tables], CompleteParts]
    threads: int
    make: Make
    report: Callable[[int], None]
    shelf: Shelf
    workspace: MakeWorkspace | None
    done: dict[PartName, dict[Bound, Part]] = field(default_factory=dict)
    contents: dict[PartName, dict[Bound, Contents]] = field(default_factory=dict)
    _keys: dict[PartName, PartKey] = field(default_factory=dict)

    def read(self, name: PartName, kept: Kept | None) -> bool:
        """Read a part that is there; False if it is not, or no longer: another process may have removed it."""
        if kept is None:
            return False
        with suppress(MissingTable):
            self.done[name] = read_kept(kept, self.make, self.threads)
            self._keys[name] = kept.part_key
            return True
        return False

    def solve(self, part: PlannedPart, *, stays: bool = False, reads: bool = True) -> Kept | None:
        """Solve a part that leads to parts that are done, and put it on the shelf. `stays`: its contents do; `reads`:
        it may be read instead if another process has solved it meanwhile."""
        with self.shelf.solving(part, self._keys, lambda: self.report(0)) as slot:
            kept = None if slot is None else slot.kept
            if slot is not None and reads and slot.is_filled and self.read(part.name, kept):
                self.report(part.times * part.numbers)
                return kept
            layout = layout_for(part.name.material, part.placements)
            solved, workspaces = self._solved(part, layout, slot)
            self.done[part.name] = {bound: Part(layout, one.entries) for bound, one in solved.items()}
            if slot is None and not stays:
                return None
            contents = {bound: finish(one, self.make, self.threads) for bound, one in solved.items()}
            if stays:
                self.contents[part.name] = contents
            if slot is not None:
                self.shelf.put(slot, contents, self.threads, self.make)
                self._keys[part.name] = slot.kept.part_key
            for one in workspaces:
                one.clear()
            return kept

    def _solved(
        self, part: PlannedPart, layout: Layout, slot: Slot | None
    ) -> tuple[dict[Bound, Solved], list[Workspace]]:
        """A part for each bound, and what a stopped process would have gone on with."""
        complete = self.complete_parts(part.complete)
        solved, workspaces = {}, list[Workspace]()
        for bound in part.bounds:
            known = {}
            for lead in part.known:
                there, wanted = self.done[beyond(part.name, lead)], bound.seen(lead.swapped)
                if tells(there, wanted):
                    known[lead.material, lead.swapped] = told(there, wanted)
            checkpoint: Checkpoint = _Arrays(self.make)
            if slot is not None and self.workspace is not None:
                checkpoint = self.workspace(slot.kept.files[bound], layout, part.complete)
                workspaces.append(checkpoint)
            try:
                solved[bound] = solve(
                    part.name.material,
                    {},
                    threads=self.threads,
                    report=self.report,
                    checkpoint=checkpoint,
                    own=Own(layout, complete, known, _mates(bound)),
                )
            except OutOfRoom:  # nor would there be room the next time
                for one in workspaces:
                    one.clear()
                raise
        return solved, workspaces


def workspaces_in(disk_arrays: DiskArrays, complete: CompleteTables) -> MakeWorkspace:
    """Makes workspaces for parts that lead to these complete tables."""

    def make(path: Path, layout: Layout, needed: Tables) -> Workspace:
        sums = {one.name: complete.sha256_of(one) for one in needed}
        return Workspace(path, layout, TableRules.RESET, disk_arrays, sums)

    return make


def told(of: Mapping[Bound, T], bound: Bound) -> T:
    """What is there of a bound: the exact one, if that is known."""
    return of[Bound.EXACT if Bound.EXACT in of else bound]


class _Arrays:
    """A checkpoint that loses everything, with arrays that need not be in memory."""

    def __init__(self, make: Make) -> None:
        self._make = make

    def open(self, numbers: int, links: int) -> tuple[TableArrays, dict[int, Counts]]:
        wanted: tuple[tuple[int, DTypeLike], ...] = ((numbers, np.int32), (numbers, np.int32), (links, np.int64))
        return TableArrays(*(self._make(count, kind) for count, kind in wanted)), {}

    def solved(self, part: int, counts: Counts) -> None:
        pass


def _mates(bound: Bound) -> NDArray[np.int32]:
    """Entries by the numbers of STAND_IN: whoever has the move, the first side mates or is mated."""
    layout = layout_of(STAND_IN)
    entries = np.full(layout.size, BASE << OUTCOME_SHIFT, np.int32)
    half = int(layout.half_size[0])
    loses = half if bound == Bound.BEST else 0
    entries[loses : loses + half] = -BASE << OUTCOME_SHIFT
    return entries
