"""The shapes of a group, as the file lists them. A look needs one of them, so one is read without the others."""

from functools import cached_property
from pathlib import Path
from typing import Final, NamedTuple

import numpy as np
from numpy.typing import NDArray
from zlib_ng import zlib_ng

from tbgen.core.outcome import BASE
from tbgen.core.table_contents import OUTCOME_SHIFT
from tbgen.errors import CorruptTable
from tbgen.store.format.schema import COUNT, RAW, SHAPE_BLOCK, SHAPE_COLUMNS
from tbgen.store.format.shapes import Load, Shape, ShapeTable, pack_base

_NO_POSITION: Final = Shape(0, 0, 0)


class Bounds(NamedTuple):
    """What is true of every list of a table."""

    path: Path
    shapes: int
    """A group has no more."""
    form_bytes: int
    distances: int
    """A position has no more."""
    forms: int
    """Their numbers are lower."""


class ListedShapes(ShapeTable):
    """Columns of the list: twice the outcome plus whether the distance is odd, how many distances, the number of the
    form. CorruptTable if no table can have what it says."""

    def __init__(self, listed: bytes, bounds: Bounds, load: Load) -> None:
        """`listed`: the list as it is stored, whose checksum has been compared."""
        self._listed = listed
        self._bounds = bounds
        self._load = load
        self._each = SHAPE_COLUMNS + bounds.form_bytes
        self._known = b""
        self.count = 1 + int.from_bytes(listed[:COUNT], "little")
        self._compare(len(listed) > COUNT and self.count <= 1 + bounds.shapes)

    def one(self, shape: int) -> Shape:
        """The same as in the columns, in a tenth of the time that making these takes."""
        if not shape:
            return _NO_POSITION
        self._compare(0 < shape < self.count)
        block, nth = divmod(shape - 1, SHAPE_BLOCK)
        begin, length = block * SHAPE_BLOCK * self._each, min(SHAPE_BLOCK, self.count - 1 - block * SHAPE_BLOCK)
        end = begin + length * self._each
        low, high, held, *form = self._upto(end)[begin + nth : end : length]
        worth = low | (high ^ 0x80) - 0x80 << 8
        found = Shape((worth >> 1 << OUTCOME_SHIFT) + (worth & 1), held, int.from_bytes(form, "little"))
        self._compare(-BASE <= worth >> 1 <= BASE and 1 <= held <= self._bounds.distances)
        self._compare(found.form < self._forms)
        return found

    def _upto(self, end: int) -> bytes:
        """At least the first `end` bytes. Whoever asks for more a second time gets all."""
        known = self._known
        if len(known) < end:
            whole = (self.count - 1) * self._each
            most = whole if known else end
            try:
                stream = zlib_ng.decompressobj(RAW)
                known = bytes(stream.decompress(memoryview(self._listed)[COUNT:], most + (most == whole)))
            except zlib_ng.error as error:  # type: ignore[misc]  # its stub has no class here
                raise self._damaged(error) from error
            self._compare(len(known) == most)
            self._known = known
        return known

    @property
    def _forms(self) -> int:
        """Their numbers are lower."""
        return max(1, self._bounds.forms)

    @cached_property
    def base(self) -> NDArray[np.int32]:  # type: ignore[override]
        worth = self._column(0).astype(np.int16) | self._column(1).astype(np.int16) << 8
        self._compare(abs(worth >> 1).max() <= BASE)
        return pack_base(worth >> 1, worth & 1)

    @cached_property
    def held(self) -> NDArray[np.uint8]:  # type: ignore[override]
        held = self._column(2)
        self._compare(np.count_nonzero(held) == self.count - 1 and held.max() <= self._bounds.distances)
        return held

    @cached_property
    def form(self) -> NDArray[np.int64]:  # type: ignore[override]
        form = np.zeros(self.count, np.int64)
        for plane in range(self._bounds.form_bytes):
            form |= self._column(SHAPE_COLUMNS + plane).astype(np.int64) << 8 * plane
        self._compare(0 <= form.min() <= form.max() < self._forms)
        return form

    def _column(self, nth: int) -> NDArray[np.uint8]:
        """A byte of each shape; 0 of that which stands for no position."""
        count = self.count - 1
        raw = np.frombuffer(self._upto(count * self._each), np.uint8, count * self._each)
        whole = count - count % SHAPE_BLOCK
        column = np.zeros(self.count, np.uint8)
        blocks = raw[: whole * self._each].reshape(-1, self._each, SHAPE_BLOCK)
        column[1 : 1 + whole].reshape(-1, SHAPE_BLOCK)[:] = blocks[:, nth]
        column[1 + whole :] = raw[whole * self._each :].reshape(self._each, count - whole)[nth]
        return column

    def _compare(self, holds: bool | np.bool_) -> None:
        if not holds:
            raise self._damaged("a list of shapes is none")

    def _damaged(self, what: object) -> CorruptTable:
        return CorruptTable(f"{self._bounds.path} is damaged: {what}")
