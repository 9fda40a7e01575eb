"""Locks as a file system over the network has them."""

import errno
import fcntl
import os
from collections.abc import Callable
from typing import BinaryIO

_LockOf = BinaryIO | int


def nfs(flock: Callable[[_LockOf, int], None]) -> Callable[[_LockOf, int], None]:
    """A `flock` that locks alone only what may be written to."""

    def locked(handle: _LockOf, how: int) -> None:
        if how & fcntl.LOCK_EX and fcntl.fcntl(handle, fcntl.F_GETFL) & os.O_ACCMODE == os.O_RDONLY:
            raise OSError(errno.EBADF, os.strerror(errno.EBADF))
        flock(handle, how)

    return locked
