"""The packed file: a line that says what it is, the streams, notes in JSON, and the digest of all that.

The digest is compared before anything else in the file is believed."""

import hashlib
import json
import os
from dataclasses import asdict, dataclass, field
from pathlib import Path
from typing import Any, BinaryIO, Final

import numpy as np

from tbgen.errors import BadInput, CorruptTable, MissingTable, unreadable
from tbgen.index import layout_of
from tbgen.material import MEN_IN_TABLES, Material, parse
from tbgen.men import told
from tbgen.store.directory import PACKED, check_file
from tbgen.store.format.facts import is_text, read_facts
from tbgen.store.format.order import read_order
from tbgen.table_rules import TableRules
from tbgen.text import to_json

MAGIC: Final = b"tbgen packed endgame table 1\n"
"""The number is that of the format."""
_LENGTH: Final = 8
_DIGEST: Final = 32
"""Bytes at the end: the length of the notes, and the SHA-256 of all before it."""
_PIECE: Final = 1 << 20


@dataclass(frozen=True)
class Notes:
    material: str
    rules: str
    program: str
    """The program that has built the table."""
    facts: dict[str, int | float | str]
    bytes: int
    """The size of the table's file."""
    sha256: str
    """The digest of that file, as its head says it."""
    contents: str
    """The digest of what the table says."""
    keeps: int
    """The side to move whose positions are kept: 0 the side that is named first, 1 the other."""
    legal: int
    """Kept positions."""
    shapes: int
    planes: int
    """Bytes of half a distance."""
    order: list[int]
    """The order of places within a chunk, as in the table."""
    streams: list[int]
    """Bytes of each."""
    men: dict[str, str] = field(default_factory=dict)
    """The moves of its men beyond chess, by letter."""


class Writer:
    """Writes streams, then the notes."""

    def __init__(self, file: BinaryIO) -> None:
        self._file = file
        self._digest = hashlib.sha256()
        self.streams: list[int] = []
        self._write(MAGIC)

    def _write(self, data: bytes) -> None:
        self._digest.update(data)
        self._file.write(data)

    def add(self, stream: bytes) -> None:
        self._write(stream)
        self.streams.append(len(stream))

    def finish(self, notes: Notes) -> int:
        """Write the notes. Returns the size of the file."""
        fields = asdict(notes)
        if not notes.men:
            del fields["men"]
        words = to_json(fields).encode("ascii")
        self._write(words + len(words).to_bytes(_LENGTH, "little"))
        self._file.write(self._digest.digest())
        return len(MAGIC) + sum(self.streams) + len(words) + _LENGTH + _DIGEST


class Packed:
    """A packed file that is open. CorruptTable and MissingTable name it."""

    def __init__(self, path: Path) -> None:
        self.path = path
        if not check_file(path):
            raise MissingTable(f"{path} is missing (tbgen pack makes such files)", path.name)
        try:
            self._file = path.open("rb")
        except OSError as error:
            raise unreadable(path, error) from error
        try:
            self._open()
        except BaseException:
            self.close()
            raise

    def _open(self) -> None:
        try:
            end = self._compare()
            self.notes = self._read_notes(end)
            _check(self.notes)
            self.material, self.rules = _names(self.notes)
            if self.notes.shapes > 1 + min(self.notes.legal, layout_of(self.material).size):  # a position has each
                raise ValueError(f"it cannot have {self.notes.shapes} shapes")
            self.order = read_order([*map(int, self.notes.order)])
        except (OSError, ValueError, TypeError, LookupError, ArithmeticError, RecursionError, BadInput) as error:
            raise CorruptTable(f"{self.path} is damaged: {error}") from error

    def _compare(self) -> int:
        """Compare the digest of the file. Returns where the notes end."""
        size = os.fstat(self._file.fileno()).st_size
        if self._file.read(len(MAGIC)) != MAGIC:
            raise CorruptTable(f"{self.path} is not a packed table, or one of another version of tbgen")
        end = size - _DIGEST
        if end < len(MAGIC) + _LENGTH:
            raise ValueError("it ends too soon")
        digest, left = hashlib.sha256(MAGIC), end - len(MAGIC)
        while left and (data := self._file.read(min(_PIECE, left))):
            digest.update(data)
            left -= len(data)
        if digest.digest() != self._file.read():
            raise ValueError("it has changed since it was written, or is cut off")
        return end - _LENGTH

    def _read_notes(self, end: int) -> Notes:
        length = int.from_bytes(os.pread(self._file.fileno(), _LENGTH, end), "little")
        if not 0 < length <= end - len(MAGIC):
            raise ValueError("it has no notes")
        notes = Notes(**json.loads(os.pread(self._file.fileno(), length, end - length)))
        ends = np.cumsum([len(MAGIC), *map(int, notes.streams)])
        if min(notes.streams, default=0) < 0 or ends[-1] != end - length:
            raise ValueError("its streams are not where they should be")
        self._ends = ends.tolist()
        return notes

    def stream(self, number: int) -> bytes:
        start, end = self._ends[number : number + 2]
        return os.pread(self._file.fileno(), end - start, start)

    def close(self) -> None:
        self._file.close()


def packed_name(material: Material, rules: TableRules) -> str:
    return f"{material.name}.{rules}{PACKED}"


def _names(notes: Notes) -> tuple[Material, TableRules]:
    """Material and rules."""
    material = parse(notes.material, men=told(notes.men))
    if material.name != notes.material or material.men > MEN_IN_TABLES:
        raise ValueError("it holds no material that there are tables of")
    return material, TableRules.of(notes.rules)


def _check(notes: Notes) -> None:
    """ValueError if something in the notes cannot be."""
    whole: dict[str, Any] = {name: getattr(notes, name) for name in ("bytes", "keeps", "legal", "shapes", "planes")}
    for name, value in whole.items():
        least, most = {"keeps": (0, 1), "planes": (1, 2), "shapes": (1, 1 << 62)}.get(name, (0, 1 << 62))
        if type(value) is not int or not least <= value <= most:
            raise ValueError(f"its {name} cannot be {value}")
    texts: tuple[Any, ...] = (notes.material, notes.rules, notes.program, notes.sha256, notes.contents)
    if not all(map(is_text, texts)):
        raise ValueError("its notes are none")
    read_facts(notes.facts)
