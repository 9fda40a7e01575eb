"""A PGN file split into games. They are the bytes of the file: joined, they make it again.

The splitter looks at lines only, and expects any fault. A comment that is never closed, tags that break off, or text
between games spoil the game in which they stand, and not the next one.
"""

import re
from collections.abc import Iterator
from typing import Final, NamedTuple

from tbgen.errors import BadInput
from tbgen.system.text import BOM, LineReader, decoded, typed

LONGEST: Final = 1 << 22
"""Bytes of a game. What is longer is passed on in pieces and not read: to read it takes thirty times as much memory."""

_LINE: Final = 1 << 20
"""Bytes of a line. What is longer is read in pieces, of which only the first can begin anything."""

MARK: Final = rb'(?:"|\xe2\x80[\x9c-\x9f])'
"""A quotation mark, a keyboard's or a typesetter's."""
NAME: Final = rb"(?!%s)[A-Za-z0-9_\x80-\xff](?:(?!%s)[^\s\\\[\](){};])*+" % (MARK, MARK)
"""The name of a tag. The standard has letters, digits and underscores; others are met with."""
_TAG: Final = re.compile(rb"[ \t]*\[[ \t]*(%s)[ \t]*(?:\]|%s)" % (NAME, MARK))
_EVENT: Final = b"Event"
_NUL: Final = b"\0"
_MOVES: Final = re.compile(rb"\s*(?:\d+[ \t]*\.|(?:1-0|0-1|1/2-1/2|\*)\s*\Z)")
"""How a game begins that has no tags."""

RESULTS: Final = ("1-0", "0-1", "1/2-1/2", "*")
_ASIDE: Final = (b"%", b";")
"""Lines that begin with these are no part of a tag section, and do not end it."""


class BadLine(BadInput):
    """A line that no game can have."""

    def __init__(self, message: str, line: int) -> None:
        super().__init__(message)
        self.line = line
        """Counted from the game's first, which is 0."""


class Unit(NamedTuple):
    """A game, or text between games, with the empty lines behind it."""

    number: int
    """The number of the game in its file, from 1; for other text, that of the game before."""
    line: int
    """The line where it begins, from 1."""
    data: bytes
    fault: str | None = None
    """Why it is no game; empty where that has been said of an earlier piece."""

    def check(self) -> None:
        """BadInput if it cannot be a game, BadLine if that is known of a line."""
        nul = self.data.find(_NUL)
        if nul >= 0:
            line = self.data.count(b"\n", 0, nul)
            raise BadLine(
                "NUL bytes: no PGN (name a packed file .gz, .bz2, .xz or .zst; convert UTF-16 to UTF-8)", line
            )
        if self.fault is not None:
            raise BadInput(self.fault)


def about(line: int, number: int, words: object) -> str:
    """What there is to say of a game, or of text before the first: `7: game 2: no moves`."""
    game = f"game {number}: " if number else ""
    return f"{line}: {game}{words}"


def units(source: LineReader) -> Iterator[Unit]:
    """The games of a file."""
    splitter = _Splitter()
    line_number, fresh = 1, True
    while line := source.readline(_LINE):
        unit = splitter.begin(line_number) if fresh and splitter.begins(line) else None
        if unit is not None:
            yield unit
        if splitter.is_full(line):
            yield splitter.spill(line_number)
        splitter.add(line, fresh)
        fresh = line.endswith(b"\n")
        line_number += fresh
    unit = splitter.begin(line_number)
    if unit is not None:
        yield unit


class _Splitter:
    """What is known of the game being read."""

    def __init__(self) -> None:
        self._number = 0
        self._line = 1
        self._clear()

    def _clear(self) -> None:
        self._data = bytearray()
        self._fault: str | None = None
        self._tags: set[bytes] = set()
        self._in_moves = False
        self._in_comment = False
        self._gap = False
        """Whether the last line was empty."""
        self._last = b""
        """The last line of moves."""

    def begins(self, line: bytes) -> bool:
        """Whether a line is the first of another game, or of text that is none."""
        line = line.removeprefix(BOM)  # joined files have it within
        tag = _TAG.match(line) if b"[" in line[:16] else None
        if tag is not None:
            if self._in_comment:  # a game in a comment? Rather a comment that is not closed.
                return self._gap and tag[1] == _EVENT
            if self._in_moves:
                return True
            return tag[1] in self._tags and (self._gap or tag[1] == _EVENT)
        return (
            self._in_moves
            and self._gap
            and not self._in_comment
            and not line.isspace()
            and typed(decoded(self._last)).rstrip().endswith(RESULTS)
        )

    def begin(self, line_number: int) -> Unit | None:
        """Begin another game, and give the one that ends here, if there is any."""
        unit = Unit(self._number, self._line, bytes(self._data), self._fault) if self._data else None
        self._line = line_number
        self._clear()
        return unit

    def add(self, line: bytes, fresh: bool) -> None:
        """One more line, or the rest of one."""
        self._data += line
        if not fresh:
            if self._in_moves:
                self._read(line)
            return
        if line.isspace():
            self._gap = True
            return
        line = line.removeprefix(BOM)
        if not self._in_moves:
            tag = _TAG.match(line)
            if tag is not None:
                if not self._tags:
                    self._number += 1
                self._tags.add(tag[1])
                self._gap = False
                return
            if line.startswith(_ASIDE):
                return
            self._in_moves = True
            if not self._tags:
                if _MOVES.match(line):
                    self._number += 1
                else:
                    self._fault = f"text {'behind it ' if self._number else ''}that is no game"
        self._gap = False
        if self._in_comment or not line.startswith(b"%"):
            self._read(line)

    def _read(self, line: bytes) -> None:
        """Look for the ends of comments."""
        if b"{" in line or b"}" in line:
            self._in_comment = _in_comment_after(line, self._in_comment)
        self._last = line

    def is_full(self, line: bytes) -> bool:
        """Whether the game becomes too long."""
        return len(self._data) + len(line) > LONGEST

    def spill(self, line_number: int) -> Unit:
        """Give a piece of what is too long."""
        fault = self._fault
        if fault is None:
            fault = f"longer than {LONGEST >> 20} MiB"
        unit = Unit(self._number, self._line, bytes(self._data), fault)
        self._fault = ""
        self._data.clear()
        self._line = line_number
        return unit


def _in_comment_after(line: bytes, inside: bool) -> bool:
    """Whether a line ends within a comment in braces."""
    at = 0
    rest = -2  # a comment to the end of the line; not yet looked for
    while True:
        if inside:
            closed = line.find(b"}", at)
            if closed < 0:
                return True
            at, inside = closed + 1, False
        opened = line.find(b"{", at)
        if opened < 0:
            return False
        if rest != -1 and rest < at:
            rest = line.find(b";", at)
        if 0 <= rest < opened:
            return False
        at, inside = opened + 1, True
