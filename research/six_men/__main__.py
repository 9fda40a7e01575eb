"""Make the pages on six men anew, README.md and boards.html, and outcomes.csv, from the tables of six men that are
there: some under each set of rules.
"""

import argparse
import os
import re
import subprocess
import sys
from collections.abc import Sequence
from pathlib import Path
from typing import Final

from tbgen.store import list_tables
from tbgen.system import output_files

FOLDER: Final = Path(__file__).resolve().parent
ROOT: Final = FOLDER.parents[1]
MEN: Final = 6
HEAD: Final = """\
# Six men

`tbgen build` made these first tables of six men under a limit of 4 GB
([how long that took](../../docs/performance.md#six-men)). All are verified whole, by their moves
([how](../../docs/theory.md#how-it-is-checked)). [The page with boards](boards.html) has the lines under the rules `r`
to play through; [outcomes.csv](outcomes.csv) has every outcome; [digests.txt](../../docs/digests.txt) the digest of
each. White mates, and is mated, in as many positions as
[Syzygy's tables](https://github.com/niklasf/syzygy-tables.info/tree/master/stats/regular) say, for either side to move
(`research/six_men/tests/test_chess_wins.py`). `research/run six_men` makes both pages and the CSV file.
"""


def main() -> None:
    parser = argparse.ArgumentParser(prog="research/run six_men", description=__doc__)
    default = Path(os.environ.get("TBGEN_TABLES") or ROOT / "data")
    parser.add_argument("--tables", type=Path, metavar="DIR", default=default, help="default: $TBGEN_TABLES, or data/")
    tables = parser.parse_args().tables
    materials: dict[str, list[str]] = {"r": [], "wg": []}
    for _, material, rules in list_tables(tables):
        if material.men == MEN:
            materials[rules].append(material.name)
    if not all(materials.values()):
        sys.exit(f"tbgen: {tables} should have tables of six men under both sets of rules: name another by --tables")
    _report("all", materials["r"], "r", tables, "-o", str(FOLDER / "boards.html"))
    pages = {rules: _report("all", names, rules, tables, "--format", "md") for rules, names in materials.items()}
    output_files.replace(FOLDER / "README.md", page(pages["r"], pages["wg"]).encode())
    options = ("--format", "csv", "--table", "outcomes")
    counts = [(rules, _report("stats", names, rules, tables, *options)) for rules, names in materials.items()]
    output_files.replace(FOLDER / "outcomes.csv", outcomes(counts).encode())


def _report(name: str, materials: Sequence[str], rules: str, tables: Path, *options: str) -> str:
    words = ["report", name, *materials, "--rules", rules, "--tables", str(tables), *options]
    return subprocess.run([sys.executable, "-m", "tbgen", *words], check=True, stdout=subprocess.PIPE, text=True).stdout


def page(report: str, whole_game: str) -> str:
    """Return both reports as one page, whose words are explained once."""
    body = report.partition("\n")[2]
    beside = re.sub(r"^Words:\n.*?^- \*\*placement[^\n]*\n", "", whole_game.partition("\n")[2], flags=re.M | re.S)
    beside = re.sub(r"^##", "###", beside, flags=re.M)
    return re.sub(r"\n{3,}", "\n\n", f"{HEAD}{body}\n## Under whole-game mobility\n{beside}")


def outcomes(counts: Sequence[tuple[str, str]]) -> str:
    """Return the rows of several CSV tables as one, with the rules as second column."""
    rows: list[str] = []
    for rules, text in counts:
        head, *body = text.splitlines()
        rows += [head.replace(",", ",rules,", 1)] if not rows else []
        rows += [row.replace(",", f",{rules},", 1) for row in body]
    return "\n".join(rows) + "\n"


main()
