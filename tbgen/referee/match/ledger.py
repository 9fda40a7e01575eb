"""The games of a match in their PGN file, which is all that a match needs to be taken up again.

A game is appended in one piece when it is over. What a crash leaves of one that was being written is cut off, but only
behind whole games of a match: any other file is refused, and nothing is written to a file before it is `accepted`.
"""

import fcntl
import os
from collections.abc import Callable
from pathlib import Path
from typing import Final, NamedTuple, Self

from tbgen.core import outcome
from tbgen.errors import BadInput
from tbgen.referee.match.conditions import COMPARED
from tbgen.rules.fen import without_record
from tbgen.rules.pgn import moves
from tbgen.rules.pgn.split import Unit, units
from tbgen.rules.pgn.tags import TagSection
from tbgen.rules.scoring import Komi
from tbgen.rules.tags import RECORD, komi_of, result_of
from tbgen.system import output_files
from tbgen.system.safe_files import Foreign, create_or_reopen, followed
from tbgen.system.text import named

TORN: Final = ".torn"
"""Behind the name of the PGN file: where what was cut off goes, for nothing is thrown away. A number follows where
there is such a file already."""


_BEGINS: Final = b'[Event "'
"""How every game that a match writes begins."""


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
    record: int | None = None
    """The record of the start position, where it is not the position's own goal."""
    komi: Komi | None = None


class Ledger:
    """A PGN file that one match at a time writes to. Use it in a `with` block."""

    def __init__(self, path: Path, seen: Callable[[bytes], None] = lambda game: None) -> None:
        """`seen` is given every game that is there."""
        self._path = path
        self._seen = seen
        self.entries: list[Entry] = []
        self.conditions: list[dict[str, str]] = []
        """For each entry the tags that say under which conditions it was played."""
        self.torn: bytes | None = None
        """What breaks off at the end, if anything does: `accept` cuts it off."""
        self.torn_at: Path | None = None
        """Where that is kept then: beside the file."""
        self._whole = 0
        """Bytes of whole games."""
        self._missing = b""
        """What lacks behind them: an empty line parts games."""

    def __enter__(self) -> Self:
        try:
            self._handle = create_or_reopen(followed(self._path), os.O_APPEND)
        except Foreign:
            raise BadInput(
                f"not a file that a match could be taken up from: {self._path} (a plain one of your own, with one name)"
            ) from None
        try:
            try:
                with named(str(self._path)):
                    fcntl.flock(self._handle, fcntl.LOCK_EX | fcntl.LOCK_NB)
            except BlockingIOError:
                raise BadInput(f"another match is writing to {self._path}") from None
            self._read()
        except BaseException:
            os.close(self._handle)
            raise
        return self

    def __exit__(self, *error: object) -> None:
        os.close(self._handle)

    def add(self, game: str) -> None:
        """Append a game, and see that it is on the disk."""
        data = game.encode()
        with named(str(self._path)):
            written = os.write(self._handle, data)
            while written < len(data):
                written += os.write(self._handle, data[written:])
            os.fsync(self._handle)

    def accept(self) -> None:
        """Go on with the file, whose games are of this match: leave it with whole games only, parted by empty lines."""
        if self.torn is not None:
            self.torn_at = output_files.write_aside(self._path.with_name(f"{self._path.name}{TORN}"), self.torn)
            os.ftruncate(self._handle, self._whole)
        if self._missing:
            os.write(self._handle, self._missing)
            self._missing = b""

    def _read(self) -> None:
        """Enter the games of the file. Nothing is written."""
        last = b"\n\n"
        with os.fdopen(os.dup(self._handle), "rb") as file:
            for unit in units(file):
                if self.torn is not None:
                    raise BadInput(f"{self._path}:{unit.line}: the game before this one is not whole")
                headers = None if unit.fault is not None else _headers_of_whole(unit.data)
                if headers is None:
                    self._require_torn(unit)
                    self.torn = unit.data
                    continue
                try:
                    self.entries.append(_entry(headers))
                    self._seen(unit.data)
                    self.conditions.append({name: headers[name] for name in COMPARED if name in headers})
                except (BadInput, KeyError):
                    raise BadInput(f"{self._path}:{unit.line}: not a game of a match") from None
                self._whole += len(unit.data)
                last = unit.data
        if not last.endswith(b"\n\n"):
            self._missing = b"\n" if last.endswith(b"\n") else b"\n\n"

    def _require_torn(self, unit: Unit) -> None:
        """BadInput unless this is the beginning of a game behind whole ones."""
        if not self.entries:
            raise BadInput(f"{self._path}: not a PGN that a match has written (name another file, or remove this one)")
        if not (unit.data.startswith(_BEGINS) or _BEGINS.startswith(unit.data)):
            raise BadInput(f"{self._path}:{unit.line}: not a game of a match")


def _headers_of_whole(data: bytes) -> dict[str, str] | None:
    """The tags of a game; None if it breaks off."""
    try:
        section = TagSection(data)
        moves.read(section.text)
    except BadInput:
        return None
    return section.headers


def _entry(headers: dict[str, str]) -> Entry:
    result = result_of(headers)
    if result is None:
        raise BadInput("no result")
    names = (headers["Round"], headers["White"], headers["Black"])
    fen, record = headers.get("FEN"), headers.get(RECORD)
    return Entry(
        *names,
        result,
        headers.get("Termination", ""),
        None if fen is None else without_record(fen),
        None if record is None else outcome.parse(record),
        komi_of(headers),
    )
