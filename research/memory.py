"""Studies that take a whole table to memory ask first whether it fits."""

from collections.abc import Mapping

from tbgen.core.material import Material
from tbgen.errors import OutOfRoom
from tbgen.system import machine
from tbgen.system.text import size_of
from tbgen.system.thresholds import PROGRAM


def require_memory(tables: Mapping[Material, int]) -> None:
    """Raise OutOfRoom if the program has no memory for one of these tables, each of which takes so many bytes."""
    allowed = machine.memory()
    for material, table in tables.items():
        needed = PROGRAM + table
        if needed > allowed:
            raise OutOfRoom(
                f"{material} takes {size_of(needed)} of memory here, and there are {size_of(allowed)}: name others"
            )
