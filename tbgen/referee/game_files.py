"""Files of games: packed or not, `-` being a standard stream."""

import fcntl
import os
import stat
from collections.abc import Iterator
from contextlib import contextmanager, suppress
from pathlib import Path
from typing import BinaryIO, Final

from tbgen.errors import BadInput
from tbgen.system import output_files
from tbgen.system.compressed_files import reading, writing
from tbgen.system.text import INPUT, OUTPUT, LineReader, named, standard_input, standard_output

STANDARD: Final = Path("-")
"""Standard input or output."""


def name_of(path: Path) -> str:
    """What messages call a file that is read."""
    return INPUT if path == STANDARD else str(path)


@contextmanager
def opened(path: Path) -> Iterator[LineReader]:
    """The games of a file, to be read."""
    if path == STANDARD:
        yield standard_input()
    else:
        with reading(path) as stream:
            yield stream


@contextmanager
def replaced(target: Path) -> Iterator[BinaryIO]:
    """A file to write games to, which gets its name when all of it is there; BadInput if a match writes to it."""
    if target == STANDARD:
        with named(OUTPUT):
            yield standard_output()
            standard_output().flush()
    else:
        _refuse_ledger(target)
        with output_files.replacing(target) as stream, writing(stream, target) as packed:
            yield packed


def _refuse_ledger(target: Path) -> None:
    """BadInput if a match writes to the file: its next game would go into what is replaced, and be lost."""
    with suppress(OSError):  # what is wrong with the file is said when it is written
        handle = os.open(target, os.O_RDONLY | os.O_NONBLOCK | os.O_CLOEXEC)
        try:
            if stat.S_ISREG(os.fstat(handle).st_mode):
                fcntl.flock(handle, fcntl.LOCK_SH | fcntl.LOCK_NB)  # the match's is exclusive
        except BlockingIOError:
            raise BadInput(f"a match is writing to {target}: name another file with -o") from None
        finally:
            os.close(handle)
