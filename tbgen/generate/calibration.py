"""How fast this machine builds, beside the one that the estimates were measured on: kept from table to table."""

import json
import platform
from contextlib import suppress
from pathlib import Path
from typing import Final

from tbgen import files
from tbgen.jit import cache_home

_ENOUGH: Final = 10.0
"""CPU seconds of estimates that have to be checked before they are corrected."""
_WORTH: Final = 1.0
"""CPU seconds that a table has to be estimated at: a tiny one tells how long the program takes to start."""
_FADING: Final = 3600.0
"""Of so many and more, the older half counts less and less: programs and machines change."""


def _file() -> Path:
    """Homes may be shared: each machine has a file of its own."""
    return cache_home() / f"pace-{platform.node() or 'machine'}.json"


def _sums() -> tuple[float, float]:
    """CPU seconds that tables were estimated at, and those that they took."""
    try:
        found = json.loads(_file().read_text())
        return float(found["estimated"]), float(found["measured"])
    except (OSError, ValueError, KeyError, TypeError):
        return 0.0, 0.0


def calibrated_pace() -> float | None:
    """By what estimates have to be multiplied on this machine; None where it has built too little to know."""
    estimated, measured = _sums()
    return measured / estimated if estimated >= _ENOUGH else None


def record_build(estimated: float, measured: float) -> None:
    """A table was built from start to end. `estimated` is what it takes at a pace of 1."""
    if estimated < _WORTH:
        return
    sums = _sums()
    share = 0.5 if sums[0] > _FADING else 1.0
    told = {"estimated": sums[0] * share + estimated, "measured": sums[1] * share + measured}
    with suppress(OSError):  # a cache that cannot be written costs accuracy, nothing else
        files.replace(_file(), json.dumps(told).encode())
