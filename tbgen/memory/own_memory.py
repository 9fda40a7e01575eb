"""The memory of this process: how much it has, and how it gives some back."""

import ctypes
import mmap
import os
from contextlib import suppress
from pathlib import Path
from typing import Final

from tbgen.system.thresholds import LARGE

_PAGE: Final = mmap.PAGESIZE


def memory_in_use() -> tuple[int, int]:
    """Bytes of this process that are in memory now, and how many of them are in files as well; zeros if the system does
    not tell."""
    try:
        told = os.open("/proc/self/statm", os.O_RDONLY)  # the watch asks often: a Path takes four times as long
        try:
            words = os.read(told, 1 << 8).split()
        finally:
            os.close(told)
        return int(words[1]) * _PAGE, int(words[2]) * _PAGE
    except (OSError, ValueError, IndexError):
        return 0, 0


def give_back() -> None:
    """Have glibc return what is freed: it keeps blocks of up to 32 MiB once it has seen one, hundreds of megabytes in
    the end. Other C libraries have nothing to be told."""
    with suppress(AttributeError):
        ctypes.CDLL(None).malloc_trim(ctypes.c_size_t(0))


def trim_code() -> None:
    """Take the code of large libraries out of memory; it comes back from their files if it is needed."""
    with suppress(OSError, AttributeError):
        madvise = ctypes.CDLL(None).madvise
        for line in Path("/proc/self/maps").read_bytes().splitlines():  # names need not be UTF-8
            where, access, *_, file = line.split(maxsplit=5)
            begin, end = (int(word, 16) for word in where.split(b"-"))
            if access == b"r-xp" and end - begin >= LARGE and file.startswith(b"/"):
                madvise(ctypes.c_void_p(begin), ctypes.c_size_t(end - begin), mmap.MADV_DONTNEED)
