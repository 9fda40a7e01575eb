"""A slim table is made from a whole one: the positions with one side to move, in a file that is probed as any other."""

import zlib
from collections.abc import Callable
from pathlib import Path
from typing import Final, NamedTuple

import numpy as np
from numpy.typing import NDArray

from tbgen.core.table_contents import Contents
from tbgen.errors import BadInput
from tbgen.memory.arrays import Make, in_memory
from tbgen.store import SlimFile, TableFile, open_table
from tbgen.store.format.head import Whole
from tbgen.store.format.split import Split
from tbgen.store.read.decode import spell_out
from tbgen.store.read.digest import ContentsDigest
from tbgen.store.read.staircases import Staircases
from tbgen.store.write import Slim, write_table

Begin = Callable[[str, int], None]
"""Told what is done next, and how many steps that has."""
Report = Callable[[int], None]
"""Told how many of them have been done."""

_SAMPLES: Final = 4
_SAMPLE: Final = 1 << 17
"""Pieces of each side that are compressed to see which side is cheaper to keep, and their length."""


class Slimmed(NamedTuple):
    """Sizes and contents of a new slim table."""

    size: int
    """Bytes of the file."""
    table_size: int
    """Bytes of the whole table's file."""
    keeps: int
    """The side to move whose positions are kept: 0 the side that is named first, 1 the other."""


def make_slim(
    path: Path,
    to: Path,
    *,
    threads: int = 1,
    make: Make = in_memory,
    begin: Begin = lambda step, numbers: None,
    report: Report = lambda numbers: None,
) -> Slimmed | None:
    """Write the slim table of a table; return None if it stores one side to move anyhow. Raise CorruptTable if the
    table has changed since it was written."""
    with open_table(path, threads=threads, make=make) as table:
        if table.local is not None or isinstance(table, SlimFile):
            raise BadInput(f"{path} is no complete table of both sides to move")
        if (table.layout.flip >= 0).all():
            return None
        table.check()
        begin(f"weighing the sides of {table.material}", 2 * _SAMPLES)
        side = min(range(2), key=lambda side: _sampled_cost(table, Split(table.layout, side), report))
        split = Split(table.layout, side)
        begin(f"reading {table.material}", table.size)
        contents, digest = _kept_contents(table, split, make, report)
        begin(f"writing {table.material}", 2 * split.kept)
        slim = Slim(side, Whole(digest, table.head.size, table.sha256))
        write_table(
            to, contents, table.facts, slim=slim, threads=threads, make=make, program=table.head.program, report=report
        )
        return Slimmed(to.stat().st_size, table.head.size, side)


def _sampled_cost(table: TableFile, split: Split, report: Report) -> int:
    """Return the compressed bytes of a sample of the positions that this split keeps."""
    cost = 0
    for start in np.linspace(0, max(0, split.kept - _SAMPLE), _SAMPLES, dtype=np.int64):
        numbers = split.numbers(slice(int(start), min(int(start) + _SAMPLE, split.kept)))
        for here, bulk in table.in_order(int(numbers[0]), int(numbers[-1]) + 1):
            is_kept = split.places(int(numbers[0]) + np.arange(here.start, here.stop)) >= 0
            kept = bulk.cut(np.flatnonzero(is_kept))
            cost += sum(len(zlib.compress(column.tobytes())) for column in (kept.shapes, kept.halves()))
        report(1)
    return cost


def _kept_contents(table: TableFile, split: Split, make: Make, report: Report) -> tuple[Contents, str]:
    """Return what the table says of the positions that are kept, and the digest of all."""
    digest, dictionary = ContentsDigest(table.material, table.rules), Staircases(make)
    entries: NDArray[np.int32] = make(split.kept, np.int32)
    staircases: NDArray[np.int32] = make(split.kept, np.int32)
    for here, bulk in table.in_order(0, table.size):
        digest.add(bulk)
        places = split.places(np.arange(here.start, here.stop))
        kept = np.flatnonzero(places >= 0)
        if len(kept):
            kept_bulk = bulk.cut(kept)
            entries[places[kept]] = kept_bulk.entries
            staircases[places[kept]] = dictionary.number(*spell_out(kept_bulk))
        report(here.stop - here.start)
    contents = Contents(table.material, table.rules, entries, staircases, dictionary.finish())
    return contents, digest.hexdigest()
