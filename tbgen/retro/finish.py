"""From the solver's links to staircases numbered for good, the same whatever the threads did."""

import numpy as np
from numpy.typing import NDArray

from tbgen.index.contents import Contents, Steps
from tbgen.jit import kernel, maker, plain
from tbgen.retro.solve import Solved
from tbgen.retro.staircase import link_before, step_distance, step_holder, step_level, step_of, step_outcome

_PIECE = 1 << 24
"""Numbers handled at a time."""


def finish(solved: Solved, staircases: NDArray[np.int32] | None = None) -> Contents:
    """The contents of the finished table, its staircases numbered with the commonest first: in `staircases`, or where
    they were."""
    staircases = solved.staircases if staircases is None else staircases
    capacity = len(solved.links.keys)
    used = np.zeros(capacity + 1, np.int64)
    for at in range(0, len(solved.staircases), _PIECE):
        used += np.bincount(solved.staircases[at : at + _PIECE], minlength=capacity + 1)
    links = np.flatnonzero(used[1:]) + 1
    start = np.concatenate(([0], np.cumsum(_lengths(solved.links, links))))
    steps = np.empty(start[-1], np.int64)
    _unroll(solved.links, links, start, steps)

    order = _commonest_first(used[links], start, steps)
    final = np.zeros(capacity + 1, np.int32)
    final[links[order]] = np.arange(1, len(links) + 1)
    lengths = np.diff(start)[order]
    ordered = np.concatenate([steps[start[i] : start[i + 1]] for i in order] or [steps])
    columns = Steps(
        np.concatenate(([0, 0], np.cumsum(lengths))).astype(np.int64),
        plain(step_holder)(ordered).astype(np.uint8),
        plain(step_level)(ordered).astype(np.uint8),
        plain(step_outcome)(ordered).astype(np.int16),
        plain(step_distance)(ordered).astype(np.uint16),
    )
    for at in range(0, len(solved.staircases), _PIECE):
        staircases[at : at + _PIECE] = final[solved.staircases[at : at + _PIECE]]
    rules = "wg" if solved.whole_game else "r"
    return Contents(solved.layout.material, rules, solved.entries, staircases, columns)


def _commonest_first(counts: NDArray[np.int64], start: NDArray[np.int64], steps: NDArray[np.int64]) -> list[int]:
    content = [steps[a:b].tobytes() for a, b in zip(start[:-1].tolist(), start[1:].tolist(), strict=True)]
    return sorted(range(len(counts)), key=lambda i: (-counts[i], content[i]))


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
