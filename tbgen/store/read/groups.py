"""Groups of chunks: where each chunk lies, and the list of shapes that its positions have."""

import itertools
import struct
import zlib
from functools import cache
from typing import Final, NamedTuple

import numpy as np
from zlib_ng import zlib_ng

from tbgen.outcome import BASE
from tbgen.store.format.head import Head
from tbgen.store.format.planes import joined
from tbgen.store.format.schema import CHECK, RAW, SHAPE_COLUMNS
from tbgen.store.format.shapes import Load, ShapeTable, pack_base

_STEPS_TOO: Final = 64
"""Bytes of memory that a shape takes, about, with the steps of its form."""


class Group(NamedTuple):
    offsets: list[int]
    """`[chunk]`: where it lies in its section."""
    lengths: list[int]
    crc32: list[int]
    shape_table: ShapeTable

    @property
    def size(self) -> int:
        """Bytes of memory, about."""
        return 100 * len(self.offsets) + _STEPS_TOO * self.shape_table.count


class Place(NamedTuple):
    """Where something lies in its section, and the checksum of its bytes."""

    offset: int
    length: int
    crc32: int


class Page(NamedTuple):
    """A page of the index."""

    shapes: Place
    offsets: list[int]
    lengths: list[int]
    crc32: list[int]


def read_index(page: bytes, group: int) -> Page:
    """ValueError if it has changed."""
    fields = _fields(group)
    if len(page) != fields.size or zlib.crc32(page[:-CHECK]) != int.from_bytes(page[-CHECK:], "little"):
        raise ValueError("a page of the index has changed since it was written")
    first, shapes, length, crc32, *both, _ = fields.unpack(page)
    offsets = list(itertools.accumulate(both[: group - 1], initial=first))
    return Page(Place(shapes, length, crc32), offsets, both[:group], both[group:])


@cache
def _fields(group: int) -> struct.Struct:
    """`index_page` for one page: faster than numpy."""
    return struct.Struct(f"<QQII{2 * group}II")


def make_group(page: Page, listed: bytes, most: int, head: Head, forms: int, load: Load) -> Group:
    """`listed`: the list of shapes, whose checksum has been compared; `most`: how many there may be; the numbers of
    forms are below `forms`."""
    return Group(page.offsets, page.lengths, page.crc32, _read_shapes(listed, most, head, forms, load))


def _read_shapes(listed: bytes, most: int, head: Head, forms: int, load: Load) -> ShapeTable:
    """Columns: twice the outcome plus whether the distance is odd, how many distances, the number of the form."""
    each = SHAPE_COLUMNS + head.form_bytes
    try:
        raw = zlib_ng.decompressobj(RAW).decompress(listed, most * each + 1)
    except zlib_ng.error as error:  # type: ignore[misc]  # its stub has no class here
        raise ValueError(str(error)) from error
    count, rest = divmod(len(raw), each)
    if rest or count > most:
        raise ValueError("a list of shapes is none")
    worth, held, form = np.zeros(1 + count, np.int16), np.zeros(1 + count, np.uint8), np.zeros(1 + count, np.int64)
    worth[1:] = joined(raw, 0, count, 2).view(np.int16) if count else 0
    held[1:] = np.frombuffer(raw, np.uint8, count, 2 * count)
    for plane in range(head.form_bytes):
        at = (SHAPE_COLUMNS + plane) * count
        form[1:] |= np.frombuffer(raw, np.uint8, count, at).astype(np.int64) << 8 * plane
    if abs(worth >> 1).max() > BASE or held.max() > head.distances or np.count_nonzero(held) != count:
        raise ValueError("a list of shapes is none")
    if not 0 <= form.min() <= form.max() < max(1, forms):
        raise ValueError("it has no such form")
    return ShapeTable(pack_base(worth >> 1, worth & 1), held, form, load)
