"""Which parts to solve for a position: as many as fit, those with the fewest men first."""

import sys
from collections.abc import Container, Iterable, Iterator, Set
from contextlib import suppress
from typing import Final, NamedTuple

import chess

from tbgen.errors import OutOfRoom
from tbgen.generate.estimate import ENTRY, LINK, kind_of, numbers_of, solving
from tbgen.generate.forecast import size_of
from tbgen.material import Material
from tbgen.own.choice import Tables, choose
from tbgen.own.slices import PartName, beyond, numbers_per_slice, root_of
from tbgen.own.walks import Placement, TooMany, count
from tbgen.sizes import LARGE, links_for
from tbgen.store.format.own import BOTH, Bound

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
    exact: bool
    """Whether nothing that its resets lead to is unknown."""
    leads_to: dict[PartName, set[PartName]]
    """See `Chosen`."""

    @property
    def bounds(self) -> tuple[Bound, ...]:
        """What it is solved for: where something is unknown, once for each side that may mate there."""
        return (Bound.EXACT,) if self.exact else BOTH

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
    board: chess.Board, complete: Container[Material], most: int, room: int = sys.maxsize
) -> list[PlannedPart]:
    """The parts in the order in which they can be solved; the last is the position's own. See `choose`."""
    chosen = choose(board, complete, most, room)
    tables = _merged(part.tables for part in chosen.values())
    plan: list[PlannedPart] = []
    exact: dict[PartName, bool] = {}
    for name, part in reversed(chosen.items()):
        exact[name] = all(one.material in complete or exact.get(beyond(name, one), False) for one in part.leads_to)
        asked = {*part.leads_to}
        for lead, retaken in part.leads_to.items():
            if lead.material not in complete and beyond(name, lead) not in chosen:
                asked |= retaken
        there = {one: tables[one] for one in sorted({one.material for one in asked if one.material in complete})}
        known = sorted(one for one in asked if beyond(name, one) in chosen)
        plan.append(PlannedPart(name, part.placements, part.numbers, there, known, exact[name], part.leads_to))
    return plan


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
    alone, then what takes a tenth of the time, then all of it. OutOfRoom if not even the first fits; how long that
    takes does not matter."""
    _check_root(board, limits, threads)
    plan = make_plan(board, complete, 0)
    least = cost_of(plan, threads, pace)
    yield plan, least
    last = len(plan)
    for share in _SHARES:
        part = limits._replace(cpu_seconds=share * limits.cpu_seconds)
        if not _fits(least, part):
            continue
        plan, cost = _largest(board, complete, part, threads, pace)
        if len(plan) > last:
            yield plan, cost
            last = len(plan)


def _largest(
    board: chess.Board, complete: Container[Material], limits: Limits, threads: int, pace: float
) -> tuple[list[PlannedPart], Cost]:
    """The largest plan within these limits."""
    room = int(min(limits.cpu_seconds / (pace * _LEAST), limits.scratch / ENTRY))
    most = room
    while True:
        less = most * 2 // 3
        with suppress(TooMany):
            plan = make_plan(board, complete, most, room)
            cost = cost_of(plan, threads, pace)
            if len(plan) == 1 or _fits(cost, limits):
                return plan, cost
            less = min(less, max(part.numbers for part in plan[:-1]) - 1)  # with more it would be the same plan
        most = less


def _fits(cost: Cost, limits: Limits) -> bool:
    return all(one <= limit for one, limit in zip(cost, limits, strict=True))


def _check_root(board: chess.Board, limits: Limits, threads: int) -> None:
    """Refuse a position whose own part does not fit, before its placements are listed."""
    root, start = root_of(board)
    placements = count(start)
    numbers = placements * numbers_per_slice(root.material)
    least = cost_of([PlannedPart(root, set(), numbers, {}, [], False, {})], threads)
    if least.memory > limits.memory or least.scratch > limits.scratch:
        raise OutOfRoom(
            f"{root.material} from here has {placements:,} placements of pawns and {numbers:,} "
            f"numbers: solving takes {size_of(least.memory)} of memory and {size_of(least.scratch)} of disk, and there "
            f"are {size_of(limits.memory)} and {size_of(limits.scratch)}"
        )
