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

from tbgen.contents import DISTANCE_MASK, Contents, Make, distances, in_memory
from tbgen.index import layout_of
from tbgen.store.format.forms import by_step, pieces
from tbgen.store.format.order import candidates, numbers_of
from tbgen.store.format.planes import bytes_for, planes_of
from tbgen.store.format.schema import ESCAPE, LEVEL, shape_type
from tbgen.store.format.shapes import EVEN, Shapes, ShapeTable, unique
from tbgen.store.write.staircases import Rows, make_rows, make_shapes
from tbgen.turns import in_turn

WIDTHS: Final = (1 << 14, 1 << 12)
"""Positions per chunk. With more, chunks compress better, by 4 % here, but reading one position takes longer."""
_LARGE: Final = 1 << 25
"""Tables of more numbers than this have the shorter chunks: programs read single positions of them, never all."""
_TOGETHER: Final = 16
"""Chunks that are made in one go. For one alone numpy takes as long, and keeps other threads waiting."""
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
    """In order. The pool makes them meanwhile."""


class _Part(NamedTuple):
    """The kinds of positions in a chunk, and how many have each. A kind is all that becomes a shape, in one number; 0
    for no legal position."""

    kinds: NDArray[np.int64]
    counts: NDArray[np.int32]


@dataclass
class _Task:
    contents: Contents
    rows: Rows
    width: int
    parts: list[_Part]
    kind: NDArray[np.uint16]
    """`[position]`: the index of its kind in its part. As long as all chunks together, the last one filled up."""
    shapes: list[NDArray[np.int32]]
    """`[part]`: the shape of each of its kinds."""
    steps: NDArray[np.int8]
    """`[shape, nth]`: the step whose distance is the nth that is stored, -1 if there is none."""
    stored: NDArray[np.int64]
    """`[shape]`: how many distances are stored."""
    escape_planes: int
    distance_planes: int
    raw: int = 0

    def length(self, number: int) -> int:
        """Bytes of a chunk before compression."""
        shape = self.shapes[number]
        each = (shape != 0) * (1 + self.stored[shape]) * self.distance_planes
        each += (shape >= ESCAPE) * self.escape_planes
        return self.width + int((each * self.parts[number].counts).sum())


def encode(contents: Contents, pool: Executor, make: Make = in_memory) -> Encoded:
    """Encode contents. When this returns, all but the chunks is done; the pool goes on with those."""
    size = len(contents.entries)
    width = min(WIDTHS[size > _LARGE], 1 << max(0, size - 1).bit_length())
    rows = make_rows(contents.steps, make, pool)
    kind: NDArray[np.uint16] = make(-(-size // width) * width, np.uint16)
    pieces = list(pool.map(lambda at: _sort(contents, rows, kind, at, width), range(0, size, width * _TOGETHER)))
    parts = [part for piece, _ in pieces for part in piece]
    kinds, counts, shapes_of = _merge(parts)
    shapes = make_shapes(rows, kinds)
    longest = max(*(distance for _, distance in pieces), int(contents.steps.distance.max(initial=0)))
    del pieces
    shape_table = ShapeTable(shapes)
    task = _Task(
        contents, rows, width, parts, kind, shapes_of, _stored_steps(shape_table), shape_table.stored.astype(np.int64),
        escape_planes=bytes_for(len(kinds) - 1 - ESCAPE), distance_planes=bytes_for(longest >> 1) or 1,
    )  # fmt: skip
    task.raw = max(map(task.length, range(len(parts))))
    order = _best_order(task, pool)
    places = numbers_of(order)
    made = in_turn(pool, _AHEAD, partial(_chunks, task, places), zip(_batches(parts, _TOGETHER), strict=True))
    return Encoded(
        width, order, task.escape_planes, task.distance_planes, shapes, int(counts[1:].sum()), len(parts), task.raw,
        itertools.chain.from_iterable(made),
    )  # fmt: skip


def _batches(parts: list[_Part], count: int) -> list[range]:
    return [range(at, min(at + count, len(parts))) for at in range(0, len(parts), count)]


def _sort(contents: Contents, rows: Rows, kind: NDArray[np.uint16], start: int, width: int) -> tuple[list[_Part], int]:
    """The kinds of some chunks from this number on, and the longest fresh distance in them."""
    entries = contents.entries[start : start + width * _TOGETHER]
    kinds = rows.kinds(entries, contents.staircases[start : start + width * _TOGETHER])
    return [
        _part_of(kinds[at : at + width], kind[start + at : start + at + width]) for at in range(0, len(kinds), width)
    ], int(distances(entries).max())


def _part_of(found: NDArray[np.int64], kind: NDArray[np.uint16]) -> _Part:
    """The kinds of one chunk; the last one is filled up with zeros."""
    kinds, place = unique(np.concatenate([found, np.zeros(len(kind) - len(found), np.int64)]))
    kind[:] = place
    return _Part(kinds, np.bincount(place).astype(np.int32))


def _merge(parts: list[_Part]) -> tuple[NDArray[np.int64], NDArray[np.int64], list[NDArray[np.int32]]]:
    """All kinds by rank: 0, then the commonest first; how many positions have each; and the ranks of each part's kinds.
    The parts lose their kinds, which are not needed any more."""
    different = [np.unique(np.concatenate([parts[number].kinds for number in b])) for b in _batches(parts, _MERGED)]
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


def _stored_steps(shape_table: ShapeTable) -> NDArray[np.int8]:
    table = np.full((shape_table.count, shape_table.width), -1, np.int8)
    for here in pieces(shape_table.count):
        for step, (having, at) in enumerate(by_step(shape_table.start[here], shape_table.shapes.steps[here])):
            own = shape_table.shapes.source[at] >= EVEN
            table[here][having[own], shape_table.distances[0][at[own]] - 1] = step
    return table


def _best_order(task: _Task, pool: Executor) -> list[int]:
    orders = candidates(layout_of(task.contents.material), task.width)
    if len(orders) == 1 or len(task.parts) == 1:
        return orders[0]
    sample = range(0, len(task.parts), -(-len(task.parts) // _SAMPLES))

    def cost(order: list[int]) -> int:
        places = numbers_of(order)
        return sum(len(_chunks(task, places, range(number, number + 1))[0]) for number in sample)

    costs = list(pool.map(cost, orders))
    return orders[costs.index(min(costs))]


def _chunks(task: _Task, places: NDArray[np.int64], numbers: range) -> list[bytes]:
    """Make neighbouring chunks in one go."""
    width, ranks_of = task.width, [_ranks(task.shapes[number]) for number in numbers]
    first = np.cumsum([0, *map(len, ranks_of[:-1])])[:, None]
    kind = task.kind[numbers.start * width : numbers.stop * width].reshape(-1, width).take(places, axis=1) + first
    shape = np.concatenate([task.shapes[number] for number in numbers]).astype(shape_type(len(task.stored))).take(kind)
    order = np.argsort(np.concatenate(ranks_of).take(kind), axis=1, kind="stable")
    illegal = np.count_nonzero(shape == 0, axis=1)[:, None]
    legal = np.arange(width) >= illegal
    ends = np.cumsum(width - illegal)
    at = (places.take(order) + np.arange(numbers.start, numbers.stop)[:, None] * width)[legal]

    firsts = [_shape_bytes(row, task.escape_planes) for row in shape]
    fresh = _split((task.contents.entries[at] & DISTANCE_MASK) >> 1, ends, task.distance_planes)
    stored = [[b""] * len(numbers)]
    if task.steps.shape[1]:
        steps, staircases = task.steps[np.take_along_axis(shape, order, 1)[legal]], task.contents.staircases[at]
        for nth in range(steps.shape[1]):
            having = np.flatnonzero(steps[:, nth] >= 0)
            halves = task.rows.halves(staircases[having], steps[having, nth])
            stored.append(_split(halves, np.searchsorted(having, ends), task.distance_planes))
    rests = map(b"".join, zip(*stored, strict=True))
    return [_deflate(sections, task.raw) for sections in zip(firsts, fresh, rests, strict=True)]


def _ranks(shapes: NDArray[np.int32]) -> NDArray[np.uint16]:
    """The ranks of a chunk's shapes: numpy sorts 16-bit numbers ten times as fast as longer ones."""
    ranks = np.empty(len(shapes), np.uint16)
    ranks[np.argsort(shapes)] = np.arange(len(shapes))
    return ranks


def _shape_bytes(shape: NDArray[np.unsignedinteger], escape_planes: int) -> bytes:
    """The shapes of one chunk, as stored."""
    low = np.minimum(shape, ESCAPE).astype(np.uint8)
    escaped = shape[low == ESCAPE] - ESCAPE
    return b"".join([low.tobytes(), *_split(escaped, np.array([len(escaped)]), escape_planes)])


def _split(values: NDArray[np.integer], ends: NDArray[np.integer], planes: int) -> list[bytes]:
    """The planes of each stretch up to one of these ends."""
    columns = planes_of(values, planes)
    stretches = itertools.pairwise([0, *ends.tolist()])
    return [b"".join(column[start:end].tobytes() for column in columns) for start, end in stretches]


def _deflate(sections: Sequence[bytes], length: int) -> bytes:
    """Compress sections, each with a code of its own since they differ in nature. Zeros fill up the last one: HDF5's
    chunks all have one size."""
    packer = zlib_ng.compressobj(LEVEL)
    done = []
    for section in (*sections[:-1], sections[-1] + bytes(length - sum(map(len, sections)))):
        done += [packer.compress(section), packer.flush(zlib_ng.Z_BLOCK)]
    return b"".join([*done, packer.flush()])
