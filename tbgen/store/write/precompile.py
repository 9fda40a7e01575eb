"""Compiling the writer before it is needed, on the smallest table (see retro/precompile.py)."""

from collections.abc import Callable
from concurrent.futures import ThreadPoolExecutor
from typing import Final

import numpy as np

from tbgen.contents import Contents, Steps
from tbgen.index.layout import layout_of
from tbgen.material import Material
from tbgen.store.write.encode import encode
from tbgen.table_rules import TableRules

_KINGS: Final = Material("", "")


def _write() -> None:
    zeros = np.zeros(layout_of(_KINGS).size, np.int32)
    bytes_, outcome, distance = np.zeros(0, np.uint8), np.zeros(0, np.int16), np.zeros(0, np.uint16)
    steps = Steps(np.zeros(2, np.int64), bytes_, bytes_, outcome, distance)
    with ThreadPoolExecutor(1) as pool:
        list(encode(Contents(_KINGS, TableRules.RESET, zeros, zeros, steps), pool).chunks)


PARTS: Final[dict[str, Callable[[], None]]] = {"write": _write}
