"""docs/format.md, read by a program that has nothing but that page: no line of tbgen is used to read a table."""

import re
from itertools import pairwise
from pathlib import Path

import h5py
import pytest

from tbgen.index import layout_of
from tbgen.material import parse
from tbgen.store import open_table, table_path
from tbgen.store.write import write_table
from tests.support.contents import random_contents
from tests.support.format_reader import Reader
from tests.support.places import ROOT

PAGE = (ROOT / "docs" / "format.md").read_text(encoding="utf-8")


@pytest.mark.parametrize(("material", "far"), [("KvK", False), ("KBvK", False), ("KBvK", True), ("KPvK", False)])
def test_another_program_reads_the_same(tmp_path: Path, material: str, far: bool) -> None:
    path = table_path(tmp_path, parse(material), "r")
    contents = random_contents(parse(material), seed=7, staircases=300, longest=700 if far else 90)
    write_table(path, contents, {"note": "ö"})
    reader = Reader(path)
    assert reader.attributes["material"].decode() == material
    assert reader.attributes["distance_planes"] == (2 if far else 1)
    with open_table(path) as table:
        for number in {0, len(reader.places) // 2, len(reader.places) - 1}:
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


@pytest.mark.parametrize(("material", "men", "mover", "number"), POSITIONS)
def test_another_program_finds_positions(material: str, men: str, mover: int, number: int) -> None:
    layout = layout_of(parse(material))
    reader = Reader.__new__(Reader)
    reader.men = "".join(letter.lower() if side else letter for side, letter in layout.letters)
    reader.index = {
        "groups": [(group.slot, group.count, group.stride) for group in layout.groups],
        "pawns": layout.pawns.squares.tolist(),
        "family": layout.family.tolist(),
        "flip": layout.flip.tolist(),
        "start": layout.start.tolist(),
    }
    squares = ["abcdefgh".index(name[0]) + 8 * int(name[1]) - 8 for name in men.split()]
    assert reader.number(squares, mover) == number


def test_the_page_gives_these_examples() -> None:
    for number in ("57875", "3023473"):
        assert number in PAGE
        assert any(str(position[3]) == number for position in POSITIONS)
    assert "version 1.0" in PAGE


def tree_of_the_page() -> dict[str, str]:
    """What the page's tree names, with the type of each dataset; of `facts` nothing but the group."""
    (block,) = re.findall(r"^## The tree\n(?:(?!    ).*\n)+((?:    .*\n)+)", PAGE, re.MULTILINE)
    found: dict[str, str] = {}
    group = ""
    for line in block.splitlines()[2:]:  # behind the first 512 bytes and the root
        name, _, rest = line.strip().partition(" ")
        if len(line) - len(line.lstrip()) == 6:
            group = ""
        if name.endswith("/"):
            group = name
        if group != "facts/":
            kind = re.search(r"\b[iu][1248]\b", rest)
            found[name if name.endswith("/") else group + name] = kind.group() if kind and name[0] != "@" else ""
    return found


def tree_of(path: Path) -> dict[str, str]:
    found: dict[str, str] = {}

    def note(name: str, item: h5py.Group | h5py.Dataset) -> None:
        if isinstance(item, h5py.Dataset):
            found[name] = item.dtype.str[1:]
        elif name != "facts":
            found[f"{name}/"] = ""
            found.update(dict.fromkeys((f"{name}/@{attribute}" for attribute in item.attrs), ""))

    with h5py.File(path) as file:
        found.update(dict.fromkeys((f"@{attribute}" for attribute in file.attrs), ""))
        file.visititems(note)
    return found


@pytest.mark.parametrize(("rules", "staircases"), [("r", 300), ("wg", 0)])
def test_the_file_has_what_the_tree_names(tmp_path: Path, rules: str, staircases: int) -> None:
    path = table_path(tmp_path, parse("KPvK"), rules)
    write_table(path, random_contents(parse("KPvK"), rules=rules, seed=3, staircases=staircases), {"seconds": 1.5})
    assert tree_of(path) == tree_of_the_page()
    with h5py.File(path) as file:
        assert file["facts"].attrs["seconds"] == 1.5
        assert file["index"].attrs["men"] == b"KkP"
    layout = layout_of(parse("KPvK"))
    with h5py.File(path) as file:
        assert file["index/pawns"][:].tolist() == layout.pawns.squares.tolist()
        assert all(a < b for a, b in pairwise(file["index/start"][:].tolist()))
        assert file["index/start"][:].tolist() == layout.start[:-1].tolist()
        assert file["index/flip"][:].tolist() == layout.flip.tolist()
        assert file["index/family"][:].tolist() == layout.family.tolist()
