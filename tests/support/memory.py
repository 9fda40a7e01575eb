"""Memory that tests need no more, given back to the system."""

import ctypes
import gc
from types import ModuleType

from tests.support.slow_twin.placements import least_image


def release(module: ModuleType) -> None:
    """Forget what the functions of a file of tests keep, and what the slow twin's do, and give the system all that is
    free: else a process that runs many files ends with gigabytes."""
    for function in (*vars(module).values(), least_image):
        if hasattr(function, "cache_clear"):
            function.cache_clear()
    gc.collect()
    trim = getattr(ctypes.CDLL(None), "malloc_trim", None)  # glibc has it
    if trim is not None:
        trim(0)
