"""What staircases were before they got their numbers for good. The numbers take the place of the links, with which a
stopped build goes on, so a workspace keeps these:

    ends        the last link of each staircase, by its number
    numbered    the positions that were next, and their links: all positions before them are numbered

The links are put back from the last positions to the first. Those that have been put back are what is next, so this may
be stopped as well.
"""

import os
import zlib
from pathlib import Path
from typing import Final, NamedTuple

import numpy as np
from numpy.typing import NDArray

from tbgen.memory.disk_arrays import DiskArrays
from tbgen.retro import export
from tbgen.system.output_files import NEW, renew, sync
from tbgen.system.parallel import pieces
from tbgen.system.safe_files import reopen

_STAIRCASES: Final = "staircases"
_ENDS: Final = "ends"
_NUMBERED: Final = "numbered"
_HEAD: Final = np.dtype([("start", "<i8"), ("crc32", "<u4")])
_LINK: Final = np.dtype("<i4")


class _Next(NamedTuple):
    start: int
    links: NDArray[np.int32]


def make_ends(place: Path, count: int, arrays: DiskArrays) -> NDArray[np.int32]:
    (place / _ENDS).unlink(missing_ok=True)
    return arrays.named(place / _ENDS, count, _LINK)


def keep(place: Path, start: int, links: NDArray[np.int32]) -> None:
    """Only when the disk has this may they be numbered; and it is written when the disk has all that it says of others:
    their numbers or links, and the ends."""
    for name in (_STAIRCASES, _ENDS):
        sync(place / name)
    head = np.array([(start, zlib.crc32(links.data))], _HEAD)
    renew(place / _NUMBERED, [head.tobytes(), links.data])


def undo(place: Path, staircases: NDArray[np.int32], arrays: DiskArrays) -> None:
    """Put the links back, if staircases were being numbered. Where these files are not what was written, links are
    wrong, and slices do not have the checksums that they had."""
    there = _read(place)
    if there is not None and there.start + len(there.links) <= len(staircases):
        arrays.reserve_all(staircases)  # a file that is missing would later take the place of what is written now
        staircases[there.start :][: len(there.links)] = there.links
        count = (place / _ENDS).stat().st_size // _LINK.itemsize if (place / _ENDS).exists() else 0
        ends = arrays.named(place / _ENDS, max(1, count), _LINK)
        for here in reversed(pieces(there.start, export.TOGETHER)):
            links = ends.take(staircases[here], mode="clip")
            keep(place, here.start, links)
            staircases[here] = links
        sync(place / _STAIRCASES)
    for name in (_NUMBERED, _NUMBERED + NEW, _ENDS):
        (place / name).unlink(missing_ok=True)


def _read(place: Path) -> _Next | None:
    """The positions that were next; None if there are none, or if this is not what was written."""
    try:
        with os.fdopen(reopen(place / _NUMBERED, os.O_RDONLY), "rb") as file:
            head, data = file.read(_HEAD.itemsize), file.read()
    except OSError:
        return None
    if len(head) < _HEAD.itemsize or len(data) % _LINK.itemsize:
        return None
    start, crc32 = np.frombuffer(head, _HEAD)[0].tolist()
    return _Next(start, np.frombuffer(data, _LINK)) if start >= 0 and zlib.crc32(data) == crc32 else None
