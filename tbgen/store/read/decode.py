"""Decoding many chunks together: see kernels.py."""

from collections.abc import Iterable
from threading import local
from typing import Final, NamedTuple

import numpy as np
from numpy.typing import NDArray
from zlib_ng import zlib_ng

from tbgen.store.format.shapes import ShapeTable
from tbgen.store.read import kernels
from tbgen.store.read.bulk import Bulk
from tbgen.store.read.chunk import ChunkFormat, inflated

_SCRATCH: Final = local()
"""`arrays`: large enough for the groups that the thread has read."""
_WORDS: Final = {
    kernels.OTHER_SHAPES: "a chunk's shapes are not those of its group",
    kernels.TOO_SHORT: "a chunk ends too soon",
}


class _Scratch(NamedTuple):
    """See `kernels.decode`."""

    number: NDArray[np.int32]
    some: NDArray[np.int32]
    spare: NDArray[np.int32]
    digits: NDArray[np.int64]
    next: NDArray[np.int64]


def decode(
    chunk_format: ChunkFormat, table: ShapeTable, stored: Iterable[bytes], count: int, *, fresh: bool = False
) -> Bulk:
    """Decode `count` chunks with these shapes. ValueError if one is damaged. `fresh`: without what is stored beside
    fresh distances."""
    width = chunk_format.width
    sections = 1 if fresh else 1 + table.width
    known = chunk_format.length
    if fresh:  # no more than these may take
        known = min(known, width * (1 + chunk_format.escape_planes + chunk_format.distance_planes))
    raw, lengths = np.empty((count, known), np.uint8), np.zeros(count, np.int64)
    for row, one in enumerate(stored):
        inflated = _inflated(one, known)
        lengths[row] = len(inflated)
        raw[row, : len(inflated)] = np.frombuffer(inflated, np.uint8)
    shapes = np.empty(count * width, np.uint32)
    halves = np.zeros((sections, count * width), np.uint16)
    wrong = kernels.decode(
        raw, lengths, chunk_format.numbers, chunk_format.escape_planes, chunk_format.distance_planes, table.held,
        *_scratch(table.count, width, sections), shapes, halves,
    )  # fmt: skip
    if wrong:
        raise ValueError(_WORDS[wrong])
    most = 1 if fresh else int(table.held.take(shapes).max(initial=1))
    return Bulk(table, shapes, halves[:most])


def _inflated(stored: bytes, most: int) -> bytes:
    try:
        return inflated(stored, most)
    except zlib_ng.error as error:  # type: ignore[misc]  # its stub has no class here
        raise ValueError(str(error)) from error


def _scratch(count: int, width: int, sections: int) -> _Scratch:
    arrays: _Scratch | None = getattr(_SCRATCH, "arrays", None)
    if arrays is None or len(arrays.number) < count or len(arrays.some) < width or arrays.next.shape[1] < sections:
        arrays = _SCRATCH.arrays = _Scratch(
            np.zeros(count, np.int32),
            np.empty(width, np.int32),
            np.empty(width, np.int32),
            np.empty(1 << 8, np.int64),
            np.empty((1 + width, sections), np.int64),
        )
    return arrays


class Spelled(NamedTuple):
    """The staircases of some positions, one after the other."""

    lengths: NDArray[np.uint16]
    """`[position]`: how many steps it has."""
    steps: NDArray[np.int64]
    """See tbgen/core/packed_steps.py."""


def spell_out(bulk: Bulk) -> Spelled:
    """The staircases of all its positions. ValueError if the bulk has fresh distances alone."""
    shape_table = bulk.shape_table
    known = shape_table.steps
    halves = np.ascontiguousarray(bulk.halves())  # kernels are compiled for that
    if len(halves) < shape_table.held.take(bulk.shapes).max(initial=0):
        raise ValueError("it was decoded without these distances")
    lengths = known.forms.steps.astype(np.uint16).take(bulk.shapes)
    steps = np.empty(int(lengths.sum(dtype=np.int64)), np.int64)
    if len(steps):
        kernels.write_steps(
            bulk.shapes, halves, shape_table.base, known.start, *known.forms[:4], known.column, known.odd, steps
        )
    return Spelled(lengths, steps)
