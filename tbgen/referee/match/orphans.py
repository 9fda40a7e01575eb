"""What engines leave behind: processes in sessions of their own, which no signal to the engine's group reaches.

At a desk that `adopt`s them such orphans become its children. A mark in the environment says whose they are; what bears
the mark of an engine that still runs is let alone, and so is what is no child of ours.
"""

import ctypes
import os
import signal
import sys
import time
from collections.abc import Iterable, Iterator
from contextlib import suppress
from pathlib import Path
from typing import Final

_PR_SET_CHILD_SUBREAPER: Final = 36
_MARK: Final = "TBGEN_ENGINE_"
_PROC: Final = Path("/proc")
_LOOKS: Final = 3
_MOMENT: Final = 0.01
"""Seconds between two looks: a process that is about to run another program has no environment meanwhile."""

RUNNING: Final[dict[int, str]] = {}
"""The engines of this process, and their marks; none where an engine is about to go."""


def adopt() -> None:
    """From now on become the parent of whatever engines leave behind."""
    if sys.platform == "linux":
        ctypes.CDLL(None).prctl(_PR_SET_CHILD_SUBREAPER, 1, 0, 0, 0)


def marked(mark: str) -> dict[str, str]:
    """The environment of an engine with this mark."""
    return {**os.environ, f"{_MARK}{mark}": "1"}


def end() -> bool:
    """Kill orphans whose engine does not run any more. Gives whether there was any: its children come next."""
    marks = [f"{mark}=" for mark in RUNNING.values() if mark]
    found = [pid for pid in _children() if pid not in RUNNING and not _bears(pid, marks)]
    for pid in found:
        with suppress(ProcessLookupError, ChildProcessError):
            os.kill(pid, signal.SIGKILL)  # until it is waited for, nobody else has its number
            os.waitpid(pid, os.WNOHANG)
    return bool(found)


def end_marked(mark: str) -> None:
    """Kill what bears a mark that begins so, wherever it is: its desk is there no more."""
    for pid in _processes():
        with suppress(OSError):
            handle = os.pidfd_open(pid)  # its number may be another's in the next moment
            try:
                if _bears(pid, [mark]):
                    signal.pidfd_send_signal(handle, signal.SIGKILL)
            finally:
                os.close(handle)


def _processes() -> Iterator[int]:
    if sys.platform == "linux":
        yield from (int(entry.name) for entry in _PROC.iterdir() if entry.name.isdecimal())


def _children() -> Iterator[int]:
    own = str(os.getpid())
    for pid in _processes():
        with suppress(OSError):
            _, _, rest = (_PROC / str(pid) / "stat").read_text(errors="replace").rpartition(")")  # a name may have any
            if rest.split()[1] == own:
                yield pid


def _bears(pid: int, marks: Iterable[str]) -> bool:
    """Whether a process bears one of these marks. What it has wiped it does not bear."""
    with suppress(OSError):
        for look in range(_LOOKS):
            time.sleep(_MOMENT if look else 0)
            if told := (_PROC / str(pid) / "environ").read_bytes():
                return any(f"{_MARK}{mark}".encode() in told for mark in marks)
    return False
