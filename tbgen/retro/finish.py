"""From the solver's links to staircases numbered for good, the same whatever the threads did."""

from collections import deque
from concurrent.futures import Executor, ThreadPoolExecutor
from typing import Any

import numpy as np
from numpy.typing import NDArray

from tbgen.index.contents import Contents, Steps, arranged
from tbgen.jit import kernel, plain
from tbgen.retro.field import pieces
from tbgen.retro.solve import Solved
from tbgen.retro.staircase import Links, link_before, step_distance, step_holder, step_level, step_of, step_outcome


def finish(solved: Solved, staircases: NDArray[np.int32] | None = None, threads: int = 1) -> Contents:
    """The contents of the finished table, its staircases numbered with the commonest first: in `staircases`, or where
    they were."""
    found = solved.staircases
    staircases = found if staircases is None else staircases
    everywhere = pieces(len(found))
    with ThreadPoolExecutor(threads) as pool:
        used = np.zeros(max(pool.map(lambda here: int(found[here].max(initial=0)), everywhere)) + 1, np.uint32)
        for here in everywhere:
            _tally(found[here], used)
        links = np.flatnonzero(used[1:]) + 1
        steps, numbers = arranged(_steps_of(solved.links, links, pool), used[links])
        final = used.view(np.int32)
        final[0] = 0
        final[links] = numbers

        def renumber(here: slice) -> None:
            staircases[here] = final[found[here]]

        deque(pool.map(renumber, everywhere), maxlen=0)
    rules = "wg" if solved.whole_game else "r"
    return Contents(solved.layout.material, rules, solved.entries, staircases, steps)


def _steps_of(links: Links, ends: NDArray[np.int64], pool: Executor) -> Steps:
    """Of the staircases that end with these links."""
    start = np.zeros(len(ends) + 1, np.int64)
    deque(pool.map(lambda here: _measure(links, ends[here], start[1:][here]), pieces(len(ends))), maxlen=0)
    np.cumsum(start, out=start)
    parts = {step_holder: np.uint8, step_level: np.uint8, step_outcome: np.int16, step_distance: np.uint16}
    columns: list[NDArray[Any]] = [np.empty(start[-1], kind) for kind in parts.values()]

    def unroll(here: slice) -> None:
        first, end = start[[here.start, here.stop]]
        packed = np.empty(end - first, np.int64)
        _unroll(links, ends[here], start[here.start : here.stop + 1] - first, packed)
        for part, column in zip(parts, columns, strict=True):
            column[first:end] = plain(part)(packed)

    deque(pool.map(unroll, pieces(len(ends))), maxlen=0)
    return Steps(start, *columns)


@kernel
def _tally(numbers, used):
    for number in numbers:
        used[number] += 1


@kernel
def _measure(links, ends, lengths):
    for i in range(len(ends)):
        link = np.int64(ends[i])
        while link:
            lengths[i] += 1
            link = link_before(links, link)


@kernel
def _unroll(links, ends, start, steps):
    for i in range(len(ends)):
        link = np.int64(ends[i])
        at = start[i + 1]
        while link:
            at -= 1
            steps[at] = step_of(links, link)
            link = link_before(links, link)
