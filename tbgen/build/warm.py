"""Compiling the kernels once, on all cores, before the first build."""

import hashlib
import multiprocessing
from collections.abc import Callable
from concurrent.futures import ProcessPoolExecutor, as_completed
from pathlib import Path

from tbgen.jit import CACHE
from tbgen.retro.warm import PARTS

_DONE = f"warm-{hashlib.sha256(str(Path(__file__).parent).encode()).hexdigest()[:16]}"
"""numba keeps machine code by the place of its source: another checkout has to compile the same kernels again."""


def is_warm() -> bool:
    """Whether the kernels of this version have been compiled on this machine (or cannot be kept)."""
    return CACHE is None or (CACHE / _DONE).exists()


def warm_up(processes: int, report: Callable[[str], None] = lambda part: None) -> None:
    """Have every part compiled in a process of its own; `report` hears of each that is done."""
    context = multiprocessing.get_context("spawn")
    with ProcessPoolExecutor(min(processes, len(PARTS)), mp_context=context) as pool:
        for part in as_completed([pool.submit(_compile, part) for part in PARTS]):
            report(part.result())
    if CACHE is not None:
        (CACHE / _DONE).touch()


def _compile(part: str) -> str:
    PARTS[part]()
    return part
