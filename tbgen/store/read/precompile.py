"""Compiling the reader of whole chunks before it is needed (see retro/precompile.py)."""

import zlib
from collections.abc import Callable
from itertools import product
from pathlib import Path
from typing import Final

import numpy as np

from tbgen.store.format.shapes import ODD, Shapes, ShapeTable
from tbgen.store.read.chunk import ChunkFormat
from tbgen.store.read.decode import decode, spell_out

_MANY: Final = 70_000


def _read() -> None:
    """Read with few and many shapes, and with distances of one byte and of two."""
    for shapes, planes in product((2, _MANY), (1, 2)):
        ones = np.ones(shapes, np.uint8)
        ones[0] = 0
        known = Shapes(ones.astype(np.int16), ones, ones, ones[1:], ones[1:], ones[1:].astype(np.int16), ODD * ones[1:])
        raw = bytes(1 + 2 * planes)
        chunk_format = ChunkFormat(Path(), len(raw), np.zeros(1, np.int64), 0, planes, ShapeTable(known))
        bulk = decode(chunk_format, [zlib.compress(b"\1" + raw[1:])], 1)
        spell_out(bulk)
        bulk.count(slice(None), ones.astype(np.uint16), np.zeros((2, 1), np.int64))


PARTS: Final[dict[str, Callable[[], None]]] = {"read": _read}
