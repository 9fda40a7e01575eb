"""Real tables to probe: all of two and three men under both rules, and KNNvK. The session has them as a fixture."""

from pathlib import Path

import numpy as np
from numpy.typing import NDArray

from tbgen.core.material import Material, every, parse
from tbgen.core.table_rules import TableRules
from tbgen.index.exits import exits_of
from tbgen.retro.export import finish
from tbgen.retro.solver import solve_table
from tbgen.store import table_path
from tbgen.store.write import write_table


def make(directory: Path, materials: list[Material], rules: str) -> None:
    """Solve materials, which are in build order and have all that they depend on among them."""
    answers: dict[Material, NDArray[np.int32]] = {}
    for material in materials:
        solved = solve_table(exits_of(material, answers), rules=TableRules(rules))
        contents = finish(solved)
        answers[material] = contents.entries
        write_table(table_path(directory, material, rules), contents, {})


def make_small_tables(directory: Path) -> None:
    make(directory, [*every(2), *every(3), parse("KNNvK")], "r")
    make(directory, [*every(2), *every(3)], "wg")
