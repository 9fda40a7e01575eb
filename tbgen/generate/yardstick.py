"""How fast this machine works: a fixed piece of work that takes a second, like that of a build."""

import time
import zlib
from collections.abc import Callable
from functools import lru_cache
from statistics import median
from typing import Final

import numpy as np

_REFERENCE: Final = 0.250
"""CPU seconds of the work on the machine of the recorded figures (recorded.csv)."""
_ROUNDS: Final = 3
_MEMORY: Final = 1 << 26
"""Bytes that are read here and there: more than a processor's cache holds."""
_GOOD_FOR: Final = 60.0
"""Seconds: other programs, or other machines on the same processor, may slow it down later."""


def measured_pace() -> float:
    """How many times as long this machine takes as the one of the recorded figures."""
    return _measured(int(time.monotonic() / _GOOD_FOR))


@lru_cache(1)
def _measured(when: int) -> float:
    work = _work()
    return median(_seconds(work) for _ in range(_ROUNDS)) / _REFERENCE


def _seconds(work: Callable[[], None]) -> float:
    begun = time.process_time()
    work()
    return time.process_time() - begun


def _work() -> Callable[[], None]:
    """What a build does, in about the same shares: memory read in no order, arithmetic in the cache, memory written
    for the first time, compression."""
    generator = np.random.default_rng(1)
    memory = np.ones(_MEMORY, np.uint8)
    places = generator.integers(0, _MEMORY, 1 << 20)
    numbers = generator.integers(0, 1 << 31, 1 << 14)
    text = np.minimum(generator.geometric(0.3, 1 << 17), 255).astype(np.uint8).tobytes()

    def work() -> None:
        for _ in range(6):
            memory.take(places)
        for _ in range(3000):
            np.add(numbers ^ numbers >> 7, numbers)
        np.ones(_MEMORY >> 1, np.uint8)
        zlib.compress(text, 6)

    return work
