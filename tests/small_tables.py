"""Real tables to probe: all of two and three men under both rules, and KNNvK. Made once a session."""

from pathlib import Path

import numpy as np
import pytest
from numpy.typing import NDArray

from tbgen.material import Material, every, parse
from tbgen.retro.finish import finish
from tbgen.retro.solve import solve
from tbgen.store import table_path, write_table

_made: list[Path] = []


def make(directory: Path, materials: list[Material], rules: str) -> None:
    """Solve materials, which are in build order and have all that they depend on among them."""
    answers: dict[Material, NDArray[np.int32]] = {}
    for material in materials:
        solved = solve(material, {m: answers[m] for m in material.successors()}, whole_game=rules == "wg")
        contents = finish(solved)
        answers[material] = contents.entries
        write_table(table_path(directory, material, rules), contents, {})


def small_tables(factory: pytest.TempPathFactory) -> Path:
    """The directory that holds them."""
    if not _made:
        directory = factory.mktemp("tables")
        make(directory, [*every(2), *every(3), parse("KNNvK")], "r")
        make(directory, [*every(2), *every(3)], "wg")
        _made.append(directory)
    return _made[0]
