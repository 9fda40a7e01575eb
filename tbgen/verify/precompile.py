"""Compiling the verifier before it is needed, on the smallest table (see retro/precompile.py)."""

from collections.abc import Callable
from typing import Final

import numpy as np

from tbgen.contents import Contents, Steps
from tbgen.index.exits import exits_of
from tbgen.index.layout import layout_of
from tbgen.material import Material
from tbgen.table_rules import TableRules
from tbgen.verify.run import verify

_KINGS: Final = Material("", "")


def _verify() -> None:
    zeros = np.zeros(layout_of(_KINGS).size, np.int32)
    bytes_, outcome, distance = np.zeros(0, np.uint8), np.zeros(0, np.int16), np.zeros(0, np.uint16)
    steps = Steps(np.zeros(2, np.int64), bytes_, bytes_, outcome, distance)
    verify(Contents(_KINGS, TableRules.RESET, zeros, zeros, steps), exits_of(_KINGS, {}))


PARTS: Final[dict[str, Callable[[], None]]] = {"verify": _verify}
"""The longest first."""
