"""Making a table again from a packed file: what is kept is unpacked, what is left out is told from it by forward moves,
as the verifier follows them; then the table is written, and compared before it gets its name."""

from collections.abc import Callable, Iterator, Mapping
from concurrent.futures import Executor, ThreadPoolExecutor
from contextlib import contextmanager, suppress
from functools import partial
from pathlib import Path
from typing import Final, NamedTuple, Protocol

import numpy as np
from numpy.typing import NDArray

from tbgen.archive.block import SECTIONS, SHAPE_COLUMNS, Packer, unpack_shapes
from tbgen.archive.format import Packed
from tbgen.archive.pack import BLOCK, ROOM, Begin, Report, room_of
from tbgen.arrays import Make, in_memory
from tbgen.contents import Contents
from tbgen.errors import CorruptTable, OutOfRoom
from tbgen.index import layout_of
from tbgen.material import Material
from tbgen.store import open_table
from tbgen.store.format.head import Whole
from tbgen.store.format.split import Split
from tbgen.store.read.bulk import Bulk
from tbgen.store.read.decode import spell_out
from tbgen.store.read.digest import digest_of
from tbgen.store.read.staircases import Staircases
from tbgen.store.write import write_table
from tbgen.table_rules import TableRules
from tbgen.turns import in_turn, pieces
from tbgen.verify.arrivals import Survey
from tbgen.verify.moves import NO_POSITION
from tbgen.verify.tell import LOST, Teller, Worths
from tbgen.verify.values import dictionary_of

_AHEAD: Final = 1
"""Blocks that wait or are at work, per thread."""
_BATCH: Final = 1 << 13
"""Positions that are told, or spelled out, together: all of them might have the most steps."""
_BATCHES: Final = 8
"""Batches per thread that are at work or wait."""


class _Unpacked(NamedTuple):
    """A block."""

    numbers: NDArray[np.int64]
    levels: NDArray[np.uint8]
    bulk: Bulk


Read = Callable[[NDArray[np.bool_]], Bulk]
"""Reads a block, given which of its places hold a legal position."""


class Source(Protocol):
    """A file that keeps one side to move, packed or slim."""

    path: Path
    material: Material
    rules: TableRules
    keeps: int
    """The side to move whose positions are kept."""
    whole: Whole
    facts: dict[str, int | float | str]
    program: str

    def room_of(self, memory: int) -> int:
        """Bytes of this memory that its shapes may take while it is read."""

    def blocks(self, kept: int, room: int) -> list[tuple[slice, Read]]:
        """The places of each block, and how to read it. `kept`: places in all; `room`: bytes of memory for shapes."""


class PackedSource:
    def __init__(self, packed: Packed) -> None:
        self._packed = packed
        notes = packed.notes
        self.path, self.material, self.rules = packed.path, packed.material, packed.rules
        self.keeps, self.facts, self.program = notes.keeps, notes.facts, notes.program
        self.whole = Whole(notes.contents, notes.bytes, notes.sha256)

    def room_of(self, memory: int) -> int:
        return room_of(memory)

    def blocks(self, kept: int, room: int) -> list[tuple[slice, Read]]:
        packed, notes = self._packed, self._packed.notes
        blocks = pieces(kept, BLOCK)
        if len(notes.streams) != SHAPE_COLUMNS + SECTIONS * len(blocks):
            raise ValueError("it has not as many blocks as its material")
        shapes = unpack_shapes([packed.stream(number) for number in range(SHAPE_COLUMNS)], notes.shapes, room)
        packer = Packer(shapes.table(), packed.order, notes.planes)

        def read(block: int, legal: NDArray[np.bool_]) -> Bulk:
            first = SHAPE_COLUMNS + SECTIONS * block
            return packer.unpack([packed.stream(first + nth) for nth in range(SECTIONS)], legal)

        return [(here, partial(read, number)) for number, here in enumerate(blocks)]


def unpack(
    source: Source,
    path: Path,
    successor_entries: Mapping[Material, NDArray[np.int32]],
    *,
    threads: int = 1,
    room: int = ROOM,
    make: Make = in_memory,
    begin: Begin = lambda what, numbers: None,
    report: Report = lambda numbers: None,
    keep: bool = True,
) -> bool:
    """Write the table again. CorruptTable if that does not come to what was packed, and then there is no table. Returns
    whether its bytes are the same: other versions of zlib-ng and HDF5 may pack the same contents into others.

    `keep`: whether the table gets its name; else what has been written is only compared.

    `successor_entries` holds the entries of the tables that resets lead to. `room`: bytes of memory that shapes may
    take. `make` gives arrays for notes on every position."""
    whole, same = source.whole, False
    contents = make_whole(
        source,
        successor_entries,
        threads=threads,
        room=room,
        make=make,
        begin=begin,
        report=report,
        compare=False,
    )
    begin(f"writing {source.material}", 2 * len(contents.entries))

    def check(written: Path) -> None:
        nonlocal same
        with open_table(written) as table:
            same = table.sha256 == whole.sha256 and table.head.size == whole.bytes
            if not same and table.digest() != whole.contents:
                raise _wrong(source)
        if not keep:
            raise _Compared

    with _named(source), suppress(_Compared):
        write_table(
            path, contents, source.facts, threads=threads, make=make, program=source.program, report=report, check=check
        )
    return same


def make_whole(
    source: Source,
    successor_entries: Mapping[Material, NDArray[np.int32]],
    *,
    threads: int = 1,
    room: int = ROOM,
    make: Make = in_memory,
    begin: Begin = lambda what, numbers: None,
    report: Report = lambda numbers: None,
    compare: bool = True,
) -> Contents:
    """What the whole table says. `compare`: CorruptTable if that has not the digest that the file notes."""
    begin(f"unpacking {source.material}", layout_of(source.material).size)
    with _named(source), ThreadPoolExecutor(threads) as pool:
        contents = _Unpacker(source, successor_entries, make, report).contents(pool, threads, room)
    if compare and digest_of(contents) != source.whole.contents:
        raise _wrong(source)
    return contents


class _Compared(Exception):
    """What has been written is right, and not wanted."""


@contextmanager
def _named(source: Source) -> Iterator[None]:
    """Name the file in errors that what it says leads to."""
    try:
        yield
    except ValueError as error:
        raise CorruptTable(f"{source.path} is damaged: {error}") from error
    except OutOfRoom as error:
        raise OutOfRoom(f"{source.path}: {error}") from error


def _wrong(source: Source) -> CorruptTable:
    return CorruptTable(
        f"{source.path} does not give the table that was packed: it was wrong (tbgen verify tells), or those that its "
        "captures and pawn moves lead to are others by now"
    )


class _Unpacker:
    def __init__(
        self, source: Source, successor_entries: Mapping[Material, NDArray[np.int32]], make: Make, report: Report
    ) -> None:
        self._source = source
        self._report = report
        self._layout = layout = layout_of(source.material)
        self._split = Split(layout, source.keeps)
        self._entries: NDArray[np.int32] = make(layout.size, np.int32)
        self._numbers: NDArray[np.int32] = make(layout.size, np.int32)
        self._levels: NDArray[np.uint8] = make(layout.size, np.uint8)
        self._teller = Teller(source.material, successor_entries, self._entries, self._numbers)
        self._staircases = Staircases(make)

    def contents(self, pool: Executor, threads: int, room: int) -> Contents:
        source, blocks = self._source, self._source.blocks(self._split.kept, room)
        for unpacked in in_turn(pool, _AHEAD * threads, self._unpack, blocks):
            for here in pieces(len(unpacked.numbers), _BATCH):
                self._put(unpacked.numbers[here], _worths(unpacked.bulk.cut(here)))
            self._levels[unpacked.numbers] = unpacked.levels
        for slice_ in range(self._layout.slices):  # pawn moves lead to earlier slices
            self._tell(slice_, pool, threads)
        steps = self._staircases.finish()
        return Contents(source.material, source.rules, self._entries, self._numbers, steps)

    def _unpack(self, here: slice, read: Read) -> _Unpacked:
        numbers = self._split.numbers(here)
        levels = self._teller.levels(numbers)
        return _Unpacked(numbers, levels, read(levels != NO_POSITION))

    def _put(self, numbers: NDArray[np.int64], told: Worths) -> None:
        """Write down what a table says of these numbers."""
        self._entries[numbers] = told.entries
        self._numbers[numbers] = self._staircases.number(told.lengths, told.steps)
        self._report(len(numbers))

    def _tell(self, part: int, pool: Executor, threads: int) -> None:
        """Fill in the numbers of a slice that have been left out."""
        left_out, own = self._split.left_out(part), self._layout.numbers_in(part)
        survey = Survey(part, self._levels[own.start : own.stop])
        dictionary = dictionary_of(self._staircases.first, self._staircases.steps, self._source.rules)

        def tell(here: slice) -> tuple[NDArray[np.int64], Worths]:
            numbers = np.arange(left_out.start + here.start, left_out.start + here.stop)
            return numbers, self._teller.tell(part, numbers, survey, dictionary)

        calls = ((here,) for here in pieces(len(left_out), _BATCH))
        for numbers, told in in_turn(pool, _BATCHES * threads, tell, calls):
            if (told.entries == LOST).any():
                raise _wrong(self._source)
            self._put(numbers, told)


def _worths(block: Bulk) -> Worths:
    """What a part of a block says, as the verifier would tell it."""
    return Worths(block.entries, *spell_out(block))


def warm_up() -> None:
    """Load the kernels, and compile those that have not been compiled yet, on the smallest table."""
    kings = Material("", "")
    zeros = np.zeros(layout_of(kings).size, np.int32)
    teller, staircases, numbers = Teller(kings, {}, zeros, zeros), Staircases(in_memory), np.arange(len(zeros))
    survey = Survey(0, teller.levels(numbers))
    told = teller.tell(0, numbers[:1], survey, dictionary_of(staircases.first, staircases.steps, TableRules.RESET))
    staircases.number(told.lengths, told.steps)
    staircases.finish()
