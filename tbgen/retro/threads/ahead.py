"""Reading arrays in files: in order, many pages at once; elsewhere, a cluster of pages around each that is touched.

A disk takes as long for a cluster as for a page. How much the system would read by itself is up to the machine, from
128 KiB to 8 MiB around a page, most of which a sparse round never looks at. So it is told to read single pages, and
kernels ask for clusters.
"""

import mmap
from typing import Any, Final, NamedTuple

import numpy as np
from numba import types
from numpy.typing import NDArray

from tbgen.compiler.jit import inlined, kernel
from tbgen.memory.arrays import file_of
from tbgen.retro.threads.memo import slot_of

_madvise = types.ExternalFunction("madvise", types.int32(types.intp, types.intp, types.int32))
_PAGE: Final = mmap.PAGESIZE

# numpy's integers are no literals to the compiler, which would make a kernel of its own for each of these
AS_USUAL: Final = np.int64(mmap.MADV_NORMAL)
BY_PAGES: Final = np.int64(mmap.MADV_RANDOM)
TOGETHER: Final = 16
"""Blocks of positions (retro/threads/sets.py) that are read ahead together."""
_CLUSTER: Final = 1 << 16
"""Bytes."""
_AT_ONCE: Final = 1 << 17
"""Bytes that the system is asked for at a time: of more it may leave what it would not read ahead by itself, 8 MiB here
and 128 KiB elsewhere."""
_SLOTS: Final = 1 << 11
"""For the clusters that a thread remembers."""
_LATELY: Final = 1 << 9
"""It forgets all once it has asked for so many: no more than stay in memory for a while."""
_NOW: Final = np.int64(mmap.MADV_WILLNEED)


def is_in_file(array: NDArray[Any]) -> bool:
    return file_of(array) is not None


@kernel
def _advise(begin, end, how):
    """Tell the system how it is to read from one address to another."""
    begin -= begin % _PAGE
    if begin < end:
        _madvise(begin, end - begin, np.int32(how))


def read_by(how: np.int64, *arrays: NDArray[Any]) -> None:
    """Tell it how to read those of these arrays that are in files."""
    for array in arrays:
        if is_in_file(array):
            _advise(array.ctypes.data, array.ctypes.data + array.nbytes, how)


@inlined
def read_ahead(array, first, end):
    """Have it read these elements now."""
    begin, stop = array.ctypes.data + first * array.itemsize, array.ctypes.data + end * array.itemsize
    begin -= begin % _PAGE
    while begin < stop:
        _advise(begin, min(begin + _AT_ONCE, stop), _NOW)
        begin += _AT_ONCE


class Clusters(NamedTuple):
    """What a thread has lately asked for."""

    asked: NDArray[np.int64]
    """`[slot]`: the last cluster that has this slot."""
    since: NDArray[np.int64]
    """How many it has asked for since it has forgotten all, its only element."""


def make_clusters() -> Clusters:
    return Clusters(np.zeros(_SLOTS, np.int64), np.zeros(1, np.int64))


@inlined
def read_around(clusters, array, index):
    """Have it read the cluster of an element, unless this thread has lately done so."""
    cluster = (array.ctypes.data + index * array.itemsize) // _CLUSTER
    slot = slot_of(clusters.asked, cluster)
    if clusters.asked[slot] != cluster:
        if clusters.since[0] == _LATELY:
            clusters.asked.fill(0)
            clusters.since[0] = 0
        clusters.asked[slot] = cluster
        clusters.since[0] += 1
        _madvise(cluster * _CLUSTER, np.int64(_CLUSTER), np.int32(_NOW))
