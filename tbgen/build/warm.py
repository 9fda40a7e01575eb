"""Compiling the kernels once, on all cores, before the first build."""

import multiprocessing
import os
import shutil
from collections.abc import Callable
from concurrent.futures import ProcessPoolExecutor, as_completed
from typing import Final

from tbgen import kept
from tbgen.jit import CACHE
from tbgen.retro.warm import PARTS

_DONE: Final = CACHE / "warm"
"""Names the files that all parts together need."""
_ROOM: Final = 64 << 20
"""Bytes of disk that these take, and some more."""


def is_warm() -> bool:
    """Whether the kernels of this version have been compiled on this machine and are what they were, or cannot be kept.

    Reads them all, a few hundredths of a second: what is damaged is compiled again by all cores together."""
    names = kept.read(_DONE)
    if names is None:
        return not _can_keep()
    whole = [kept.read(CACHE / name) is not None for name in names.decode().splitlines()]
    if not all(whole):
        kept.damaged(CACHE)
    return all(whole) or not _can_keep()


def _can_keep() -> bool:
    """Says so where it cannot."""
    try:
        CACHE.mkdir(parents=True, exist_ok=True)
        if not os.access(CACHE, os.W_OK | os.X_OK):
            raise PermissionError(0, "no right to write there")
        if shutil.disk_usage(CACHE).free < _ROOM:
            raise OSError(0, "the disk is full")
    except OSError as error:
        kept.lost(CACHE, error)
        return False
    return True


def warm_up(processes: int, report: Callable[[str], None] = lambda part: None) -> None:
    """Have every part compiled in a process of its own; `report` hears of each that is done."""
    context = multiprocessing.get_context("spawn")
    names: set[str] = set()
    with ProcessPoolExecutor(min(processes, len(PARTS)), mp_context=context) as pool:
        for done in as_completed([pool.submit(_compile, part) for part in PARTS]):
            part, used = done.result()
            names |= used
            report(part)
    kept.write(_DONE, "\n".join(sorted(names)).encode())


def _compile(part: str) -> tuple[str, set[str]]:
    """The part, and the files that it needs."""
    kept.hush()
    PARTS[part]()
    return part, kept.used
