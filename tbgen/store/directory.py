"""Which file of a directory holds which table, and where the package has its own."""

import os
import shlex
import stat
from collections.abc import Iterable, Iterator
from contextlib import suppress
from pathlib import Path
from typing import Final, NamedTuple

from tbgen.board.men import Men, known, told
from tbgen.core.material import MEN_IN_TABLES, MEN_OF_CHESS, Material, parse
from tbgen.core.table_rules import TableRules
from tbgen.errors import MEN_EXPECTED, BadInput, CorruptTable, unreadable
from tbgen.store.format.head import BadHead, head_of
from tbgen.system.command_name import called_as

SUFFIX: Final = ".h5"
SLIM: Final = ".slim.h5"
"""Of slim tables, which keep one side to move (docs/format.md)."""
"""Of packed tables."""
MANIFEST: Final = "manifest.json"
"""What a release of tables is: licence, versions, digests, checks."""
CATALOGUE: Final = "catalogue.json"
"""What a folder on a web host has (docs/publish.md)."""
BUNDLED: Final = Path(__file__).parent.parent / "bundled"
"""The package's own tables: all of two and three men (scripts/bundle makes them)."""

_KINDS: Final = {
    stat.S_IFDIR: "a directory",
    stat.S_IFIFO: "a pipe",
    stat.S_IFSOCK: "a socket",
    stat.S_IFCHR: "a device",
    stat.S_IFBLK: "a device",
}


Stamp = tuple[int, int]
"""Size and time: another file has another one. Not the device and the inode: machines number those of a shared
directory as they like."""


class Listed(NamedTuple):
    path: Path
    material: Material
    rules: TableRules

    @property
    def slim(self) -> bool:
        return self.path.name.endswith(SLIM)


def table_path(directory: str | Path, material: Material, rules: str) -> Path:
    """Where the table of a material is, or would be: `KRvKN.r.h5`."""
    return Path(directory) / f"{material.normal.name}.{TableRules.of(rules)}{SUFFIX}"


def slim_path(directory: str | Path, material: Material, rules: str) -> Path:
    """Where the slim table of a material is, or would be: `KRvKN.r.slim.h5`."""
    return table_path(directory, material, rules).with_suffix(SLIM)


def find_any(directory: str | Path, material: Material, rules: str) -> Path:
    """Which file to probe: `find_table`, but a slim table before the package's, where there is no other."""
    path, slim = table_path(directory, material, rules), slim_path(directory, material, rules)
    return slim if not check_file(path) and check_file(slim) else find_table(directory, material, rules)


def find_table(directory: str | Path, material: Material, rules: str) -> Path:
    """Which file to read: the directory's, else the package's; the directory's also where there is neither."""
    path = table_path(directory, material, rules)
    own = BUNDLED / path.name
    return own if not check_file(path) and own.is_file() else path


def check_file(path: Path) -> bool:
    """Whether there is a file. CorruptTable if there is something else, which can be neither read nor written over."""
    try:
        mode = path.lstat().st_mode
        if stat.S_ISLNK(mode):
            mode = path.stat().st_mode
    except (FileNotFoundError, NotADirectoryError):
        if not path.is_symlink():
            return False
        raise CorruptTable(f"{path} is a symbolic link to nothing, not a table") from None
    except OSError as error:
        raise unreadable(path, error) from error
    if not stat.S_ISREG(mode):
        raise CorruptTable(f"{path} is {_KINDS.get(stat.S_IFMT(mode), 'something else')}, not a table")
    return True


def stamp_of(there: os.stat_result) -> Stamp:
    return there.st_size, there.st_mtime_ns


def named(path: Path) -> Listed | None:
    """What a file claims to hold by its name; None if that is not the name of a table. What a letter stands for that is
    not defined here, the file says itself."""
    stem, _, rules = path.name.removesuffix(SLIM).removesuffix(SUFFIX).rpartition(".")
    if not path.name.endswith(SUFFIX):
        return None
    try:
        of = TableRules.of(rules)
        material = parse(stem, men=_defined(stem, path))
    except BadInput:
        return None
    return Listed(path, material, of) if material.name == stem else None


def _defined(stem: str, path: Path) -> Men:
    men = known()
    if {*stem.replace("v", "")} <= {*MEN_OF_CHESS, *men}:
        return men
    with suppress(BadHead, OSError, BadInput):
        kinds = head_of(path).kinds
        return {**told({letter: kinds[letter] for letter in kinds if letter not in MEN_OF_CHESS}), **men}
    return men


def list_tables(directory: str | Path) -> Iterator[Listed]:
    """Every file of a directory that has the name of a table, in order of name."""
    try:
        paths = sorted(Path(directory).iterdir())
    except FileNotFoundError:
        return
    for path in paths:
        if (found := named(path)) is not None and not found.slim:
            yield found


def list_slim(directory: str | Path) -> Iterator[Listed]:
    """The same of slim tables."""
    try:
        paths = sorted(Path(directory).glob(f"*{SLIM}"))
    except OSError:
        return
    yield from filter(None, map(named, paths))


def readable_tables(directory: str | Path) -> Iterator[Listed]:
    """Every table that `find_table` finds: the directory's, then those that only the package has."""
    names = set()
    for one in list_tables(directory):
        names.add(one.path.name)
        yield one
    yield from (one for one in list_tables(BUNDLED) if one.path.name not in names)


def build_command(path: Path) -> str:
    """The command that builds this file."""
    found = named(path)
    name, rules = (found.material.name, found.rules) if found else ("MATERIAL", TableRules.RESET)
    return _command(name, rules, path.parent)


def way_to(path: Path) -> str:
    """What to do where this file is missing."""
    found = named(path)
    if found is not None and found.material.men > MEN_EXPECTED:
        return way_around(found.material.name, found.material.men, found.rules)
    reading = "; open_tablebase(DIR) reads it" if path.parent == BUNDLED else ""
    return f"to build it: {build_command(path)}{reading}"


def way_to_some(what: str, directory: Path, wanted: Iterable[Material] = (), rules: str = TableRules.RESET) -> str:
    """What to do where a directory lacks tables: those that are wanted, else the smallest. `what`: some, them."""
    wanted = [*wanted]
    men = max((one.men for one in wanted), default=0)
    if men > MEN_EXPECTED:
        return way_around(" ".join(one.name for one in wanted), men, rules)
    return f"to build {what}: {build_some(directory, wanted, rules)}"


def way_around(names: str, men: int, rules: str) -> str:
    """What to do without tables that `tbgen build` refuses, here or everywhere."""
    if men > MEN_IN_TABLES:
        return f"tables have at most {MEN_IN_TABLES} men; tbgen solve takes positions with any number"
    return f"{called_as()} plan{_option(rules)} {names} says what building that takes; tbgen solve does without"


def build_some(directory: Path, wanted: Iterable[Material] = (), rules: str = TableRules.RESET) -> str:
    """A command that builds tables in a directory that lacks them: those that are wanted, else the smallest."""
    return _command(" ".join(one.name for one in wanted) or "--all 3", rules, directory)


def _command(what: str, rules: str, directory: Path) -> str:
    """Nobody builds into the package: whoever has opened it alone needs a directory."""
    into = "DIR" if directory == BUNDLED else shlex.quote(str(directory))
    return f"{called_as()} build{_option(rules)} {what} --tables {into}"


def _option(rules: str) -> str:
    return "" if rules == TableRules.RESET else f" --rules {rules}"
