"""Compiling the writer before it is needed, on the smallest table (see retro/precompile.py)."""

from collections.abc import Callable
from concurrent.futures import ThreadPoolExecutor
from typing import Final

from tbgen.core.material import Material
from tbgen.core.table_contents import no_positions
from tbgen.index.layout import layout_of
from tbgen.store.write.encode import encode

_KINGS: Final = Material("", "")


def _write() -> None:
    with ThreadPoolExecutor(1) as pool:
        list(encode(no_positions(_KINGS, layout_of(_KINGS).size), pool).chunks)


PARTS: Final[dict[str, Callable[[], None]]] = {"write": _write}
