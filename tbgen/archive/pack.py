"""Packing a table."""

from collections.abc import Callable
from concurrent.futures import Executor, ThreadPoolExecutor
from pathlib import Path
from typing import BinaryIO, Final, NamedTuple

import numpy as np
from numpy.typing import NDArray

from tbgen.archive.block import KeptPositions, Packer, Shapes, check_shapes, pack_shapes
from tbgen.archive.format import Notes, Writer
from tbgen.contents import OUTCOME_SHIFT
from tbgen.errors import BadInput
from tbgen.store import TableFile, open_table
from tbgen.store.format.shapes import Forms, ShapeTable
from tbgen.store.format.split import Split
from tbgen.store.read.decoded_table import AllShapes
from tbgen.store.read.digest import ContentsDigest
from tbgen.turns import in_turn, pieces

BLOCK: Final = 1 << 20
"""Kept numbers that are packed together: a multiple of every chunk's width."""
_SAMPLES: Final = 4
_SAMPLE: Final = 1 << 17
"""Pieces of each side that are packed to see which side is cheaper to keep, and their length."""
_AHEAD: Final = 2
"""Blocks that wait or are at work, per thread."""
_KNOWN: Final = 32
"""Bytes of columns that a shape counts as while all are found: as each is told from all others."""
_FORMS: Final = 1 << 18
"""Forms that are read together."""

ROOM: Final = 1 << 30
"""Bytes of memory for shapes, if not told otherwise."""
_PER_THREAD: Final = 256 << 20
"""Bytes of memory that each thread takes, at most."""

Begin = Callable[[str, int], None]
"""Told what is done next, and how many steps that has."""
Report = Callable[[int], None]
"""Told how many of them have been done."""


def room_of(memory: int) -> int:
    """Bytes of this memory that are for shapes: half of it. The other half is for threads."""
    return memory // 2


def threads_in(memory: int, threads: int) -> int:
    """How many threads may work in so much memory, at most."""
    return min(threads, memory // _PER_THREAD or 1)


class Result(NamedTuple):
    size: int
    """Bytes of the packed file."""
    notes: Notes


def pack(
    path: Path,
    file: BinaryIO,
    *,
    threads: int = 1,
    room: int = ROOM,
    begin: Begin = lambda what, numbers: None,
    report: Report = lambda numbers: None,
) -> Result:
    """Pack a table into a file. CorruptTable if the table has changed since it was written; OutOfRoom if its shapes
    take more than `room` bytes of memory."""
    with open_table(path) as table, ThreadPoolExecutor(threads) as pool:
        if table.local is not None:
            raise BadInput(f"{path} is a local table, which is not packed: tbgen solve --keep makes it again")
        table.check()
        side = cheaper_side(table, pool, begin, report)
        split = Split(table.layout, side)
        begin(f"reading {table.material}", table.size)
        every = table.all_shapes()
        contents, count = _survey(table, split, every, room, report)
        used, renumbered = _ranked(count)
        shapes = _selected(every.table(), used, room)
        packer = Packer(shapes.table(), table.order, table.distance_planes)
        writer = Writer(file)
        for column in pack_shapes(shapes):
            writer.add(column)

        def block(start: int, end: int) -> tuple[int, list[bytes]]:
            kept = _read(table, split, slice(start, end), every)
            return end - start, packer.pack(kept._replace(shapes=renumbered[kept.shapes]))

        begin(f"packing {table.material}", split.kept)
        calls = ((here.start, here.stop) for here in pieces(split.kept, BLOCK))
        for numbers, sections in in_turn(pool, _AHEAD * threads, block, calls):
            for section in sections:
                writer.add(section)
            report(numbers)
        steps = [int(table.order[1 << bit]) for bit in range(len(table.order).bit_length() - 1)]
        notes = Notes(
            table.material.name, str(table.rules), table.head.program, table.facts,
            table.head.size, table.sha256, contents, side, int(count[1:].sum()), len(used),
            table.distance_planes, steps, writer.streams, {man.letter: man.moves for man in table.material.fairy},
        )  # fmt: skip
        return Result(writer.finish(notes), notes)


def cheaper_side(table: TableFile, pool: Executor, begin: Begin, report: Report) -> int:
    """The side to move whose positions take fewer bytes, by a sample."""
    begin(f"weighing the sides of {table.material}", 2 * _SAMPLES)
    splits = [Split(table.layout, side) for side in range(2)]

    def cost(side: int, start: int) -> int:
        every = table.all_shapes()
        kept = _read(table, splits[side], slice(start, min(start + _SAMPLE, splits[side].kept)), every)
        _, renumbered = _ranked(np.bincount(kept.shapes))
        packer = Packer(every.table(), table.order, table.distance_planes)
        return sum(map(len, packer.pack(kept._replace(shapes=renumbered[kept.shapes]))))

    samples = [(side, start) for side, split in enumerate(splits) for start in _starts(split, len(table.order))]
    costs = [0, 0]
    for (side, _), found in zip(samples, in_turn(pool, len(samples), cost, samples), strict=True):
        costs[side] += found
        report(1)
    return costs.index(min(costs))


def _starts(split: Split, width: int) -> list[int]:
    """Where samples begin, each with a chunk; nowhere if the table has one side to move, and all of it is kept."""
    if not split.both.any():
        return []
    last = max(0, split.kept - _SAMPLE)
    return [int(start) // width * width for start in np.linspace(0, last, _SAMPLES)]


def _survey(
    table: TableFile, split: Split, every: AllShapes, room: int, report: Report
) -> tuple[str, NDArray[np.int64]]:
    """The digest of what the table says; and `[shape]`: how many kept positions have it."""
    digest, count = ContentsDigest(table.material, table.rules), np.zeros(1, np.int64)
    for numbers, bulk in table.in_order(0, table.size):
        digest.add(bulk)
        kept = split.places(np.arange(numbers.start, numbers.stop)) >= 0
        shapes = every.add(bulk.shape_table)
        check_shapes(_KNOWN * len(every), room)
        if len(every) > len(count):
            count = np.pad(count, (0, 2 * len(every) - len(count)))
        count[shapes] += np.bincount(bulk.shapes[kept], minlength=len(shapes))
        report(len(kept))
    return digest.hexdigest(), count[: len(every)]


def _ranked(count: NDArray[np.int64]) -> tuple[NDArray[np.int64], NDArray[np.uint32]]:
    """The shapes that are kept, first that of no position, then the commonest first; and `[shape]`: its rank."""
    some = np.flatnonzero(count[1:]) + 1
    used = np.append(0, some[np.argsort(-count[some], kind="stable")])
    ranks = np.zeros(len(count), np.uint32)
    ranks[used] = np.arange(len(used))
    return used, ranks


def _selected(every: ShapeTable, used: NDArray[np.int64], room: int) -> Shapes:
    """These shapes, in this order."""
    parts, size = [], 0
    for here in pieces(every.count, _FORMS):
        parts.append(every.forms_of(here))
        size += sum(column.nbytes for column in parts[-1])
        check_shapes(size, room)
    forms = Forms(*(np.concatenate(columns) for columns in zip(*parts, strict=True)))
    base = every.base[used]
    return Shapes((base >> OUTCOME_SHIFT).astype(np.int16), (base & 1).astype(np.uint8), forms.taken(used))


def _read(table: TableFile, split: Split, here: slice, every: AllShapes) -> KeptPositions:
    """The positions at these places."""
    first, last = split.numbers(slice(here.start, here.start + 1))[0], split.numbers(slice(here.stop - 1, here.stop))[0]
    count = here.stop - here.start
    kept = KeptPositions(np.zeros(count, np.uint32), np.zeros((table.head.distances, count), np.uint16))
    for numbers, bulk in table.in_order(int(first), int(last) + 1):
        to = split.places(int(first) + np.arange(numbers.start, numbers.stop))
        places = np.flatnonzero(to >= 0)
        to, halves = to[places] - here.start, bulk.halves()
        kept.shapes[to] = every.add(bulk.shape_table).take(bulk.shapes[places])
        kept.halves[: len(halves), to] = halves[:, places]
    return kept
