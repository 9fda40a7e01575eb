"""Numbers for the staircases of positions, which the file stores with each position and not in a list."""

from collections.abc import Sequence
from typing import NamedTuple

import numpy as np
from numpy.typing import NDArray

from tbgen.index.contents import Steps
from tbgen.store.chunk import Chunk
from tbgen.store.shapes import Lore, unique_rows


class Seen(NamedTuple):
    """The staircases of one chunk."""

    where: NDArray[np.int64]
    """Index of each position that has one, in the caller's array."""
    rows: NDArray[np.int64]
    """The different ones, see `Chunk.rows`."""
    which: NDArray[np.int64]
    """`[position]`: which of those."""


def see(chunk: Chunk, places: NDArray[np.int64], base: int) -> Seen:
    """The staircases at these places, which stand in the caller's array from `base` on."""
    inside = np.flatnonzero(chunk.inside(places))
    rows = chunk.rows(places[inside])
    first, which = unique_rows(rows)
    return Seen(inside + base, rows[first], which)


def number(parts: Sequence[Seen], lore: Lore, staircases: NDArray[np.int32]) -> Steps:
    """Number all staircases, none twice and the commonest first; write the numbers into `staircases`."""
    rows = np.concatenate([part.rows for part in parts])
    first, which = unique_rows(rows)
    counts = np.zeros(len(first), np.int64)
    mine, at = [], 0
    for part in parts:
        mine.append(which[at : at + len(part.rows)])
        at += len(part.rows)
        np.add.at(counts, mine[-1], np.bincount(part.which, minlength=len(part.rows)))
    steps = _steps(rows[first], lore)
    order = _commonest_first(counts, steps)
    numbers = np.empty(len(first), np.int32)
    numbers[order] = np.arange(1, len(first) + 1)
    for part, ids in zip(parts, mine, strict=True):
        staircases[part.where] = numbers[ids][part.which]

    lengths = np.diff(steps.start)[order]
    start = np.concatenate(([0, 0], np.cumsum(lengths))).astype(np.int64)
    source = np.repeat(steps.start[:-1][order] - start[1:-1], lengths) + np.arange(start[-1])
    return Steps(start, *(column[source] for column in steps[1:]))


def _steps(rows: NDArray[np.int64], lore: Lore) -> Steps:
    shape = lore.forms[0][rows[:, 0]]
    lengths = lore.shapes.steps[shape]
    columns = lore.columns
    row, step = np.nonzero(np.arange(columns.level.shape[1]) < lengths[:, None])
    at = shape[row], step
    start = np.concatenate(([0], np.cumsum(lengths, dtype=np.int64)))
    distance = rows[row, 1 + step].astype(np.uint16)
    return Steps(start, columns.holder[at], columns.level[at], columns.outcome[at], distance)


def _commonest_first(counts: NDArray[np.int64], steps: Steps) -> NDArray[np.int64]:
    """As the solver numbers them, equally common ones included."""
    packed = steps.holder.astype(np.int64) << 31 | steps.level.astype(np.int64) << 23
    packed |= (steps.outcome.astype(np.int64) + 512) << 12 | steps.distance
    ranges = zip(steps.start[:-1].tolist(), steps.start[1:].tolist(), strict=True)
    content = [packed[start:end].tobytes() for start, end in ranges]
    tally = counts.tolist()
    return np.array(sorted(range(len(tally)), key=lambda i: (-tally[i], content[i])), np.int64)
