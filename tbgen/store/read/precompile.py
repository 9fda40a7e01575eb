"""Compiling the reader of whole chunks before it is needed (see retro/precompile.py)."""

import zlib
from collections.abc import Callable
from pathlib import Path
from typing import Final

import numpy as np
from numpy.typing import NDArray

from tbgen.memory.arrays import in_memory
from tbgen.store.format.schema import RAW
from tbgen.store.format.shapes import ODD, Forms, ShapeTable, no_forms
from tbgen.store.read.chunk import ChunkFormat
from tbgen.store.read.decode import decode, spell_out
from tbgen.store.read.keys import Keys
from tbgen.store.read.staircases import Staircases

_MANY: Final = 70_000
"""Keys, or staircases, that need more than one table of them."""


def _read() -> None:
    """Read a chunk of one number, spell out its staircase, number keys and staircases."""
    ones = np.array([0, 1], np.uint8)
    raw = b"\1\0\0"
    table = ShapeTable(ones.astype(np.int32), 2 * ones, ones.astype(np.int64), _one_step)
    packer = zlib.compressobj(wbits=RAW)
    chunk = packer.compress(raw) + packer.flush()
    bulk = decode(ChunkFormat(Path(), len(raw), np.zeros(1, np.int64), 0, 1), table, [chunk], 1)
    spell_out(bulk)
    bulk.count(slice(None), ones.astype(np.uint16), np.zeros((2, 1), np.int64))
    Keys().number(np.arange(_MANY))
    Staircases(in_memory).number(np.ones(_MANY, np.uint16), np.arange(_MANY))


def _one_step(numbers: NDArray[np.int64], stored: NDArray[np.uint8]) -> Forms:
    """Forms with a step where a distance is stored."""
    ones = np.ones(1, np.uint8)
    step = Forms(np.array([0, 1], np.uint8), ones, ones, ones.astype(np.int16), ODD * ones)
    return step.taken(stored) if stored.any() else no_forms().taken(stored)


PARTS: Final[dict[str, Callable[[], None]]] = {"read": _read}
