"""Machine code on disk: a file for each kernel and each kind of arguments, with a digest in front.

numba's own cache believes whatever its files hold. A power cut leaves them empty or cut off, and a program that meets
such a file ends with a traceback, then and ever after; a changed bit runs. And an index for all kinds of arguments of
a kernel is lost or mixed up where two processes write to it at once. Here a file is what was written or it is not
there: what is damaged is said once, removed, and compiled again. What cannot be written is compiled again next time.
"""

import hashlib
import pickle
import sys
from contextlib import suppress
from functools import cached_property
from pathlib import Path
from typing import Any, Final

from numba.core.caching import NullCache
from numba.core.compiler import CompileResult
from numba.core.serialize import dumps

from tbgen import files
from tbgen.text import say

SUFFIX: Final = ".kernel"
HALF: Final = ".part"
"""Ends the name of a file that is being written."""

used: Final[set[str]] = set()
"""The files that this process has read or written, each with the name of its directory."""
_said: Final[set[str]] = set()


def complain(about: str, words: str) -> None:
    """A line for the user; one about each thing in a process."""
    if about not in _said:
        _said.add(about)
        with suppress(OSError, ValueError):  # whoever has closed it does not want to know
            if sys.stderr:
                say(f"tbgen: {words}", file=sys.stderr, flush=True)


def hush() -> None:
    """Leave it to another process to complain."""
    _said.update(("damaged", "lost"))


def read(path: Path) -> bytes | None:
    """What was written there; None where nothing was, or where it is no longer that."""
    try:
        stored = path.read_bytes()
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


def damaged(directory: Path) -> None:
    complain("damaged", f"compiled code in {directory} is damaged; compiling it again")


def write(path: Path, data: bytes) -> bool:
    """All of it or nothing, whoever else writes there. Returns whether it could be."""
    try:
        files.replace(path, hashlib.sha256(data).digest() + data)
    except OSError as error:
        lost(path.parent, error)
        return False
    return True


def lost(directory: Path, why: OSError) -> None:
    complain(
        "lost", f"compiled code cannot be kept in {directory} ({why.strerror}): $TBGEN_CACHE can name another place"
    )


class Kept(NullCache):  # type: ignore[misc]
    """What a kernel asks for its machine code."""

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
        written_for, reduced = pickle.loads(data)
        if written_for != key:
            return None
        used.add(f"{path.parent.name}/{path.name}")
        return CompileResult._rebuild(target_context, *reduced)

    def save_overload(self, sig: Any, data: Any) -> None:
        if data.lifted or data.library.has_dynamic_globals:
            return
        key = self._key(sig, data.codegen)
        path = self._path(key)
        if write(path, dumps((key, data._reduce()))):
            used.add(f"{path.parent.name}/{path.name}")

    def _path(self, key: tuple[Any, ...]) -> Path:
        name = f"{self._function.__module__}.{self._function.__qualname__}".replace("<", "").replace(">", "")
        return self._directory / f"{name}-{hashlib.sha256(repr(key).encode()).hexdigest()[:16]}{SUFFIX}"

    def _key(self, sig: Any, codegen: Any) -> tuple[Any, ...]:
        """What the machine code was made of: arguments, processor, source. The directory tells apart all else."""
        return (sig, codegen.magic_tuple(), *self._made_of)

    @cached_property
    def _made_of(self) -> tuple[Any, ...]:
        code = self._function.__code__
        cells = tuple(cell.cell_contents for cell in self._function.__closure__ or ())
        parts = Path(code.co_filename).read_bytes(), code.co_code, dumps(cells)
        return (code.co_firstlineno, *(hashlib.sha256(part).hexdigest() for part in parts))
