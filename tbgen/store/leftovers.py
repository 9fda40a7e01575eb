"""What commands leave in a directory beside tables, and in that of local tables: files in use, files that a stopped
command needs, and useless ones.

.KRPvKR.r.h5.lock             locked by the process that builds the table, fetches or unpacks it
.KRPvKR.r.h5.work/            what a stopped build goes on with; useless once the table is there
.KRPvKR.r.h5.83ad...coming    what a stopped fetch goes on with; useless once the table is there
.KRPvKR.r.h5.3f9c...half      a table that is being written; useless to all other processes
.tbgen-3f9c...                locked by a process that builds on a cluster
"""

import fcntl
import os
import re
import shutil
from collections.abc import Container, Iterator
from contextlib import contextmanager, suppress
from pathlib import Path
from typing import Final, NamedTuple

from tbgen.core.material import Material
from tbgen.core.table_rules import TableRules
from tbgen.store.directory import SUFFIX, Listed, named
from tbgen.store.local import LOCAL_DIRECTORY, local_named
from tbgen.store.lock import HALF, LOCK, Busy, building, lock, lock_of, refuse, remove_unlocked
from tbgen.system.safe_files import share

WORK: Final = ".work"
COMING: Final = ".coming"
TOKEN: Final = ".tbgen-"
SNAPSHOT: Final = "slice."
"""What the names of snapshots in a workspace begin with."""
_LEFT: Final = re.compile(rf"\.(.+\{SUFFIX})(?:\{LOCK}|\{WORK}|\..+\{HALF}|\..+\{COMING})")
"""A name, and the table's."""


class Leftover(NamedTuple):
    """All that lies beside one table."""

    table: Listed
    """A complete one, or a local one, of which `local_named` tells the rest."""
    bytes: int
    """On disk."""
    resumable: bool
    """Whether the next build can go on with it."""
    busy: bool
    """Whether a process is building it now."""


def find_leftovers(directory: str | Path) -> list[Leftover]:
    """What lies beside tables that are being built or are not finished, in order of name: what builds have left."""
    found = []
    beside = _beside_tables(Path(directory)) | _beside_tables(Path(directory) / LOCAL_DIRECTORY)
    for table, paths in beside.items():
        if all(path.name.endswith(COMING) for path in paths):
            continue
        work = any(path.name.endswith(WORK) for path in paths)
        busy = _is_held(lock_of(table.path))
        found.append(Leftover(table, sum(map(used_bytes, paths)), work and not table.path.exists(), busy))
    return found


def tidy(directory: str | Path, again: Container[Material] = ()) -> None:
    """Remove what is useless in a directory; what a process has locked stays.

    `again`: materials whose tables are to be built again, so that a build of them that was stopped goes on."""
    _tidy(Path(directory), again)
    tidy_local(directory)


def tidy_local(directory: str | Path) -> None:
    """The same for local tables alone: what builds have left stays."""
    _tidy(Path(directory) / LOCAL_DIRECTORY)
    for token in Path(directory).glob(f"{TOKEN}*"):
        with suppress(OSError):
            remove_unlocked(token)


def _tidy(place: Path, again: Container[Material] = ()) -> None:
    for table in _beside_tables(place):
        # what is another process's or another user's stays, and what cannot be locked or removed
        with suppress(Busy, OSError), building(table.path, refuse):
            if table.path.exists():
                if table.material not in again:
                    remove(workspace_of(table.path))
                for coming in coming_of(table.path):
                    remove(coming)


def workspace_of(table: Path) -> Path:
    return table.with_name(f".{table.name}{WORK}")


def coming_of(table: Path, digest: str = "") -> list[Path]:
    """What fetches that were stopped have of a table, which has this digest."""
    return sorted(table.parent.glob(f".{table.name}.{digest}*{COMING}"))


def remove(path: Path) -> None:
    """Remove a workspace, or whatever has its name. Of a link, what it leads to stays."""
    if path.is_dir() and not path.is_symlink():
        shutil.rmtree(path, ignore_errors=True)
    else:
        path.unlink(missing_ok=True)


def used_bytes(path: Path) -> int:
    """Bytes on disk of a file, or of the files in a directory. Files may disappear meanwhile."""
    total = 0
    with suppress(OSError):
        for file in path.iterdir() if path.is_dir() else [path]:
            with suppress(OSError):
                total += file.stat().st_blocks * 512
    return total


@contextmanager
def held(path: Path) -> Iterator[None]:
    """Hold a lock on a file, made if it is not there; the end of the context removes it."""
    handle = lock(path)
    try:
        yield
    finally:
        path.unlink(missing_ok=True)
        os.close(handle)


def _beside_tables(directory: Path) -> dict[Listed, list[Path]]:
    found: dict[Listed, list[Path]] = {}
    try:
        paths = sorted(directory.iterdir())
    except (FileNotFoundError, NotADirectoryError):
        return found
    for path in paths:
        match = _LEFT.fullmatch(path.name)
        table = match and _table_named(path.with_name(match[1]))
        if table:
            found.setdefault(table, []).append(path)
    return found


def _table_named(path: Path) -> Listed | None:
    local = local_named(path)
    return named(path) if local is None else Listed(path, local.material, TableRules.RESET)


def _is_held(path: Path) -> bool:
    """Whether a process has locked this file."""
    try:
        handle = share(path)
    except OSError:
        return False
    try:
        fcntl.flock(handle, fcntl.LOCK_SH | fcntl.LOCK_NB)
    except BlockingIOError:
        return True
    finally:
        os.close(handle)
    return False
