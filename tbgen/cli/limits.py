"""Limits on the address space, checked in advance: libraries abort the process when there is too little."""

import resource
from typing import Final

from tbgen.errors import NO_ROOM, OutOfRoom, TbgenError
from tbgen.system.text import size_of
from tbgen.system.thresholds import PROGRAM

LIBRARIES: Final = 192 << 20
"""Bytes of address space that every command takes: numpy and HDF5 do not load with less."""
_COMPILED: Final = 512 << 20
"""Bytes with the compiler and all kernels: LLVM aborts with less."""
_THREAD: Final = 80 << 20
"""Bytes per thread, for its stack and its part of the heap."""
NO_THREAD: Final = "can't start new thread"
"""What Python's RuntimeError says where the system starts no more."""


def space_of(threads: int) -> int:
    """Bytes of address space that a command takes which compiles, tables not included."""
    return _COMPILED + threads * _THREAD


def check_address_space(needed: int) -> None:
    """OutOfRoom if a process may have fewer than `needed` bytes of address space."""
    limit, _ = resource.getrlimit(resource.RLIMIT_AS)
    if limit != resource.RLIM_INFINITY and limit < needed:
        raise OutOfRoom(
            f"{needed >> 20} MiB of address space are needed, and {limit >> 20} MiB are allowed (see: ulimit -v)"
        )


def check_memory(memory: int) -> None:
    """OutOfRoom if `--memory` leaves less than the program itself takes."""
    if memory < PROGRAM:
        raise OutOfRoom(f"{size_of(PROGRAM)} of memory are needed, and --memory leaves {size_of(memory)}")


def failure_of(error: TbgenError | MemoryError | OSError) -> tuple[str, int]:
    """An error in one line, and its exit code."""
    if isinstance(error, TbgenError):
        return str(error), error.exit_code
    if isinstance(error, MemoryError):
        return "out of memory", OutOfRoom.exit_code
    where = f": {error.filename}" if error.filename is not None else ""
    return (
        f"{error.strerror or error}{where}",
        OutOfRoom.exit_code if error.errno in NO_ROOM else TbgenError.exit_code,
    )
