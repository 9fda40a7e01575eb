"""The shapes of a group, as the file lists them. A look needs one of them, so one is read without the others."""

from functools import cached_property
from pathlib import Path
from typing import Final, NamedTuple

import numpy as np
from numpy.typing import NDArray
from zlib_ng import zlib_ng

from tbgen.contents import OUTCOME_SHIFT
from tbgen.errors import CorruptTable
from tbgen.outcome import BASE
from tbgen.store.format.planes import joined
from tbgen.store.format.schema import RAW, SHAPE_COLUMNS
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
        self._bounds = bounds
        self._load = load
        each = SHAPE_COLUMNS + bounds.form_bytes
        try:
            self._raw = bytes(zlib_ng.decompressobj(RAW).decompress(listed, bounds.shapes * each + 1))
        except zlib_ng.error as error:  # type: ignore[misc]  # its stub has no class here
            raise self._damaged(error) from error
        listed_shapes, rest = divmod(len(self._raw), each)
        if rest or listed_shapes > bounds.shapes:
            raise self._damaged("a list of shapes is none")
        self.count = 1 + listed_shapes

    def one(self, shape: int) -> Shape:
        """The same as in the columns, in a tenth of the time that making these takes."""
        if not shape:
            return _NO_POSITION
        low, high, held, *form = self._raw[shape - 1 :: self.count - 1]
        worth = low | (high ^ 0x80) - 0x80 << 8
        found = Shape((worth >> 1 << OUTCOME_SHIFT) + (worth & 1), held, int.from_bytes(form, "little"))
        self._compare(-BASE <= worth >> 1 <= BASE and 1 <= held <= self._bounds.distances)
        self._compare(found.form < self._forms)
        return found

    @property
    def _forms(self) -> int:
        """Their numbers are lower."""
        return max(1, self._bounds.forms)

    @cached_property
    def base(self) -> NDArray[np.int32]:  # type: ignore[override]
        worth = np.zeros(self.count, np.int16)
        if self.count > 1:
            worth[1:] = joined(self._raw, 0, self.count - 1, 2).view(np.int16)
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
        length = self.count - 1
        return np.frombuffer(b"\0" + self._raw[nth * length : (nth + 1) * length], np.uint8)

    def _compare(self, holds: bool | np.bool_) -> None:
        if not holds:
            raise self._damaged("a list of shapes is none")

    def _damaged(self, what: object) -> CorruptTable:
        return CorruptTable(f"{self._bounds.path} is damaged: {what}")
