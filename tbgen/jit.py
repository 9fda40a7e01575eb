"""The one decorator for compiled kernels, and where their machine code is kept.

A change in a kernel that another module calls must not be answered with the caller's old machine code. So the cache
directory's name is a digest of the source of every kernel module and of the versions in play; an edit anywhere in
them starts a fresh directory, and old ones are swept away.
"""

import hashlib
import os
import platform
import shutil
import sys
import time
from collections.abc import Callable
from contextlib import suppress
from pathlib import Path
from typing import Any, Final, TypeVar

import llvmlite
import numba
import numpy

from tbgen import kept

_ROOMS = ("board", "index", "retro")
_MODULES = ("jit.py", "kept.py", "outcome.py", "sizes.py")
"""Whose constants are part of the machine code, or that keep it."""
_KEPT_DAYS = 7
_HALF_DAYS = 1

F = TypeVar("F", bound=Callable[..., Any])


def _sources() -> list[Path]:
    here = Path(__file__).parent
    return [
        *(here / name for name in _MODULES),
        *sorted(path for room in _ROOMS for path in (here / room).rglob("*.py")),
    ]


def _digest() -> str:
    seen = hashlib.sha256()
    for words in (
        numba.__version__,
        llvmlite.__version__,
        numpy.__version__,
        sys.version,
        platform.processor(),
        platform.machine(),
    ):
        seen.update(words.encode())
    for path in _sources():
        seen.update(path.name.encode())
        seen.update(path.read_bytes())
    return seen.hexdigest()[:16]


def cache_home() -> Path:
    """`$TBGEN_CACHE`, or the user's cache directory."""
    chosen = os.environ.get("TBGEN_CACHE")
    if chosen:
        return Path(chosen)
    base = os.environ.get("XDG_CACHE_HOME")
    return (Path(base) if base else Path.home() / ".cache") / "tbgen"


def _sweep(home: Path, current: Path) -> None:
    """Throw away caches that no recent run has used, and what killed runs have left. Others may do so as well."""
    for old in home.glob("kernels-*"):
        if old != current and _is_older(old, _KEPT_DAYS):
            shutil.rmtree(old, ignore_errors=True)
    for half in current.glob(f".*{kept.HALF}"):
        if _is_older(half, _HALF_DAYS):
            half.unlink(missing_ok=True)


def _is_older(path: Path, days: int) -> bool:
    with suppress(FileNotFoundError):
        return time.time() - path.stat().st_mtime > days * 86400
    return False


SOURCES: Final = _digest()
"""Tells apart versions of the kernels, compiler included."""


def _open_cache() -> Path:
    """The directory of this version. One that cannot be made or written to may still be read."""
    current = cache_home() / f"kernels-{SOURCES}"
    with suppress(OSError):
        current.mkdir(parents=True, exist_ok=True)
        os.utime(current)
        _sweep(current.parent, current)
    return current


CACHE: Final = _open_cache()
"""Where this version's machine code is kept."""


_OPTIONS: Final[dict[str, Any]] = {
    "nogil": True,
    "boundscheck": False,
    "error_model": "numpy",
}
_NO_COUNTS: Final[dict[str, Any]] = {"_nrt": False}
"""Kernels work on arrays that their callers hold, and need not count who else does: that takes an atomic step for
each array of a bundle at each call, half of the time of the solver's inner loops."""


def kernel(function: F) -> F:
    """Compile for the whole process: cached on disk, without the interpreter's lock, integers wrap.

    A kernel cannot make arrays."""
    return _kept(function, numba.njit(**_OPTIONS, **_NO_COUNTS)(function))


def inlined(function: F) -> F:
    """A kernel that LLVM is told to fold into its callers: for the small steps of inner loops."""
    return _kept(function, numba.njit(**_OPTIONS, **_NO_COUNTS, forceinline=True)(function))


def _kept(function: F, compiled: F) -> F:
    if not numba.config.DISABLE_JIT:
        compiled._cache = kept.Kept(CACHE, function)  # type: ignore[attr-defined]
    return compiled


def plain(compiled: F) -> F:
    """The Python function behind a kernel: for whole numpy columns at once, or outside of kernels."""
    function: F = compiled.py_func  # type: ignore[attr-defined]
    return function
