"""The first 4096 bytes of a file, as text: what it holds, where its sections lie, its length, and its digest.

HDF5 leaves this room to its users. A checksum covers the head, checksums that the sections carry cover them, and the
digest covers everything behind the head: no byte of a file can change unseen.
"""

import os
import re
import stat
import zlib
from collections.abc import Iterator, Mapping
from pathlib import Path
from typing import Any, Final, NamedTuple

SIZE: Final = 4096
MAGIC: Final = b"tbgen endgame table\n"
FORMAT: Final = (1, 0)
"""Major and minor. A reader refuses another major number and ignores what a larger minor one has added."""
_BEFORE: Final = b"tbgen r-mobility endgame table\n"
"""How files began before anyone was given one."""
_LARGEST: Final = 1 << 62
_NUMBER: Final = re.compile(r"[0-9]{1,19}")
_DIGEST: Final = re.compile(r"[0-9a-f]{64}")
_MAN: Final = "man "
_SECTION: Final = "section "


class BadHead(ValueError):
    """What is wrong with the first bytes, in words."""


class Section(NamedTuple):
    """A plain array within the file."""

    offset: int
    length: int
    """Bytes."""

    @property
    def end(self) -> int:
        return self.offset + self.length


class Whole(NamedTuple):
    """What a slim or a packed table notes of the one that it was made of."""

    contents: str
    """The digest of its contents."""
    bytes: int
    sha256: str


class Head(NamedTuple):
    """Each field is a line of the head; docs/format.md says what it means."""

    program: str
    material: str
    rules: str
    bound: str
    keeps: str
    men: str
    numbers: int
    legal: int
    staircases: int
    steps: int
    chunk: int
    group: int
    order: tuple[int, ...]
    distances: int
    distance_bytes: int
    shape_bytes: int
    form_bytes: int
    longest: int
    rows: tuple[int, ...]
    kinds: Mapping[str, str]
    """The lines `man R R`: how each man moves, by its letter."""
    sections: Mapping[str, Section]
    """The lines `section chunks 8192 5000`."""
    size: int
    sha256: str
    minor: int = FORMAT[1]

    def attributes(self) -> dict[str, int | str | tuple[int, ...]]:
        """The lines that have the name of a field."""
        return {name: getattr(self, name) for name in _PLAIN}

    def render(self) -> bytes:
        lines = [f"format {FORMAT[0]}.{self.minor}"]
        for name, value in self.attributes().items():
            lines.append(f"{name} {' '.join(map(str, value)) if isinstance(value, tuple) else value}".rstrip())
        lines += [f"{_MAN}{letter} {moves}" for letter, moves in self.kinds.items()]
        lines += [f"{_SECTION}{name} {place.offset} {place.length}" for name, place in self.sections.items()]
        lines += [f"size {self.size}", f"sha256 {self.sha256}"]
        text = MAGIC + "".join(f"{line}\n" for line in lines).encode("ascii")
        text += b"crc32 %08x\n" % zlib.crc32(text)
        if len(text) > SIZE:
            raise ValueError(f"a head of {len(text)} bytes does not fit")
        return text.ljust(SIZE, b"\0")


_PLAIN: Final = Head._fields[: Head._fields.index("kinds")]
"""Lines with the name of their field, in order."""


def parse(block: bytes) -> Head:
    if block.startswith(_BEFORE):
        raise BadHead("it has the layout of before the first release: scripts/rewrite gives it the new one")
    if not block.startswith(MAGIC):
        raise BadHead("it is not a table of tbgen")
    lines, mark, check = block.rstrip(b"\0").rpartition(b"crc32 ")
    if len(block) != SIZE or not mark or check != b"%08x\n" % zlib.crc32(lines):
        raise BadHead("its first bytes are damaged")
    try:
        return _read(lines[len(MAGIC) :].decode("ascii"))
    except BadHead:
        raise
    except (ValueError, LookupError, TypeError) as error:
        raise BadHead("its first bytes do not say what they should") from error


def _read(text: str) -> Head:
    if not text.replace("\n", "").isprintable():
        raise ValueError("a text in it cannot be shown")
    words: dict[str, str] = {}
    for line in text.splitlines():
        own = 2 if line.startswith((_MAN, _SECTION)) else 1  # words of the line that are its name
        name, value = " ".join(line.split(" ")[:own]), " ".join(line.split(" ")[own:])
        if name in words:
            raise ValueError(f"it says {name} twice")
        words[name] = value
    major, minor = map(_number, words["format"].split("."))
    if major != FORMAT[0]:
        raise BadHead(f"it has format {major}.{minor}, this version of tbgen reads {FORMAT[0]}.x")
    if not _DIGEST.fullmatch(words["sha256"]):
        raise ValueError("its digest is none")
    plain: dict[str, Any] = {name: _as(Head.__annotations__[name], words[name]) for name in _PLAIN}
    sections = {name: Section(*map(_number, place.split(" "))) for name, place in _named(words, _SECTION)}
    return Head(
        **plain, kinds=dict(_named(words, _MAN)), sections=sections, size=_number(words["size"]),
        sha256=words["sha256"], minor=minor,
    )  # fmt: skip


def _named(words: Mapping[str, str], what: str) -> Iterator[tuple[str, str]]:
    """Lines of this kind, each with its own name."""
    return ((name.removeprefix(what), value) for name, value in words.items() if name.startswith(what))


def _as(kind: type, word: str) -> int | str | tuple[int, ...]:
    if kind is str:
        return word
    return _number(word) if kind is int else tuple(map(_number, word.split()))


def _number(word: str) -> int:
    number = int(word) if _NUMBER.fullmatch(word) else _LARGEST
    if number >= _LARGEST:
        raise ValueError(f"not a number: {word!r}")
    return number


def head_of(path: Path) -> Head:
    """The head of a file. Whatever has its name instead, such as a pipe, is refused and not waited for."""
    handle = os.open(path, os.O_RDONLY | os.O_CLOEXEC | os.O_NONBLOCK)
    try:
        if not stat.S_ISREG(os.fstat(handle).st_mode):
            raise BadHead("it is not a file")
        return parse(os.pread(handle, SIZE, 0))
    finally:
        os.close(handle)


def sha256_of(path: Path) -> str:
    """The digest in a file's head."""
    return head_of(path).sha256
