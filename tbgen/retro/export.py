"""From the solver's links to staircases numbered for good, the same whatever the threads did."""

from collections import deque
from concurrent.futures import Executor, ThreadPoolExecutor

import numpy as np
from numpy.typing import NDArray

from tbgen.arrays import Make, in_memory
from tbgen.contents import Contents, Steps
from tbgen.jit import kernel
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
from tbgen.turns import pieces


def finish(solved: Solved, make: Make = in_memory, threads: int = 1, *, in_place: bool = False) -> Contents:
    """The contents of the finished table, its staircases numbered in the order in which they are met: `in_place`, if
    nothing else needs them as they were. Nothing can be solved with `solved` any more."""
    found = solved.staircases
    solved.links = solved.links._replace(slots=np.zeros(0, np.int64))  # nobody looks for links any more
    last = int(solved.links.given[0])
    with ThreadPoolExecutor(threads) as pool:
        numbers, ends = make(last + 1, np.int32), make(last + 2, np.int32)
        staircases = make(len(found), np.int32) if last and not in_place else found
        count = _number(found, numbers, ends, staircases) if last else 0
        solved.staircases = staircases
        del found, numbers
        steps = _steps_of(solved.links, ends[: count + 1], make, pool)
    return Contents(solved.layout.material, solved.rules, solved.entries, staircases, steps)


def _steps_of(links: Links, ends: NDArray[np.int32], make: Make, pool: Executor) -> Steps:
    """Of the staircases that end with these links, 0 being none."""
    start = make(len(ends) + 1, np.int64)
    deque(pool.map(lambda here: _measure(links, ends[here], start[1:][here]), pieces(len(ends))), maxlen=0)
    np.cumsum(start, out=start)
    steps = Steps(start, *(make(int(start[-1]), kind) for kind in (np.uint8, np.uint8, np.int16, np.uint16)))

    def unroll(here: slice) -> None:
        _unroll(links, ends[here], start[here.start : here.stop + 1], *steps[1:])

    deque(pool.map(unroll, pieces(len(ends))), maxlen=0)
    return steps


@kernel
def _number(found, numbers, ends, staircases):
    """Give each link that some position has a number, from 1 on; return how many there are."""
    count = 0
    for place in range(len(found)):
        link = found[place]
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
