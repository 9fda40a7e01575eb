"""Encoding contents as the chunks of a file; docs/format.md says what a chunk holds."""

import itertools
from collections.abc import Iterator, Sequence
from concurrent.futures import Executor
from dataclasses import dataclass
from functools import partial
from typing import Final, NamedTuple

import numpy as np
from numpy.typing import NDArray
from zlib_ng import zlib_ng

from tbgen.contents import Contents, Make, in_memory
from tbgen.index import layout_of
from tbgen.store.format.forms import by_step, pieces
from tbgen.store.format.order import candidates, numbers_of
from tbgen.store.format.planes import bytes_for
from tbgen.store.format.schema import ESCAPE, LEVEL
from tbgen.store.format.shapes import EVEN, Shapes, ShapeTable
from tbgen.store.write.kernels import Given, Stored, fill_chunk, find_kinds
from tbgen.store.write.staircases import make_rows, make_shapes
from tbgen.turns import in_turn

WIDTHS: Final = (1 << 14, 1 << 12)
"""Positions per chunk. With more, chunks compress better, by 4 % here, but reading one position takes longer."""
_LARGE: Final = 1 << 25
"""Tables of more numbers than this have the shorter chunks: programs read single positions of them, never all."""
_TOGETHER: Final = 16
"""Chunks that a thread makes before it asks for more."""
_AHEAD: Final = 32
"""Groups of such chunks that are being made or wait to be written, at most: all together are as large as the file."""
_MERGED: Final = 1 << 12
"""Chunks whose kinds are merged at a time."""
_SAMPLES: Final = 8
"""Chunks on which each order of places is tried."""


@dataclass(frozen=True)
class Encoded:
    width: int
    order: list[int]
    escape_planes: int
    distance_planes: int
    shapes: Shapes
    legal: int
    """Legal positions."""
    count: int
    """Chunks."""
    raw: int
    """Bytes of every chunk before compression: as many as the longest needs."""
    chunks: Iterator[bytes]
    """The chunks in order. The pool makes them meanwhile."""


class _Part(NamedTuple):
    """The kinds of positions in a chunk (see kernels.py), and how many have each."""

    kinds: NDArray[np.int64]
    counts: NDArray[np.int32]


@dataclass
class _Task:
    given: Given
    width: int
    parts: list[_Part]
    kind: NDArray[np.uint16]
    """`[position]`: the index of its kind in its part. As long as all chunks together, the last one filled up."""
    shapes: list[NDArray[np.int32]]
    """`[part]`: the shape of each of its kinds."""
    stored: Stored
    raw: int = 0
    """Bytes of the longest chunk before compression."""

    def length(self, number: int) -> int:
        """Bytes of a chunk before compression."""
        shape = self.shapes[number]
        each = (shape != 0) * (1 + self.stored.beside[shape].astype(np.int64)) * self.stored.distance_planes
        each += (shape >= ESCAPE) * self.stored.escape_planes
        return self.width + int((each * self.parts[number].counts).sum())


def encode(contents: Contents, pool: Executor, make: Make = in_memory) -> Encoded:
    """Encode contents. When this returns, all but the chunks is done; the pool goes on with those."""
    size = len(contents.entries)
    width = min(WIDTHS[size > _LARGE], 1 << max(0, size - 1).bit_length())
    rows = make_rows(contents.steps, make, pool)
    steps = contents.steps
    given = Given(
        contents.entries, contents.staircases, steps.start, steps.outcome, steps.distance, rows.form, rows.longest
    )
    kind: NDArray[np.uint16] = make(-(-size // width) * width, np.uint16)
    found = list(pool.map(partial(_sort, given, kind, width), _batches(len(kind) // width, _TOGETHER)))
    parts = [part for batch, _ in found for part in batch]
    longest = max(*(distance for _, distance in found), int(steps.distance.max(initial=0)))
    del found
    kinds, counts, shapes_of = _merge(parts)
    shapes = make_shapes(rows, kinds)
    stored = _stored(ShapeTable(shapes), bytes_for(longest >> 1) or 1)
    task = _Task(given, width, parts, kind, shapes_of, stored)
    task.raw = max(map(task.length, range(len(parts))))
    order = _best_order(task, contents, pool)
    places = numbers_of(order)
    made = in_turn(pool, _AHEAD, partial(_chunks, task, places), zip(_batches(len(parts), _TOGETHER), strict=True))
    return Encoded(
        width, order, stored.escape_planes, stored.distance_planes, shapes, int(counts[1:].sum()), len(parts), task.raw,
        itertools.chain.from_iterable(made),
    )  # fmt: skip


def _batches(parts: int, count: int) -> list[range]:
    return [range(at, min(at + count, parts)) for at in range(0, parts, count)]


def _sort(given: Given, kind: NDArray[np.uint16], width: int, numbers: range) -> tuple[list[_Part], int]:
    """The kinds of some chunks, and the longest fresh distance in them."""
    slots, kinds, counts = np.empty(2 * width, np.int32), np.empty(width, np.int64), np.empty(width, np.int32)
    parts, longest = [], 0
    for begin in range(numbers.start * width, numbers.stop * width, width):
        here = kind[begin : begin + width]
        found, distance = find_kinds(given, begin, len(given.entries), slots, here, kinds, counts)
        parts.append(_Part(kinds[:found].copy(), counts[:found].copy()))
        longest = max(longest, distance)
    return parts, longest


def _merge(parts: list[_Part]) -> tuple[NDArray[np.int64], NDArray[np.int64], list[NDArray[np.int32]]]:
    """All kinds by rank: 0, then the commonest first; how many positions have each; and the ranks of each part's kinds.
    The parts lose their kinds, which are not needed any more."""
    batches = _batches(len(parts), _MERGED)
    different = [np.unique(np.concatenate([parts[number].kinds for number in batch])) for batch in batches]
    kinds = np.unique(np.concatenate([np.zeros(1, np.int64), *different]))
    totals, places = np.zeros(len(kinds), np.int64), []
    for number, part in enumerate(parts):
        place = np.searchsorted(kinds, part.kinds)
        totals[place] += part.counts
        places.append(place.astype(np.int32))
        parts[number] = part._replace(kinds=kinds[:0])
    order = np.lexsort((kinds, -totals, kinds != 0))
    ranks = np.empty(len(kinds), np.int32)
    ranks[order] = np.arange(len(kinds), dtype=np.int32)
    return kinds[order], totals[order], [ranks[place] for place in places]


def _stored(shape_table: ShapeTable, distance_planes: int) -> Stored:
    steps = np.full((shape_table.count, shape_table.width), -1, np.int8)
    for here in pieces(shape_table.count):
        for step, (having, at) in enumerate(by_step(shape_table.start[here], shape_table.shapes.steps[here])):
            own = shape_table.shapes.source[at] >= EVEN
            steps[here][having[own], shape_table.distances[0][at[own]] - 1] = step
    return Stored(steps, shape_table.stored, bytes_for(shape_table.count - 1 - ESCAPE), distance_planes)


def _best_order(task: _Task, contents: Contents, pool: Executor) -> list[int]:
    orders = candidates(layout_of(contents.material), task.width)
    if len(orders) == 1 or len(task.parts) == 1:
        return orders[0]
    sample = range(0, len(task.parts), -(-len(task.parts) // _SAMPLES))

    def cost(order: list[int]) -> int:
        places = numbers_of(order)
        return sum(len(_chunks(task, places, range(number, number + 1))[0]) for number in sample)

    costs = list(pool.map(cost, orders))
    return orders[costs.index(min(costs))]


def _chunks(task: _Task, places: NDArray[np.int64], numbers: range) -> list[bytes]:
    """Make neighbouring chunks."""
    made = []
    for number in numbers:
        begin, shapes = number * task.width, task.shapes[number]
        first = np.empty((1 + task.stored.steps.shape[1], 1 + len(shapes)), np.int64)
        raw = np.zeros(task.raw, np.uint8)
        fresh, rest = fill_chunk(
            task.given, task.stored, begin, places, task.kind[begin : begin + task.width], shapes,
            task.parts[number].counts, np.argsort(shapes), first, np.empty(len(shapes), np.int64), raw,
        )  # fmt: skip
        made.append(_deflate((raw[:fresh], raw[fresh:rest], raw[rest:])))
    return made


def _deflate(sections: Sequence[NDArray[np.uint8]]) -> bytes:
    """Compress sections, each with a code of its own since they differ in nature."""
    packer = zlib_ng.compressobj(LEVEL)
    done = []
    for section in sections:
        done += [packer.compress(section.data), packer.flush(zlib_ng.Z_BLOCK)]
    return b"".join([*done, packer.flush()])
