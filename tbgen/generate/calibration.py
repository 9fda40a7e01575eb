"""How fast this machine builds, compared with the one of the recorded figures. A short test says it at first, and every
build adds to it."""

import json
import platform
from contextlib import suppress
from math import inf
from pathlib import Path
from typing import Final, NamedTuple

from tbgen import files
from tbgen.generate.yardstick import measured_pace
from tbgen.jit import cache_home

_ENOUGH: Final = 10.0
"""Builds count from this many estimated CPU seconds on; before, the test does."""
WORTH: Final = 1.0
"""Estimated CPU seconds of a table that counts: a smaller one tells how long the program takes to start."""
_LIKELY: Final = 1000.0
"""No machine is so many times slower, or faster, than that of the recorded figures: the notes are damaged."""
_FADING: Final = 3600.0
"""Estimated CPU seconds above which earlier builds count half: programs and machines change."""


class Pace(NamedTuple):
    factor: float
    """How many times as long this machine takes."""
    from_builds: bool
    """Or else from the test."""


def _file() -> Path:
    """The file of this machine: several machines may share a home directory."""
    return cache_home() / f"pace-{platform.node() or 'machine'}.json"


def _notes() -> dict[str, float]:
    """Estimated and measured CPU seconds of the tables built so far, and what the test said; nothing where the file is
    not what this program writes."""
    try:
        notes = {str(name): float(figure) for name, figure in json.loads(_file().read_text()).items()}
    except (OSError, ValueError, AttributeError, TypeError, OverflowError, RecursionError):
        return {}
    return notes if all(0 <= figure < inf for figure in notes.values()) else {}


def _is_likely(factor: float) -> bool:
    return 1 / _LIKELY < factor < _LIKELY


def _write(notes: dict[str, float]) -> None:
    with suppress(OSError):  # a cache that cannot be written costs accuracy, nothing else
        files.replace(_file(), json.dumps(notes).encode())


def known_pace() -> Pace:
    """The factor for estimates on this machine. The first call takes a second: it runs the test."""
    notes = _notes()
    estimated, measured, tested = (notes.get(name, 0.0) for name in ("estimated", "measured", "tested"))
    if estimated >= _ENOUGH and _is_likely(measured / estimated):
        return Pace(measured / estimated, from_builds=True)
    if not _is_likely(tested):
        tested = measured_pace()
        _write(notes | {"tested": tested})
    return Pace(tested, from_builds=False)


def record_build(estimated: float, measured: float) -> None:
    """Count a table that was built from start to end. `estimated` is its CPU seconds at a pace of 1."""
    if estimated < WORTH:
        return
    notes = _notes()
    before = notes.get("estimated", 0.0), notes.get("measured", 0.0)
    share = 0.5 if before[0] > _FADING else 1.0
    _write(notes | {"estimated": before[0] * share + estimated, "measured": before[1] * share + measured})
