"""Making a slim table: the positions with one side to move, in a file that is probed as any other."""

from concurrent.futures import ThreadPoolExecutor
from functools import partial
from pathlib import Path
from typing import NamedTuple

import numpy as np
from numpy.typing import NDArray

from tbgen.archive.pack import Begin, Report, cheaper_side
from tbgen.archive.unpack import Read
from tbgen.arrays import Make, in_memory
from tbgen.contents import Contents
from tbgen.errors import BadInput, CorruptTable
from tbgen.store import PIECE, SlimFile, TableFile, open_table
from tbgen.store.format.head import Whole
from tbgen.store.format.split import Split
from tbgen.store.read.bulk import Bulk
from tbgen.store.read.decode import spell_out
from tbgen.store.read.digest import ContentsDigest
from tbgen.store.read.staircases import Staircases
from tbgen.store.write import Slim, write_table
from tbgen.turns import pieces


class Slimmed(NamedTuple):
    size: int
    """Bytes of the file."""
    before: int
    """Bytes of the table's file."""
    keeps: int


def make_slim(
    path: Path,
    to: Path,
    *,
    threads: int = 1,
    make: Make = in_memory,
    begin: Begin = lambda what, numbers: None,
    report: Report = lambda numbers: None,
) -> Slimmed | None:
    """Write the slim table of a table; None if it stores one side to move anyhow. CorruptTable if the table has changed
    since it was written."""
    with open_table(path, threads=threads, make=make) as table, ThreadPoolExecutor(threads) as pool:
        if table.local is not None or isinstance(table, SlimFile):
            raise BadInput(f"{path} is no complete table of both sides to move")
        if (table.layout.flip >= 0).all():
            return None
        table.check()
        side = cheaper_side(table, pool, begin, report)
        split = Split(table.layout, side)
        begin(f"reading {table.material}", table.size)
        contents, digest = _kept(table, split, make, report)
        begin(f"writing {table.material}", 2 * split.kept)
        slim = Slim(side, Whole(digest, table.head.size, table.sha256))
        write_table(
            to, contents, table.facts, slim=slim, threads=threads, make=make, program=table.head.program, report=report
        )
        return Slimmed(to.stat().st_size, table.head.size, side)


def _kept(table: TableFile, split: Split, make: Make, report: Report) -> tuple[Contents, str]:
    """What the table says of the positions that are kept; the digest of all."""
    digest, known = ContentsDigest(table.material, table.rules), Staircases(make)
    entries: NDArray[np.int32] = make(split.kept, np.int32)
    staircases: NDArray[np.int32] = make(split.kept, np.int32)
    for here, bulk in table.in_order(0, table.size):
        digest.add(bulk)
        places = split.places(np.arange(here.start, here.stop))
        kept = np.flatnonzero(places >= 0)
        if len(kept):
            some = bulk.cut(kept)
            entries[places[kept]] = some.entries
            staircases[places[kept]] = known.number(*spell_out(some))
        report(here.stop - here.start)
    return Contents(table.material, table.rules, entries, staircases, known.finish()), digest.hexdigest()


class SlimSource:
    """A slim table, to make the whole one from."""

    def __init__(self, path: Path, make: Make = in_memory) -> None:
        table = open_table(path, make=make)
        if not isinstance(table, SlimFile):
            table.close()
            raise CorruptTable(f"{path} is no slim table")
        self._table = table
        self.path, self.material, self.rules = path, table.material, table.rules
        self.keeps, self.whole = table.split.side, table.whole
        self.facts, self.program = table.facts, table.head.program

    def room_of(self, memory: int) -> int:
        return 0

    def blocks(self, kept: int, room: int) -> list[tuple[slice, Read]]:
        """Shapes are read a group at a time."""
        return [(here, partial(self._read, here)) for here in pieces(kept, PIECE)]

    def _read(self, here: slice, legal: NDArray[np.bool_]) -> Bulk:
        ((_, bulk),) = self._table.kept_in_order(here)
        if not np.array_equal(bulk.shapes > 0, legal):
            raise ValueError("it has positions that are none, or lacks some")
        return bulk

    def check(self) -> None:
        """Compare the whole file with its digest."""
        self._table.check()

    def close(self) -> None:
        self._table.close()
