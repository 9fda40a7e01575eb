"""How fast this machine builds, compared with the one on which estimates were measured; every build adds to it."""

import json
import platform
from contextlib import suppress
from pathlib import Path
from typing import Final

from tbgen import files
from tbgen.jit import cache_home

_ENOUGH: Final = 10.0
"""Estimates are corrected once tables of this many estimated CPU seconds have been built."""
_WORTH: Final = 1.0
"""Estimated CPU seconds of a table that counts: a smaller one tells how long the program takes to start."""
_FADING: Final = 3600.0
"""Estimated CPU seconds above which earlier builds count half: programs and machines change."""


def _file() -> Path:
    """The file of this machine: several machines may share a home directory."""
    return cache_home() / f"pace-{platform.node() or 'machine'}.json"


def _sums() -> tuple[float, float]:
    """Estimated and measured CPU seconds of the tables built so far."""
    try:
        found = json.loads(_file().read_text())
        return float(found["estimated"]), float(found["measured"])
    except (OSError, ValueError, KeyError, TypeError):
        return 0.0, 0.0


def calibrated_pace() -> float | None:
    """The factor for estimates on this machine; None if it has built too little to know."""
    estimated, measured = _sums()
    return measured / estimated if estimated >= _ENOUGH else None


def record_build(estimated: float, measured: float) -> None:
    """Count a table that was built from start to end. `estimated` is its CPU seconds at a pace of 1."""
    if estimated < _WORTH:
        return
    sums = _sums()
    share = 0.5 if sums[0] > _FADING else 1.0
    told = {"estimated": sums[0] * share + estimated, "measured": sums[1] * share + measured}
    with suppress(OSError):  # a cache that cannot be written costs accuracy, nothing else
        files.replace(_file(), json.dumps(told).encode())
