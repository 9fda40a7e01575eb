"""The one decorator for compiled kernels, and where their machine code is kept.

A change in a kernel that another module calls must not be answered with the caller's old machine code. So the name of
a cache directory is a digest of the sources that its kernels can be made of and of the versions in play; an edit
anywhere in them starts a fresh directory, and old ones are swept away.

Solver, verifier and the files of tables have a directory each: an edit of one leaves the machine code of the others
as it is. What all are built on belongs to all digests. Its own kernels, and those of tests, lie in one more directory:
they take bundles that either side defines, so that any edit may change them.
"""

import hashlib
import os
import platform
import shutil
import sys
from collections.abc import Callable, Iterable
from contextlib import suppress
from pathlib import Path
from typing import Any, Final, NamedTuple, TypeVar

import llvmlite
import numba
import numpy

from tbgen.compiler import code_cache
from tbgen.compiler.pipeline import Kernel
from tbgen.system import output_files
from tbgen.system.locations import home
from tbgen.system.safe_files import PRIVATE_DIRECTORY, loose, make_place

SHARED: Final = (
    "compiler", "core", "board", "index", "memory/arrays", "system/parallel", "system/thresholds",
)  # fmt: skip
"""Modules and packages that all groups are built on: their kernels, and what kernels take constants from."""
_KEPT: Final = 16
"""Caches of a group that stay, those that were used last. How long ago that was is not asked: clocks may jump."""

F = TypeVar("F", bound=Callable[..., Any])


def sources(*rooms: str) -> list[Path]:
    """The files of modules and packages."""
    package = Path(__file__).parents[1]
    return sorted(path for room in rooms for path in (*package.glob(f"{room}.py"), *(package / room).rglob("*.py")))


def _digest(files: list[Path]) -> str:
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
    for path in files:
        seen.update(path.name.encode())
        seen.update(path.read_bytes())
    return seen.hexdigest()[:16]


def cache_home() -> Path:
    """`$TBGEN_CACHE`, or the user's cache directory."""
    chosen = os.environ.get("TBGEN_CACHE")
    if chosen:
        return Path(chosen)
    base = os.environ.get("XDG_CACHE_HOME")
    return (Path(base) if base else home() / ".cache") / "tbgen"


def _sweep(current: Path, group: str) -> None:
    """Throw away caches of a group that no recent run has used, and what killed runs have left. Others may do so as
    well."""
    for old in sorted(current.parent.glob(f"kernels-{group}-*"), key=_last_use, reverse=True)[_KEPT:]:
        if old != current:
            shutil.rmtree(old, ignore_errors=True)
    output_files.sweep(current, lambda name: True)


def _last_use(cache: Path) -> float:
    with suppress(FileNotFoundError):
        return cache.stat().st_mtime
    return 0


def _open_cache(group: str, digest: str) -> Path:
    """The directory of this version. One that cannot be made or written to may still be read."""
    current = cache_home() / f"kernels-{group}-{digest}"
    with suppress(OSError):
        if loose(current) is None:
            make_place(current, PRIVATE_DIRECTORY)
            os.utime(current)
            _sweep(current, group)
    return current


class Group(NamedTuple):
    """Kernels whose machine code is kept together."""

    files: list[Path]
    """All that it depends on."""
    digest: str
    """Tells apart versions of it, compiler included."""
    cache: Path
    """The directory where this version is kept."""


def _group(name: str, *rooms: str, studies: Iterable[Path] = ()) -> Group:
    made_of = [*sources(*SHARED, *rooms), *studies]
    digest = _digest(made_of)
    return Group(made_of, digest, _open_cache(name, digest))


SOLVER: Final = _group("solver", "retro")
VERIFIER: Final = _group("verifier", "verify")
STORE: Final = _group("store", "store")
_ANY: Final = _group("any", "retro", "verify")


_GROUPS: Final = {
    "tbgen.retro": SOLVER,
    "tbgen.verify": VERIFIER,
    "tbgen.store": STORE,
}


def group_of(module: str) -> Group:
    """The group that the kernels of a module belong to."""
    room = ".".join(module.split(".")[:2])
    return _GROUPS.get(room, _ANY)


_OPTIONS: Final[dict[str, Any]] = {
    "nopython": True,
    "nogil": True,
    "boundscheck": False,
    "error_model": "numpy",
}


def _compiled(function: F, forceinline: bool) -> F:
    """`forceinline` is always said: numba would hand it down from a kernel to all that it calls."""
    if numba.config.DISABLE_JIT:
        return function
    cache = code_cache.CodeCache(group_of(function.__module__).cache, function)
    compiled: Any = Kernel(function, {**_OPTIONS, "forceinline": forceinline}, cache)
    return compiled


def kernel(function: F) -> F:
    """Compile for the whole process: cached on disk, without the interpreter's lock, integers wrap.

    A kernel cannot make arrays. Its indices count from the start of an array: -1 reaches what lies before it."""
    return _compiled(function, forceinline=False)


def inlined(function: F) -> F:
    """A kernel that LLVM is told to fold into its callers: for the small steps of inner loops."""
    return _compiled(function, forceinline=True)


def plain(compiled: F) -> F:
    """The Python function behind a kernel: for whole numpy columns at once, or outside of kernels."""
    function: F = compiled.py_func  # type: ignore[attr-defined]
    return function
