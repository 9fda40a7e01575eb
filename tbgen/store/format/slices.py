"""The rows that tell a reader where the positions of some pawns are, found by counting."""

from typing import Final

import numpy as np
from numpy.typing import NDArray

from tbgen.index.layout import Layout
from tbgen.index.pawns import SLICE_SHIFT, ranked
from tbgen.store.format.schema import ROWS_PER_PAGE, SLICE_PAGE, with_checks
from tbgen.store.format.split import Split

_NOWHERE: Final = (1 << 64) - 1
"""The row of pawns that share a square."""
_START_AT: Final = 16
_FLIP_AT: Final = 8
_FAMILY_AT: Final = 4


def tell(layout: Layout, side: int | None = None) -> tuple[tuple[int, ...], bytes]:
    """The rows for the head, if they are few, else for a section of their own. A local table has none. `side`:
    the side to move that a slim table keeps."""
    if layout.chosen is not None:
        return (), b""
    told = _rows(layout, layout.start if side is None else Split(layout, side).first)
    if layout.material.pawns < 2:
        return tuple(told.tolist()), b""
    pages = np.zeros(-(-len(told) // ROWS_PER_PAGE), SLICE_PAGE)
    rest = len(pages) * ROWS_PER_PAGE - len(told)
    pages["row"] = np.pad(told, (0, rest), constant_values=_NOWHERE).reshape(len(pages), ROWS_PER_PAGE)
    return (), with_checks(pages).tobytes()


def _rows(layout: Layout, start: NDArray[np.int64]) -> NDArray[np.uint64]:
    """`[the first side's choice of squares, the second's]`: where the slice begins, and how to get there.

    From the lowest bit: symmetry and whether sides are swapped, as in `Slices.slice_of`; the kings' family; one
    more than the symmetry that swaps the sides to move; `start` of the slice."""
    material, found = layout.material, layout.pawns.slice_of
    first, second = (ranked(side.count("P")) for side in (material.first, material.second))
    codes = np.zeros((len(first), len(second)), np.int64)
    for place, pawn in enumerate((*first.T[:, :, None], *second.T[:, None, :])):
        codes += pawn << 6 * place
    packed = found[codes.reshape(-1)].astype(np.int64) if material.pawns else np.zeros(1, np.int64)
    there = packed >= 0
    which = packed[there] >> SLICE_SHIFT
    told = np.full(len(packed), _NOWHERE, np.uint64)
    told[there] = (
        packed[there] & (1 << SLICE_SHIFT) - 1
        | layout.family[which].astype(np.int64) << _FAMILY_AT
        | layout.flip[which].astype(np.int64) + 1 << _FLIP_AT
        | start[which] << _START_AT
    ).astype(np.uint64)
    return told
