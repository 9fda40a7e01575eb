"""Local tables as files: which there are, and what their names say. They lie in a directory within that of the tables.

    local/KPPvKPP.r.1f0c9d2e8a7b55aa.03bd11c2.worst.h5

The key, 16 digits, stands for what decides the table's values, the 8 digits behind it for the slices that it has
(format/local.py). So another table never has its name.
"""

import errno
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path
from typing import Final, NamedTuple

from tbgen.core.material import Material
from tbgen.core.table_rules import TableRules
from tbgen.errors import CorruptTable, TbgenError
from tbgen.store.directory import SUFFIX
from tbgen.store.format.local import LocalName, read_name
from tbgen.system.safe_files import make_place

LOCAL_DIRECTORY: Final = "local"
"""The directory within that of the tables."""
_OLD_DIRECTORY: Final = "own"
"""The same before tables were kept under these keys."""
_RULES: Final = f".{TableRules.RESET}."
_NONE: Final = frozenset({errno.ENOENT, errno.ENOTDIR, errno.ENAMETOOLONG})
"""What the system says of a directory that is not there."""


class LocalFile(NamedTuple):
    path: Path
    name: LocalName

    @property
    def material(self) -> Material:
        return self.name.material


def local_file(tables: str | Path, name: LocalName) -> LocalFile:
    """Where a local table is, or would be, that belongs to a directory of tables."""
    file = str(name).replace(".", _RULES, 1) + SUFFIX
    return LocalFile(Path(tables) / LOCAL_DIRECTORY / file, name)


def local_named(path: Path) -> LocalFile | None:
    """What a file claims to hold by its name; None if that is not the name of a local table."""
    if not path.name.endswith(SUFFIX) or _RULES not in path.name:
        return None
    try:
        return LocalFile(path, read_name(path.name.removesuffix(SUFFIX).replace(_RULES, ".", 1)))
    except ValueError:
        return None


@contextmanager
def replaceable() -> Iterator[None]:
    """Says of a damaged local table what can be done about it."""
    try:
        yield
    except CorruptTable as error:
        raise CorruptTable(f"{error} (remove it: tbgen solve --keep makes it again)") from error


def list_local(tables: str | Path, material: Material | None = None) -> Iterator[LocalFile]:
    """Every local table of a directory of tables, or those of a material, in order of name."""
    refuse_old(tables)
    for path in _within(Path(tables) / LOCAL_DIRECTORY):
        if (found := local_named(path)) is not None and material in (None, found.material):
            yield found


def refuse_old(tables: str | Path) -> None:
    """TbgenError where tables lie that an earlier tbgen kept: their keys name something else."""
    old = Path(tables) / _OLD_DIRECTORY
    if any(_RULES in path.name and path.name.endswith(SUFFIX) for path in _within(old)):
        raise TbgenError(f"an earlier tbgen kept tables in {old}: remove it (tbgen solve --keep makes them again)")


def _within(directory: Path) -> list[Path]:
    """What a directory holds, in order; nothing where there is none, nor can be one."""
    try:
        return sorted(directory.iterdir())
    except OSError as error:
        if error.errno in _NONE:
            return []
        raise


def prepare(directory: Path) -> None:
    """Make room for local tables, before anything is solved that could not be kept."""
    place = directory / LOCAL_DIRECTORY
    try:
        make_place(place)
    except OSError as error:
        raise TbgenError(f"local tables cannot be kept in {place}: {error.strerror} (leave out --keep)") from error
