"""Which parts to solve for a position: as many as fit, those with the fewest men first."""

import sys
from collections.abc import Container, Iterable, Iterator, Set
from contextlib import suppress
from itertools import product
from typing import Final, NamedTuple

import chess

from tbgen.errors import OutOfRoom
from tbgen.generate.estimate import ENTRY, LINK, kind_of, numbers_of, solving
from tbgen.material import Material
from tbgen.own.choice import Tables, choose
from tbgen.own.slices import PartName, beyond, numbers_per_slice, root_of
from tbgen.own.walks import Placement, TooMany, count
from tbgen.sizes import LARGE, links_for
from tbgen.store.format.own import BOTH, Bound, tells
from tbgen.text import size_of

_SHARES: Final = (0.1, 1.0)
"""Of the time, for the plans that are tried."""

_LEAST: Final = 1e-6
"""CPU seconds that a number takes, at least."""


class PlannedPart(NamedTuple):
    name: PartName
    """As seen from the position's own part."""
    placements: Set[Placement]
    numbers: int
    complete: Tables
    """What all parts of the plan ask of the complete tables that its resets lead to, or retaking after these."""
    known: list[PartName]
    """The same for the parts that are planned, as seen from this one."""
    bounds: tuple[Bound, ...]
    """What it is solved for, in its own view: what is exact, both bounds, or one."""
    leads_to: dict[PartName, set[PartName]]
    """See `Chosen`."""

    @property
    def exact(self) -> bool:
        """Whether nothing that its resets lead to is unknown."""
        return self.bounds == (Bound.EXACT,)

    def tells(self, bounds: Iterable[Bound], swapped: bool) -> bool:
        """Whether it is solved for all of these, as they are seen from another part."""
        return all(tells(self.bounds, bound.seen(swapped)) for bound in bounds)

    @property
    def times(self) -> int:
        """How often it is solved."""
        return len(self.bounds)


class Cost(NamedTuple):
    memory: int
    """Bytes that have to be in memory."""
    scratch: int
    """Bytes on disk."""
    cpu_seconds: float


class Limits(NamedTuple):
    memory: int
    scratch: int
    cpu_seconds: float


def make_plan(
    board: chess.Board, complete: Container[Material], most: int, room: int = sys.maxsize, one_bound: int = 0
) -> list[PlannedPart]:
    """The parts in the order in which they can be solved; the last is the position's own. See `choose`."""
    chosen = choose(board, complete, most, room, one_bound)
    tables = _merged(part.tables for part in chosen.values())
    planned: dict[PartName, PlannedPart] = {}
    for name, part in reversed(chosen.items()):
        asked, known, is_exact = set[Material](), set[PartName](), True
        for lead, retaken in part.leads_to.items():
            if lead.material in complete:
                asked.add(lead.material)
                continue
            there = planned.get(beyond(name, lead))
            if there is not None and not (chosen[there.name].is_whole or lead in part.counted):
                there = None
            if there is not None:
                known.add(lead)
            if there is None or not there.exact:
                is_exact = False
            if there is None or not there.tells(part.bounds, lead.swapped):
                asked |= {one.material for one in retaken if one.material in complete}
                known |= {one for one in retaken if beyond(name, one) in chosen}
        needed = {one: tables[one] for one in sorted(asked)}
        bounds = (Bound.EXACT,) if is_exact else part.bounds
        planned[name] = PlannedPart(name, part.placements, part.numbers, needed, sorted(known), bounds, part.leads_to)
    return [*planned.values()]


def _merged(each: Iterable[Tables]) -> Tables:
    """What all of them ask."""
    found: dict[Material, Set[Placement] | None] = {}
    for tables in each:
        for material, placements in tables.items():
            known = found.get(material, frozenset())
            found[material] = None if known is None or placements is None else known | placements
    return found


def numbers_to_solve(plan: list[PlannedPart]) -> int:
    return sum(part.times * part.numbers for part in plan)


def cost_of(plan: list[PlannedPart], threads: int, pace: float = 1.0) -> Cost:
    """What solving takes, about. `pace`: see generate/calibration.py."""
    tables = {one: placements for part in plan for one, placements in part.complete.items()}
    arrays = [ENTRY * _numbers_read(one, placements) for one, placements in tables.items()]
    arrays += [ENTRY * part.numbers for part in plan for _ in range(part.times)]
    largest = max(part.numbers for part in plan)
    arrays += [ENTRY * largest, LINK * links_for(largest)] * 2
    memory = max(solving(numbers_per_slice(part.name.material), part.numbers, threads) for part in plan)
    return Cost(
        memory + sum(size for size in arrays if size < LARGE),
        sum(size for size in arrays if size >= LARGE),
        pace * sum(part.times * part.numbers * kind_of(part.name.material).cpu * 1e-6 for part in plan),
    )


def _numbers_read(material: Material, placements: Set[Placement] | None) -> int:
    """Of a complete table, at most."""
    whole = numbers_of(material)
    if placements is None or not material.pawns:
        return whole
    return min(whole, len(placements) * numbers_per_slice(material))


def stages(
    board: chess.Board, complete: Container[Material], limits: Limits, threads: int, pace: float = 1.0
) -> Iterator[tuple[list[PlannedPart], Cost]]:
    """Plans to solve one after the other until the answer is exact, with what each takes: the position's own part
    alone, then what takes a tenth of the time, then all of it; both times first with parts for one bound, then with
    whole ones. Each plan knows all that the last one does. OutOfRoom if not even the first fits; how long that takes
    does not matter."""
    _check_root(board, limits, threads)
    plan = make_plan(board, complete, 0)
    cost = cost_of(plan, threads, pace)
    yield plan, cost
    sizes = _Sizes(0, 0)
    for share, whole in product(_SHARES, (False, True)):
        here = limits._replace(cpu_seconds=share * limits.cpu_seconds)
        found = _largest(board, complete, here, threads, pace, sizes, whole=whole) if _fits(cost, here) else None
        if found is None:
            continue
        more, cost, sizes = found
        if numbers_to_solve(more) > numbers_to_solve(plan):
            plan = more
            yield plan, cost


class _Sizes(NamedTuple):
    """Numbers of a part, at most."""

    whole: int
    one_bound: int


def _largest(
    board: chess.Board,
    complete: Container[Material],
    limits: Limits,
    threads: int,
    pace: float,
    sizes: _Sizes,
    *,
    whole: bool,
) -> tuple[list[PlannedPart], Cost, _Sizes] | None:
    """The largest plan within these limits, with larger parts than these sizes, whole ones or others; None if there is
    no such part."""
    room = int(min(limits.cpu_seconds / (pace * _LEAST), limits.scratch / ENTRY))
    least, size = sizes.whole if whole else sizes.one_bound, room
    while size > least:
        wanted = sizes._replace(whole=size) if whole else sizes._replace(one_bound=size)
        less = size * 2 // 3
        with suppress(TooMany):
            plan = make_plan(board, complete, wanted.whole, room, wanted.one_bound)
            cost = cost_of(plan, threads, pace)
            largest = max((part.numbers for part in plan[:-1]), default=0)
            if largest <= least:
                return None
            if _fits(cost, limits):
                return plan, cost, wanted
            less = min(less, largest - 1)  # with more it would be the same plan
        size = less
    return None


def _fits(cost: Cost, limits: Limits) -> bool:
    return all(one <= limit for one, limit in zip(cost, limits, strict=True))


def _check_root(board: chess.Board, limits: Limits, threads: int) -> None:
    """Refuse a position whose own part does not fit, before its placements are listed."""
    root, start = root_of(board)
    placements = count(start)
    numbers = placements * numbers_per_slice(root.material)
    least = cost_of([PlannedPart(root, set(), numbers, {}, [], BOTH, {})], threads)
    if least.memory > limits.memory or least.scratch > limits.scratch:
        raise OutOfRoom(
            f"{root.material} from here has {placements:,} placements of pawns and {numbers:,} "
            f"numbers: solving takes {size_of(least.memory)} of memory and {size_of(least.scratch)} of disk, and there "
            f"are {size_of(limits.memory)} (--memory) and {size_of(limits.scratch)}"
        )
