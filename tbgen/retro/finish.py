"""From the solver's links to staircases numbered for good, the same whatever the threads did."""

from typing import Any, Final

import numpy as np
from numpy.typing import NDArray

from tbgen.index.contents import Contents, Steps, arranged
from tbgen.jit import kernel, maker, plain
from tbgen.retro.solve import Solved
from tbgen.retro.staircase import Links, link_before, step_distance, step_holder, step_level, step_of, step_outcome

_PIECE: Final = 1 << 24
"""Numbers, or staircases, handled at a time."""


def finish(solved: Solved, staircases: NDArray[np.int32] | None = None) -> Contents:
    """The contents of the finished table, its staircases numbered with the commonest first: in `staircases`, or where
    they were."""
    staircases = solved.staircases if staircases is None else staircases
    pieces = [slice(at, at + _PIECE) for at in range(0, len(staircases), _PIECE)]
    last = max(int(solved.staircases[piece].max(initial=0)) for piece in pieces)
    used = np.zeros(last + 1, np.uint32)
    for piece in pieces:
        _tally(solved.staircases[piece], used)
    links = np.flatnonzero(used[1:]) + 1
    steps, numbers = arranged(_steps_of(solved.links, links), used[links])
    final = used.view(np.int32)
    final[0] = 0
    final[links] = numbers
    for piece in pieces:
        staircases[piece] = final[solved.staircases[piece]]
    rules = "wg" if solved.whole_game else "r"
    return Contents(solved.layout.material, rules, solved.entries, staircases, steps)


def _steps_of(links: Links, ends: NDArray[np.int64]) -> Steps:
    """Of the staircases that end with these links."""
    start = np.append(0, np.cumsum(_lengths(links, ends))).astype(np.int64)
    parts = {step_holder: np.uint8, step_level: np.uint8, step_outcome: np.int16, step_distance: np.uint16}
    columns: list[NDArray[Any]] = [np.empty(start[-1], kind) for kind in parts.values()]
    for at in range(0, len(ends), _PIECE):
        here = slice(start[at], start[min(at + _PIECE, len(ends))])
        packed = np.empty(here.stop - here.start, np.int64)
        _unroll(links, ends[at : at + _PIECE], start[at : at + _PIECE + 1] - here.start, packed)
        for part, column in zip(parts, columns, strict=True):
            column[here] = plain(part)(packed)
    return Steps(start, *columns)


@kernel
def _tally(numbers, used):
    for number in numbers:
        used[number] += 1


@maker
def _lengths(links, ends):
    lengths = np.zeros(len(ends), np.int64)
    for i in range(len(ends)):
        link = np.int64(ends[i])
        while link:
            lengths[i] += 1
            link = link_before(links, link)
    return lengths


@kernel
def _unroll(links, ends, start, steps):
    for i in range(len(ends)):
        link = np.int64(ends[i])
        at = start[i + 1]
        while link:
            at -= 1
            steps[at] = step_of(links, link)
            link = link_before(links, link)
