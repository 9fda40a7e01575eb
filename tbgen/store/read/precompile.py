"""Compiling the reader of whole chunks before it is needed (see retro/precompile.py)."""

from collections.abc import Callable
from itertools import product
from typing import Final

import numpy as np

from tbgen.store.read.kernels import spread


def _read() -> None:
    """With few and many shapes, and distances of one byte and of two."""
    having = np.ones(2, np.bool_)
    few = np.frombuffer(bytes(1), np.uint8)  # as they are in a chunk that has few shapes
    for shapes, kind in product((few, *(np.zeros(1, kind) for kind in ("u2", "u4"))), (np.uint8, np.uint16)):
        spread(shapes, having, bytes(2), 0, np.zeros(1, kind))


PARTS: Final[dict[str, Callable[[], None]]] = {"read": _read}
