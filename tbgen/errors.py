"""The one family of errors that callers may see. Each knows the exit code of a command that meets it."""

import errno
from collections.abc import Callable
from pathlib import Path
from typing import Final

LONGEST_MESSAGE: Final = 240
"""Characters that are printed of an error: three lines of a terminal."""
_QUOTED: Final = 60
_CUT: Final = " ... "


def quoted(value: object, write: Callable[[object], str] = repr) -> str:
    """Return what somebody wrote as a message repeats it: as Python writes it, on one line, and the beginning alone if
    it is long. With `ascii` signs that look like those of a keyboard are told from them."""
    words = write(value)
    if len(words) <= _QUOTED + len("''"):
        return words
    return f"{words[: _QUOTED + 1]}...{words[0] if isinstance(value, str) else ''}"


def brief(message: str, most: int = LONGEST_MESSAGE) -> str:
    """Return a message of at most so many characters. Of a longer one the beginning and the end stay: there it
    says what is wrong, and what to do."""
    if len(message) <= most:
        return message
    half = (most - len(_CUT)) // 2
    return f"{message[:half]}{_CUT}{message[-half:]}"


class TbgenError(Exception):
    """Anything that tbgen reports in one line instead of a traceback."""

    exit_code = 1
    longest = LONGEST_MESSAGE


class BadInput(TbgenError, ValueError):
    """What the caller wrote cannot be understood, or is not a legal position, record or material."""

    exit_code = 2


def check_kind(value: object, kind: type, what: str, hint: str) -> None:
    """BadInput where a caller in Python gives another kind of thing: a text for a board or a move, above all."""
    if not isinstance(value, kind):
        raise BadInput(f"not {what}: {quoted(value)} ({hint})")


class UnsupportedPosition(BadInput):
    """A legal position that no table can cover: castling rights, too many men."""


MEN_EXPECTED: Final = 5
"""A directory may have all tables of this many men. Nobody has all of six: one that is not there is not missed."""


class MissingTable(TbgenError, KeyError):
    """The table that covers the question is not in the directory."""

    exit_code = 4
    longest = 4 * LONGEST_MESSAGE
    """It names the directory three times: what is missing, how to build it, where it was looked for."""

    @property
    def table(self) -> str:
        """The name of its file, such as `KRvKN.r.h5`; empty where no single one is meant."""
        return str(self.args[1]) if len(self.args) > 1 else ""

    @property
    def material(self) -> str:
        """The men that it is for, such as `KRvKN`; empty where no single one is meant."""
        return self.table.partition(".")[0]

    @property
    def expected(self) -> bool:
        """Whether it is one of those that a directory is expected to have."""
        return sum(map(str.isupper, self.material)) <= MEN_EXPECTED

    def __str__(self) -> str:  # KeyError would print the repr
        return str(self.args[0]) if self.args else ""


class CorruptTable(TbgenError):
    """A table file that is truncated, damaged or not a table at all. The message names the file."""

    exit_code = 5


class OutOfRoom(TbgenError):
    """Not enough disk or memory for what was asked."""

    exit_code = 6


NO_ROOM: Final = frozenset({errno.ENOSPC, errno.EDQUOT, errno.EFBIG, errno.ENOMEM})
"""What the system says where disk or memory is full, or a limit on them is reached."""
NO_MORE: Final = frozenset({errno.EAGAIN, errno.ENOMEM, errno.EMFILE, errno.ENFILE})
"""What it says where it starts no more processes, or opens no more files."""


def no_room(error: OSError) -> str | None:
    """That in words; None if it says something else."""
    return (error.strerror or str(error)).lower() if error.errno in NO_ROOM else None


def unreadable(path: Path, error: OSError) -> TbgenError:
    """What to raise where a table's file cannot be opened. Where the system opens no more, this says nothing of it."""
    kind = OutOfRoom if error.errno in NO_MORE else CorruptTable
    return kind(f"{path} cannot be read: {error.strerror}")


class WrongTable(TbgenError):
    """A table that was just built and is not what its positions' moves make of it. It has not been kept."""


class WrongClaim(TbgenError):
    """A certificate that does not prove what it claims. The message says where."""
