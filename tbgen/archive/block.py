"""Packing the kept positions a block at a time, by LZMA: the sections of a chunk (docs/format.md), but for hundreds of
chunks together and without the numbers that hold no legal position, which the reader finds by itself."""

import lzma
from collections.abc import Iterator, Sequence
from typing import Any, Final, NamedTuple

import numpy as np
from numpy.typing import NDArray

from tbgen.errors import OutOfRoom
from tbgen.outcome import BASE
from tbgen.store.format.planes import bytes_for, joined, planes_of
from tbgen.store.format.schema import ESCAPE, shape_type
from tbgen.store.format.shapes import Forms, ShapeTable, check, pack_base
from tbgen.store.read.bulk import Bulk

SECTIONS: Final = 4
"""A block has so many: shapes, what is added to some of them, fresh distances, stored distances."""
_FILTERS: Final[list[dict[str, int]]] = [
    {"id": lzma.FILTER_LZMA2, "preset": 6 | lzma.PRESET_EXTREME, "dict_size": 1 << 22, "lc": 4, "lp": 0, "pb": 0}
]


class KeptPositions(NamedTuple):
    """Positions in the order of their places."""

    shapes: NDArray[np.unsignedinteger]
    """0 where there is none."""
    halves: NDArray[np.uint16]
    """`[n, place]`: half of the nth distance, the fresh one being the 0th."""


class Packer:
    """Packs and unpacks blocks of a table with these shapes."""

    def __init__(self, shape_table: ShapeTable, order: NDArray[np.int64], planes: int) -> None:
        """`order`: as the table has it within chunks. `planes`: bytes of half a distance."""
        self.shape_table = shape_table
        self._order = order
        self._planes = planes
        self._escape_planes = bytes_for(shape_table.count - 2 - ESCAPE)

    def pack(self, kept: KeptPositions) -> list[bytes]:
        at = self._in_order(len(kept.shapes))
        at = at[kept.shapes[at] > 0]
        shapes = kept.shapes[at]
        numbers = shapes.astype(np.int64) - 1
        low = np.minimum(numbers, ESCAPE)
        fresh = kept.halves[0][at[_by(shapes)]]
        stored = [_split(kept.halves[nth][at[some]], self._planes) for nth, some in self._stored(shapes)]
        return [
            _deflate(_split(low, 1)),
            _deflate(_split(numbers[low == ESCAPE] - ESCAPE, self._escape_planes)),
            _deflate(_split(fresh, self._planes)),
            _deflate(b"".join(stored)),
        ]

    def unpack(self, sections: Sequence[bytes], legal: NDArray[np.bool_]) -> Bulk:
        """The positions, given which places hold one. ValueError if they are none."""
        at = self._in_order(len(legal))
        at = at[legal[at]]
        shapes = joined(_inflate(sections[0], len(at)), 0, len(at), 1).astype(np.int64)
        escaped = np.flatnonzero(shapes == ESCAPE)
        high = _inflate(sections[1], len(escaped) * self._escape_planes)
        if self._escape_planes:
            shapes[escaped] += joined(high, 0, len(escaped), self._escape_planes)
        shapes += 1
        if shapes.max(initial=0) >= self.shape_table.count:
            raise ValueError("a shape is none of its table")
        kept = KeptPositions(
            np.zeros(len(legal), shape_type(self.shape_table.count)),
            np.zeros((max(1, int(self.shape_table.held.take(shapes).max(initial=0))), len(legal)), np.uint16),
        )
        kept.shapes[at] = shapes
        fresh = _inflate(sections[2], len(at) * self._planes)
        kept.halves[0][at[_by(shapes)]] = joined(fresh, 0, len(at), self._planes)
        found = list(self._stored(shapes))
        raw, begin = _inflate(sections[3], sum(len(some) for _, some in found) * self._planes), 0
        for nth, some in found:
            kept.halves[nth][at[some]] = joined(raw, begin, len(some), self._planes)
            begin += len(some) * self._planes
        return Bulk(self.shape_table, kept.shapes, kept.halves)

    def _in_order(self, count: int) -> NDArray[np.int64]:
        """The first `count` places, neighbours being alike."""
        width = len(self._order)
        places = (np.arange(0, count, width)[:, None] + self._order).reshape(-1)
        return places[places < count]

    def _stored(self, shapes: NDArray[np.integer]) -> Iterator[tuple[int, NDArray[np.int64]]]:
        """For each distance beside the fresh one that some positions have: which it is, and those positions, sorted by
        shape."""
        count = self.shape_table.held.take(shapes)
        for nth in range(1, int(count.max(initial=0))):
            some = np.flatnonzero(count > nth)
            yield nth, some[_by(shapes[some])]


class Shapes(NamedTuple):
    """The shapes that are kept: that of no position, then the commonest first."""

    outcome: NDArray[np.int16]
    odd: NDArray[np.uint8]
    """Whether the fresh distance is odd."""
    forms: Forms
    """`[shape]`."""

    def table(self) -> ShapeTable:
        held = self.forms.stored() + np.uint8(1)
        held[0] = 0
        form = np.where(self.forms.steps > 0, np.arange(len(held)), 0)
        return ShapeTable(pack_base(self.outcome, self.odd), held, form, lambda numbers, _: self.forms.taken(numbers))


def pack_shapes(shapes: Shapes) -> list[bytes]:
    """Column by column."""
    columns: tuple[NDArray[Any], ...] = (shapes.outcome, shapes.odd, *shapes.forms)
    return [_deflate(column.astype(kind).tobytes()) for column, kind in zip(columns, _COLUMNS, strict=True)]


def unpack_shapes(columns: Sequence[bytes], count: int, room: int) -> Shapes:
    """ValueError if no table can have such shapes. OutOfRoom before they take more than about `room` bytes of memory:
    LZMA makes thousands of bytes of one, so that a small file may claim any number of steps."""
    found: list[NDArray[Any]] = []
    taken = 0
    for nth, (kind, packed) in enumerate(zip(_COLUMNS, columns, strict=True)):
        rows = count if nth <= _STEPS else int(found[_STEPS].sum(dtype=np.int64))
        size = rows * np.dtype(kind).itemsize
        taken += size
        check_shapes(taken, room)
        found.append(np.frombuffer(_inflate(packed, size), kind))
    shapes = Shapes(found[0], found[1], Forms(*found[_STEPS:]))
    check(shapes.forms)
    if shapes.outcome[0] or shapes.forms.steps[0] or abs(shapes.outcome).max() > BASE or shapes.odd.max() > 1:
        raise ValueError("its shapes cannot be")
    return shapes


def check_shapes(size: int, room: int) -> None:
    """OutOfRoom if columns of so many bytes take more than `room` bytes of memory."""
    if _DERIVED * size > room:
        raise OutOfRoom(f"its shapes take more memory than the {room >> 20} MiB that --memory leaves them")


_COLUMNS: Final = ("<i2", "u1", "u1", "u1", "u1", "<i2", "u1")
"""Outcome and parity of each shape, and how many steps its form has; holder, level, outcome, source of each step."""
_STEPS: Final = 2
SHAPE_COLUMNS: Final = len(_COLUMNS)
_DERIVED: Final = 3
"""How many times their size shapes take in memory, with what a reader derives from them."""


def _by(shapes: NDArray[np.integer]) -> NDArray[np.int64]:
    return np.argsort(shapes, kind="stable")


def _split(values: NDArray[np.integer], planes: int) -> bytes:
    return b"".join(plane.tobytes() for plane in planes_of(values, planes))


def _deflate(raw: bytes) -> bytes:
    return lzma.compress(raw, lzma.FORMAT_RAW, filters=_FILTERS) if raw else b""


def _inflate(packed: bytes, size: int) -> bytes:
    """The bytes; ValueError unless there are exactly `size`."""
    if not size and not packed:
        return b""
    stream = lzma.LZMADecompressor(lzma.FORMAT_RAW, filters=_FILTERS)
    try:
        raw = stream.decompress(packed, size + 1)
    except lzma.LZMAError as error:
        raise ValueError(str(error)) from error
    if len(raw) != size:
        raise ValueError(f"a section has {len(raw)} bytes instead of {size}")
    return raw
