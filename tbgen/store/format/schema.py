"""The sections of a file: names, and how their pages lie in it. Each page has a checksum of its own."""

from functools import cache
from typing import Any, Final

import numpy as np
from numpy.typing import NDArray
from zlib_ng import zlib_ng

from tbgen.core.material import Material
from tbgen.index.layout import Layout

SLICES: Final = "slices"
INDEX: Final = "index"
SHAPES: Final = "shapes"
FORMS: Final = "forms"
NOTES: Final = "notes"
CHUNKS: Final = "chunks"

COMPLETE: Final = "complete"
"""The bound of a table that has all positions of its material."""
BOTH_SIDES: Final = "both"
KEEPS: Final = (BOTH_SIDES, "first", "second")
"""Which sides to move a file has."""
_MOVES: Final = {"K": "WF", "Q": "RB", "R": "R", "B": "B", "N": "N", "P": "fmWfceFifmnD"}
"""In Betza's notation."""

LEVEL: Final = 5
"""How hard a writer compresses chunks; a reader inflates any level. At this one, zlib-ng takes a third of the
time of zlib's level 6, and one percent more bytes."""
RAW: Final = -15
"""What zlib calls a stream without a header and a checksum: the file has checksums of its own."""
GROUP: Final = 1 << 18
"""Numbers of the chunks that share a list of shapes, unless a chunk has more."""
ESCAPE: Final = 255
"""The first byte of a position whose shape has this number or a higher one."""
SHAPE_COLUMNS: Final = 3
"""Bytes of a shape in its list but for its form: outcome and parity, and how many distances it has."""
COUNT: Final = 4
"""Bytes before a list of shapes that say how many there are."""
SHAPE_BLOCK: Final = 256
"""Shapes whose columns stand together in a list. The commonest come first, so that most looks inflate one block."""
FORM_PAGE: Final = 4096
FORMS_PER_PAGE: Final = 1 << 10
ROWS_PER_PAGE: Final = 511
CHECK: Final = 4
"""Bytes of a checksum."""


def check_of(data: bytes) -> bytes:
    """The checksum that stands before or behind these bytes."""
    return zlib_ng.crc32(data).to_bytes(CHECK, "little")


def men_of(material: Material) -> str:
    """The slots, such as `KkRn`."""
    return "".join(letter if side == 0 else letter.lower() for side, letter in Layout(material).letters)


def kinds_of(material: Material) -> dict[str, str]:
    """How each of its men moves, by letter: those beyond chess come last."""
    moves = _MOVES | {man.letter: man.moves for man in material.fairy}
    return {letter: moves[letter] for letter in moves if letter in f"K{material}"}


def group_of(width: int) -> int:
    """How many chunks share a list of shapes."""
    return max(1, GROUP // width)


@cache
def index_page(group: int) -> np.dtype[Any]:
    """Where a group's chunks and its list of shapes lie in their sections, and the checksums of these."""
    return np.dtype(
        [
            ("first", "<u8"),
            ("shapes", "<u8"),
            ("shapes_length", "<u4"),
            ("shapes_crc32", "<u4"),
            ("length", "<u4", (group,)),
            ("crc32", "<u4", (group,)),
            ("page_crc32", "<u4"),
        ]
    )


SLICE_PAGE: Final = np.dtype([("row", "<u8", (ROWS_PER_PAGE,)), ("page_crc32", "<u4"), ("zero", "<u4")])


def with_checks(pages: NDArray[Any]) -> NDArray[Any]:
    """Fill in the checksums of pages of this kind: each covers what lies before it in its page."""
    raw = pages.view(np.uint8).reshape(len(pages), pages.dtype.itemsize)
    end = pages.dtype.fields["page_crc32"][1]  # type: ignore[index]  # it has fields
    pages["page_crc32"] = [zlib_ng.crc32(page[:end].data) for page in raw]
    return pages


def shape_type(count: int) -> type[np.uint16] | type[np.uint32]:
    """The narrowest type for the numbers of `count` shapes, when a byte is not enough."""
    return np.uint16 if count <= 1 << 16 else np.uint32
