"""Studies that take a whole table to memory ask first whether it fits."""

from collections.abc import Mapping

from tbgen import machine
from tbgen.errors import OutOfRoom
from tbgen.material import Material
from tbgen.sizes import PROGRAM
from tbgen.text import size_of


def require_memory(tables: Mapping[Material, int]) -> None:
    """Raise OutOfRoom if the program has no memory for one of these tables, each of which takes so many bytes."""
    allowed = machine.memory()
    for material, table in tables.items():
        needed = PROGRAM + table
        if needed > allowed:
            raise OutOfRoom(
                f"{material} takes {size_of(needed)} of memory here, and there are {size_of(allowed)}: name others"
            )
