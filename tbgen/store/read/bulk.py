"""Many positions in the order of their numbers: what long readings get."""

from functools import cached_property

import numpy as np
from numpy.typing import NDArray

from tbgen.store.format.shapes import ShapeTable
from tbgen.store.read.positions import Positions


class Bulk(Positions):
    """Columns are indexed by number, from the first of them."""

    def __init__(self, shape_table: ShapeTable, shapes: NDArray[np.uint32], halves: NDArray[np.uint16]) -> None:
        self.shape_table = shape_table
        self.shapes = shapes
        self._halves = halves

    @cached_property
    def entries(self) -> NDArray[np.int32]:  # type: ignore[override]
        entries: NDArray[np.int32] = self._halves[0].astype(np.int32)
        entries <<= 1
        entries += self.shape_table.base.take(self.shapes)
        return entries

    def halves(self) -> NDArray[np.uint16]:
        """The rows of all positions; only the fresh one if decoded with `fresh`."""
        return self._halves

    def count(self, here: slice | NDArray[np.int64], of_shape: NDArray[np.uint16], counts: NDArray[np.int64]) -> None:
        """Count some of the positions, in `counts[of_shape[shape], half of the fresh distance]`."""
        from tbgen.store.read import kernels  # late: a single look needs no compiler

        shapes, halves = self.shapes[here], self._halves[0, here]
        kernels.count(np.ascontiguousarray(shapes), np.ascontiguousarray(halves), of_shape, counts)

    def cut(self, here: slice | NDArray[np.int64]) -> "Bulk":
        return Bulk(self.shape_table, self.shapes[here], self._halves[:, here])
