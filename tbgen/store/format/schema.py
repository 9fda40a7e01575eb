"""Names within a file, and its description of the index, for readers without an index of their own."""

from collections.abc import Container, Mapping
from typing import Any, Final

import h5py
import numpy as np
from numpy.typing import NDArray

from tbgen.index import Layout

CHUNKS: Final = "chunks"
CRC32: Final = "chunk_crc32"
PLACES: Final = "chunk_places"

LEVEL: Final = 5
"""How hard a writer compresses chunks; a reader inflates any level. At this one, zlib-ng takes a third of the
time of zlib's level 6, and one percent more bytes."""

ESCAPE: Final = 255
"""The first byte of a position whose shape has this number or a higher one."""

FACTS: Final = "facts"
SHAPES: Final = "shapes"
INDEX: Final = "index"
PAWNS: Final = "pawns"
_SMALL: Final = 2048
"""Bytes of a column that is not compressed: HDF5's bookkeeping would take more than it saves."""

Facts = Mapping[str, int | float | str]
"""Attributes of a group, by name. Those of `facts` are what solving took: see `Counts` in retro/checkpoint.py."""


def note(group: h5py.Group, facts: Facts) -> None:
    """Write attributes of fixed length: HDF5 keeps strings of variable length in a heap, which is harder to read."""
    for name, value in facts.items():
        group.attrs[name] = np.bytes_(value.encode("utf-8")) if isinstance(value, str) else value


def columns(group: h5py.Group, values: Mapping[str, NDArray[Any]], plain: Container[str] = ()) -> None:
    """Long columns are compressed, but for those in `plain`."""
    for name, column in values.items():
        packed = {"compression": "gzip", "shuffle": True} if column.nbytes > _SMALL and name not in plain else {}
        group.create_dataset(name, data=column, **packed)


def describe(file: h5py.File, layout: Layout) -> None:
    """Write the index; docs/format.md tells how it gives the number of a position. Our own reader takes from it the
    placements of a local table, which are not compressed."""
    index = file.create_group(INDEX)
    note(index, {"men": "".join(letter if side == 0 else letter.lower() for side, letter in layout.letters)})
    groups = [(group.slot, group.count, group.stride) for group in layout.groups]
    columns(
        index,
        {
            "groups": np.array(groups, "<i8").reshape(-1, 3),
            PAWNS: layout.pawns.squares,
            "family": layout.family,
            "flip": layout.flip,
            "start": layout.start[:-1].astype("<i8"),
        },
        plain=() if layout.chosen is None else (PAWNS,),
    )


def shape_type(count: int) -> type[np.uint16] | type[np.uint32]:
    """The narrowest type for the numbers of `count` shapes, when a byte is not enough."""
    return np.uint16 if count <= 1 << 16 else np.uint32
