"""The dictionary of staircases by itself: is it well formed and canonical?

A staircase is *canonical* if every step in it changes something. Two more checks need the positions: its last step
lies within reach (compare.py), and some position has it (units.py).
"""

from collections.abc import Iterator
from typing import Final

import numpy as np
from numpy.typing import NDArray

from tbgen import outcome as scale
from tbgen.contents import MOVER_HOLDS, Steps
from tbgen.turns import pieces
from tbgen.verify.finding import Finding

_PIECE: Final = 1 << 18
"""Staircases that are looked at together: columns of integers take many times their room."""


def is_readable(steps: Steps) -> bool:
    """Whether every staircase is a range of steps, and the first has none."""
    columns = {len(column) for column in steps[1:]}
    start = steps.start
    return (
        columns == {int(start[-1])}
        and len(start) >= 2
        and bool(start[0] == start[1] == 0)
        and bool((np.diff(start) >= 0).all())
    )


def faults(steps: Steps) -> list[Finding]:
    """What is not canonical in a readable dictionary."""
    count = len(steps.start) - 1
    found, digests = list[Finding](), np.zeros(count, np.uint64)
    for here in pieces(count, _PIECE):
        part = _part(steps, here)
        digests[here] = _digests(part)
        found += [Finding(problem, staircase=here.start + one) for problem, one in _faults_of_some(part)]
    found += [Finding("says the same as another", staircase=one) for one in _copies(steps, digests)]
    return sorted((one for one in found if one.staircase), key=lambda one: (one.problem, one.staircase))


def _part(steps: Steps, staircases: slice) -> Steps:
    start = steps.start[staircases.start : staircases.stop + 1]
    at = slice(int(start[0]), int(start[-1]))
    return Steps(start - start[0], steps.holder[at], steps.level[at], steps.outcome[at], steps.distance[at])


def _faults_of_some(steps: Steps) -> Iterator[tuple[str, int]]:
    """What is wrong with these staircases, each by itself: which problem, and which staircase."""
    lengths = np.diff(steps.start)
    owner = np.repeat(np.arange(len(lengths)), lengths)
    holder, level = steps.holder.astype(np.int64), steps.level.astype(np.int64)
    outcome, distance = steps.outcome.astype(np.int64), steps.distance.astype(np.int64)
    for bad, problem in _faults_of_steps(owner, holder, level, outcome, distance):
        yield from ((problem, one) for one in np.unique(owner[bad]).tolist())
    yield from (("has no steps", one) for one in np.flatnonzero(lengths == 0).tolist())


def _faults_of_steps(
    owner: NDArray[np.int64],
    holder: NDArray[np.int64],
    level: NDArray[np.int64],
    outcome: NDArray[np.int64],
    distance: NDArray[np.int64],
) -> list[tuple[NDArray[np.bool_], str]]:
    """Say which steps have which fault."""
    behind = np.where(holder == MOVER_HOLDS, -1, 1)  # sign of the outcomes that the side without the record likes
    order = level * 2 + holder
    unsorted = np.zeros(len(owner), np.bool_)
    unsorted[1:] = (np.diff(order) <= 0) & (np.diff(owner) == 0)

    repeats = np.zeros(len(owner), np.bool_)
    for one in (0, 1):
        mine = np.flatnonzero(holder == one)
        same = np.diff(owner[mine]) == 0
        for column in (outcome, distance):
            same &= np.diff(column[mine]) == 0
        repeats[mine[1:]] = same
    reached = scale.BASE - abs(outcome)
    return [
        (holder > 1, "a step has no holder"),
        (level < scale.FIRST_RECORD, "a step lies below all records"),
        ((reached < 0) | (outcome == 0), "a step has no outcome"),
        (outcome * behind <= level - scale.BASE, "a step is worth no more than the record to the side behind"),
        (distance == 0, "a step takes no moves"),
        (unsorted, "steps are not in order"),
        (repeats, "a step repeats the one before"),
    ]


def _digests(steps: Steps) -> NDArray[np.uint64]:
    """`[staircase]`: the same for those that are equal."""
    lengths = np.diff(steps.start)
    digests = np.zeros(len(lengths), np.uint64)
    if len(steps.level):
        mixed = np.arange(len(steps.level), dtype=np.uint64) - np.repeat(steps.start[:-1], lengths).astype(np.uint64)
        for column in steps[1:]:
            mixed = (mixed ^ column.astype(np.uint64)) * np.uint64(0x9E3779B97F4A7C15)
            mixed ^= mixed >> np.uint64(29)
        digests[lengths > 0] = np.add.reduceat(mixed, steps.start[:-1][lengths > 0])
    return digests


def _copies(steps: Steps, digests: NDArray[np.uint64]) -> list[int]:
    """The staircases that are equal to an earlier one."""
    rising = np.sort(digests)
    twice = np.unique(rising[1:][rising[1:] == rising[:-1]])
    seen: set[bytes] = set()
    copies = []
    for staircase in np.flatnonzero(np.isin(digests, twice)).tolist() if len(twice) else []:
        content = b"".join(
            column[steps.start[staircase] : steps.start[staircase + 1]].tobytes() for column in steps[1:]
        )
        if content in seen and content:
            copies.append(staircase)
        seen.add(content)
    return copies
