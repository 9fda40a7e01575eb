"""docs/format.md, read by a program that has nothing but that page: no line of tbgen is used to read a table."""

import re
from pathlib import Path

import h5py
import numpy as np
import pytest

from tbgen.core.material import parse
from tbgen.index import Layout, layout_of
from tbgen.index.atlas import MEN, make_atlas
from tbgen.store import open_table, table_path
from tbgen.store.format import head as heads
from tbgen.store.format.schema import men_of
from tbgen.store.format.slices import tell
from tbgen.store.write import write_table
from tests.support.contents import random_contents
from tests.support.format_reader import HEAD, Reader
from tests.support.numbering import locate_many
from tests.support.places import ROOT

PAGE = (ROOT / "docs" / "format.md").read_text(encoding="utf-8")


@pytest.mark.parametrize(("material", "far"), [("KvK", False), ("KBvK", False), ("KBvK", True), ("KPvK", False)])
def test_another_program_reads_the_same(tmp_path: Path, material: str, far: bool) -> None:
    path = table_path(tmp_path, parse(material), "r")
    contents = random_contents(parse(material), seed=7, staircases=300, longest=700 if far else 90)
    write_table(path, contents, {"note": "ö"})
    reader = Reader(path)
    reader.check()
    assert reader.words["material"] == material
    assert reader.words["distance_bytes"] == ("2" if far else "1")
    assert reader.notes() == {"facts": {"note": "ö"}}
    with open_table(path) as table:
        assert reader.kinds == table.head.kinds
        for number in {0, reader.chunks // 2, reader.chunks - 1}:
            for within, (outcome, distance, steps) in enumerate(reader.chunk(number)):
                n = number * reader.width + within
                if n < table.size:
                    found = table.look(n)
                    assert (outcome, distance, tuple(steps)) == (*found[:2], table.steps_of(found[2])), n


@pytest.mark.parametrize(("name", "rules", "staircases"), [("KPvK", "r", 300), ("KBvK", "r", 5), ("KBvK", "wg", 0)])
def test_another_program_finds_the_same_digest(tmp_path: Path, name: str, rules: str, staircases: int) -> None:
    path = table_path(tmp_path, parse(name), rules)
    write_table(path, random_contents(parse(name), rules=rules, seed=5, staircases=staircases), {})
    with open_table(path) as table:
        assert table.digest() == Reader(path).digest()


# Numbers found by the kernels of tbgen/index.
POSITIONS = [
    ("KvK", "c5 g5", 0, 419),
    ("KvK", "c5 g5", 1, 326),
    ("KBvK", "e5 g5 f5", 1, 57875),
    ("KPvK", "d6 h3 f4", 0, 103627),
    ("KRvKN", "g2 d7 a5 h8", 0, 941831),
    ("KRvKN", "d2 g7 a5 h8", 1, 3274815),
    ("KNNvK", "h1 e4 c3 b6", 1, 968736),
    ("KNNvK", "h1 e4 b6 c3", 1, 968736),
    ("KPvKP", "e1 e8 g2 b4", 1, 3023473),
    ("KPvKP", "e1 e8 d2 d7", 1, 4067400),
    ("KPPvK", "b1 b8 f5 d2", 0, 3156999),
    ("KQvKQ", "b8 e3 h4 h5", 1, 1763352),
    ("KRvKR", "a8 c6 c2 g7", 1, 1422258),
    ("KRvKP", "e4 h6 a1 c5", 1, 6807616),
    ("KNPvK", "e4 h6 a1 c5", 1, 4958272),
]


class Rows(Reader):
    """Knows of a table what a program needs to number positions, without a file."""

    def __init__(self, layout: Layout) -> None:
        rows, self._pages = tell(layout)
        self.men = men_of(layout.material)
        self.words = {"rows": " ".join(map(str, rows)), "bound": "complete", "keeps": "both"}

    def range(self, section: str, offset: int, length: int) -> bytes:
        assert section == "slices"
        return self._pages[offset : offset + length]


@pytest.mark.parametrize(("material", "men", "mover", "number"), POSITIONS)
def test_another_program_finds_positions(material: str, men: str, mover: int, number: int) -> None:
    squares = ["abcdefgh".index(name[0]) + 8 * int(name[1]) - 8 for name in men.split()]
    assert Rows(layout_of(parse(material))).number(squares, mover) == number


@pytest.mark.parametrize("material", sorted({position[0] for position in POSITIONS}))
def test_another_program_numbers_as_the_kernels_do(material: str) -> None:
    """Whatever stands where: two thousand positions."""
    layout, rng = layout_of(parse(material)), np.random.default_rng(7)
    reader = Rows(layout)
    squares = rng.permuted(np.tile(np.arange(64), (6000, 1)), axis=1)[:, : len(reader.men)]
    pawns = [slot for slot, man in enumerate(reader.men) if man in "Pp"]
    apart = np.abs(squares[:, 0] % 8 - squares[:, 1] % 8).clip(np.abs(squares[:, 0] // 8 - squares[:, 1] // 8)) > 1
    squares = squares[apart & (squares[:, pawns] // 8 % 7 > 0).all(axis=1)][:2000]
    assert len(squares) > 1500 or len(pawns) > 1
    movers, numbers = rng.integers(0, 2, len(squares)), np.zeros(len(squares), np.int64)
    padded = np.zeros((len(squares), MEN), np.int64)
    padded[:, : squares.shape[1]] = squares
    locate_many(make_atlas([layout]), 0, padded, movers, numbers)
    found = [reader.number(men, mover) for men, mover in zip(squares.tolist(), movers.tolist(), strict=True)]
    assert found == numbers.tolist()


def test_the_page_gives_these_examples() -> None:
    for number in ("57875", "3023473"):
        assert number in PAGE
        assert any(str(position[3]) == number for position in POSITIONS)
    assert "version 1.0" in PAGE


@pytest.mark.parametrize(("name", "rules", "staircases"), [("KPvK", "r", 300), ("KBvK", "wg", 0), ("KPvKP", "r", 3)])
def test_users_of_h5py_see_what_the_head_says(tmp_path: Path, name: str, rules: str, staircases: int) -> None:
    """All of its lines as attributes, each section as an array that lies where the head says."""
    path = table_path(tmp_path, parse(name), rules)
    write_table(path, random_contents(parse(name), rules=rules, seed=3, staircases=staircases, legal=0.01), {})
    reader, whole = Reader(path), path.read_bytes()
    lines = {name: words for name, words in reader.words.items() if name not in ("section", "size", "sha256")}
    with h5py.File(path) as file:
        assert file.userblock_size == HEAD
        assert {name: _words(value) for name, value in file.attrs.items()} == lines
        assert set(file) == set(reader.sections)
        for section, (offset, length) in reader.sections.items():
            array = file[section]
            assert array.id.get_offset() == offset
            assert array[...].tobytes() == whole[offset : offset + length]
        page = file["index"][0]
        assert page["first"] == 0
        assert page["length"][: reader.chunks].all()
        if name == "KPvKP":
            assert file["slices"]["row"].shape == (5, 511)  # 48 * 48 rows


def _words(value: object) -> str:
    if isinstance(value, bytes):
        return value.decode("ascii")
    return " ".join(map(str, np.atleast_1d(value).tolist()))


def test_equal_contents_have_equal_bytes(tmp_path: Path) -> None:
    """Whatever the order in which a build notes its facts."""
    contents, facts = random_contents(parse("KvK"), seed=1, staircases=3), {"b": 1, "a": 2}
    for name in ("one", "two"):
        write_table(tmp_path / name, contents, facts)
        facts = dict(reversed(facts.items()))
    assert (tmp_path / "one").read_bytes() == (tmp_path / "two").read_bytes()


def test_the_page_has_every_line_of_a_head_and_every_section(tmp_path: Path) -> None:
    path = table_path(tmp_path, parse("KPvKP"), "r")
    write_table(path, random_contents(parse("KPvKP"), seed=3, staircases=40), {})
    lines = path.read_bytes()[: heads.SIZE].rstrip(b"\0").decode("ascii").splitlines()
    told = PAGE.partition("## The head")[2].partition("## Chunks")[0]
    for line in lines[1:]:
        assert re.search(rf"^\|.*`{line.split()[0]}[ `].*\|", told, re.MULTILINE), line
    with open_table(path) as table:
        assert {*table.head.sections} == {*re.findall(r"^\| `(\w+)` \|", told, re.MULTILINE)}
