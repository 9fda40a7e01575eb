"""Tables of four men with pawns on both sides, and all that they lead to: minutes of work, for long checks only."""

from pathlib import Path

from tbgen.core.material import parse, with_dependencies
from tests.support.small_tables import make


def make_four_men(directory: Path) -> None:
    make(directory, with_dependencies([parse("KPvKP"), parse("KNNvK")]), "r")
