"""Groups of chunks: where each chunk lies, and the list of shapes that its positions have."""

import struct
from typing import Final, NamedTuple

from tbgen.store.format.schema import CHECK, check_of, index_page
from tbgen.store.format.shapes import ShapeTable

_OVERHEAD: Final = 1000
_STEPS_TOO: Final = 64
"""Bytes of memory that a shape takes, about, with the steps of its form."""


_PLACES: Final = struct.Struct("<QQII")
"""Where the first chunk is, then the list of shapes; the lengths and checksums of the chunks follow."""


class Place(NamedTuple):
    """Where something lies in its section, and the checksum of its bytes."""

    offset: int
    length: int
    crc32: int


class Page:
    """A page of the index. ValueError if it has changed."""

    def __init__(self, page: bytes, group: int) -> None:
        """`group`: how many chunks it has."""
        if len(page) != index_page(group).itemsize or check_of(page[:-CHECK]) != page[-CHECK:]:
            raise ValueError("a page of the index has changed since it was written")
        self._page = page
        self._group = group
        self.size = _OVERHEAD + len(page)
        """Bytes of memory, about."""
        self._first, *shapes = _PLACES.unpack_from(page)
        self.shapes = Place(*shapes)

    def chunk(self, nth: int) -> Place:
        """Where the nth chunk is: behind those before it."""
        *before, length = struct.unpack_from(f"<{nth + 1}I", self._page, _PLACES.size)
        return Place(self._first + sum(before), length, _number(self._page, _PLACES.size + CHECK * (self._group + nth)))


class Group(NamedTuple):
    page: Page
    shape_table: ShapeTable

    @property
    def size(self) -> int:
        """Bytes of memory, about."""
        return self.page.size + _STEPS_TOO * self.shape_table.count


def _number(page: bytes, at: int) -> int:
    return int.from_bytes(page[at : at + CHECK], "little")
