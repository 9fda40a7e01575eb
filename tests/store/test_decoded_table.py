"""A table decoded as a whole, which threads share and a user may interrupt."""

from collections.abc import Callable, Iterator
from pathlib import Path

import numpy as np
import pytest

from tbgen.core.material import parse
from tbgen.store import TableFile, open_table, table_path
from tbgen.store.read.bulk import Bulk
from tbgen.store.read.decoded_table import DecodedTable
from tbgen.store.write import write_table
from tests.support.contents import random_contents

PIECE = 1 << 14


@pytest.fixture
def opened(tmp_path: Path) -> Iterator[TableFile]:
    contents = random_contents(parse("KRvK"), seed=3, staircases=2000)
    path = table_path(tmp_path, contents.material, "r")
    write_table(path, contents, {})
    with open_table(path) as table:
        assert table.size > 2 * PIECE
        yield table


def decoded(opened: TableFile, between: Callable[[], object] = lambda: None) -> DecodedTable:
    """`between` is called after each piece of all distances."""

    def in_order(fresh: bool) -> Iterator[tuple[slice, Bulk]]:
        for start in range(0, opened.size, PIECE):
            for here, bulk in opened.in_order(start, min(start + PIECE, opened.size), fresh=fresh):
                yield slice(start + here.start, start + here.stop), bulk
            if not fresh:
                between()

    return DecodedTable(opened.size, in_order, opened._file.load_forms)


def test_who_asks_while_distances_are_read_gets_all_of_them(opened: TableFile) -> None:
    expected, asking, found = decoded(opened).halves(), [True], []

    def ask() -> None:
        if asking:
            asking.pop()
            found.append(table.halves().copy())

    table = decoded(opened, ask)
    assert np.array_equal(table.halves(), expected)
    assert np.array_equal(*found, expected)


def test_an_interrupt_leaves_no_part_of_the_distances(opened: TableFile) -> None:
    expected, stops = decoded(opened).halves(), [KeyboardInterrupt]

    def stop() -> None:
        if stops:
            raise stops.pop()

    table = decoded(opened, stop)
    with pytest.raises(KeyboardInterrupt):
        table.halves()
    assert np.array_equal(table.halves(), expected)
