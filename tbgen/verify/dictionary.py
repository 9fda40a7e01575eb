"""The dictionary of staircases by itself: is it well formed and canonical?

A staircase is *canonical* if every step in it changes something. Two more checks need the positions: its last step
lies within reach (compare.py), and some position has it (units.py).
"""

from typing import Final

import numpy as np
from numpy.typing import NDArray

from tbgen.compiler.jit import kernel
from tbgen.core.outcome import BASE, FIRST_RECORD
from tbgen.core.packed_steps import step_distance, step_holder, step_level, step_outcome
from tbgen.core.table_contents import MOVER_HOLDS, OPPONENT_HOLDS, Steps
from tbgen.verify.finding import Finding

_PROBLEMS: Final = (
    "has no steps",
    "a step has no holder",
    "a step lies below all records",
    "a step has no outcome",
    "a step is worth no more than the record to the side behind",
    "a step takes no moves",
    "steps are not in order",
    "a step repeats the one before",
)
"""A bit each in what `_judge` finds."""
_NONE: Final = -(1 << 40)
"""Below all orders and worths of steps."""


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


def faults(start: NDArray[np.int64], steps: NDArray[np.int64]) -> list[Finding]:
    """What is not canonical in a readable dictionary, with a step in each integer."""
    count = len(start) - 1
    wrong, digests = np.zeros(count, np.uint8), np.zeros(count, np.uint64)
    _judge(start, steps, wrong, digests)
    found = [
        Finding(problem, staircase=one)
        for bit, problem in enumerate(_PROBLEMS)
        for one in np.flatnonzero(wrong >> bit & 1).tolist()
    ]
    return found + [Finding("says the same as another", staircase=one) for one in _copies(start, steps, digests)]


@kernel
def _judge(start, steps, wrong, digests):
    """`[staircase]`: what is wrong with it, by itself; a number that is the same for those that are equal. Staircase 0
    has no steps, and need not."""
    for staircase in range(1, len(wrong)):
        problems = np.int64(start[staircase] == start[staircase + 1])
        mixed, order, of_opponent, of_mover = np.uint64(0), np.int64(_NONE), np.int64(_NONE), np.int64(_NONE)
        for at in range(start[staircase], start[staircase + 1]):
            step = steps[at]
            mixed = (mixed ^ np.uint64(step)) * np.uint64(0x9E3779B97F4A7C15)
            mixed ^= mixed >> np.uint64(29)
            holder, level, outcome = step_holder(step), step_level(step), step_outcome(step)
            behind = -1 if holder == MOVER_HOLDS else 1  # sign of the outcomes that the side without the record likes
            problems |= np.int64(holder > 1) << 1
            problems |= np.int64(level < FIRST_RECORD) << 2
            problems |= np.int64(outcome == 0 or abs(outcome) > BASE) << 3
            problems |= np.int64(outcome * behind <= level - BASE) << 4
            problems |= np.int64(step_distance(step) == 0) << 5
            problems |= np.int64(2 * level + holder <= order) << 6
            order = 2 * level + holder
            worth = step >> 16  # outcome and distance
            problems |= np.int64(worth == (of_mover if holder == MOVER_HOLDS else of_opponent)) << 7
            if holder == MOVER_HOLDS:
                of_mover = worth
            elif holder == OPPONENT_HOLDS:
                of_opponent = worth
        wrong[staircase] = problems
        digests[staircase] = mixed


def _copies(start: NDArray[np.int64], steps: NDArray[np.int64], digests: NDArray[np.uint64]) -> list[int]:
    """The staircases that are equal to an earlier one."""
    rising = np.sort(digests)
    twice = np.unique(rising[1:][rising[1:] == rising[:-1]])
    seen: set[bytes] = set()
    copies = []
    for staircase in np.flatnonzero(np.isin(digests, twice)).tolist() if len(twice) else []:
        content = steps[start[staircase] : start[staircase + 1]].tobytes()
        if content in seen and content:
            copies.append(staircase)
        seen.add(content)
    return copies
