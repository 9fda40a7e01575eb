"""A chunk as a reader holds it, inflated and decoded as far as needed: all positions, or one. For one, the reader
counts what stands before it; the first look at a table needs no more."""

import itertools
from collections.abc import Iterator
from functools import cached_property
from pathlib import Path
from threading import Lock
from typing import Any

import numpy as np
from numpy.typing import NDArray
from zlib_ng import zlib_ng

from tbgen.core.table_contents import DISTANCE_MASK
from tbgen.errors import CorruptTable
from tbgen.store.format.planes import joined
from tbgen.store.format.schema import ESCAPE, RAW, shape_type
from tbgen.store.format.shapes import ShapeTable
from tbgen.store.read.positions import Positions

Step = tuple[int, int, int, int]
"""Holder, level, outcome and distance: see `Steps` in tbgen/core/table_contents.py."""


class ChunkFormat:
    """What all chunks of a table have in common."""

    def __init__(
        self,
        path: Path,
        length: int,
        numbers: NDArray[np.int64],
        escape_planes: int,
        distance_planes: int,
    ) -> None:
        self.path = path
        self.length = length
        """Bytes of the longest chunk before compression."""
        self.width = width = len(numbers)
        self.escape_planes = escape_planes
        self.distance_planes = distance_planes
        self.size = 2 * length + 7 * width
        """Bytes of memory, about, that a chunk takes when all of it is decoded."""
        self.numbers = numbers
        """`[place]`: the number within the chunk of the position that is stored there."""
        self.places: NDArray[np.int64] = np.argsort(numbers)
        self.place_list: list[int] = self.places.tolist()


class _Inflating:
    """A chunk, inflated from its start as far as needed. To go on, zlib needs forty thousand bytes: too much to keep
    with every chunk."""

    def __init__(self, stored: bytes) -> None:
        self._stored = stored
        self._state: tuple[Any, bytes, bytes] | None = None
        """The stream, what it has yet to read, and what is known; None before the start, and after an interrupt: nobody
        can tell how far the stream had come."""
        self._lock = Lock()

    def upto(self, end: int) -> bytes:
        """At least the first `end` bytes."""
        with self._lock:
            stream, rest, known = self._state or (zlib_ng.decompressobj(RAW), self._stored, b"")
            if len(known) < end:
                self._state = None
                known += stream.decompress(rest, end - len(known))
                if len(known) < end:
                    raise ValueError("a chunk ends too soon")
                self._state = stream, stream.unconsumed_tail, known
            return known


def inflated(stored: bytes, most: int) -> bytes:
    """So many bytes, at most."""
    return bytes(zlib_ng.decompressobj(RAW).decompress(stored, most))


def _spread(
    shapes: NDArray[np.unsignedinteger],
    held: NDArray[np.uint8],
    raw: bytes,
    at: int,
    table: NDArray[np.unsignedinteger],
) -> None:
    """Put the numbers of the first sections into `table`, a row of zeros for each. They begin at `at`; the nth section
    has the places whose shapes hold more than n distances, sorted by shape."""
    held_here, order = held.take(shapes), np.argsort(shapes, kind="stable")
    for nth, row in enumerate(table):
        places = order[held_here[order] > nth]
        row[places] = joined(raw, at, len(places), row.itemsize)
        at += len(places) * row.itemsize


class Chunk(Positions):
    """Columns are indexed by place, the order of the file."""

    def __init__(self, chunk_format: ChunkFormat, shape_table: ShapeTable, stored: bytes) -> None:
        self._chunk_format = chunk_format
        self._deflated = stored
        self._inflating: _Inflating | None = _Inflating(stored)
        self._whole = b""
        self.shape_table = shape_table
        self._low = low = np.frombuffer(self._upto(chunk_format.width), np.uint8, chunk_format.width)
        # as few passes over all places as can be: each takes as long as reading from the file
        can_escape = shape_table.count > ESCAPE and chunk_format.escape_planes
        escaped = int(np.count_nonzero(low == ESCAPE)) if can_escape else 0
        self._at = chunk_format.width + escaped * chunk_format.escape_planes
        """Where the fresh distances begin, one per legal position."""
        self._high = (
            joined(self._upto(self._at), chunk_format.width, escaped, chunk_format.escape_planes)
            if escaped
            else low[:0]
        )
        """`[escaped place]`: what is added to `low` to give its shape."""
        self._legal = int(np.count_nonzero(low))
        highest = ESCAPE + int(self._high.max()) if escaped else 0 if can_escape else int(low.max())
        if highest >= shape_table.count or self._stored_at > chunk_format.length:
            raise self._damaged("a chunk's shapes are not those of its group")
        self._asked = False
        """Whether the steps of some position have been asked for."""
        self._halves: NDArray[np.unsignedinteger] | None = None

    @property
    def _stored_at(self) -> int:
        """Where the fresh distances end, and those of staircases begin."""
        return self._at + self._chunk_format.distance_planes * self._legal

    def _damaged(self, what: object) -> CorruptTable:
        return CorruptTable(f"{self._chunk_format.path} is damaged: {what}")

    def _upto(self, end: int) -> bytes:
        """At least the first `end` bytes of the chunk as it was before compression."""
        if end > self._chunk_format.length:
            raise self._damaged("a chunk ends too soon")
        inflating = self._inflating  # another thread may drop it
        try:
            if inflating:
                return inflating.upto(end)
            self._whole = self._whole or inflated(self._deflated, self._chunk_format.length)
            if len(self._whole) < end:
                raise ValueError("a chunk ends too soon")
            return self._whole
        except (ValueError, zlib_ng.error) as error:  # type: ignore[misc]  # its stub has no class here
            raise self._damaged(error) from error

    def let_go(self) -> None:
        """Drop what is needed to inflate more of it; the next caller that needs more inflates all."""
        self._inflating = None

    @cached_property
    def shapes(self) -> NDArray[Any]:  # type: ignore[override]
        if not len(self._high):
            return self._low
        shapes = self._low.astype(shape_type(self.shape_table.count))
        np.place(shapes, self._low == ESCAPE, ESCAPE + self._high.astype(shapes.dtype))
        return shapes

    @cached_property
    def entries(self) -> NDArray[np.int32]:  # type: ignore[override]
        entries = self.shape_table.base.take(self.shapes)
        known = self._sections_upto(1, self._stored_at) if self._halves is None else self._halves
        entries += known[0].astype(np.int32) << 1
        return entries

    def _sections_upto(self, sections: int, end: int) -> NDArray[np.unsignedinteger]:
        """The first sections of distances, which end here, by place."""
        kind = np.uint8 if self._chunk_format.distance_planes == 1 else np.uint16
        table = np.zeros((sections, self._chunk_format.width), kind)
        _spread(self.shapes, self.shape_table.held, self._upto(end), self._at, table)
        return table

    @cached_property
    def entry(self) -> memoryview:
        return self.entries.data

    @cached_property
    def has_steps(self) -> bytes:
        """`[place]`: whether it has a staircase."""
        return self.shape_table.inside.take(self.shapes).tobytes()

    def glance(self, place: int) -> tuple[int, bool]:
        """The entry of one position, and whether it has a staircase, without decoding the others."""
        low = self._low[place]
        if not low:
            return 0, False
        shape, before = int(low), np.count_nonzero(self._low[:place] == low)
        rank = np.count_nonzero(self._low < low) - (self._chunk_format.width - self._legal) + before
        if shape == ESCAPE and len(self._high):
            high = self._high[before]
            shape += int(high)
            rank += np.count_nonzero(self._high < high) + np.count_nonzero(self._high[:before] == high) - before
        known = self.shape_table.one(shape)
        return known.base + 2 * self._value(self._at, self._legal, int(rank)), known.form > 0

    def _value(self, at: int, count: int, rank: int) -> int:
        """One of the `count` numbers of a section, which are sorted by shape."""
        places = [at + plane * count + rank for plane in range(self._chunk_format.distance_planes)]
        raw = self._upto(places[-1] + 1)
        return sum(raw[place] << 8 * plane for plane, place in enumerate(places))

    def _sections(self) -> Iterator[tuple[int, NDArray[np.bool_]]]:
        """Where each section of stored distances begins, and the places that have a distance in it."""
        planes, held = self._chunk_format.distance_planes, self.shape_table.held.take(self.shapes)
        at, nth, having = self._stored_at, 1, held > 1
        while numbers := int(np.count_nonzero(having)):
            yield at, having
            at, nth = at + planes * numbers, nth + 1
            having = held > nth

    def _stored_half(self, at: int, having: NDArray[np.bool_], place: int) -> int:
        """A position's number in a section in which these places have one."""
        shapes = self.shapes
        shape = shapes[place]
        rank = np.count_nonzero(having & (shapes < shape)) + np.count_nonzero(shapes[:place] == shape)
        return self._value(at, int(np.count_nonzero(having)), int(rank))

    def halves(self) -> NDArray[np.unsignedinteger]:
        if self._halves is None:
            held = np.bincount(self.shape_table.held.take(self.shapes))
            distances = int(held @ np.arange(len(held)))
            end = self._at + self._chunk_format.distance_planes * distances
            self._halves = self._sections_upto(max(1, len(held) - 1), end)
        return self._halves

    def steps(self, place: int) -> tuple[Step, ...]:
        """The staircase of one position. The second call on a chunk decodes all: more are likely to follow."""
        if self._asked:
            halves = self.halves()[:, place].tolist()
        else:
            self._asked, count = True, max(0, self.shape_table.one(int(self.shapes[place])).held - 1)
            stored = (self._stored_half(at, having, place) for at, having in itertools.islice(self._sections(), count))
            halves = [(self.glance(place)[0] & DISTANCE_MASK) >> 1, *stored]
        return tuple(
            (holder, level, outcome, 2 * halves[column] + odd)
            for holder, level, outcome, column, odd in self.shape_table.steps_of(int(self.shapes[place]))
        )
