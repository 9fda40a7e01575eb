"""The tag section of a game, read and changed where it stands: what is not changed stays as it is, byte by byte."""

import re
from collections import Counter
from collections.abc import Mapping
from typing import Final, NamedTuple

from tbgen.rules.pgn.moves import BadMoves, text_of
from tbgen.rules.pgn.split import MARK, NAME, BadLine
from tbgen.rules.tags import CUTOFF, FIFTY, KOMI, LEGACY, RECORD, RESULT, RULE_SET, RULES, SCORING
from tbgen.system.text import BOM, decoded, typed

_STRICT: Final = re.compile(rb'[ \t]*\[[ \t]*(%s)[ \t]*(?:"((?:[^"\\\r\n]++|\\.)*+)"[ \t]*)?\]' % NAME)
"""A tag with or without a value: cuteRMob's tag `Legacy` has none. `++` and `*+` never give back what they have
taken: with `*` the matcher would keep 170 bytes for each character of a value."""
_LOOSE: Final = re.compile(rb"[ \t]*\[[ \t]*(%s)[ \t]*%s([^\r\n]*)%s[ \t]*\]" % (NAME, MARK, MARK))
"""A tag with quotation marks in the value that are not escaped, or a typesetter's around it."""
_END: Final = re.compile(rb"[ \t\r]*(?:\n|\Z)")
_READ: Final = {
    name.casefold(): name
    for name in (
        CUTOFF, FIFTY, KOMI, LEGACY, RECORD, RESULT, RULES, RULE_SET, SCORING,
        "Black", "FEN", "Result", "Termination", "TerminationDetails", "Variant", "White",
    )
} | {"rmobiliyresult": RESULT}  # fmt: skip
"""Tags that say how to read a game; upper and lower case are the same in their names. The last is spelled as in
cuteRMob's README."""
_UNDERSTOOD: Final = set(_READ.values()) - {"Black", "White"}
"""The others are names, which are shown as they are written."""
_ESCAPED: Final = re.compile(r'\\(["\\])')
_ESCAPE: Final = re.compile(r'(["\\])')
_SHOWN: Final = 40
MOST_TAGS: Final = 1000
"""Tags of a game: each takes a hundred times the memory of its text."""


class _Tag(NamedTuple):
    """Where a tag stands."""

    name: str
    value: str
    start: int
    """The place of its bracket."""
    end: int
    line_start: int
    line_end: int
    """Behind the end of its line."""


class TagSection:
    """The tags at the head of a game."""

    def __init__(self, data: bytes) -> None:
        self._data = data
        self._tags: list[_Tag] = []
        self.headers: dict[str, str] = {}
        """By name; of several with the same name the first. To be read, `[fen ...]` is as good as `[FEN ...]`."""
        self.end = 0
        """Where the moves begin, or what is in their place."""
        self._start = len(BOM) if data.startswith(BOM) else 0
        at, line = self._start, 0
        while at < len(data):
            stop = data.find(b"\n", at) + 1 or len(data)
            if data.startswith(BOM, at):
                at += len(BOM)
            first = data[at : at + 1]
            if first == b"[" or (first in b" \t" and data[at:stop].lstrip().startswith(b"[")):
                self._read_line(at, stop, line)
            elif first not in b"%;" and not data[at:stop].isspace():
                break
            at, line = stop, line + 1
        for tag in self._tags:
            self.headers.setdefault(_READ.get(tag.name.casefold(), tag.name), tag.value)
        for name in _UNDERSTOOD & self.headers.keys():
            self.headers[name] = typed(self.headers[name])
        self.end = at
        self.lines = line
        """How many lines that is."""

    @property
    def text(self) -> str:
        """What is behind the tags: see `text_of`."""
        return text_of(self._data[self.end :])

    def bad_line(self, error: BadMoves, text: str, at: int | None = None) -> BadLine:
        """What is wrong with moves, and in which line. The place in the text behind the tags is the error's, unless
        another is given. Empty lines behind the game do not count."""
        line = self.lines + text.count("\n", 0, error.at if at is None else at)
        return BadLine(str(error), min(line, self._data.rstrip().count(b"\n")))

    def _read_line(self, at: int, stop: int, line: int) -> None:
        data = self._data
        found: list[re.Match[bytes]] = []
        room = MOST_TAGS - len(self._tags)
        match = _STRICT.match(data, at)
        while match is not None and len(found) <= room:
            found.append(match)
            match = _STRICT.match(data, match.end())
        if len(found) <= room and (not found or not _END.match(data, found[-1].end())):
            loose = _LOOSE.match(data, at)
            if loose is None or not _END.match(data, loose.end()):
                shown = decoded(data[at:stop].strip()[:_SHOWN])
                raise BadLine(f"not a tag: {ascii(shown)[1:-1]}", line)
            found = [loose]
        if len(found) > room:
            raise BadLine(f"a game has at most {MOST_TAGS:,} tags", line)
        for match in found:
            name, value = typed(decoded(match[1])).strip(), decoded(match[2] or b"")
            if "\\" in value:
                value = _ESCAPED.sub(r"\1", value)
            start = data.index(b"[", match.start())
            self._tags.append(_Tag(name, value, start, match.end(), at, stop))
            self.headers.setdefault(name, value)

    def changed(self, wanted: Mapping[str, str | None]) -> bytes:
        """The whole game with these tags in it, or without those that are None.

        A tag that is there keeps its place, one that is new comes behind all others.
        """
        data = self._data
        done: set[str] = set()
        edits: list[tuple[_Tag, bytes | None]] = []  # None: taken out
        for tag in self._tags:
            if tag.name not in wanted:
                continue
            value = wanted[tag.name]
            if value is None or tag.name in done:
                edits.append((tag, None))
            elif value != tag.value:  # else it stays, however it is written
                edits.append((tag, written(tag.name, value)))
            done.add(tag.name)
        left = Counter(tag.line_start for tag in self._tags)
        left.subtract(tag.line_start for tag, new in edits if new is None)
        pieces: list[bytes] = []
        at = 0
        for tag, new in edits:
            if left[tag.line_start]:
                pieces += (data[at : tag.start], new or b"")
                at = tag.end
            else:  # nothing is left of its line: an empty one would end the tags
                pieces.append(data[at : tag.line_start])
                at = tag.line_end
        behind = self._tags[-1].line_end if self._tags else self._start
        newline = self._newline()
        added = b"".join(
            written(name, value) + newline for name, value in wanted.items() if value is not None and name not in done
        )
        kept = b"".join((*pieces, data[at:behind]))
        if added and not self._tags:
            added += newline
        elif added and kept and not kept.endswith(b"\n"):
            added = newline + added
        return kept + added + data[behind:]

    def _newline(self) -> bytes:
        """How lines end here."""
        first = self._data.find(b"\n")
        return b"\r\n" if first > 0 and self._data[first - 1] == ord("\r") else b"\n"


def written(name: str, value: str) -> bytes:
    """A tag as it stands in a file. `Legacy` has no value, as in cuteRMob's files."""
    if name == LEGACY and not value:
        return f"[{name}]".encode()
    escaped = _ESCAPE.sub(r"\\\1", value)
    return f'[{name} "{escaped}"]'.encode()
