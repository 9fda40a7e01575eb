"""Checking a sample of a new table before it gets its name: by forward moves, and by reading it back."""

import time
from pathlib import Path
from typing import Any, Final

import numpy as np
from numpy.typing import NDArray

from tbgen.core.table_contents import Contents, Told, selected
from tbgen.errors import WrongTable
from tbgen.index.exits import Exits
from tbgen.memory.arrays import Arrays
from tbgen.store import open_table
from tbgen.verify.run import verify
from tbgen.verify.units import KEPT_LONG, Memory

_SHARE: Final = 0.02
"""The share of the building time for checking moves; a tenth of it goes to reading back."""
_LEAST: Final = 0.05
"""Seconds for moves, at least."""
_SMALL: Final = 1 << 14
"""Tables of at most this many numbers are checked completely."""
_MANY: Final = 1 << 24
"""Steps that the verifier is given all at once, at most: it takes 20 bytes for each staircase. With more it reads the
table by units, which takes longer to begin with. Tables with pawns are always read so: it takes less memory."""
_LEAST_KEPT: Final = 1 << 27
"""Numbers of units that are kept, on disk, at least;"""
_SHARE_KEPT: Final = 8
"""of a larger table an eighth, as its moves lead to more units."""
_STRETCH: Final = 1 << 12
"""Numbers that are read back together."""


def check_sample(
    contents: Told,
    written: Path,
    exits: Exits,
    threads: int,
    seconds: float,
    arrays: Arrays,
) -> None:
    """Check positions drawn at random. WrongTable if the moves of one contradict what the table says of it, or if the
    file says something else. `seconds`: how long building took."""
    time_to_spend = max(_LEAST, _SHARE * seconds)
    generator = np.random.default_rng()
    size = len(contents.entries)
    small = size <= _SMALL
    seed = int(generator.integers(1 << 62))
    divides = exits.layout.slices > 1 or len(contents.steps.level) > _MANY
    kept = min(KEPT_LONG, max(_LEAST_KEPT, size // _SHARE_KEPT))
    verdict = verify(
        contents, exits, threads=threads, seconds=None if small else time_to_spend, seed=seed,
        memory=Memory(arrays.array, divides, kept, room=arrays.work_room()),
    )  # fmt: skip
    if verdict.wrong:
        _refuse(contents, f"{verdict.wrong:,} of {verdict.checked:,} positions are not what their moves make of them")
    wrong = _read_back(contents, written, generator, time_to_spend / 10)
    if wrong is not None:
        _refuse(contents, f"the file says something else of the positions from number {wrong} on")


def _refuse(contents: Told, what: str) -> None:
    raise WrongTable(
        f"{contents.material} was built wrong and has not been kept: {what}. Build it again; if that fails too, "
        "this machine's memory or disk is not to be trusted, or tbgen has a fault"
    )


def _read_back(contents: Told, written: Path, generator: np.random.Generator, seconds: float) -> int | None:
    """A number from which on the file says something else; None if none is found within `seconds`."""
    size, end = len(contents.entries), time.monotonic() + seconds
    with open_table(written) as table:
        while True:
            start = int(generator.integers(size)) // _STRETCH * _STRETCH
            stop = min(size, start + _STRETCH)
            if not _are_same(contents.part(start, stop), table.part(start, stop)):
                return start
            if time.monotonic() > end:
                return None


def _are_same(one: Contents, other: Contents) -> bool:
    """Whether both say the same; staircases may have different numbers."""
    ours, theirs = (_columns(contents) for contents in (one, other))
    return all(np.array_equal(mine, its) for mine, its in zip(ours, theirs, strict=True))


def _columns(contents: Contents) -> list[NDArray[Any]]:
    return [contents.entries, *selected(contents.steps, contents.staircases)]
