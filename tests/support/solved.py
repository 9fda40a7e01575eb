"""Finished tables, solved once a session."""

from functools import cache

import numpy as np
from numpy.typing import NDArray

from tbgen.core.material import Material, parse
from tbgen.core.table_contents import Contents
from tbgen.core.table_rules import TableRules
from tbgen.index.exits import exits_of
from tbgen.retro import solver
from tbgen.retro.export import finish


def entries_of(materials: list[Material], rules: str) -> dict[Material, NDArray[np.int32]]:
    return {material: contents(material.name, rules).entries for material in materials}


def solved(name: str, rules: str, threads: int = 1) -> Contents:
    material = parse(name)
    successor_entries = entries_of(material.successors(), rules)
    return finish(solver.solve_table(exits_of(material, successor_entries), rules=TableRules(rules), threads=threads))


@cache
def contents(name: str, rules: str = "r") -> Contents:
    """A finished table, solved once a session."""
    return solved(name, rules)


def every_byte(table: Contents) -> list[bytes]:
    return [part.tobytes() for part in (table.entries, table.staircases, *table.steps)]
