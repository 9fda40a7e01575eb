"""How much of a file is read: of any table its head and notes, for a position a few ranges."""

import os
import random
from collections.abc import Iterator
from pathlib import Path

import pytest

from tbgen.core.material import parse
from tbgen.index.positions import position
from tbgen.store import TableFile, open_table, table_path
from tbgen.store.format import head as heads
from tbgen.store.format.schema import NOTES
from tbgen.store.read import forms, open_file, table
from tbgen.store.read.cache import Cache
from tbgen.store.write import write_table
from tests.support.contents import random_contents
from tests.support.format_reader import Reader

MUCH = 64_000
"""Bytes of a first probe, at most."""
FIRST, LATER = 4, 3
"""Reads that wait for each other, at most."""
TOGETHER = {"shapes": "chunks"}
"""The index says where both are."""


@pytest.fixture(scope="module")
def written(tmp_path_factory: pytest.TempPathFactory, small_tables: Path) -> Path:
    """Tables without pawns, with one, and with two on both sides."""
    place = tmp_path_factory.mktemp("tables")
    contents = random_contents(parse("KPvKP"), seed=3, staircases=2000, legal=0.1)
    write_table(table_path(place, contents.material, "r"), contents, {})
    for name in ("KNNvK", "KPvK"):
        (place / f"{name}.r.h5").symlink_to(small_tables / f"{name}.r.h5")
    return place


def numbers_with_steps(opened: TableFile, seed: int) -> Iterator[int]:
    """Positions that have a staircase, which take the most reads, each far from the one before."""
    chance = random.Random(seed)
    while True:
        number = chance.randrange(opened.size)
        if opened.look(number)[2]:
            yield number


def waits(reads: list[tuple[str, int, int]]) -> int:
    """How many reads wait for each other. No section is read twice."""
    sections = [section for section, _, _ in reads]
    assert len({*sections}) == len(sections)
    return len({TOGETHER.get(section, section) for section in sections})


def probe_by_the_page(path: Path) -> None:
    """A program that knows docs/format.md alone: a first probe, then one in another chunk, again and again."""
    with open_table(path) as opened:
        wanted = numbers_with_steps(opened, 1)
        for _ in range(8):
            reader = Reader(path)
            chunks = set()
            for nth, most in enumerate((FIRST, LATER, LATER)):
                number = next(number for number in wanted if number // reader.width not in chunks)
                men, first_moves = position(opened.layout, number)
                number = reader.number([square for square, _ in men], int(not first_moves))
                found = opened.look(number)
                if nth:  # whoever has probed has a place for the few pages of slices, and fetches them once
                    reader.reads.clear()
                assert reader.position(number) == (*found[:2], [*opened.steps_of(found[2])])
                assert waits(reader.reads) <= most
                assert sum(length for _, _, length in reader.reads) <= MUCH
                chunks.add(number // reader.width)
                reader.reads.clear()


@pytest.mark.parametrize("name", ["KNNvK", "KPvK", "KPvKP"])
def test_another_program_reads_little(written: Path, name: str) -> None:
    probe_by_the_page(written / f"{name}.r.h5")


@pytest.mark.full
@pytest.mark.parametrize("name", ["KPvKP", "KQvKP", "KRvKN", "KQvKQ", "KNNvK"])
def test_another_program_reads_little_of_four_men(four_men: Path, name: str) -> None:
    probe_by_the_page(four_men / f"{name}.r.h5")


class Counted:
    """What is read from files, as offsets and lengths."""

    def __init__(self, monkeypatch: pytest.MonkeyPatch) -> None:
        self.reads: list[tuple[int, int]] = []
        pread = os.pread

        def counted(handle: int, length: int, offset: int) -> bytes:
            self.reads.append((offset, length))
            return pread(handle, length, offset)

        monkeypatch.setattr(os, "pread", counted)

    def take(self) -> list[tuple[int, int]]:
        reads, self.reads = self.reads, []
        return reads


@pytest.fixture
def counted(monkeypatch: pytest.MonkeyPatch) -> Counted:
    return Counted(monkeypatch)


@pytest.mark.parametrize("name", ["KNNvK", "KPvK", "KPvKP"])
def test_opening_reads_the_head_and_the_notes(written: Path, name: str, counted: Counted) -> None:
    with open_table(written / f"{name}.r.h5") as opened:
        notes = opened.head.sections[NOTES]
        assert counted.take() == [(0, heads.SIZE), (notes.offset, notes.length)]
        assert notes.length < 1000


@pytest.mark.parametrize("name", ["KNNvK", "KPvK", "KPvKP"])
def test_this_program_reads_little(written: Path, name: str, counted: Counted, monkeypatch: pytest.MonkeyPatch) -> None:
    """The index, the list, the chunk, the forms. In another chunk of the group the chunk alone, and perhaps forms."""
    path = written / f"{name}.r.h5"
    with open_table(path) as opened:
        width, group = opened.head.chunk, opened.head.group
        wanted = numbers_with_steps(opened, 2)
        numbers = [next(wanted) for _ in range(30)]
    for number in numbers:
        for module, caches in ((open_file, ["_GROUPS"]), (forms, ["_PAGES"]), (table, ["_CHUNKS", "_GLANCED"])):
            for cache in caches:
                monkeypatch.setattr(module, cache, Cache(1 << 24))
        with open_table(path) as opened:
            counted.take()
            assert opened.steps_of(opened.look(number)[2])
            reads = counted.take()
            assert len(reads) == 4
            assert sum(length for _, length in reads) <= MUCH
            assert opened.steps_of(opened.look(number)[2])
            assert counted.take() == []
            for other in numbers:
                if other // width == number // width:
                    continue
                opened.steps_of(opened.look(other)[2])
                near = other // width // group == number // width // group
                assert len(counted.take()) <= (2 if near else 4)
                break
