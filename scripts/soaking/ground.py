"""What attempts start from: right tables, built once, and what may lie beside them."""

import os
import shutil
import subprocess
import sys
from functools import cache
from pathlib import Path
from typing import Final

from soaking.case import Failed, names_in

TBGEN: Final = str(Path(sys.executable).with_name("tbgen"))
RULES: Final = ("r", "wg")
MADE: Final = ("KBvK", "KPvK")
"""Materials that are built, with all that they depend on."""
TABLES: Final = ("KvK", "KBvK", "KNvK", "KRvK", "KQvK", "KPvK")
"""All tables that are there then."""
SLIM: Final = ("KBvK", "KPvK")
"""Materials that have slim tables, too."""
NEEDED: Final = {"KPvK": ("KvK", "KBvK", "KNvK", "KRvK", "KQvK"), "KvK": ()}
"""The tables that a table depends on, if not KvK alone."""


def prepare(ground: Path) -> None:
    """Build the right tables, and compile the solver first if needed."""
    for rules in RULES:
        both = ["--rules", rules, "--tables", tables_of(ground), "-q"]
        subprocess.run([TBGEN, "build", *MADE, *both], check=True)
        slim_of(ground).mkdir(exist_ok=True)
        subprocess.run([TBGEN, "pack", "--slim", *SLIM, *both, "-o", slim_of(ground)], check=True)


def tables_of(ground: Path) -> Path:
    return ground / "tables"


def slim_of(ground: Path) -> Path:
    return ground / "slim"


def file_of(material: str, rules: str = "r", *, slim: bool = False) -> str:
    return f"{material}.{rules}{'.slim' * slim}.h5"


@cache
def right(ground: Path, name: str) -> bytes:
    """The bytes of a right table."""
    place = slim_of(ground) if ".slim." in name else tables_of(ground)
    return (place / name).read_bytes()


def lay(ground: Path, place: Path, materials: tuple[str, ...], rules: str = "r") -> set[str]:
    """Put right tables into a directory, as hard links if possible. Returns their names."""
    names = {file_of(material, rules) for material in materials}
    for name in names:
        try:
            os.link(tables_of(ground) / name, place / name)
        except OSError:
            shutil.copyfile(tables_of(ground) / name, place / name)
    return names


def needed_by(material: str) -> tuple[str, ...]:
    return NEEDED.get(material, ("KvK",))


def check_place(ground: Path, place: Path, names: set[str], where: str) -> None:
    """Check that exactly these tables are there, with the right bytes."""
    there = names_in(place)
    if there - names:
        raise Failed(f"{where}: left behind: {' '.join(sorted(there - names))}")
    if names - there:
        raise Failed(f"{where}: not there: {' '.join(sorted(names - there))}")
    check_tables(ground, place, where)


def check_tables(ground: Path, place: Path, where: str) -> None:
    """Check that every table that is there is right."""
    for name in names_in(place):
        if name.endswith(".h5") and not name.startswith(".") and (place / name).read_bytes() != right(ground, name):
            raise Failed(f"{where}: {name} is WRONG")
