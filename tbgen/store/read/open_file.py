"""An open file. Nothing in it is believed before its checksum has been compared."""

import hashlib
import io
import os
import stat
import zlib
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path
from typing import Any, Final

import h5py
import numpy as np
from numpy.typing import NDArray

from tbgen.errors import BadInput, CorruptTable, MissingTable
from tbgen.index import layout_of
from tbgen.material import MEN_NUMBERED, Material, parse
from tbgen.store.directory import BUNDLED, build_command, check_file, named
from tbgen.store.format import seal
from tbgen.store.format.local import BOUND, LOCAL, LocalNotes, numbers_per_slice, read_notes
from tbgen.store.format.order import numbers_of
from tbgen.store.format.schema import FACTS, INDEX, PAWNS, SHAPES
from tbgen.store.format.shapes import KINDS, STEP_KINDS, Shapes, ShapeTable, check
from tbgen.store.local import local_named
from tbgen.store.read import chunks
from tbgen.store.read.bulk import Bulk
from tbgen.store.read.chunk import Chunk, ChunkFormat
from tbgen.store.read.head import Head
from tbgen.table_rules import TableRules

Notes = dict[str, int | float | str]

_MOST_MEN: Final = 32
"""Of a local table."""
_WIDEST: Final = 1 << 16
"""The most positions in a chunk."""
_MOST_SHAPES: Final = (1 << 31) - 1
"""What machine code counts."""


class _Window(io.RawIOBase):
    """What HDF5 reads: the very file whose seal was compared, even if its name now leads to another."""

    def __init__(self, handle: int, size: int) -> None:
        self._handle, self._size, self._at = handle, size, 0

    def seek(self, offset: int, whence: int = 0) -> int:
        self._at = offset + (0, self._at, self._size)[whence]
        return self._at

    def tell(self) -> int:
        return self._at

    def readinto(self, buffer: Any) -> int:
        read = os.preadv(self._handle, [buffer], self._at)
        self._at += read
        return read

    def readable(self) -> bool:
        return True

    def seekable(self) -> bool:
        return True


class _Whole(_Window):
    """For HDF5, which asks again and again where it gets nothing: a forged file can send it past the end."""

    def readinto(self, buffer: Any) -> int:
        read = super().readinto(buffer)
        if not read and len(buffer):
            raise OSError("it leads past its end")
        return read


class OpenFile:
    """The file of a table, from its name to its chunks."""

    def __init__(self, path: Path) -> None:
        self.path = path
        try:
            there = check_file(path)
            # not blocking: by now something else, such as a pipe, may have the name
            self._handle = os.open(path, os.O_RDONLY | os.O_CLOEXEC | os.O_NONBLOCK) if there else -1
        except OSError as error:
            raise CorruptTable(f"{path} cannot be read: {error.strerror}") from error
        if not there:
            how = "tbgen solve --keep makes such tables" if local_named(path) else f"to build it: {build_command(path)}"
            if path.parent == BUNDLED:
                how += "; open_tablebase(DIR) reads it"
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

    def _open(self) -> None:
        try:
            stamp = self._compare()
            with h5py.File(_Whole(self._handle, stamp.size), "r") as file:
                self._load(Head(file, stamp.size), range(stamp.head, stamp.size))
            self.header["bytes"] = stamp.size
            self.sha256 = stamp.sha256
        except seal.Unsealed as error:
            raise CorruptTable(f"{self.path}: {error}") from error
        except (OSError, ValueError, LookupError, TypeError, RuntimeError, ArithmeticError, BadInput) as error:
            raise CorruptTable(f"{self.path} is damaged: {error}") from error
        except MemoryError as error:  # sizes are checked before memory is taken, but HDF5 takes some of its own
            raise CorruptTable(f"{self.path} is damaged, or there is too little memory to read it") from error

    def _compare(self) -> seal.Seal:
        stamp = seal.parse(os.pread(self._handle, seal.SIZE, 0))
        there = os.fstat(self._handle)
        if not stat.S_ISREG(there.st_mode):
            raise seal.Unsealed("it is not a file")
        if there.st_size != stamp.size:
            raise seal.Unsealed(f"it has {there.st_size} bytes instead of {stamp.size}")
        if not seal.SIZE <= stamp.head <= stamp.size:
            raise seal.Unsealed("its first bytes do not say what they should")
        if zlib.crc32(os.pread(self._handle, stamp.head - seal.SIZE, seal.SIZE)) != stamp.head_crc32:
            raise seal.Unsealed("its head has changed since it was written")
        return stamp

    def _load(self, head: Head, room: range) -> None:
        notes = head.notes()
        self.material, self.rules = _names(notes)
        self.local = _local(head, notes, self.material)
        self._compare_name()
        if self.local is None:
            self.layout = layout_of(self.material)
            size = self.layout.size
        else:
            self.layout = self.local.layout(self.material)
            size = len(self.local.slices) * numbers_per_slice(self.material)
        self.size = size
        if _number(notes, "size", 0) != size:
            raise ValueError(f"its {notes['size']} numbers are not those of {self.material}")
        order = _order(head, _number(notes, "chunk_width", 1, _WIDEST))
        shapes = _shapes(head, size)
        planes = _number(notes, "escape_planes", 0, 4), _number(notes, "distance_planes", 1, 2)
        for name in ("legal", "staircases", "steps"):
            _number(notes, name, 0)
        if not isinstance(notes.get("program"), str):
            raise ValueError("its program has no name")
        self.chunks = chunks.Reader(head, -(-size // len(order)), room)
        longest = len(order) * (1 + planes[0] + planes[1] * (1 + int(shapes.steps.max())))
        if not len(order) <= self.chunks.length <= longest:
            raise ValueError(f"its chunks are {self.chunks.length} bytes long")
        self.chunk_format = ChunkFormat(self.path, self.chunks.length, order, *planes, ShapeTable(shapes))
        head.enter(FACTS)
        self.facts = head.notes(FACTS)
        self.header = self.facts | notes

    def _compare_name(self) -> None:
        if self.local is None:
            claimed = named(self.path)
            if local_named(self.path) or (claimed is not None and claimed[1:] != (self.material, self.rules)):
                raise seal.Unsealed(f"it holds {self.material} ({self.rules}), not what its name says")
            return
        claims = local_named(self.path)
        if named(self.path) or (claims is not None and claims.name != self.local.name(self.material)):
            raise seal.Unsealed(f"it holds a local table of {self.material}, not what its name says")

    def chunk(self, number: int) -> Chunk:
        with self._named():
            return Chunk(self.chunk_format, self.chunks.read(self._handle, number))

    def bulk(self, numbers: range, *, fresh: bool) -> Bulk:
        """All of these chunks."""
        from tbgen.store.read.decode import decode  # late: a single look needs no compiler

        with self._named():
            stored = (self.chunks.read(self._handle, number) for number in numbers)
            return decode(self.chunk_format, stored, len(numbers), fresh=fresh)

    @contextmanager
    def _named(self) -> Iterator[None]:
        """Name the file in errors."""
        try:
            yield
        except (OSError, ValueError, IndexError) as error:
            if self._handle < 0:
                raise ValueError(f"{self.path} has been closed") from error
            raise CorruptTable(f"{self.path} is damaged: {error}") from error

    def check(self) -> None:
        """Compare the whole file with its digest."""
        try:
            stamp = self._compare()
            window = _Window(self._handle, stamp.size)
            window.seek(seal.SIZE)
            digest = hashlib.file_digest(window, "sha256")
        except (seal.Unsealed, OSError) as error:
            raise CorruptTable(f"{self.path}: {error}") from error
        if digest.hexdigest() != stamp.sha256:
            raise CorruptTable(f"{self.path} has changed since it was written")


def _names(notes: Notes) -> tuple[Material, TableRules]:
    """Material and rules."""
    name, rules = notes.get("material"), notes.get("rules")
    material = parse(str(name))
    most = MEN_NUMBERED if BOUND not in notes else _MOST_MEN
    if material.name != name or material.men > most or rules not in list(TableRules):
        raise ValueError("it holds no material that there are tables of")
    return material, TableRules(str(rules))


def _local(head: Head, notes: Notes, material: Material) -> LocalNotes | None:
    """What a local table says beside; None of any other table."""
    if BOUND not in notes:
        return None
    for group in (INDEX, LOCAL):
        head.enter(group)
    rows, pawns = head.shape(f"{INDEX}/{PAWNS}", "i1")
    if not material.pawns or pawns != material.pawns or not rows or notes.get("rules") != TableRules.RESET:
        raise ValueError("it holds no placements of pawns")
    return read_notes(material, notes[BOUND], head.column(f"{INDEX}/{PAWNS}", "i1", rows, pawns), head.notes(LOCAL))


def _number(notes: Notes, name: str, least: int, most: int = 1 << 62) -> int:
    number = notes.get(name)
    if not isinstance(number, int) or not least <= number <= most:
        raise ValueError(f"its {name} cannot be {number}")
    return number


def _order(head: Head, width: int) -> NDArray[np.int64]:
    """`[place]`: the number of the position there, each once."""
    steps = head.column("order", "<u4", width.bit_length() - 1).tolist()
    order = numbers_of(steps)
    if len(order) != width or not np.array_equal(np.sort(order), np.arange(width)):
        raise ValueError("its order of places is none")
    return order


def _shapes(head: Head, most: int) -> Shapes:
    """The shapes; ValueError if there are more than a table of `most` numbers can have."""
    head.enter(SHAPES)
    (count,) = head.shape(f"{SHAPES}/steps", "u1")
    if count > min(1 + most, _MOST_SHAPES):
        raise ValueError(f"it has {count} shapes for {most} numbers")
    columns = {name: head.column(f"{SHAPES}/{name}", kind, count) for name, kind in KINDS.items()}
    steps = int(columns["steps"].sum(dtype=np.int64))
    columns |= {name: head.column(f"{SHAPES}/{name}", kind, steps) for name, kind in STEP_KINDS.items()}
    shapes = Shapes(**columns)
    check(shapes)
    return shapes
