"""Files that commands write for their users: whole or not at all.

A run writes to a new file beside the target, with a name of its own. When all of it is on the disk, the new file takes
the target's place in one step. Whatever happens before that, the target is as it was. If a run is killed, the next one
removes what it left. A symbolic link stays, and what it names is replaced. Pipes, devices and open descriptors
(`/dev/stdout`) are written to directly.
"""

import fcntl
import io
import os
import re
import secrets
import shutil
import stat
from collections.abc import Callable, Iterable, Iterator
from contextlib import contextmanager, suppress
from errno import EACCES, EBADF, EINVAL, ENOSYS, ENOTSUP, EPERM, EROFS
from pathlib import Path
from typing import TYPE_CHECKING, BinaryIO, Final

from tbgen.system.safe_files import PRIVATE, PUBLIC, create, create_or_reopen, followed
from tbgen.system.signals import deaf

if TYPE_CHECKING:
    from _typeshed import ReadableBuffer

_DESCRIPTORS: Final = (Path("/dev/fd"), Path("/proc/self/fd"))
_NO_SYNC: Final = frozenset({EACCES, EBADF, EINVAL, ENOSYS, ENOTSUP, EPERM, EROFS})
"""What systems say that cannot sync a directory, or do not allow it."""
_RANDOM: Final = 8
"""Bytes."""
_HALF: Final = ".part"
_LEFT: Final = re.compile(rf"\.(.*)\.[0-9a-f]{{{2 * _RANDOM}}}{re.escape(_HALF)}", re.DOTALL)
"""The name of a new file: that of its target, and a random one."""
NEW: Final = ".new"
"""Ends the name of what `renew` has begun to write."""
_LONGEST: Final = 100
"""Bytes of the target's name in the name of the new file: a longer name might not be allowed."""
_LOCK: Final = fcntl.LOCK_EX | fcntl.LOCK_NB


@contextmanager
def replacing(target: Path, mode: int = PUBLIC, *, lasting: bool = True) -> Iterator[BinaryIO]:
    """A file to write that takes the target's place at the end of the block; an exception leaves what was there.

    `mode`: permissions where there is none. `lasting`: whether it is to outlive a power failure, which takes time."""
    with _telling(target):
        there = _status(target)
        direct = None if there is None else _direct(target, there)
    if direct is not None:
        with _Stream(direct, target) as raw, io.BufferedWriter(raw) as stream:
            yield stream
        return
    with _telling(target):
        place = followed(target)
    name = _cut(place)
    sweep(place.parent, lambda left: left == name)
    while True:
        beside = place.with_name(f".{name}.{secrets.token_hex(_RANDOM)}{_HALF}")
        with _made(beside, target, mode if there is None else PRIVATE) as stream:
            with _telling(target):
                if not _held(stream.fileno()):
                    continue
                if there is not None:
                    _take_after(stream.fileno(), there)
            yield stream
            _flush(stream, target, lasting=lasting)
            with _telling(target):
                os.replace(beside, place)  # noqa: PTH105
        if lasting:
            settle(place.parent)
        return


def replace(target: Path, data: bytes, mode: int = PUBLIC, *, lasting: bool = True) -> None:
    """Write a whole file."""
    with replacing(target, mode, lasting=lasting) as stream:
        stream.write(data)


def renew(target: Path, parts: Iterable["ReadableBuffer"]) -> None:
    """Give a file new contents that only this user's runs write, in a directory that others may write to: no link is
    followed."""
    beside = target.with_name(target.name + NEW)
    beside.unlink(missing_ok=True)
    with os.fdopen(create(beside), "wb") as stream:
        stream.writelines(parts)
        stream.flush()
        os.fsync(stream.fileno())
    beside.replace(target)
    settle(target.parent)


def take_in(source: Path, target: Path) -> None:
    """Let a file take the target's place: by a hard link, else as a copy."""
    beside = target.with_name(f".{_cut(target)}.{secrets.token_hex(_RANDOM)}{_HALF}")
    with source.open("rb") as file:
        with suppress(OSError):  # a system without locks, where nothing is swept
            fcntl.flock(file, fcntl.LOCK_SH)  # of the link, too
        try:
            os.link(source.resolve(), beside)
            os.replace(beside, target)  # noqa: PTH105
        except OSError:  # another disk, another user's file, too many links
            with replacing(target) as stream:
                shutil.copyfileobj(file, stream)
            return
        finally:
            beside.unlink(missing_ok=True)
    settle(target.parent)


def append(target: Path) -> int:
    """A descriptor to append to a file, made if it is not there. Pipes and the like are written to as they are."""
    with _telling(target):
        there = _status(target)
        direct = None if there is None else _direct(target, there)
        return create_or_reopen(followed(target), os.O_APPEND) if direct is None else direct


def write_aside(wanted: Path, data: bytes) -> Path:
    """Write a new file with this name, or with a number appended if the name is taken. Returns the name."""
    place, number = wanted, 1
    while True:
        try:
            with _made(place, place, PUBLIC) as stream:
                stream.write(data)
                _flush(stream, place)
        except FileExistsError:
            number += 1
            place = wanted.with_name(f"{wanted.name}.{number}")
        else:
            settle(place.parent)
            return place


def sweep(directory: Path, wanted: Callable[[str], bool]) -> None:
    """Remove what killed runs left of files with the names that are wanted. A run that is alive holds a lock."""
    for left in directory.glob(f".*{_HALF}"):
        match = _LEFT.fullmatch(left.name)
        if match and wanted(match[1]):
            with suppress(OSError):  # one that cannot be removed does no harm
                handle = _opened_to_lock(left)
                try:
                    fcntl.flock(handle, _LOCK)
                    left.unlink()
                finally:
                    os.close(handle)


def _opened_to_lock(path: Path) -> int:
    """`share` (safe_files.py) would refuse what has another name, as a link has that `take_in` has left."""
    flags = os.O_NOFOLLOW | os.O_NONBLOCK | os.O_CLOEXEC
    try:
        return os.open(path, os.O_RDWR | flags)  # NFS locks only what may be written to
    except PermissionError:
        return os.open(path, os.O_RDONLY | flags)


def settle(directory: Path) -> None:
    """Make sure that a directory's list of files is on the disk. Not every system can do or allow that."""
    try:
        sync(directory)
    except OSError as error:
        if error.errno not in _NO_SYNC:
            raise


def sync(path: Path) -> None:
    """Make sure that what was written to a file is on the disk, through memory as well."""
    handle = os.open(path, os.O_RDONLY | os.O_CLOEXEC)
    try:
        os.fsync(handle)
    finally:
        os.close(handle)


@contextmanager
def _made(place: Path, told: Path, mode: int) -> Iterator[BinaryIO]:
    """A new file, which is removed again after an exception."""
    raw = None
    try:
        with _telling(told), deaf():  # an interrupt before we know of the file would leave it
            raw = _Stream(create(place, mode=mode), told)
        with raw:  # after an error, drop what is in the buffer: it might not fit
            yield io.BufferedWriter(raw)
    except BaseException:
        if raw is not None:
            raw.close()
            with suppress(OSError):
                place.unlink()
        raise


class _Stream(io.FileIO):
    """An open file that names the user's file in errors: a full disk does not say what did not fit."""

    def __init__(self, handle: int, told: Path) -> None:
        super().__init__(handle, "wb")
        self._told = told

    def write(self, data: "ReadableBuffer", /) -> int:
        with _telling(self._told):
            return super().write(data)


def _flush(stream: BinaryIO, told: Path, *, lasting: bool = True) -> None:
    """Write what is in the buffer, and make sure that all of a file is on the disk if it is to last."""
    stream.flush()
    if lasting:
        with _telling(told):
            os.fsync(stream.fileno())


@contextmanager
def _telling(target: Path) -> Iterator[None]:
    """Errors in this context name the file that the user named."""
    try:
        yield
    except OSError as error:
        error.filename, error.filename2 = str(target), None
        raise


def _status(target: Path) -> os.stat_result | None:
    try:
        return target.stat()
    except FileNotFoundError:
        return None


def _direct(target: Path, there: os.stat_result) -> int | None:
    """A descriptor for what cannot be replaced; None for a file that may be replaced."""
    number = _descriptor(target)
    if number is not None:
        return os.dup(number)
    if not stat.S_ISREG(there.st_mode):
        return os.open(followed(target), os.O_WRONLY | os.O_NOFOLLOW | os.O_NOCTTY | os.O_CLOEXEC)
    if not os.access(target, os.W_OK) and target.exists():  # another process may have removed it by now
        raise PermissionError(EACCES, os.strerror(EACCES))
    return None


def _descriptor(path: Path) -> int | None:
    """The number of the open descriptor that a path such as `/dev/stdout` names.

    Replacing the file behind it would take it away from other programs that write there.
    """
    places = [place.resolve() for place in _DESCRIPTORS]
    while True:
        if path.name.isdecimal() and path.parent.resolve() in places:
            return int(path.name)
        if not path.is_symlink():
            return None
        path = path.parent / path.readlink()


def _cut(place: Path) -> str:
    """As much of the target's name as goes into that of the new file."""
    return os.fsdecode(os.fsencode(place.name)[:_LONGEST])


def _held(handle: int) -> bool:
    """Lock a new file for as long as it is open; False if another run sweeps it away just now."""
    try:
        fcntl.flock(handle, _LOCK)
    except BlockingIOError:
        return False
    except OSError:  # a system without locks, where nothing is swept
        return True
    return os.fstat(handle).st_nlink > 0


def _take_after(handle: int, there: os.stat_result) -> None:
    """Give a file the owner, as far as allowed, and the permissions of the one that it replaces."""
    with suppress(PermissionError):
        os.fchown(handle, there.st_uid, there.st_gid)
    os.fchmod(handle, stat.S_IMODE(there.st_mode))
