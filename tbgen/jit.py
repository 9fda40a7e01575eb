"""The one decorator for compiled kernels, and where their machine code is kept.

numba's own cache does not see a change in a kernel that another module calls: the caller's old machine
code would be served. So the cache directory's name is a digest of the source of every kernel module and
of the versions in play; an edit anywhere in them starts a fresh directory, and old ones are swept away.
"""

import hashlib
import os
import platform
import shutil
import sys
import time
from collections.abc import Callable
from pathlib import Path
from typing import Any, Final, TypeVar

import numba
import numpy

_ROOMS = ("board", "index", "retro")
_MODULES = ("jit.py", "outcome.py", "sizes.py")
"""Whose constants are part of the machine code."""
_KEPT_DAYS = 7

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
    """Throw away caches that no recent run has used."""
    for old in home.glob("kernels-*"):
        if old != current and time.time() - old.stat().st_mtime > _KEPT_DAYS * 86400:
            shutil.rmtree(old, ignore_errors=True)


SOURCES: Final = _digest()
"""Tells apart versions of the kernels, compiler included."""


def _open_cache() -> Path | None:
    """Point numba at this version's cache; None where no directory can be written."""
    current = cache_home() / f"kernels-{SOURCES}"
    try:
        current.mkdir(parents=True, exist_ok=True)
        os.utime(current)
        _sweep(current.parent, current)
    except OSError:
        return None
    numba.config.CACHE_DIR = str(current)
    return current


CACHE = _open_cache()
"""Where this version's machine code is kept, if anywhere."""


_OPTIONS: Final[dict[str, Any]] = {
    "cache": CACHE is not None,
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
    compiled: F = numba.njit(**_OPTIONS, **_NO_COUNTS)(function)
    return compiled


def inlined(function: F) -> F:
    """A kernel that LLVM is told to fold into its callers: for the small steps of inner loops."""
    compiled: F = numba.njit(**_OPTIONS, **_NO_COUNTS, forceinline=True)(function)
    return compiled


def plain(compiled: F) -> F:
    """The Python function behind a kernel: for whole numpy columns at once, or outside of kernels."""
    function: F = compiled.py_func  # type: ignore[attr-defined]
    return function
