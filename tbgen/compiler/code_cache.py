"""Machine code on disk: a file per kernel and per types of its arguments, with a digest in front.

numba's own cache believes whatever its files hold. After a power cut a file may be empty or cut off: every later run
then ends with a traceback. A changed bit is run. And a kernel has one index for all types of arguments, which is lost
or mixed up if two processes write it at once. Here a file is either what was written or not there: a damaged one is
reported once, removed, and compiled again. What cannot be written is compiled again next time.

Machine code is run as this user: where others may write, it is neither read nor written.
"""

import hashlib
import os
import pickle
import sys
from contextlib import suppress
from functools import cache, cached_property
from pathlib import Path
from typing import Any, Final

from tbgen.compiler.pipeline import NullCache, dumps, parts_of, put_together
from tbgen.system import output_files
from tbgen.system.safe_files import OTHERS, PRIVATE, Foreign, loose, reopen
from tbgen.system.text import say

SUFFIX: Final = ".kernel"

used: Final[set[str]] = set()
"""The files that this process has read or written, each with the name of its directory."""
_said: Final[set[str]] = set()


def complain(about: str, words: str) -> None:
    """Print a line for the user; only one per subject and process."""
    if about not in _said:
        _said.add(about)
        with suppress(OSError, ValueError):  # the user may have closed it
            if sys.stderr:
                say(f"tbgen: {words}", file=sys.stderr, flush=True)


def hush() -> None:
    """Leave complaints to another process."""
    _said.update(("damaged", "lost", "loose"))


def trusts(directory: Path) -> bool:
    """Whether nobody but this user can have written what lies there; a message says so if not."""
    try:
        where = _loose(directory)
    except OSError:  # which whoever reads or writes there will meet again
        return True
    if where is not None:
        complain(
            "loose",
            f"compiled code in {directory} is not used: {where} is another user's, or others may write to it "
            "(chmod go-w); $TBGEN_CACHE can name another place",
        )
    return where is None


_loose = cache(loose)


def read(path: Path) -> bytes | None:
    """What was written there; None if there is nothing, or if it has changed."""
    if not trusts(path.parent):
        return None
    try:
        stored = _stored(path)
    except (FileNotFoundError, NotADirectoryError):
        return None
    except OSError as error:
        lost(path.parent, error)
        return None
    digest, data = stored[:32], stored[32:]
    if hashlib.sha256(data).digest() == digest:
        return data
    damaged(path.parent)
    with suppress(OSError):
        path.unlink()
    return None


def _stored(path: Path) -> bytes:
    """What the file holds; nothing if others may have written it."""
    try:
        with os.fdopen(reopen(path, os.O_RDONLY), "rb") as file:
            return b"" if os.fstat(file.fileno()).st_mode & OTHERS else file.read()
    except Foreign:
        return b""


def damaged(directory: Path) -> None:
    complain("damaged", f"compiled code in {directory} is damaged; compiling it again")


def write(path: Path, data: bytes) -> bool:
    """Write all of it or nothing, even if other processes write there too. Returns whether that was possible."""
    if not trusts(path.parent):
        return False
    try:
        output_files.replace(path, hashlib.sha256(data).digest() + data, PRIVATE)
    except OSError as error:
        lost(path.parent, error)
        return False
    return True


def lost(directory: Path, why: OSError) -> None:
    complain(
        "lost", f"compiled code cannot be kept in {directory} ({why.strerror}): $TBGEN_CACHE can name another place"
    )


class CodeCache(NullCache):  # type: ignore[misc]
    """The cache of a kernel: numba asks it for machine code."""

    def __init__(self, directory: Path, function: Any) -> None:
        self._directory = directory
        self._function = function

    @property
    def cache_path(self) -> str:
        return str(self._directory)

    def load_overload(self, sig: Any, target_context: Any) -> Any:
        target_context.refresh()
        key = self._key(sig, target_context.codegen())
        path = self._path(key)
        data = read(path)
        if data is None:
            return None
        try:
            written_for, parts = pickle.loads(data)
            overload = put_together(target_context, parts) if written_for == key else None
        except Exception:  # another program may have written anything
            damaged(path.parent)
            return None
        if overload is not None:
            used.add(f"{path.parent.name}/{path.name}")
        return overload

    def save_overload(self, sig: Any, data: Any) -> None:
        if data.lifted or data.library.has_dynamic_globals:
            return
        key = self._key(sig, data.codegen)
        path = self._path(key)
        if write(path, dumps((key, parts_of(data)))):
            used.add(f"{path.parent.name}/{path.name}")

    def _path(self, key: tuple[Any, ...]) -> Path:
        name = f"{self._function.__module__}.{self._function.__qualname__}".replace("<", "").replace(">", "")
        return self._directory / f"{name}-{hashlib.sha256(repr(key).encode()).hexdigest()[:16]}{SUFFIX}"

    def _key(self, sig: Any, codegen: Any) -> tuple[Any, ...]:
        """What machine code depends on: types of arguments, processor, source. The directory stands for all else."""
        return (sig, codegen.magic_tuple(), *self._made_of)

    @cached_property
    def _made_of(self) -> tuple[Any, ...]:
        code = self._function.__code__
        cells = tuple(cell.cell_contents for cell in self._function.__closure__ or ())
        parts = Path(code.co_filename).read_bytes(), code.co_code, dumps(cells)
        return (code.co_firstlineno, *(hashlib.sha256(part).hexdigest() for part in parts))
