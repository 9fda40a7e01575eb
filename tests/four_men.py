"""Tables of four men with pawns on both sides, and all that they lead to: minutes of work, for long checks only."""

from pathlib import Path

import pytest
from small_tables import make

from tbgen.material import parse, with_dependencies

_made: list[Path] = []


def four_men(factory: pytest.TempPathFactory) -> Path:
    """The directory that holds them, made once a session."""
    if not _made:
        directory = factory.mktemp("four")
        make(directory, with_dependencies([parse("KPvKP"), parse("KNNvK")]), "r")
        _made.append(directory)
    return _made[0]
