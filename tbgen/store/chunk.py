"""A chunk as a reader holds it, decoded when asked for: one position by counting what stands before it, which is what
a look at a table takes that nobody has looked at before, or all of them."""

import itertools
from collections.abc import Iterator
from functools import cached_property

import numpy as np
from numpy.typing import NDArray

from tbgen.store.encode import ESCAPE, shape_type
from tbgen.store.positions import Positions
from tbgen.store.shapes import Lore

Step = tuple[int, int, int, int]
"""Holder, level, outcome and distance: see `Steps` in index/contents.py."""


class Grain:
    """What all chunks of a table have in common."""

    def __init__(self, numbers: NDArray[np.int64], escape_planes: int, distance_planes: int, lore: Lore) -> None:
        self.width = len(numbers)
        self.escape_planes = escape_planes
        self.distance_planes = distance_planes
        self.lore = lore
        self.numbers = numbers
        """`[place]`: the number within the chunk of the position there."""
        self.places: NDArray[np.int64] = np.argsort(numbers)
        self.place_list: list[int] = self.places.tolist()


class Chunk(Positions):
    """`raw` is a chunk as it was before compression. Columns are by place, in the order of the file."""

    def __init__(self, grain: Grain, raw: bytes) -> None:
        self._grain = grain
        self.lore = lore = grain.lore
        width = grain.width
        self.shapes = low = np.frombuffer(raw, np.uint8, width)
        escaped = np.flatnonzero(low == ESCAPE) if grain.escape_planes else np.zeros(0, np.int64)
        if len(escaped):
            self.shapes = low.astype(shape_type(lore.count))
            self.shapes[escaped] += _values(raw, width, len(escaped), grain.escape_planes).astype(self.shapes.dtype)
        self._raw = raw
        self._at = width + len(escaped) * grain.escape_planes
        """Where the fresh distances begin."""
        if int(self.shapes.max()) >= lore.count or self._stored_from() > len(raw):
            raise ValueError("a chunk's shapes are not those of its table")
        self._asked = False
        """Whether the steps of some position have been asked for."""
        self._halves: NDArray[np.unsignedinteger] | None = None
        self.size = 2 * len(raw) + width * (5 + self.shapes.itemsize)
        """Bytes of memory, about, once all is decoded."""

    @cached_property
    def entries(self) -> NDArray[np.int32]:  # type: ignore[override]
        lore, planes = self.lore, self._grain.distance_planes
        places = self._by_shape(np.flatnonzero(self.shapes != 0))
        halves = _values(self._raw, self._at, len(places), planes)
        fresh = np.zeros(self._grain.width, halves.dtype)
        fresh[places] = halves
        entries = lore.base.take(self.shapes)
        entries += fresh.astype(np.int32) << 1
        return entries

    @cached_property
    def entry(self) -> memoryview:
        return self.entries.data

    @cached_property
    def has_steps(self) -> bytes:
        """Which places have a staircase."""
        return self.lore.inside.take(self.shapes).tobytes()

    def glance(self, place: int) -> tuple[int, bool]:
        """The entry of one position, and whether it has a staircase; all others stay as they are."""
        shape = int(self.shapes[place])
        if not shape:
            return 0, False
        half = self._value(self._at, self.shapes != 0, place)
        return int(self.lore.base[shape]) + 2 * half, bool(self.lore.inside[shape])

    def _value(self, at: int, having: NDArray[np.bool_], place: int) -> int:
        """A position's number in a section that these places have one in, shape after shape."""
        shape = self.shapes[place]
        rank = np.count_nonzero(having & (self.shapes < shape)) + np.count_nonzero(self.shapes[:place] == shape)
        planes, count = self._grain.distance_planes, np.count_nonzero(having)
        return sum(self._raw[at + plane * count + rank] << 8 * plane for plane in range(planes))

    def _by_shape(self, places: NDArray[np.int64]) -> NDArray[np.int64]:
        """The same places, shape after shape."""
        return places[np.argsort(self.shapes[places], kind="stable")]

    def _stored_from(self) -> int:
        """Where the fresh distances end, one for each legal position, and those of staircases begin."""
        return self._at + self._grain.distance_planes * int(np.count_nonzero(self.shapes))

    def _stored(self) -> Iterator[tuple[int, NDArray[np.bool_]]]:
        """Where each section of stored distances begins, and which places have one in it."""
        planes, count = self._grain.distance_planes, self.lore.stored.take(self.shapes)
        at = self._stored_from()
        for nth in range(int(count.max())):
            having = count > nth
            yield at, having
            at += planes * int(np.count_nonzero(having))

    def halves(self) -> NDArray[np.unsignedinteger]:
        if self._halves is None:
            self._halves = self._read_halves()
        return self._halves

    def _read_halves(self) -> NDArray[np.unsignedinteger]:
        planes, sections = self._grain.distance_planes, list(self._stored())
        table = np.zeros((len(sections), self._grain.width), np.uint8 if planes == 1 else np.uint16)
        for row, (at, having) in zip(table, sections, strict=True):
            places = self._by_shape(np.flatnonzero(having))
            row[places] = _values(self._raw, at, len(places), planes)
        return table

    def steps(self, place: int) -> tuple[Step, ...]:
        """The staircase of one position. Who asks for another one will ask for more, and all are decoded."""
        if self._asked:
            halves, entry = self.halves()[:, place].tolist(), self.entry[place]
        else:
            self._asked, count = True, int(self.lore.stored[self.shapes[place]])
            halves = [self._value(at, having, place) for at, having in itertools.islice(self._stored(), count)]
            entry, _ = self.glance(place)
        fresh, found = (entry & 0xFFFF) >> 1, []
        for holder, level, outcome, column, odd in self.lore.steps_of(int(self.shapes[place])):
            found.append((holder, level, outcome, 2 * (halves[column - 1] if column else fresh) + odd))
        return tuple(found)


def _values(raw: bytes, at: int, count: int, planes: int) -> NDArray[np.unsignedinteger]:
    """Numbers of which first all lowest bytes are stored, then all of the next."""
    stored = np.frombuffer(raw, np.uint8, count * planes, at)
    if planes == 1:
        return stored
    wide = np.zeros((count, 2 if planes == 2 else 4), np.uint8)
    wide[:, :planes] = stored.reshape(planes, count).T
    return wide.reshape(-1).view("<u2" if planes == 2 else "<u4")
