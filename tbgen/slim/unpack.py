"""A whole table is made again from a slim one: what is left out follows from what is kept by forward moves, as the
verifier follows them; then the table is written, and compared before it gets its name."""

from collections.abc import Iterator, Mapping
from concurrent.futures import Executor, ThreadPoolExecutor
from contextlib import contextmanager, suppress
from pathlib import Path
from typing import Final, NamedTuple

import numpy as np
from numpy.typing import NDArray

from tbgen.core.material import Material
from tbgen.core.table_contents import Contents
from tbgen.core.table_rules import TableRules
from tbgen.errors import BadInput, CorruptTable
from tbgen.index import layout_of
from tbgen.memory.arrays import Make, in_memory
from tbgen.slim.make import Begin, Report
from tbgen.store import PIECE, SlimFile, open_table
from tbgen.store.format.split import Split
from tbgen.store.read.bulk import Bulk
from tbgen.store.read.decode import spell_out
from tbgen.store.read.digest import digest_of
from tbgen.store.read.staircases import Staircases
from tbgen.store.write import write_table
from tbgen.system.parallel import in_turn, pieces
from tbgen.verify.arrivals import Survey
from tbgen.verify.moves import NO_POSITION
from tbgen.verify.reconstruct import LOST, Teller, Worths
from tbgen.verify.values import dictionary_of

_PACKED: Final = ".tbp"
"""The ending of packed tables, which earlier versions made."""
_AHEAD: Final = 1
"""Blocks that wait or are at work, per thread."""
_PER_THREAD: Final = 256 << 20
"""Bytes of memory that each thread takes, at most."""
_BATCH: Final = 1 << 13
"""Positions that are told, or spelled out, together: all of them might have the most steps."""
_BATCHES: Final = 8
"""Batches per thread that are at work or wait."""


class _Unpacked(NamedTuple):
    """A block of kept positions, as it was read."""

    numbers: NDArray[np.int64]
    levels: NDArray[np.uint8]
    bulk: Bulk


class SlimSource:
    """A slim table, to make the whole one from."""

    def __init__(self, path: Path, make: Make = in_memory) -> None:
        refuse_packed(path)
        table = open_table(path, make=make)
        if not isinstance(table, SlimFile):
            table.close()
            raise CorruptTable(f"{path} is no slim table")
        self._table = table
        self.path, self.material, self.rules = path, table.material, table.rules
        self.keeps, self.whole = table.split.side, table.whole
        self.facts, self.program = table.facts, table.head.program

    def read(self, here: slice, is_legal: NDArray[np.bool_]) -> Bulk:
        """Return the positions at these places, of which those that are legal must be the ones that are kept."""
        ((_, bulk),) = self._table.kept_in_order(here)
        if not np.array_equal(bulk.shapes > 0, is_legal):
            raise ValueError("it has positions that are none, or lacks some")
        return bulk

    def check(self) -> None:
        """Compare the whole file with its digest."""
        self._table.check()

    def close(self) -> None:
        self._table.close()


def refuse_packed(path: Path) -> None:
    """Raise BadInput for a packed table of an earlier version."""
    if path.name.endswith(_PACKED):
        name = path.name.partition(".")[0]
        raise BadInput(
            f"{path} is a packed table, which this version no longer reads: tbgen build {name} makes the table again, "
            f"and tbgen pack {name} a slim one to keep or send"
        )


def threads_in(memory: int, threads: int) -> int:
    """Return how many threads may work in so much memory."""
    return min(threads, memory // _PER_THREAD or 1)


def unpack(
    source: SlimSource,
    path: Path,
    successor_entries: Mapping[Material, NDArray[np.int32]],
    *,
    threads: int = 1,
    make: Make = in_memory,
    begin: Begin = lambda what, numbers: None,
    report: Report = lambda numbers: None,
    keep: bool = True,
) -> bool:
    """Write the table again. CorruptTable if that does not come to what was packed, and then there is no table. Returns
    whether its bytes are the same: other versions of zlib-ng and HDF5 may pack the same contents into others.

    `keep`: whether the table gets its name; else what has been written is only compared.

    `successor_entries` holds the entries of the tables that resets lead to. `make` gives arrays for notes on every
    position."""
    whole, same = source.whole, False
    contents = make_whole(
        source,
        successor_entries,
        threads=threads,
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
    source: SlimSource,
    successor_entries: Mapping[Material, NDArray[np.int32]],
    *,
    threads: int = 1,
    make: Make = in_memory,
    begin: Begin = lambda what, numbers: None,
    report: Report = lambda numbers: None,
    compare: bool = True,
) -> Contents:
    """What the whole table says. `compare`: CorruptTable if that has not the digest that the file notes."""
    begin(f"unpacking {source.material}", layout_of(source.material).size)
    with _named(source), ThreadPoolExecutor(threads) as pool:
        contents = _Unpacker(source, successor_entries, make, report).contents(pool, threads)
    if compare and digest_of(contents) != source.whole.contents:
        raise _wrong(source)
    return contents


class _Compared(Exception):
    """What has been written is right, and not wanted."""


@contextmanager
def _named(source: SlimSource) -> Iterator[None]:
    """Name the file in errors that what it says leads to."""
    try:
        yield
    except ValueError as error:
        raise CorruptTable(f"{source.path} is damaged: {error}") from error


def _wrong(source: SlimSource) -> CorruptTable:
    return CorruptTable(
        f"{source.path} does not give the table that was packed: it was wrong (tbgen verify tells), or those that its "
        "captures and pawn moves lead to are others by now"
    )


class _Unpacker:
    def __init__(
        self, source: SlimSource, successor_entries: Mapping[Material, NDArray[np.int32]], make: Make, report: Report
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

    def contents(self, pool: Executor, threads: int) -> Contents:
        source = self._source
        blocks = ((here,) for here in pieces(self._split.kept, PIECE))
        for unpacked in in_turn(pool, _AHEAD * threads, self._unpack, blocks):
            for here in pieces(len(unpacked.numbers), _BATCH):
                self._put(unpacked.numbers[here], _worths(unpacked.bulk.cut(here)))
            self._levels[unpacked.numbers] = unpacked.levels
        for slice_ in range(self._layout.slices):  # pawn moves lead to earlier slices
            self._tell(slice_, pool, threads)
        steps = self._staircases.finish()
        return Contents(source.material, source.rules, self._entries, self._numbers, steps)

    def _unpack(self, here: slice) -> _Unpacked:
        numbers = self._split.numbers(here)
        levels = self._teller.levels(numbers)
        return _Unpacked(numbers, levels, self._source.read(here, levels != NO_POSITION))

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
