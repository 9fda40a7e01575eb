"""Which parts to solve for a position: as many as fit, those with the fewest men first."""

from collections.abc import Container, Iterator
from typing import NamedTuple

import chess

from tbgen.errors import OutOfRoom
from tbgen.generate.estimate import ENTRY, LINK, kind_of, numbers_of, solving
from tbgen.generate.forecast import size_of
from tbgen.material import Material
from tbgen.own.slices import PartName, Placement, closed, in_frame, name_of, numbers_per_slice, placement_of, resets
from tbgen.sizes import LARGE, links_for


class PlannedPart(NamedTuple):
    name: PartName
    placements: set[Placement]
    numbers: int
    complete: list[Material]
    """The complete tables that its resets lead to."""
    known: list[PartName]
    """The parts that its resets lead to and that are planned."""
    exact: bool
    """Whether nothing that its resets lead to is unknown."""

    @property
    def times(self) -> int:
        """How often it is solved: where something is unknown, once for each side that may mate there."""
        return 1 if self.exact else 2


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


def make_plan(board: chess.Board, complete: Container[Material], most: int) -> list[PlannedPart]:
    """The parts in the order in which they can be solved; the last is the position's own. `complete` are the materials
    that have tables. A part of more than `most` numbers is left out, but for the position's own, and so is all that
    only it leads to."""
    root = name_of(board)
    waiting = {root: {placement_of(in_frame(board, root))}}
    leads_to: dict[PartName, set[PartName]] = {}
    sizes: dict[PartName, int] = {}
    placements: dict[PartName, set[Placement]] = {}
    while waiting:
        name = max(waiting, key=lambda one: (one.material.men, one.material.pawns))
        found = closed(waiting.pop(name))
        size = len(found) * numbers_per_slice(name.material)
        if name != root and size > most:
            continue
        sizes[name], placements[name], leads_to[name] = size, found, set()
        for pawns in found:
            for after, there in resets(name, pawns):
                leads_to[name].add(after)
                if after.material not in complete and after.material.pawns:
                    waiting.setdefault(after, set()).add(there)
    plan: list[PlannedPart] = []
    exact: dict[PartName, bool] = {}
    for name in reversed(sizes):
        targets = leads_to[name]
        exact[name] = all(one.material in complete or exact.get(one, False) for one in targets)
        tables = sorted({one.material for one in targets if one.material in complete})
        known = sorted(one for one in targets if one in sizes)
        plan.append(PlannedPart(name, placements[name], sizes[name], tables, known, exact[name]))
    return plan


def cost_of(plan: list[PlannedPart], threads: int, pace: float = 1.0) -> Cost:
    """What solving takes, about. `pace`: see generate/calibration.py."""
    tables = {one for part in plan for one in part.complete}
    arrays = [ENTRY * numbers_of(one) for one in tables]
    arrays += [ENTRY * part.numbers for part in plan for _ in range(part.times)]
    largest = max(part.numbers for part in plan)
    arrays += [ENTRY * largest, LINK * links_for(largest)] * 2
    memory = max(solving(numbers_per_slice(part.name.material), part.numbers, threads) for part in plan)
    return Cost(
        memory + sum(size for size in arrays if size < LARGE),
        sum(size for size in arrays if size >= LARGE),
        pace * sum(part.times * part.numbers * kind_of(part.name.material).cpu * 1e-6 for part in plan),
    )


def stages(
    board: chess.Board, complete: Container[Material], limits: Limits, threads: int, pace: float = 1.0
) -> Iterator[tuple[list[PlannedPart], Cost]]:
    """Plans to solve one after the other until the answer is exact, with what each takes: the position's own part
    alone, then the largest plan within the limits. OutOfRoom if not even the first fits; how long that takes does not
    matter."""
    alone = make_plan(board, complete, 0)
    least = cost_of(alone, threads, pace)
    if least.memory > limits.memory or least.scratch > limits.scratch:
        (*_, root) = alone
        raise OutOfRoom(
            f"{root.name.material} from here has {len(root.placements):,} placements of pawns and {root.numbers:,} "
            f"numbers: solving takes {size_of(least.memory)} of memory and {size_of(least.scratch)} of disk, and there "
            f"are {size_of(limits.memory)} and {size_of(limits.scratch)}"
        )
    yield alone, least
    most, last = 1 << 40, len(alone)
    while most:
        plan = make_plan(board, complete, most)
        if len(plan) == last:
            return
        found = cost_of(plan, threads, pace)
        if all(one <= limit for one, limit in zip(found, limits, strict=True)):
            yield plan, found
            return
        others = [part.numbers for part in plan[:-1]]
        most = min(most // 2, max(others, default=1) - 1)
