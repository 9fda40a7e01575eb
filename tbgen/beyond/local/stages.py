"""How much is solved for a position: its own part first, then as many parts as fit, those with the fewest men first."""

from collections.abc import Container, Iterator, Set
from contextlib import suppress
from itertools import product
from typing import Final, NamedTuple

import chess

from tbgen.beyond.local.choose import Part, make_plan, start_of
from tbgen.beyond.local.complete import as_stored
from tbgen.beyond.local.walks import AllFrom, Pawns, TooMany
from tbgen.core.material import Material
from tbgen.core.table_rules import TableRules
from tbgen.errors import OutOfRoom
from tbgen.generate.averages import average
from tbgen.generate.estimate import STAIRCASE, bytes_in_memory, bytes_on_disk, link_arrays, numbers_of, solving
from tbgen.store.format.local import BOTH, numbers_per_slice
from tbgen.system.text import size_of
from tbgen.system.thresholds import ENTRY, PROGRAM

_SHARES: Final = (0.1, 1.0)
"""How much of the time each plan that is tried may take."""

_LEAST: Final = 1e-6
"""CPU seconds that a number takes, at least."""


class Cost(NamedTuple):
    memory: int
    """Bytes that should be in memory."""
    scratch: int
    """Bytes on disk."""
    cpu_seconds: float


class Limits(NamedTuple):
    memory: int
    scratch: int
    cpu_seconds: float


def stages(
    board: chess.Board, complete: Container[Material], limits: Limits, threads: int, pace: float = 1.0
) -> Iterator[tuple[list[Part], Cost]]:
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


def numbers_to_solve(plan: list[Part]) -> int:
    return sum(part.times * part.numbers for part in plan)


def cost_of(plan: list[Part], threads: int, pace: float = 1.0) -> Cost:
    """What solving takes, about. `pace`: see generate/calibration.py."""
    tables = as_stored({one: slices for part in plan for one, slices in part.complete.items()})
    arrays = [ENTRY * _numbers_read(one, slices) for one, slices in tables.items()]
    arrays += [ENTRY * part.numbers for part in plan for _ in range(part.times)]
    widest = max(plan, key=lambda part: part.numbers)
    # its staircases for each bound; for the last one they are there before its entries are
    arrays += [STAIRCASE * widest.numbers] * (widest.times - 1)
    arrays += link_arrays(widest.numbers, shared=len(widest.slices) > 1)
    at_work = [solving(numbers_per_slice(part.material), part.numbers, threads) for part in plan]
    return Cost(
        max(one.memory for one in at_work) + bytes_in_memory(arrays),
        max(one.scratch for one in at_work) + bytes_on_disk(arrays),
        pace * sum(map(_cpu_seconds, plan)),
    )


def _cpu_seconds(part: Part) -> float:
    """Of solving it for each bound, at a pace of 1."""
    return part.times * part.numbers * average(part.material.normal, TableRules.RESET).microseconds * 1e-6


def _numbers_read(material: Material, slices: Set[Pawns] | None) -> int:
    """How many numbers of a complete table are read, at most."""
    whole = numbers_of(material)
    if slices is None or not material.pawns:
        return whole
    return min(whole, len(slices) * numbers_per_slice(material))


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
) -> tuple[list[Part], Cost, _Sizes] | None:
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
    """Refuse a position whose own part does not fit, before its slices are listed."""
    material, start = start_of(board)
    root = Part(material, AllFrom(start), BOTH, (), {}, {})
    least = cost_of([root], threads)
    if limits.memory < PROGRAM or least.scratch > limits.scratch:
        raise OutOfRoom(
            f"{material.normal} from here has {len(root.slices):,} placements of pawns and {root.numbers:,} "
            f"numbers: solving takes {size_of(PROGRAM)} of memory or more and {size_of(least.scratch)} of disk, and "
            f"there are {size_of(limits.memory)} (--memory) and {size_of(limits.scratch)}"
        )
