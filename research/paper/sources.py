"""Where the figures of the article come from: CSV files, and tables and sentences of pages, all of this project."""

import csv
import re
from collections import Counter
from collections.abc import Mapping
from functools import cache
from pathlib import Path
from typing import Final

ROOT: Final = Path(__file__).resolve().parents[2]
Row = dict[str, str]


@cache
def rows(name: str) -> list[Row]:
    """A CSV file."""
    with (ROOT / name).open(newline="", encoding="utf-8") as file:
        return list(csv.DictReader(file))


def five_men(name: str, rules: str) -> list[Row]:
    return [row for row in rows(f"research/five_men/{name}.csv") if row["rules"] == rules]


def record(material: str, gscore: str) -> Row:
    """The longest way to a score in an ending, under the rules r."""
    return next(row for row in five_men("records", "r") if (row["material"], row["gscore"]) == (material, gscore))


@cache
def page(name: str) -> str:
    return (ROOT / name).read_text(encoding="utf-8")


def table(name: str, *columns: str) -> list[list[str]]:
    """The rows of a page's first table whose head begins with these columns."""
    head = r"\| *" + r" *\| *".join(map(re.escape, columns)) + r".*\n\|[ :|-]+\|\n((?:\|.*\n)+)"
    found = re.search(head, page(name))
    if found is None:
        raise LookupError(f"{name} has no table that begins with {', '.join(columns)}")
    return [[cell.strip() for cell in line.strip("|").split("|")] for line in found[1].splitlines()]


def sentence(name: str, pattern: str) -> str:
    """What the pattern's group finds in a page."""
    found = re.search(pattern, page(name), re.MULTILINE)
    if found is None:
        raise LookupError(f"{name} has no sentence with {pattern}")
    return found[1]


def placements(rules: str, material: str | None = None) -> Counter[str]:
    """Of five men, by outcome, with a sign where it is Black's."""
    found: Counter[str] = Counter()
    for row in five_men("outcomes", rules):
        if material in (None, row["material"]):
            found[row["gscore"]] += int(row["placements"])
    return found


def unsigned(found: Mapping[str, int]) -> Counter[str]:
    """Whichever side's it is."""
    sums: Counter[str] = Counter()
    for gscore, many in found.items():
        sums[gscore.removeprefix("-")] += many
    return sums


def percent(share: float) -> str:
    return "<0.01 %" if 0 < share < 5e-5 else f"{100 * share:.{2 if share < 0.01 else 1}f} %"
