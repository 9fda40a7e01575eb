"""Own tables as files: which there are, and what their names say. They lie in a directory within that of the tables.

    own/KPPvKPP.r.1f0c9d2e8a7b55aa.worst.h5

The key, 16 digits, stands for what the table depends on (format/own.py), so that another table never has its name.
"""

import re
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path
from typing import Final, NamedTuple

from tbgen.errors import BadInput, CorruptTable
from tbgen.material import Material, parse
from tbgen.store.directory import SUFFIX
from tbgen.store.format.own import BOUNDS, Bound
from tbgen.table_rules import TableRules

OWN_DIRECTORY: Final = "own"
"""The directory within that of the tables."""
_NAME: Final = re.compile(rf"([KQRBNPv]+)\.r\.([0-9a-f]{{16}})\.({'|'.join(BOUNDS)}){re.escape(SUFFIX)}")


class OwnFile(NamedTuple):
    path: Path
    material: Material
    key: str
    bound: Bound


def own_path(tables: str | Path, material: Material, key: str, bound: Bound) -> Path:
    """Where an own table is, or would be, that belongs to a directory of tables."""
    return Path(tables) / OWN_DIRECTORY / f"{material.name}.{TableRules.RESET}.{key}.{bound}{SUFFIX}"


def own_named(path: Path) -> OwnFile | None:
    """What a file claims to hold by its name; None if that is not the name of an own table."""
    match = _NAME.fullmatch(path.name)
    if match is None:
        return None
    try:
        material = parse(match[1])
    except BadInput:
        return None
    return OwnFile(path, material, match[2], Bound(match[3])) if material.name == match[1] else None


@contextmanager
def replaceable() -> Iterator[None]:
    """Says of a damaged own table what can be done about it."""
    try:
        yield
    except CorruptTable as error:
        raise CorruptTable(f"{error} (remove it: tbgen solve --keep makes it again)") from error


def list_own(tables: str | Path, material: Material | None = None) -> Iterator[OwnFile]:
    """Every own table of a directory of tables, or those of a material, in order of name."""
    try:
        paths = sorted((Path(tables) / OWN_DIRECTORY).iterdir())
    except (FileNotFoundError, NotADirectoryError):
        return
    for path in paths:
        if (found := own_named(path)) is not None and material in (None, found.material):
            yield found
