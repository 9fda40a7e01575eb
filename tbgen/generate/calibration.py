"""The pace of this machine: how many times as long it takes as the one of the recorded figures. A short test begins the
notes of it, and every build adds to them."""

import json
import os
import platform
import time
import zlib
from contextlib import suppress
from functools import cache
from pathlib import Path
from statistics import median
from typing import Final, NamedTuple

import numpy as np

from tbgen.compiler import code_cache
from tbgen.compiler.jit import cache_home
from tbgen.system import output_files
from tbgen.system.safe_files import reopen

_TEST: Final = 10.0
"""The test counts as a build of so many estimated CPU seconds."""
_REFERENCE: Final = 0.250
"""CPU seconds of the test's work on the machine of the recorded figures."""
_WORTH: Final = 1.0
"""Estimated CPU seconds of a table that counts: a smaller one tells how long the program takes to start."""
_FADING: Final = 3600.0
"""Estimated CPU seconds above which earlier builds count half: programs and machines change."""
_LIKELY: Final = 1000.0
"""No machine is so many times slower, or faster, than that of the recorded figures: the notes are damaged."""


class Pace(NamedTuple):
    """CPU seconds of what was built here."""

    estimated: float
    """The estimate at a pace of 1."""
    measured: float

    @property
    def factor(self) -> float:
        return self.measured / self.estimated


def known_pace() -> Pace:
    """The pace by the notes. Where there are none yet, or they are damaged, the test begins them."""
    with suppress(OSError, ValueError, LookupError, TypeError, ArithmeticError, RecursionError):
        if code_cache.trusts(cache_home()):
            with os.fdopen(reopen(_file(), os.O_RDONLY), "rb") as file:
                notes = json.loads(file.read())
            pace = Pace(float(notes["estimated"]), float(notes["measured"]))
            if 1 / _LIKELY < pace.factor < _LIKELY:
                return pace
    pace = Pace(_TEST, _TEST * tested())
    _write(pace)
    return pace


def record_build(estimated: float, measured: float) -> None:
    """Count a table that was built from start to end. `estimated` is its CPU seconds at a pace of 1."""
    if estimated >= _WORTH:
        before = known_pace()
        share = 0.5 if before.estimated > _FADING else 1.0
        _write(Pace(before.estimated * share + estimated, before.measured * share + measured))


def _file() -> Path:
    """The file of this machine: several machines may share a home directory."""
    return cache_home() / f"pace-{platform.node() or 'machine'}.json"


def _write(pace: Pace) -> None:
    with suppress(OSError):  # a cache that cannot be written costs accuracy, nothing else
        if code_cache.trusts(cache_home()):
            output_files.replace(_file(), json.dumps(pace._asdict()).encode())


@cache
def tested() -> float:
    """The pace by a second of what a build does, in about the same shares: memory read in no order, arithmetic in the
    cache, memory written for the first time, compression."""
    generator = np.random.default_rng(1)
    memory = np.ones(1 << 26, np.uint8)  # more than a processor's cache holds
    places = generator.integers(0, len(memory), 1 << 20)
    numbers = generator.integers(0, 1 << 31, 1 << 14)
    text = np.minimum(generator.geometric(0.3, 1 << 17), 255).astype(np.uint8).tobytes()

    def seconds() -> float:
        begun = time.process_time()
        for _ in range(6):
            memory.take(places)
        for _ in range(3000):
            np.add(numbers ^ numbers >> 7, numbers)
        np.ones(len(memory) // 2, np.uint8)
        zlib.compress(text, 6)
        return time.process_time() - begun

    return median(seconds() for _ in range(3)) / _REFERENCE
