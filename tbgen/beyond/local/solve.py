"""The parts of a plan solved, at the worst and at the best of what is not known.

What the solver computes is monotone in what resets pay. So a reset to a material that no table covers is taken for a
mate, by White and by Black: the values under both are bounds of the true one, under every record.
"""

from collections.abc import Callable, Iterable, Mapping
from contextlib import suppress
from dataclasses import dataclass, field
from pathlib import Path
from types import MappingProxyType
from typing import NamedTuple, TypeVar

from tbgen.beyond.local.choose import Part, Tables
from tbgen.beyond.local.complete import CompleteTables
from tbgen.beyond.local.files import KeptPart, Shelf, Slot, rows_of
from tbgen.core.material import Material
from tbgen.core.table_contents import Contents
from tbgen.core.table_rules import TableRules
from tbgen.errors import MissingTable, OutOfRoom
from tbgen.generate.workspace import Workspace
from tbgen.index import Layout
from tbgen.index.exits import Exits, Reached
from tbgen.memory.arrays import IN_MEMORY, Arrays
from tbgen.memory.disk_arrays import DiskArrays
from tbgen.retro.checkpoint import Checkpoint, InMemory
from tbgen.retro.export import finish
from tbgen.retro.solver import solve_table
from tbgen.store.format.local import Bound, tells

T = TypeVar("T")

TakeComplete = Callable[[Tables], Mapping[Material, Reached]]
MakeWorkspace = Callable[[Path, Layout, Tables], Workspace]


class LocalTables(NamedTuple):
    """All parts of a plan, by White's men and Black's, each exact or with both bounds or one in White's view."""

    root: Material
    """The part of the position itself."""
    parts: dict[Material, dict[Bound, Reached]]
    contents: dict[Material, dict[Bound, Contents]]
    """The contents of the root, and of others if asked for: what records that a game brings along are worth as well."""


def solve_plan(
    plan: list[Part],
    take_complete: TakeComplete,
    *,
    threads: int = 1,
    arrays: Arrays = IN_MEMORY,
    report: Callable[[int], None] = lambda numbers: None,
    shelf: Shelf | None = None,
    there: Mapping[Material, KeptPart] = MappingProxyType({}),
    workspace: MakeWorkspace | None = None,
    records: bool = False,
) -> LocalTables:
    """Solve all parts. `take_complete` reads complete tables.

    `report` is called with the numbers that are solved, of a part that is solved twice both times; what it raises ends
    the work. Parts that are `there`, as a shelf says, are read, but for the position's own. `workspace` makes one for a
    file of the shelf, given the complete tables that it depends on. `records`: contents of all parts that are solved
    here stay."""
    solver = PartSolver(take_complete, threads, arrays, report, shelf or Shelf(None, writes=False), workspace)
    for part in plan:
        is_root = part is plan[-1]
        if not is_root and solver.read(part.material, there.get(part.material)):
            report(part.times * part.numbers)
        else:
            solver.solve(part, stays=records or is_root, reads=not is_root)
    return LocalTables(part.material, solver.done, solver.contents)


@dataclass
class PartSolver:
    """Solves the parts of a plan one after the other; see `solve_plan`."""

    take_complete: TakeComplete
    threads: int
    arrays: Arrays
    report: Callable[[int], None]
    shelf: Shelf
    workspace: MakeWorkspace | None
    done: dict[Material, dict[Bound, Reached]] = field(default_factory=dict)
    contents: dict[Material, dict[Bound, Contents]] = field(default_factory=dict)
    _kept: dict[Material, KeptPart] = field(default_factory=dict)

    def read(self, material: Material, kept: KeptPart | None) -> bool:
        """Read a part that is there; False if it is not, or no longer: another process may have removed it."""
        if kept is None:
            return False
        with suppress(MissingTable):
            self.done[material] = {bound: one.read(self.arrays.array, self.threads) for bound, one in kept.items()}
            self._kept[material] = kept
            return True
        return False

    def solve(self, part: Part, *, stays: bool = False, reads: bool = True) -> KeptPart | None:
        """Solve a part that leads to parts that are done, and put it on the shelf. `stays`: its contents do; `reads`:
        it may be read instead if another process has solved it meanwhile."""
        with self.shelf.solving(part, self._kept, lambda: self.report(0)) as slot:
            kept = None if slot is None else slot.kept
            if slot is not None and reads and slot.is_filled and self.read(part.material, kept):
                self.report(part.times * part.numbers)
                return kept
            contents, workspaces = self._solved(part, slot, finishes=stays or slot is not None)
            if stays:
                self.contents[part.material] = contents
            if slot is not None:
                self.shelf.put(slot, contents, self.threads, self.arrays.finishing)
                self._kept[part.material] = slot.kept
            for one in workspaces:
                one.clear()
            return kept

    def _solved(
        self, part: Part, slot: Slot | None, *, finishes: bool
    ) -> tuple[dict[Bound, Contents], list[Workspace]]:
        """A part for each bound, its contents if it `finishes` them; and what a stopped process would have gone on
        with. The links of one bound are gone before the next one is solved."""
        layout = Layout(part.material.normal, rows_of(part))
        complete = self.take_complete(part.complete)
        reached, contents, workspaces = dict[Bound, Reached](), dict[Bound, Contents](), list[Workspace]()
        for bound in part.bounds:
            checkpoint: Checkpoint = InMemory(self.arrays)
            if slot is not None and self.workspace is not None:
                checkpoint = self.workspace(slot.kept[bound].file.path, layout, part.complete)
                workspaces.append(checkpoint)
            exits = self._exits(part, bound, layout, complete.values())
            try:
                solved = solve_table(exits, threads=self.threads, report=self.report, checkpoint=checkpoint)
            except OutOfRoom:  # nor would there be room the next time
                for one in workspaces:
                    one.clear()
                raise
            for one in workspaces:
                one.let_go()
            reached[bound] = Reached(solved.layout, solved.entries, part.swapped)
            if finishes:
                contents[bound] = finish(solved, checkpoint, self.threads)
            del solved
        self.done[part.material] = reached
        return contents, workspaces

    def _exits(self, part: Part, bound: Bound, layout: Layout, complete: Iterable[Reached]) -> Exits:
        """What a part's resets lead to, as seen from its first side."""
        there = (self.done[one] for one in part.known)
        known = [of_bound(one, bound) for one in there if tells(one, bound)]
        seen = bound.swapped if part.swapped else bound
        return Exits(
            layout, [*complete, *(one._replace(swapped=one.swapped != part.swapped) for one in known)], seen.unknown
        )


def workspaces_in(
    disk_arrays: DiskArrays, complete: CompleteTables, remark: Callable[[str], None] = lambda line: None
) -> MakeWorkspace:
    """Makes workspaces for parts that lead to these complete tables. `remark` is told if one is of no use."""

    def make(path: Path, layout: Layout, needed: Tables) -> Workspace:
        sums = {one.normal.name: complete.sha256_of(one.normal) for one in needed}
        return Workspace(
            path, layout, TableRules.RESET, disk_arrays, sums, lambda line: remark(f"{layout.material}: {line}")
        )

    return make


def of_bound(of: Mapping[Bound, T], bound: Bound) -> T:
    """What is there of a bound: the exact one, if that is known."""
    return of[Bound.EXACT if Bound.EXACT in of else bound]
