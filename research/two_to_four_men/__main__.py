"""Make the report on two to four men anew: README.md and boards.html here, and whole-game.csv of the study whole_game.

All tables of two to four men under both sets of rules are read. Those that are missing are built first, which takes
some five minutes on two cores.
"""

import argparse
import os
import subprocess
import sys
import tempfile
from pathlib import Path
from typing import Final

from tbgen.store import list_tables

FOLDER: Final = Path(__file__).resolve().parent
ROOT: Final = FOLDER.parents[1]
MEN: Final = 4


def main() -> None:
    parser = argparse.ArgumentParser(prog="research/run two_to_four_men", description=__doc__)
    default = Path(os.environ.get("TBGEN_TABLES") or ROOT / "data")
    parser.add_argument("--tables", type=Path, metavar="DIR", default=default, help="tables that need not be built")
    source = parser.parse_args().tables
    with tempfile.TemporaryDirectory() as place:
        tables = Path(place)
        for path, material, _ in list_tables(source) if source.is_dir() else ():
            if material.men <= MEN:  # these alone, whatever else is there
                (tables / path.name).symlink_to(path.resolve())
        for rules in ("r", "wg"):
            _call("tbgen", "build", "--rules", rules, "--all", str(MEN), "--tables", place)
        for name in ("README.md", "boards.html"):
            _call("tbgen", "report", "all", "--rules", "r", "wg", "--tables", place, "-o", str(FOLDER / name))
        _call("research.whole_game", "--tables", place)


def _call(module: str, *words: str) -> None:
    subprocess.run([sys.executable, "-m", module, *words], check=True)


main()
