"""Large arrays that live on disk while a table is built; memory holds as much of them as there is room for."""

import mmap
import os
import shutil
import tempfile
import weakref
from contextlib import suppress
from pathlib import Path
from threading import Event, Lock, Thread
from typing import Any, Final, NamedTuple

import numpy as np
from numpy.typing import DTypeLike, NDArray

from tbgen.errors import BadInput
from tbgen.memory.arrays import HANDLE, RESERVED, Growing, check_room, file_of, make_room, with_room
from tbgen.memory.mapped import Mapping, Sparse, can_reserve, put_in_place, reserve
from tbgen.memory.own_memory import give_back, memory_in_use, trim_code
from tbgen.system import text
from tbgen.system.periodic_thread import call_every
from tbgen.system.safe_files import create_or_reopen
from tbgen.system.thresholds import PROGRAM, SMALL, on_disk_from

SCRATCH: Final = "TBGEN_SCRATCH"
"""The variable of the environment that names a directory for them."""
_GLANCE: Final = 0.005
"""Seconds between two looks at how much memory is in use, at the least. On a busy machine the watch wakes up late, by
a second or less."""
_LONGEST: Final = 0.1
"""Seconds, at the most."""
_FASTEST: Final = 1e10
"""Bytes that come in per second, at the most."""
_MARGIN: Final = 16
"""1 / _MARGIN of the memory is left free for what comes in between two looks. Taking out less is not worth it."""
_HELD: Final = 0.9
"""The share of the memory that the program and working arrays may have for good."""
_FINISHING: Final = 4
"""1 / _FINISHING of it, at least, is left free by arrays of tables that are solved."""
_LOOKED_AT: Final = 16
"""1 / _LOOKED_AT of a scattered array is much looked at, the rest is room that few tables need."""
_FADING: Final = 0.999
"""How much of what came in between two looks is still allowed for at the next look."""
_NO_SWAP: Final = getattr(mmap, "MAP_NORESERVE", 0x4000)
"""Python 3.13 names it. The system need not keep memory for a mapping that may never be written to."""
_BLOCK: Final = 512
"""Bytes of a block, as the system counts them."""


def scratch_of(directory: Path) -> Path:
    """Where large arrays are that belong to tables of this directory: where the environment says, or there, unless it
    is one that nobody may write to."""
    if chosen := os.environ.get(SCRATCH):
        if not (Path(chosen).is_dir() and os.access(chosen, os.W_OK)):
            raise BadInput(f"{SCRATCH} names {chosen}, which is no directory that one may write to")
        return Path(chosen)
    is_closed = directory.exists() and not os.access(directory, os.W_OK)
    return Path(tempfile.gettempdir()) if is_closed else directory


class _Open(NamedTuple):
    """A file in which room may still be reserved."""

    mapping: "weakref.ref[Mapping]"
    handle: int


class _File(NamedTuple):
    owner: "weakref.ref[object]"
    handle: int


class DiskArrays:
    """Makes the arrays, and has the system take them out of memory when the process comes near `memory` bytes.

    Arrays that are taken out remain on disk, and come back page by page as they are used. A thread looks how much is in
    use, and so does each call for an array. The thread may wake up late, so room is left for the most that has lately
    come in between two looks: the later it is, the earlier it takes arrays out."""

    def __init__(self, directory: Path, memory: int) -> None:
        self._directory = directory
        self._memory = memory
        self._on_disk_from = on_disk_from(memory)
        self._seen = memory_in_use()[0]
        """Bytes in memory at the last look."""
        self._leap = 0.0
        """By how much that has grown between two looks, at most; older ones fade."""
        # no set of weak references: its clean-up is Python code, in which a Ctrl-C would be lost
        self._maps: list[weakref.ref[Mapping]] = []
        self._held: list[weakref.ref[NDArray[Any]]] = []
        self._open: list[_Open] = []
        self._files: list[_File] = []
        self._lock = Lock()
        self.peak = 0
        """The most bytes on disk of all arrays together since the caller set this to 0."""
        self._has_trimmed = False
        self._own = 0
        """Bytes in memory that are in no file: what was left when the C library last gave back, or the least since."""
        self._stop = Event()
        self._watch: Thread | None = None

    def array(self, count: int, kind: DTypeLike, *, scattered: bool = False) -> NDArray[Any]:
        """An array of zeros. If it is large, it is in a file without a name, which the system removes with the
        process. A `scattered` one is looked at all over: it is taken out of memory after all others."""
        if (small := self._small(count, kind)) is not None:
            return small
        return np.frombuffer(self._unnamed(count, kind, scattered), kind)

    def growing(self, count: int, kind: DTypeLike, *, scattered: bool = False) -> Growing:
        """The same, but its room on disk is reserved later, by whoever writes to it."""
        if (small := self._small(count, kind)) is not None:
            return with_room(small)
        mapping = self._unnamed(count, kind, scattered, reserves=False)
        return Growing(np.frombuffer(mapping, kind), mapping.room)

    def later(self, count: int, kind: DTypeLike) -> NDArray[Any]:
        """The same, but it takes no room however it is read: call `reserve_all` before writing."""
        if (small := self._small(count, kind)) is not None:
            return small
        with tempfile.TemporaryFile(dir=self._directory) as file:
            return np.frombuffer(self._without_file(file.fileno(), _size(count, kind)), kind)

    def sparse(self, count: int, kind: DTypeLike, path: Path | None = None) -> Sparse:
        """An array whose parts come and go; in this file, if it is to have a name."""
        self.look()
        if path is None:
            mapping = self._unnamed(count, kind, reserves=False)
        else:
            handle = create_or_reopen(path)
            try:
                mapping = self._map(handle, path, _size(count, kind), reserves=False)
            finally:
                os.close(handle)
        mapping.is_sparse = True
        return Sparse(mapping, np.dtype(kind), path or self._directory)

    def _small(self, count: int, kind: DTypeLike) -> NDArray[Any] | None:
        """Zeros in memory, if an array is too small for a file."""
        self.look()
        return np.zeros(count, kind) if _size(count, kind) < self._on_disk_from else None

    def _unnamed(self, count: int, kind: DTypeLike, scattered: bool = False, *, reserves: bool = True) -> Mapping:
        with tempfile.TemporaryFile(dir=self._directory) as file:
            mapping = self._map(file.fileno(), self._directory, _size(count, kind), reserves=reserves)
        mapping.is_scattered = scattered
        return mapping

    def work(self, count: int, kind: DTypeLike) -> NDArray[Any]:
        """An array of zeros: in memory for good if it is small, or if those that are held there leave it room. All but
        the first leave scattered arrays theirs, too."""
        return self._held_if_room(count, kind, 0)

    def finishing(self, count: int, kind: DTypeLike) -> NDArray[Any]:
        """The same, but room is left for the arrays below the size from which they are on disk, and for what writing
        and checking a table takes beside arrays."""
        return self._held_if_room(count, kind, max(PROGRAM, self._memory // _FINISHING))

    def _held_if_room(self, count: int, kind: DTypeLike, left: int) -> NDArray[Any]:
        size = _size(count, kind)
        with self._lock:
            self._held = [one for one in self._held if one() is not None]
            taken = sum(one.nbytes for one in (ref() for ref in self._held) if one is not None)
            if size < SMALL or size <= self._work_room(bool(taken)) - taken - left:
                array = np.zeros(count, kind)
                self._held.append(weakref.ref(array))
                return array
        self.look()
        return np.frombuffer(self._unnamed(count, kind), kind)

    def work_room(self) -> float:
        """Bytes that working arrays may have in memory."""
        with self._lock:
            return self._work_room(leaves_room=True)

    def _work_room(self, leaves_room: bool) -> float:
        """The same; what is left to scattered arrays counts if it is to stay theirs."""
        scattered = sum(len(one) for one in self._there() if one.is_scattered) // _LOOKED_AT
        return self._memory * _HELD - PROGRAM - scattered * leaves_room

    def named(self, path: Path, count: int, kind: DTypeLike, *, reserves: bool = True) -> NDArray[Any]:
        """The array in this file, zeros if the file is new. Without `reserves` a new file is empty, and takes no room
        however the array is read: call `reserve_all` before writing."""
        self.look()
        handle, size = create_or_reopen(path), _size(count, kind)
        try:
            if reserves or os.fstat(handle).st_size:
                memory = self._map(handle, path, size)
            else:
                memory = self._without_file(handle, size)
        finally:
            os.close(handle)
        return np.frombuffer(memory, kind)

    def _without_file(self, handle: int, size: int) -> Mapping:
        """Zeros, until this file has room for them."""
        memory = Mapping(-1, size, mmap.MAP_PRIVATE | mmap.MAP_ANONYMOUS | _NO_SWAP)
        memory.has_no_file = True
        self._keep(memory, handle)
        return memory

    def reserve_all(self, array: NDArray[Any], /) -> None:
        """Have room for all of an array, if it is in a file; of a sparse one, `Sparse.fill` has it."""
        memory = file_of(array)
        with self._lock, text.named(str(self._directory)):
            if isinstance(memory, Mapping) and not memory.is_sparse and memory.room[RESERVED] < len(memory):
                reserve(int(memory.room[HANDLE]), len(memory))
                if memory.has_no_file:
                    put_in_place(int(memory.room[HANDLE]), memory)
                memory.room[RESERVED] = len(memory)

    def _map(self, handle: int, place: Path, size: int, *, reserves: bool = True) -> Mapping:
        """Map a file. Errors name `place`."""
        try:
            os.ftruncate(handle, min(size, os.fstat(handle).st_size))
            reserves = reserves or not can_reserve(handle)
            if reserves:
                reserve(handle, size)
            else:
                os.ftruncate(handle, size)
            memory = Mapping(handle, size)
        except OSError as error:
            error.filename = str(place)
            raise
        self._keep(memory, None if reserves else handle)
        return memory

    def _keep(self, memory: Mapping, handle: int | None) -> None:
        """Know of a mapping; with a handle, its file has no room yet."""
        memory.room = make_room(len(memory), len(memory) if handle is None else 0)
        with self._lock:
            self._maps = [*(one for one in self._maps if one() is not None), weakref.ref(memory)]
            if handle is not None:
                memory.room[HANDLE] = os.dup(handle)
                self._open.append(_Open(self._maps[-1], int(memory.room[HANDLE])))
            self._measure()
            if self._watch is None:
                # if the system can start no more, there is none to wait for
                self._watch = call_every(_glance(self._memory), self.look, self._stop, "disk arrays")

    @property
    def directory(self) -> Path:
        """Where those without a name are."""
        return self._directory

    def count_file(self, owner: object, handle: int) -> None:
        """What this file takes counts as well. It is closed when its owner is gone."""
        with self._lock:
            self._files.append(_File(weakref.ref(owner), handle))

    def _there(self) -> list[Mapping]:
        return [memory for memory in (one() for one in self._maps) if memory is not None]

    def _measure(self) -> None:
        """How much is on disk; what is no longer used there goes."""
        gone, left = list[_Open](), list[_Open]()
        for one in self._open:
            (gone if one.mapping() is None else left).append(one)
        self._open = left
        for one in gone:
            os.close(one.handle)
        for file in [one for one in self._files if one.owner() is None]:
            self._files.remove(file)
            os.close(file.handle)
        counted = sum(os.fstat(file.handle).st_blocks * _BLOCK for file in self._files)
        self.peak = max(self.peak, counted + sum(int(memory.room[RESERVED]) for memory in self._there()))

    def look(self) -> None:
        """Take all arrays out of memory if what comes in before the next look might be too much; before, have the C
        library give back what it has kept since it last did."""
        in_use, of_files = memory_in_use()
        with self._lock:
            self._measure()
            self._leap = max(in_use - self._seen, self._leap * _FADING)
            left = max(self._leap, self._memory / _MARGIN)
            grown = in_use - of_files > self._own + self._memory / _MARGIN
            self._own = min(self._own, in_use - of_files)
        if grown and in_use + left > self._memory:
            give_back()
            in_use, of_files = memory_in_use()
            self._own = in_use - of_files
        if in_use + left > self._memory and of_files > self._memory / _MARGIN:
            self.trim()
            in_use = memory_in_use()[0]
        self._seen = in_use

    def trim(self) -> None:
        """Take out of memory what there is no room for: first the code of large libraries, such as the compiler, which
        has done its work; then arrays, scattered ones last, the largest first: least of it is soon asked for again."""
        with self._lock:
            maps = self._there()
        if not self._has_trimmed:
            self._has_trimmed = True
            trim_code()
        for memory in sorted(maps, key=lambda memory: (memory.is_scattered, -len(memory))):
            if memory_in_use()[0] + max(self._leap, 2 * self._memory / _MARGIN) < self._memory:
                break
            with suppress(OSError):  # a wish, not a need
                memory.madvise(mmap.MADV_DONTNEED)

    def check(self, room: NDArray[np.int64], /) -> None:
        """OSError if the disk had no room for more of a growing array."""
        with text.named(str(self._directory)):
            check_room(room)

    def free(self) -> int:
        """Bytes that are free on the disk."""
        return shutil.disk_usage(self._directory).free

    def owed(self) -> int:
        """The bytes of arrays, scattered and sparse ones apart, that have no room on disk yet."""
        with self._lock:
            there = [one for one in self._there() if not one.is_scattered and not one.is_sparse]
            return sum(len(one) - int(one.room[RESERVED]) for one in there)

    def close(self) -> None:
        self._stop.set()
        if self._watch is not None:
            self._watch.join()
        with self._lock:
            left, self._open = self._open, []
            for one in left:
                if (memory := one.mapping()) is not None:
                    memory.room[HANDLE] = -1  # the number may soon be that of another file
                os.close(one.handle)
            files, self._files = self._files, []
            for file in files:
                os.close(file.handle)


def _size(count: int, kind: DTypeLike) -> int:
    return count * np.dtype(kind).itemsize


def _glance(memory: int) -> float:
    """Seconds between two looks, so that what comes in meanwhile fits into the margin."""
    return max(_GLANCE, min(memory / _MARGIN / _FASTEST, _LONGEST))
