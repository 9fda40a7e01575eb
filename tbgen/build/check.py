"""Checking tables of a directory: the file byte for byte, then every position from its moves."""

from collections.abc import Callable
from dataclasses import dataclass
from pathlib import Path

from tbgen.build.scratch import Scratch
from tbgen.build.shelf import Shelf
from tbgen.index.contents import Contents
from tbgen.material import Material
from tbgen.retro.verify import Verdict, verify
from tbgen.store import TableFile, open_table, table_path


@dataclass(frozen=True)
class _File:
    """A table that is read into scratch arrays and tells how much of it is read."""

    table: TableFile
    scratch: Scratch
    read: Callable[[Material, int], None]

    @property
    def material(self) -> Material:
        return self.table.material

    @property
    def rules(self) -> str:
        return self.table.rules

    def part(self, start: int, end: int) -> Contents:
        return self.table.part(start, end, self.scratch.array, lambda numbers: self.read(self.material, numbers))


def check_table(
    material: Material,
    directory: Path,
    rules: str,
    shelf: Shelf,
    scratch: Scratch,
    *,
    threads: int,
    sample: int | None = None,
    seed: int = 0,
    read: Callable[[Material, int], None] = lambda material, numbers: None,
    report: Callable[[int], None] = lambda numbers: None,
) -> Verdict:
    """CorruptTable where the file has changed since it was written; otherwise what its positions are worth.

    `read` hears of numbers of this table and others that have been read (some of this table several times), `report`
    of numbers that are checked."""
    answers = shelf.take(material.successors(), read)
    with open_table(table_path(directory, material, rules)) as table:
        table.check()
        source = _File(table, scratch, read)
        return verify(source, answers, threads=threads, sample=sample, seed=seed, report=report)
