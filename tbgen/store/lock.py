"""A table's lock: one process builds it at a time, and removes what killed builds left behind."""

import fcntl
import os
import secrets
from collections.abc import Callable, Iterator
from contextlib import contextmanager, suppress
from pathlib import Path
from typing import Final

from tbgen.system.safe_files import share

LOCK: Final = ".lock"
HALF: Final = ".half"
"""The end of the name of a file that is being written."""
_RANDOM: Final = 8
"""Bytes."""


class Busy(Exception):
    """Another process holds the lock."""


def refuse() -> None:
    """What `building` calls for those who do not wait."""
    raise Busy


def lock_of(table: Path) -> Path:
    """The file that the process which builds a table has locked."""
    return table.with_name(f".{table.name}{LOCK}")


def half_written(path: Path) -> Path:
    """A name under which to write a table before it gets its own: one that nobody can guess."""
    return path.with_name(f".{path.name}.{secrets.token_hex(_RANDOM)}{HALF}")


def sweep(path: Path) -> None:
    """Remove what killed builds of this table left, if that is allowed. The caller holds the lock of the table."""
    for left in path.parent.glob(f".{path.name}.*{HALF}"):
        with suppress(FileNotFoundError, PermissionError):
            left.unlink()


@contextmanager
def building(path: str | Path, waiting: Callable[[], None] | None = None) -> Iterator[None]:
    """Hold the lock of this table; `waiting` is called once if another process has it first.

    The operating system keeps the lock, on a file beside the table, and ends it with the process."""
    path = Path(path)
    path.parent.mkdir(parents=True, exist_ok=True)
    beside = lock_of(path)
    try:
        handle = lock(beside, waiting)
        try:
            sweep(path)
            yield
        finally:
            os.close(handle)
    finally:
        remove_unlocked(beside)  # also after an interrupt between making the file and locking it


def lock(beside: Path, waiting: Callable[[], None] | None = None) -> int:
    """Make a file if it is not there, and lock it. `waiting` is called once if another process has locked it; it may
    raise an error instead of waiting. Whoever removes such a file holds its lock: see `remove_unlocked`."""
    while True:
        handle = share(beside, os.O_CREAT)
        try:
            try:
                _flock(handle, beside, fcntl.LOCK_EX | fcntl.LOCK_NB)
            except BlockingIOError:
                if waiting is not None:
                    waiting()
                    waiting = None
                _flock(handle, beside, fcntl.LOCK_EX)
            try:
                if os.path.samestat(os.fstat(handle), beside.lstat()):
                    return handle
            except FileNotFoundError:
                pass
        except BaseException:
            os.close(handle)
            raise
        os.close(handle)


def remove_unlocked(beside: Path) -> None:
    """Remove such a file, unless another process has locked it by now.

    It is locked meanwhile: a process that waits for it finds that the name has gone, and starts again. Another user's
    file stays in a directory that lets nobody remove it: it locks nothing."""
    with suppress(FileNotFoundError):
        handle = share(beside)
        try:
            with suppress(BlockingIOError, PermissionError):
                _flock(handle, beside, fcntl.LOCK_EX | fcntl.LOCK_NB)
                if os.path.samestat(os.fstat(handle), beside.lstat()):
                    beside.unlink()
        finally:
            os.close(handle)


def _flock(handle: int, beside: Path, how: int) -> None:
    try:
        fcntl.flock(handle, how)
    except OSError as error:
        error.filename = str(beside)
        raise
