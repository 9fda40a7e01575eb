"""Compiling the verifier before it is needed, on the smallest table (see retro/precompile.py)."""

from collections.abc import Callable
from typing import Final

from tbgen.core.material import Material
from tbgen.core.table_contents import no_positions
from tbgen.index.exits import exits_of
from tbgen.index.layout import layout_of
from tbgen.verify.run import verify

_KINGS: Final = Material("", "")


def _verify() -> None:
    verify(no_positions(_KINGS, layout_of(_KINGS).size), exits_of(_KINGS, {}))


PARTS: Final[dict[str, Callable[[], None]]] = {"verify": _verify}
"""The longest first."""
