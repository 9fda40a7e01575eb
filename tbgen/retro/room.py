"""Reserving room on disk for what a kernel is about to write to a growing array (arrays.py)."""

from errno import EINTR
from typing import Final

import numpy as np
from numba import types

from tbgen.compiler.intrinsics import atomic_load, compare_exchange, store_release, yield_processor
from tbgen.compiler.jit import inlined, kernel
from tbgen.memory.arrays import FAILED, HANDLE, LOCK, RESERVED, SIZE

_posix_fallocate = types.ExternalFunction("posix_fallocate", types.int32(types.int32, types.int64, types.int64))
_PIECE: Final = 1 << 24
"""Bytes that are reserved at a time. They end with a page, wherever a page ends."""
_INTERRUPTED: Final = np.int64(EINTR)


@inlined
def reserve(room, size):
    """Have room for the first `size` bytes of an array. Returns False if the disk has none."""
    return size <= atomic_load(room, RESERVED) or _reserve_more(room, size)


@kernel
def _reserve_more(room, size):
    while compare_exchange(room, LOCK, 0, 1) != 0:
        yield_processor()
    begin, end = room[RESERVED], min(-(-size // _PIECE) * _PIECE, room[SIZE])
    if begin < size and room[FAILED] == 0:
        said = _INTERRUPTED
        while said == _INTERRUPTED:
            said = np.int64(_posix_fallocate(room[HANDLE], begin, end - begin))
        room[FAILED] = said
        if said == 0:
            store_release(room, RESERVED, end)
    store_release(room, LOCK, 0)
    return size <= room[RESERVED]
