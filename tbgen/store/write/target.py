"""What HDF5 writes to: a file that never reports an error to HDF5.

If a write fails, HDF5 takes the process down. So the error is kept here, and HDF5 is told that all is well; `check`
raises the error.
"""

import io
from collections.abc import Callable
from typing import BinaryIO, TypeVar

T = TypeVar("T")


class Target:
    def __init__(self, file: BinaryIO) -> None:
        self._file = file
        self._error: BaseException | None = None
        self._at = 0

    def check(self) -> None:
        """Raise the first error, if there was one."""
        if self._error is not None:
            raise self._error

    def read(self, offset: int, count: int) -> bytes:
        """What has been written there."""
        return self._try(lambda: self._file.read(count), b"", offset)

    def _try(self, work: Callable[[], T], instead: T, offset: int) -> T:
        """Do something at this place of the file. After the first error nothing is tried any more."""
        if self._error is None:
            try:
                self._file.seek(offset)
                return work()
            except BaseException as error:  # a Ctrl-C as well
                self._error = error
        return instead

    # What HDF5 asks for.

    def seek(self, offset: int, whence: int = io.SEEK_SET) -> int:
        self._at = offset if whence == io.SEEK_SET else self._try(lambda: self._file.seek(offset, whence), 0, 0)
        return self._at

    def tell(self) -> int:
        return self._at

    def write(self, data: memoryview) -> int:
        self._try(lambda: self._file.write(data), 0, self._at)
        self._at += len(data)
        return len(data)

    def readinto(self, buffer: memoryview) -> int:
        data = self.read(self._at, len(buffer))
        buffer[: len(data)] = data
        self._at += len(data)
        return len(data)

    def truncate(self, size: int) -> int:
        self._try(lambda: self._file.truncate(size), 0, self._at)
        return size

    def flush(self) -> None:
        self._try(self._file.flush, None, self._at)
