"""Snapshots in a workspace: the arrays of one are in a file, their checksums in the journal."""

import os
import zlib
from collections.abc import Callable
from functools import partial
from pathlib import Path
from typing import Any, BinaryIO

from numpy.typing import NDArray

from tbgen.errors import NO_ROOM
from tbgen.generate.journal import AtWork, Written
from tbgen.retro.checkpoint import Snapshot
from tbgen.system.parallel import pieces
from tbgen.system.safe_files import create, reopen


def write(place: Path, name: str, slice_: int, snapshot: Snapshot, owed: int) -> AtWork | None:
    """Write a snapshot to a new file of the workspace; None if the disk has no room for it. As much again must
    stay free for arrays that the sweep makes next, and what is `owed` to those that are there."""
    size = sum(array.nbytes for array in snapshot.arrays.values())
    there = os.statvfs(place)
    if there.f_bavail * there.f_frsize < 2 * size + owed:
        return None
    path = place / name
    try:
        with os.fdopen(create(path), "wb") as file:
            arrays = [_put(file, one, array) for one, array in snapshot.arrays.items()]
            file.flush()
            os.fsync(file.fileno())
    except OSError as error:
        path.unlink(missing_ok=True)
        if error.errno not in NO_ROOM:
            raise
        return None
    return AtWork(slice_, name, snapshot.facts, arrays)


def _put(file: BinaryIO, name: str, array: NDArray[Any]) -> Written:
    begin = file.tell()
    return Written(name, len(array), begin, crc32_of(array, file.write))


def crc32_of(array: NDArray[Any], each: Callable[[memoryview], object] = lambda data: None) -> int:
    """The checksum of an array, piece by piece; first `each` is called with the piece."""
    found = 0
    for here in pieces(len(array)):
        data = array[here].data.cast("B")
        each(data)
        found = zlib.crc32(data, found)
    return found


class KeptSnapshot:
    """A `tbgen.retro.checkpoint.Kept`: what a line of the journal says of a file."""

    def __init__(self, place: Path, found: AtWork) -> None:
        self._path = place / found.file
        self._arrays = {one.name: one for one in found.arrays}
        self.facts = found.facts
        self.lengths = {one.name: one.length for one in found.arrays}

    def read(self, name: str, into: NDArray[Any]) -> bool:
        there = self._arrays[name]
        if len(into) != there.length:
            return False
        try:
            with os.fdopen(reopen(self._path, os.O_RDONLY), "rb") as file:
                file.seek(there.offset)
                return crc32_of(into, partial(_fill, file)) == there.crc32
        except (OSError, EOFError):
            return False


def _fill(file: BinaryIO, data: memoryview) -> None:
    if file.readinto(data) != len(data):  # type: ignore[attr-defined]
        raise EOFError
