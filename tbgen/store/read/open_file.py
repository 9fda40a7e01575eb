"""An open file. Nothing in it is believed before its checksum has been compared, and no more of it is read than was
asked for: of the head 4096 bytes, then what a position needs.

A forged file has right checksums. So every size is compared with what the material allows before memory is taken."""

import hashlib
import itertools
import json
import os
import stat
from collections.abc import Iterator
from contextlib import contextmanager
from functools import partial
from pathlib import Path
from typing import Any, Final

import numpy as np
from numpy.typing import NDArray
from zlib_ng import zlib_ng

from tbgen.board.men import told
from tbgen.core.material import MEN_IN_TABLES, MEN_OF_CHESS, Material, parse
from tbgen.core.table_rules import TableRules
from tbgen.errors import NO_MORE, NO_ROOM, BadInput, CorruptTable, MissingTable, unreadable
from tbgen.index import layout_of
from tbgen.index.layout import Layout
from tbgen.memory.arrays import Make, in_memory
from tbgen.store.directory import check_file, named, way_to
from tbgen.store.format import head as heads
from tbgen.store.format.build_notes import is_text, read_facts
from tbgen.store.format.head import BadHead, Head, Section, Whole
from tbgen.store.format.local import LocalNotes, numbers_per_slice, read_notes
from tbgen.store.format.order import read_order
from tbgen.store.format.schema import (  # fmt: skip
    BOTH_SIDES,
    CHECK,
    CHUNKS,
    COMPLETE,
    FORM_PAGE,
    FORMS,
    INDEX,
    KEEPS,
    NOTES,
    SHAPES,
    SLICES,
    check_of,
    group_of,
    index_page,
    kinds_of,
    men_of,
)
from tbgen.store.format.shapes import MOST_STEPS, Forms
from tbgen.store.format.slices import tell
from tbgen.store.local import local_named
from tbgen.store.read.bulk import Bulk
from tbgen.store.read.cache import Cache
from tbgen.store.read.chunk import Chunk, ChunkFormat
from tbgen.store.read.forms import FormReader
from tbgen.store.read.groups import Group, Page, Place
from tbgen.store.read.listed import Bounds, ListedShapes

_MOST_MEN: Final = 32
"""Of a local table."""
_LONGEST_NOTES: Final = 1 << 24
_PIECE: Final = 1 << 20
_NOWHERE: Final = Section(heads.SIZE, 0)
_GROUPS: Final[Cache[Group]] = Cache(64 << 20)
_FILES: Final = itertools.count(1)
_KEYS: Final = 40
"""Bits for a group's number in its key in the common cache; the bits above them tell the file."""


class OpenFile:
    """The file of a table, from its name to its chunks."""

    def __init__(self, path: Path, make: Make = in_memory) -> None:
        """`make` gives arrays for what is kept of it by whoever reads it as a whole."""
        self.path = path
        self._make = make
        self._key = next(_FILES) << _KEYS
        self._groups = 0
        try:
            there = check_file(path)
            # not blocking: by now something else, such as a pipe, may have the name
            self._handle = os.open(path, os.O_RDONLY | os.O_CLOEXEC | os.O_NONBLOCK) if there else -1
        except OSError as error:
            raise unreadable(path, error) from error
        if not there:
            how = "tbgen solve --keep makes such tables" if local_named(path) else way_to(path)
            raise MissingTable(f"{path} is missing ({how})", path.name)
        try:
            self._open()
        except BaseException:
            self.close()
            raise

    def close(self) -> None:
        handle, self._handle = self._handle, -1
        if handle >= 0:
            os.close(handle)
        if self._groups:
            _GROUPS.drop(self._key, self._key + self._groups)
            self._forms.forget()

    def _open(self) -> None:
        try:
            self.head = self._compare()
            self._load()
        except BadHead as error:
            raise CorruptTable(f"{self.path}: {error}") from error
        except (OSError, ValueError, LookupError, TypeError, ArithmeticError, RecursionError, BadInput) as error:
            raise CorruptTable(f"{self.path} is damaged: {error}") from error

    def _compare(self) -> Head:
        head = heads.parse(os.pread(self._handle, heads.SIZE, 0))
        there = os.fstat(self._handle)
        if not stat.S_ISREG(there.st_mode):
            raise BadHead("it is not a file")
        if there.st_size != head.size:
            raise BadHead(f"it has {there.st_size} bytes instead of {head.size}")
        if not all(heads.SIZE <= place.offset <= place.end <= head.size for place in head.sections.values()):
            raise BadHead("its first bytes do not say what they should")
        return head

    def _load(self) -> None:
        head = self.head
        self.material, self.rules = _names(head)
        self.local, self.facts = self._notes()
        self._compare_name()
        if head.numbers != (size := self._size()):
            raise ValueError(f"its {head.numbers} numbers are not the {size} of {self.material}")
        if head.legal > size:
            raise ValueError(f"it has {head.legal} legal positions for {size} numbers")
        order = read_order(head.order)
        width, self._group = len(order), head.group
        if head.chunk != width or head.group != group_of(width):
            raise ValueError(f"its chunks have {head.chunk} places, its groups {head.group} chunks")
        self.chunks = -(-size // width)
        """How many there are."""
        groups = -(-self.chunks // head.group)
        pages, rest = divmod(self._section(FORMS).length, FORM_PAGE)
        if self._section(INDEX).length != groups * index_page(head.group).itemsize or rest:
            raise ValueError("its sections do not have their sizes")
        if not (1 <= head.distance_bytes <= 2 and head.shape_bytes <= 3 and head.form_bytes <= 8):
            raise ValueError("its numbers do not have their sizes")
        if not 1 <= head.distances <= 1 + MOST_STEPS:
            raise ValueError(f"its positions have {head.distances} distances")
        longest = width * (1 + head.shape_bytes + head.distance_bytes * head.distances)
        if not width <= head.longest <= longest:
            raise ValueError(f"its chunks are {head.longest} bytes long")
        self.chunk_format = ChunkFormat(self.path, head.longest, order, head.shape_bytes, head.distance_bytes)
        self._forms = FormReader(partial(self._read, FORMS), pages, self._key, self._make)
        self._bounds = Bounds(self.path, head.group * width, head.form_bytes, head.distances, self._forms.count)
        self._groups = groups

    def _size(self) -> int:
        if self.local is None:
            layout = layout_of(self.material)
            return layout.size if self.head.keeps == BOTH_SIDES else layout.one_side
        return len(self.local.slices) * numbers_per_slice(self.material)

    @property
    def side(self) -> int | None:
        """The side to move that a slim table keeps; None of any other."""
        return None if self.head.keeps == BOTH_SIDES else KEEPS.index(self.head.keeps) - 1

    def layout(self) -> Layout:
        return layout_of(self.material) if self.local is None else self.local.layout(self.material)

    def _section(self, name: str) -> Section:
        """A section without bytes is not named."""
        return self.head.sections.get(name, _NOWHERE)

    def _read(self, name: str, offset: int, length: int) -> bytes:
        """Bytes of a section."""
        section = self._section(name)
        if not 0 <= offset <= offset + length <= section.length:
            raise ValueError(f"something leads out of its section {name}")
        stored = os.pread(self._handle, length, section.offset + offset)
        if len(stored) != length:
            raise ValueError("it ends too soon")
        return stored

    def _read_all(self, name: str) -> bytes:
        return self._read(name, 0, self._section(name).length)

    def _checked(self, name: str, place: Place, what: str) -> bytes:
        stored = self._read(name, place.offset, place.length)
        if zlib_ng.crc32(stored) != place.crc32:
            raise ValueError(f"{what} has changed since it was written")
        return stored

    def _notes(self) -> tuple[LocalNotes | None, dict[str, int | float | str]]:
        """What a local table says beside, and what the build noted."""
        if not CHECK <= self._section(NOTES).length <= _LONGEST_NOTES:
            raise ValueError("its notes have no length that can be")
        stored = self._read_all(NOTES)
        if check_of(stored[:-CHECK]) != stored[-CHECK:]:
            raise ValueError("its notes have changed since they were written")
        notes = json.loads(stored[:-CHECK])
        facts = read_facts(notes["facts"])
        self.whole = _whole(notes["whole"]) if self.head.keeps != BOTH_SIDES else None
        if self.head.bound == COMPLETE:
            return None, facts
        return read_notes(self.material, self.head.bound, notes["local"]), facts

    def _compare_name(self) -> None:
        if self.local is None:
            claimed = named(self.path)
            slim, what = self.head.keeps != BOTH_SIDES, (self.material, self.rules)
            if local_named(self.path) or (claimed is not None and (claimed.slim, *claimed[1:]) != (slim, *what)):
                form = "a slim table of " * slim
                if claimed is not None and claimed.material.fairy != self.material.fairy:
                    raise BadHead(differs(self.material, claimed.material))
                raise BadHead(f"it holds {form}{self.material} ({self.rules}), not what its name says")
            return
        claims = local_named(self.path)
        if named(self.path) or (claims is not None and claims.name != self.local.name(self.material)):
            raise BadHead(f"it holds a local table of {self.material}, not what its name says")

    def chunk(self, number: int) -> Chunk:
        with self._named():
            group, nth = self._group_of(number), number % self._group
            return Chunk(self.chunk_format, group.shape_table, self._stored(group, nth))

    def bulk(self, numbers: range, *, fresh: bool) -> Bulk:
        """All of these chunks, which are of one group."""
        from tbgen.store.read.decode import decode  # late: a single look needs no compiler

        with self._named():
            group = self._group_of(numbers.start)
            stored = (self._stored(group, number % self._group) for number in numbers)
            return decode(self.chunk_format, group.shape_table, stored, len(numbers), fresh=fresh)

    def _group_of(self, chunk: int) -> Group:
        number = chunk // self._group
        group = _GROUPS.get(self._key + number)
        if group is None:
            length = index_page(self._group).itemsize
            page = Page(self._read(INDEX, number * length, length), self._group)
            listed = self._checked(SHAPES, page.shapes, "a list of shapes")
            group = Group(page, ListedShapes(listed, self._bounds, self.load_forms))
            _GROUPS.put(self._key + number, group, group.size)
        return group

    def load_forms(self, numbers: NDArray[np.int64], stored: NDArray[np.uint8]) -> Forms:
        with self._named():
            forms = self._forms.load(numbers)
            if not np.array_equal(forms.stored(), stored):
                raise ValueError("its shapes do not have as many distances as their forms")
            return forms

    def _stored(self, group: Group, nth: int) -> bytes:
        """A chunk as it is stored."""
        return self._checked(CHUNKS, group.page.chunk(nth), "a chunk")

    @contextmanager
    def _named(self) -> Iterator[None]:
        """Name the file in errors, but for those of a machine that has no more room."""
        try:
            yield
        except (OSError, ValueError, IndexError) as error:
            if self._handle < 0:
                raise ValueError(f"{self.path} has been closed") from error
            if isinstance(error, OSError) and error.errno in NO_ROOM | NO_MORE:
                raise
            raise CorruptTable(f"{self.path} is damaged: {error}") from error

    def check(self) -> None:
        """Compare the whole file with its digest, and what it tells other programs of slices: this one counts."""
        try:
            head, digest = self._compare(), hashlib.sha256()
            for at in range(heads.SIZE, head.size, _PIECE):
                digest.update(os.pread(self._handle, min(_PIECE, head.size - at), at))
        except (BadHead, OSError) as error:
            raise CorruptTable(f"{self.path}: {error}") from error
        if digest.hexdigest() != head.sha256:
            raise CorruptTable(f"{self.path} has changed since it was written")
        with self._named():
            if (head.rows, self._read_all(SLICES)) != tell(self.layout(), self.side):
                raise ValueError("it sends other programs to the wrong slices")


def differs(there: Material, wanted: Material) -> str:
    """What a file holds instead of what is wanted."""
    if there.name != wanted.name:
        return f"it holds {there}"
    pairs = zip(there.fairy, wanted.fairy, strict=True)
    return "; ".join(
        f"its {one.letter} moves {one.moves}, and the {other} here is another man"
        for one, other in pairs
        if one != other
    )


def _names(head: Head) -> tuple[Material, TableRules]:
    """Material and rules."""
    material = parse(
        head.material, men=told({letter: head.kinds[letter] for letter in head.kinds if letter not in MEN_OF_CHESS})
    )
    most = MEN_IN_TABLES if head.bound == COMPLETE else _MOST_MEN
    if material.name != head.material or material.men > most or head.rules not in list(TableRules):
        raise ValueError("it holds no material that there are tables of")
    if head.keeps not in KEEPS or (head.keeps != BOTH_SIDES and head.bound != COMPLETE):
        raise ValueError(f"it keeps {head.keeps}")
    if head.bound != COMPLETE and (not material.pawns or head.rules != TableRules.RESET):
        raise ValueError("it holds no placements of pawns")
    if head.men != men_of(material) or head.kinds != kinds_of(material):
        raise ValueError("it has men that this version does not know")
    return material, TableRules(head.rules)


def _whole(noted: dict[str, Any]) -> Whole:
    whole = Whole(noted["contents"], noted["bytes"], noted["sha256"])
    if not (is_text(whole.contents) and is_text(whole.sha256) and type(whole.bytes) is int and whole.bytes >= 0):
        raise ValueError("its notes are none")
    return whole
