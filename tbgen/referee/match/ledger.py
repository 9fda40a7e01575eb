"""The games of a match in their PGN file, which is all that a match needs to be taken up again.

A game is appended in one piece when it is over. What a crash leaves of one that was being written is cut off.
"""

import fcntl
import os
import stat
from pathlib import Path
from types import TracebackType
from typing import Final, NamedTuple, Self

from tbgen import files
from tbgen.errors import BadInput
from tbgen.pgn import moves
from tbgen.pgn.split import units
from tbgen.pgn.tags import TagSection
from tbgen.rules.scoring import Komi
from tbgen.rules.tags import read_tags

TORN: Final = ".torn"
"""Behind the name of the PGN file: where what was cut off goes, for nothing is thrown away. A number follows where
there is such a file already."""


class Entry(NamedTuple):
    """What counts of a finished game."""

    round: str
    white: str
    black: str
    result: int
    """The outcome."""
    termination: str
    """The tag of the PGN standard."""
    fen: str | None = None
    komi: Komi | None = None


class Ledger:
    """A PGN file that one match at a time writes to. Use it in a `with` block."""

    def __init__(self, path: Path) -> None:
        self._path = path
        self.entries: list[Entry] = []
        self.torn: bytes | None = None
        """What was cut off, if anything."""
        self.torn_at: Path | None = None
        """Where that is kept: beside the file."""

    def __enter__(self) -> Self:
        self._handle = os.open(self._path, os.O_RDWR | os.O_CREAT | os.O_APPEND | os.O_CLOEXEC, 0o644)
        try:
            if not stat.S_ISREG(os.fstat(self._handle).st_mode):
                raise BadInput(f"not a file that a match could be taken up from: {self._path}")
            try:
                fcntl.flock(self._handle, fcntl.LOCK_EX | fcntl.LOCK_NB)
            except BlockingIOError:
                raise BadInput(f"another match is writing to {self._path}") from None
            self._read()
        except BaseException:
            os.close(self._handle)
            raise
        return self

    def __exit__(
        self, kind: type[BaseException] | None, error: BaseException | None, trace: TracebackType | None
    ) -> None:
        os.close(self._handle)

    def add(self, game: str) -> None:
        """Append a game, and see that it is on the disk."""
        data = game.encode()
        try:
            written = os.write(self._handle, data)
            while written < len(data):
                written += os.write(self._handle, data[written:])
            os.fsync(self._handle)
        except OSError as error:
            error.filename = str(self._path)  # a full disk does not say what did not fit
            raise

    def _read(self) -> None:
        """Enter the games of the file, and leave it with whole games only, an empty line behind the last."""
        whole, last = 0, b"\n\n"
        with self._path.open("rb") as file:
            for unit in units(file):
                if self.torn is not None:
                    raise BadInput(f"{self._path}:{unit.line}: the game before this one is not whole")
                headers = None if unit.fault else _headers_of_whole(unit.data)
                if headers is None:
                    self.torn = unit.data
                    continue
                try:
                    self.entries.append(_entry(headers))
                except (BadInput, KeyError):
                    raise BadInput(f"{self._path}:{unit.line}: not a game of a match") from None
                whole += len(unit.data)
                last = unit.data
        if self.torn is not None:
            self.torn_at = files.write_aside(self._path.with_name(f"{self._path.name}{TORN}"), self.torn)
            os.ftruncate(self._handle, whole)
        if not last.endswith(b"\n\n"):
            os.write(self._handle, b"\n" if last.endswith(b"\n") else b"\n\n")


def _headers_of_whole(data: bytes) -> dict[str, str] | None:
    """The tags of a game; None if it breaks off."""
    try:
        section = TagSection(data)
        moves.read(data[section.end :].decode("latin-1"))
    except BadInput:
        return None
    return section.headers


def _entry(headers: dict[str, str]) -> Entry:
    tags = read_tags(headers)
    if tags.result is None:
        raise BadInput("no result")
    names = (headers["Round"], headers["White"], headers["Black"])
    return Entry(*names, tags.result, headers.get("Termination", ""), headers.get("FEN"), tags.komi)
