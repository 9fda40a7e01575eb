"""From the solver's links to staircases numbered for good, the same whatever the threads did."""

from collections import deque
from collections.abc import Callable
from concurrent.futures import ThreadPoolExecutor
from typing import Final

import numpy as np
from numpy.typing import NDArray

from tbgen.compiler.jit import kernel
from tbgen.core.table_contents import Column, Contents, FarContents, Steps
from tbgen.memory.arrays import Make
from tbgen.retro.checkpoint import Checkpoint, InMemory
from tbgen.retro.job import Solved
from tbgen.retro.values.staircase import (
    Links,
    link_before,
    step_distance,
    step_holder,
    step_level,
    step_of,
    step_outcome,
)
from tbgen.system.parallel import pieces

TOGETHER: Final = 1 << 24
"""Positions whose staircases are numbered at a time."""


def finish(solved: Solved, checkpoint: Checkpoint | None = None, threads: int = 1) -> Contents:
    """The contents of the finished table, its staircases numbered in the order in which they are met. The numbers take
    the place of the links, so nothing can be solved with `solved` any more."""
    checkpoint = checkpoint or InMemory()
    make, staircases = checkpoint.arrays.finishing, solved.staircases
    solved.links = solved.links._replace(slots=np.zeros(0, np.int64))  # nobody looks for links any more
    last = int(solved.links.given[0])
    numbering = _Numbering(make(last + 1, np.int32), checkpoint.ends(last + 2))
    for here in pieces(len(staircases) if last else 0, TOGETHER):
        checkpoint.renumbering(here.start, staircases[here])
        numbering.number(staircases[here])
    steps = _steps_of(solved.links, numbering.used, make, threads)
    return Contents(solved.layout.material, solved.rules, solved.entries, staircases, steps)


def finish_far(
    solved: Solved, entries: Column, numbered: Callable[[Callable[[NDArray[np.int32]], None]], Column], make: Make,
    threads: int = 1,
) -> FarContents:  # fmt: skip
    """The same where columns are in no arrays. `numbered` has a function put numbers in the place of links, piece by
    piece, and returns the column that has them."""
    solved.links = solved.links._replace(slots=np.zeros(0, np.int64))
    last = int(solved.links.given[0])
    numbering = _Numbering(make(last + 1, np.int32), make(last + 2, np.int32))
    staircases = numbered(numbering.number)
    steps = _steps_of(solved.links, numbering.used, make, threads)
    return FarContents(solved.layout.material, solved.rules, entries, staircases, steps)


class _Numbering:
    """Numbers staircases as they are met."""

    def __init__(self, numbers: NDArray[np.int32], ends: NDArray[np.int32]) -> None:
        """`[link]`: the number of the staircase that ends with it; `[number]`: the link that it ends with."""
        self._numbers, self._ends, self._count = numbers, ends, 0

    def number(self, staircases: NDArray[np.int32]) -> None:
        """Put numbers in the place of links."""
        self._count = _number(staircases, self._numbers, self._ends, self._count)

    @property
    def used(self) -> NDArray[np.int32]:
        """The last links of all staircases; 0 for none before."""
        return self._ends[: self._count + 1]


def _steps_of(links: Links, ends: NDArray[np.int32], make: Make, threads: int) -> Steps:
    """Of the staircases that end with these links, 0 being none."""
    start = make(len(ends) + 1, np.int64)
    with ThreadPoolExecutor(threads) as pool:
        deque(pool.map(lambda here: _measure(links, ends[here], start[1:][here]), pieces(len(ends))), maxlen=0)
        np.cumsum(start, out=start)
        steps = Steps(start, *(make(int(start[-1]), kind) for kind in (np.uint8, np.uint8, np.int16, np.uint16)))

        def unroll(here: slice) -> None:
            _unroll(links, ends[here], start[here.start : here.stop + 1], *steps[1:])

        deque(pool.map(unroll, pieces(len(ends))), maxlen=0)
    return steps


@kernel
def _number(staircases, numbers, ends, count):
    """Put numbers in the place of links, `count` of which have one; return how many have one then."""
    for place in range(len(staircases)):
        link = staircases[place]
        if link:
            number = numbers[link]
            if number == 0:
                count += 1
                number = count
                numbers[link] = number
                ends[number] = link
            staircases[place] = number
    return count


@kernel
def _measure(links, ends, lengths):
    for i in range(len(ends)):
        link = np.int64(ends[i])
        while link:
            lengths[i] += 1
            link = link_before(links, link)


@kernel
def _unroll(links, ends, start, holder, level, outcome, distance):
    for i in range(len(ends)):
        link = np.int64(ends[i])
        at = start[i + 1]
        while link:
            at -= 1
            step = step_of(links, link)
            holder[at] = step_holder(step)
            level[at] = step_level(step)
            outcome[at] = step_outcome(step)
            distance[at] = step_distance(step)
            link = link_before(links, link)
