"""Checking tables of a directory: the file byte for byte, then every position from its moves."""

from collections.abc import Callable
from pathlib import Path

import numpy as np

from tbgen.build.scratch import Scratch
from tbgen.build.shelf import Shelf
from tbgen.material import Material
from tbgen.retro.verify import Verdict, verify
from tbgen.store import open_table, table_path


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

    `read` hears of numbers of this table and others that have been read, `report` of numbers that are checked."""
    answers = shelf.take(material.successors(), read)
    with open_table(table_path(directory, material, rules)) as table:
        table.check()
        contents = table.contents(lambda count: scratch.array(count, np.int32), lambda numbers: read(material, numbers))
    return verify(contents, answers, threads=threads, sample=sample, seed=seed, report=report)
