"""Decoding whole chunks: compiled, because most of the time of a long reading was spent on sorting places by shape.

A single look needs none of it, and must not wait for a compiler to be loaded: see Chunk.spread."""

from threading import local
from typing import Final

import numpy as np
from numpy.typing import NDArray

from tbgen.jit import kernel
from tbgen.store.format.shapes import ShapeTable

_SCRATCH: Final = local()
"""`first`: an array of zeros by shape. A table may have a million shapes, and a chunk a hundred of them."""


def spread(
    shapes: NDArray[np.unsignedinteger],
    having: NDArray[np.bool_],
    raw: bytes,
    at: int,
    row: NDArray[np.unsignedinteger],
) -> None:
    """As `by_sorting` (chunk.py)."""
    first = getattr(_SCRATCH, "first", None)
    if first is None or len(first) < len(having):
        first = _SCRATCH.first = np.zeros(len(having), np.int32)
    some = np.empty(len(shapes), np.int32)
    kinds, count = _count(shapes, having, first, some)
    some = some[:kinds]
    some.sort()
    fits = at + row.itemsize * count <= len(raw)
    if fits:
        _spread(shapes, having, np.frombuffer(raw, np.uint8), at, row.itemsize, count, some, first, row)
    first[some] = 0
    if not fits:
        raise ValueError("a chunk ends too soon")


@kernel
def _count(shapes, having, first, some):
    """How many places have a number, by shape; and which shapes have any. Returns how many shapes, and places."""
    kinds = count = 0
    for place in range(len(shapes)):
        shape = shapes[place]
        if having[shape]:
            if first[shape] == 0:
                some[kinds] = shape
                kinds += 1
            first[shape] += 1
            count += 1
    return kinds, count


@kernel
def _spread(shapes, having, raw, at, planes, count, some, first, row):
    """`first` becomes, by shape, where its next number lies."""
    for shape in some:
        at, first[shape] = at + first[shape], at
    for place in range(len(shapes)):
        shape = shapes[place]
        if having[shape]:
            there = first[shape]
            first[shape] = there + 1
            value = np.int64(raw[there])
            if planes > 1:
                value |= np.int64(raw[there + count]) << 8
            row[place] = value


def gather(
    shapes: NDArray[np.unsignedinteger],
    fresh: NDArray[np.unsignedinteger],
    places: NDArray[np.int64],
    shape_table: ShapeTable,
    entries: NDArray[np.int32],
    inside: NDArray[np.bool_],
) -> None:
    """Fill in the entries of these places, and whether each has a staircase. `fresh` are halves of distances."""
    _gather(shapes, fresh, places, shape_table.base, shape_table.inside, entries, inside)


@kernel
def _gather(shapes, fresh, places, base, has_steps, entries, inside):
    for row in range(len(places)):
        shape = shapes[places[row]]
        entries[row] = base[shape] + (np.int32(fresh[places[row]]) << 1)
        inside[row] = has_steps[shape]
