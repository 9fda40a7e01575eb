"""A chunk as a reader holds it: entries at once, the distances of staircases when asked for."""

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
        low = np.frombuffer(raw, np.uint8, width)
        self.shapes = low.copy()  # the rest of raw need not stay
        escaped = np.flatnonzero(low == ESCAPE) if grain.escape_planes else np.zeros(0, np.int64)
        if len(escaped):
            self.shapes = low.astype(shape_type(lore.count))
            self.shapes[escaped] += _values(raw, width, len(escaped), grain.escape_planes).astype(self.shapes.dtype)
        at, places = width + len(escaped) * grain.escape_planes, self._by_shape(np.flatnonzero(self.shapes != 0))
        halves = _values(raw, at, len(places), grain.distance_planes)
        self._rest = raw[at + len(places) * grain.distance_planes :]
        fresh = np.zeros(width, halves.dtype)
        fresh[places] = halves
        self.entries = lore.base.take(self.shapes)
        self.entries += fresh.astype(np.int32) << 1
        self.entry = self.entries.data
        self.has_steps = lore.inside.take(self.shapes).tobytes()
        """Which places have a staircase."""
        self._columns = int(lore.stored.take(self.shapes).max())
        self.size = len(self._rest) + width * (5 + self.shapes.itemsize + self._columns * grain.distance_planes)
        """Bytes of memory, once all is decoded."""
        self._halves: NDArray[np.unsignedinteger] | None = None

    def _by_shape(self, places: NDArray[np.int64]) -> NDArray[np.int64]:
        """The same places, shape after shape."""
        return places[np.argsort(self.shapes[places], kind="stable")]

    def halves(self) -> NDArray[np.unsignedinteger]:
        if self._halves is None:
            self._halves = self._read_halves()
        return self._halves

    def _read_halves(self) -> NDArray[np.unsignedinteger]:
        grain, at = self._grain, 0
        places = self._by_shape(np.flatnonzero(grain.lore.stored.take(self.shapes) > 0))
        table = np.zeros((self._columns, grain.width), np.uint8 if grain.distance_planes == 1 else np.uint16)
        for nth in range(self._columns):
            places = places[grain.lore.stored.take(self.shapes[places]) > nth]
            table[nth, places] = _values(self._rest, at, len(places), grain.distance_planes)
            at += len(places) * grain.distance_planes
        return table

    def steps(self, place: int) -> tuple[Step, ...]:
        """The staircase of one position."""
        halves, fresh, found = self.halves(), (self.entry[place] & 0xFFFF) >> 1, []
        for holder, level, outcome, column, odd in self._grain.lore.steps_of(int(self.shapes[place])):
            half = int(halves[column - 1, place]) if column else fresh
            found.append((holder, level, outcome, 2 * half + odd))
        return tuple(found)


def _values(raw: bytes, at: int, count: int, planes: int) -> NDArray[np.unsignedinteger]:
    """Numbers of which first all lowest bytes are stored, then all of the next."""
    stored = np.frombuffer(raw, np.uint8, count * planes, at)
    if planes == 1:
        return stored
    wide = np.zeros((count, 2 if planes == 2 else 4), np.uint8)
    wide[:, :planes] = stored.reshape(planes, count).T
    return wide.reshape(-1).view("<u2" if planes == 2 else "<u4")
