"""Own tables solved, at the worst and at the best of what is not known.

What the solver computes is monotone in what resets pay. So a reset to a material that no table covers is taken for a
mate, by White and by Black: the values under both are bounds of the true one, under every record.
"""

from collections.abc import Callable, Mapping
from contextlib import suppress
from types import MappingProxyType
from typing import NamedTuple, TypeVar

import numpy as np
from numpy.typing import DTypeLike, NDArray

from tbgen.contents import OUTCOME_SHIFT, Contents, Make, in_memory
from tbgen.errors import MissingTable
from tbgen.index import layout_of
from tbgen.material import Material
from tbgen.outcome import BASE
from tbgen.own.choice import Tables
from tbgen.own.plan import PlannedPart
from tbgen.own.search import Kept
from tbgen.own.shelf import Shelf, read_kept
from tbgen.own.slices import PartName, beyond, layout_for
from tbgen.retro.checkpoint import Counts, TableArrays
from tbgen.retro.export import finish
from tbgen.retro.solver import STAND_IN, Own, Part, solve
from tbgen.store.format.own import Bound

T = TypeVar("T")

CompleteParts = Mapping[Material, Part]


class OwnTables(NamedTuple):
    """All parts of a plan, each exact or with both bounds."""

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
    records: bool = False,
) -> OwnTables:
    """Solve all parts. `complete_parts` reads complete tables, `make` makes arrays, and `report` is called with the
    numbers that are solved, of a part that is solved twice both times; what it raises ends the work. Parts that are
    `there`, as a shelf says, are read, but for the position's own. `records`: contents of all parts that are solved
    here stay."""
    shelf = shelf or Shelf(None, writes=False)
    done: dict[PartName, dict[Bound, Part]] = {}
    keys: dict[PartName, str] = {}
    kept: dict[PartName, dict[Bound, Contents]] = {}
    for part in plan:
        name = part.name
        taken = there.get(name) if part is not plan[-1] else None
        if taken is not None:
            with suppress(MissingTable):  # hours after the look: another process may have removed it, and it is solved
                done[name], keys[name] = read_kept(taken, make, threads), taken.key
                report(part.times * part.numbers)
                continue
        layout = layout_for(name.material, part.placements)
        complete = complete_parts(part.complete)
        solved = {}
        for bound in part.bounds:
            known = {
                (one.material, one.swapped): told(done[beyond(name, one)], bound.swapped if one.swapped else bound)
                for one in part.known
            }
            solved[bound] = solve(
                name.material,
                {},
                threads=threads,
                report=report,
                checkpoint=_Arrays(make),
                own=Own(layout, complete, known, _mates(bound)),
            )
        done[name] = {bound: Part(layout, one.entries) for bound, one in solved.items()}
        if shelf.writes or records or part is plan[-1]:
            contents = {bound: finish(one, make, threads) for bound, one in solved.items()}
            if records or part is plan[-1]:
                kept[name] = contents
        if shelf.writes:
            keys[name] = shelf.put(part, keys, contents, threads, make)
    return OwnTables(name, done, kept)


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
