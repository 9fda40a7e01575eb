"""Opening files to write to in directories that others may write to as well: all that tbgen creates is created here.

A new file is created where there is no name yet, not even a link's. A file that an earlier run has left is gone on with
only if it is a plain file of this user's, with one name. Otherwise whoever plants a link where a command is about to
write could have it write, as its user, to any file of that user.
"""

import os
import stat
from contextlib import suppress
from errno import EACCES, EISDIR, ELOOP, ENXIO, EPERM
from pathlib import Path
from typing import Final

PUBLIC: Final = 0o666
"""Permissions of a new file, less what the umask forbids."""
PRIVATE: Final = 0o600
PUBLIC_DIRECTORY: Final = 0o777
PRIVATE_DIRECTORY: Final = 0o700
OTHERS: Final = stat.S_IWGRP | stat.S_IWOTH
"""Rights of others to write."""
_NOBODY: Final = 65534
"""Whom root is shown as where a container has users of its own."""
_OLD: Final = os.O_NOFOLLOW | os.O_NONBLOCK | os.O_NOCTTY | os.O_CLOEXEC
"""Whatever lies there is opened at once, and without an effect."""
_FOREIGN: Final = frozenset({ELOOP, ENXIO, EISDIR})
"""What the system says of links, sockets and pipes without a reader, directories."""
_MOST_LINKS: Final = 40
"""In a row, as Linux has it."""


class Foreign(PermissionError):
    """A file that this user's runs have not left."""


def create(path: Path, flags: int = 0, mode: int = PUBLIC) -> int:
    """A new file, to be read and written. FileExistsError if the name is taken."""
    return os.open(path, os.O_RDWR | os.O_CREAT | os.O_EXCL | os.O_NOFOLLOW | os.O_CLOEXEC | flags, mode)


def reopen(path: Path, flags: int) -> int:
    """A file that an earlier run has left. Foreign where it is anything else."""
    return _plain(path, flags, own=True)


def create_or_reopen(path: Path, flags: int = 0) -> int:
    """The one or the other, to be read and written."""
    while True:
        try:
            return reopen(path, os.O_RDWR | flags)
        except FileNotFoundError:
            try:
                return create(path, flags)
            except FileExistsError:  # another process was faster
                continue


def share(path: Path, flags: int = 0) -> int:
    """A file that holds nothing, which may be another user's, and open for reading only: a lock."""
    try:
        return _plain(path, os.O_RDWR | flags, own=False)
    except PermissionError as error:
        try:
            return _plain(path, os.O_RDONLY, own=False)
        except FileNotFoundError:  # there is none, and none may be made
            raise error from None


def is_own(there: os.stat_result) -> bool:
    """Whether this is a plain file of this user's, with no other name."""
    return _is_plain(there) and there.st_uid == os.geteuid()


def followed(path: Path) -> Path:
    """What a path leads to that the user has named. A link counts if it is the user's, the system's, or of the user
    whose directory it lies in; anybody may plant one in a directory such as /tmp."""
    for _ in range(_MOST_LINKS):
        if not path.is_symlink():
            return path.resolve()
        if path.lstat().st_uid not in (os.geteuid(), 0, path.parent.stat().st_uid):
            raise PermissionError(EACCES, "it is another user's link", str(path))
        path = path.parent / path.readlink()
    raise OSError(ELOOP, os.strerror(ELOOP), str(path))


def loose(directory: Path) -> Path | None:
    """Where others may put something into a directory of this user's, or another one into its place: itself, or one
    above it; None if nowhere. What is not there yet is made by `make_place`."""
    place = directory.resolve()
    for one in (place, *place.parents):
        with suppress(FileNotFoundError, NotADirectoryError):
            there = one.stat()
            owners = {os.geteuid()} if one == place else {os.geteuid(), 0, _NOBODY}
            shared = there.st_mode & OTHERS and (one == place or not there.st_mode & stat.S_ISVTX)
            if there.st_uid not in owners or shared:
                return one
    return None


def make_place(directory: Path, mode: int = PUBLIC_DIRECTORY) -> None:
    """Make a directory to put files into, and those above it that are not there. PermissionError where it is there, and
    this user can make no file in it."""
    for one in (*reversed(directory.parents), directory):
        one.mkdir(mode, exist_ok=True)
    if not os.access(directory, os.W_OK | os.X_OK):
        raise PermissionError(EACCES, os.strerror(EACCES), str(directory))


def foreign(path: Path) -> Foreign:
    """What to say of anything else."""
    return Foreign(EPERM, "not what tbgen has made for this user; remove it", str(path))


def _plain(path: Path, flags: int, *, own: bool) -> int:
    try:
        handle = os.open(path, flags | _OLD, PUBLIC)
    except OSError as error:
        if error.errno in _FOREIGN:
            raise foreign(path) from None
        raise
    there = os.fstat(handle)
    if is_own(there) if own else _is_plain(there):
        return handle
    os.close(handle)
    raise foreign(path)


def _is_plain(there: os.stat_result) -> bool:
    return stat.S_ISREG(there.st_mode) and there.st_nlink <= 1  # 0: removed by now
