"""docs/format.md, read by a program that has nothing but that page: no line of tbgen is used to read a table."""

import hashlib
import re
import struct
import zlib
from itertools import pairwise
from pathlib import Path

import h5py
import numpy as np
import pytest

from tbgen.index import layout_of
from tbgen.material import parse
from tbgen.store import open_table, table_path
from tbgen.store.write import write_table
from tests.support.contents import random_contents
from tests.support.places import ROOT

PAGE = (ROOT / "docs" / "format.md").read_text(encoding="utf-8")


def turned(symmetry: int, square: int) -> int:
    square ^= (7 if symmetry & 1 else 0) ^ (56 if symmetry & 2 else 0)
    return square % 8 * 8 + square // 8 if symmetry & 4 else square


SYMMETRIES = (tuple(range(8)), (0, 1), (0,))


def pairs(family: int) -> list[int]:
    found = set()
    for a in range(64):
        for b in range(64):
            if max(abs(a % 8 - b % 8), abs(a // 8 - b // 8)) > 1:
                found.add(min(64 * turned(s, a) + turned(s, b) for s in SYMMETRIES[family]))
    return sorted(found)


PAIRS = [pairs(family) for family in range(3)]


class Reader:
    def __init__(self, path: Path) -> None:
        self.bytes = path.read_bytes()
        block = self.bytes[:512].rstrip(b"\0")
        lines = block.decode("ascii").splitlines()
        assert lines[0] == "tbgen r-mobility endgame table"
        words = dict(line.split(" ") for line in lines[1:])
        assert words["format"] == "1.0"
        assert int(words["size"]) == len(self.bytes)
        assert int(words["head_crc32"], 16) == zlib.crc32(self.bytes[512 : int(words["head"])])
        assert words["sha256"] == hashlib.sha256(self.bytes[512:]).hexdigest()
        assert int(words["crc32"], 16) == zlib.crc32(block[: block.index(b"\ncrc32") + 1])
        with h5py.File(path) as file:
            self.attributes = dict(file.attrs)
            self.order = file["order"][:].tolist()
            self.rows = file["chunks"][:]
            self.places = file["chunk_places"][:].tolist()
            self.crc32 = file["chunk_crc32"][:].tolist()
            self.shapes = {name: column[:].tolist() for name, column in file["shapes"].items()}
            self.index = {name: column[:].tolist() for name, column in file["index"].items()}
            self.men = file["index"].attrs["men"].decode("ascii")
        self.width = int(self.attributes["chunk_width"])

    def number(self, squares: list[int], mover: int) -> int:
        men = self.men

        def swapped(squares: list[int]) -> list[int]:
            mine = {man: [s for s, m in zip(squares, men, strict=True) if m == man] for man in set(men)}
            return [mine[man.swapcase()].pop(0) for man in men]

        def pawns(squares: list[int]) -> list[int]:
            return [s for man in "Pp" for s in sorted(s for s, m in zip(squares, men, strict=True) if m == man)]

        part = 0
        even = sorted(man for man in men if man.isupper()) == sorted(man.upper() for man in men if man.islower())
        if "P" in men.upper():
            for symmetry in range(4 if even else 2):
                tried = [turned(symmetry, square) for square in squares]
                tried = swapped(tried) if symmetry & 2 else tried
                if pawns(tried) in self.index["pawns"]:
                    squares, mover = tried, mover ^ (symmetry >> 1)
                    break
            part = self.index["pawns"].index(pawns(squares))
        flip = self.index["flip"][part]
        if flip != -1 and mover:
            squares, mover = swapped([turned(flip, square) for square in squares]), 0
        family = self.index["family"][part]
        codes = [64 * turned(s, squares[0]) + turned(s, squares[1]) for s in SYMMETRIES[family]]
        symmetry = SYMMETRIES[family][codes.index(min(codes))]
        squares = [turned(symmetry, square) for square in squares]
        inner, rest = 1, 0
        for slot, count, stride in self.index["groups"]:
            x, y, z = (*sorted(squares[slot : slot + count]), 0, 0)[:3]
            rest += stride * (x + y * (y - 1) // 2 + z * (z - 1) * (z - 2) // 6)
            inner *= {1: 64, 2: 2016, 3: 41664}[count]
        half = len(PAIRS[family]) * inner
        return self.index["start"][part] + mover * half + PAIRS[family].index(min(codes)) * inner + rest

    def digest(self) -> str:
        entries, lengths, staircases = (hashlib.sha256() for _ in range(3))
        left = int(self.attributes["size"])
        for number in range(len(self.places)):
            for outcome, distance, steps in self.chunk(number)[:left]:
                entries.update(struct.pack("<i", 65536 * outcome + distance))
                lengths.update(bytes([len(steps)]))
                staircases.update(b"".join(struct.pack("<BBhH", *step) for step in steps))
                left -= 1
        name = b"tbgen contents %b %b\n" % (self.attributes["material"], self.attributes["rules"])
        parts = name + entries.digest() + lengths.digest() + staircases.digest()
        return hashlib.sha256(parts).hexdigest()

    def chunk(self, number: int) -> list[tuple[int, int, list[tuple[int, int, int, int]]]]:
        """Fresh outcome, distance and steps by number within the chunk."""
        offset, length = self.places[number]
        stored = self.bytes[offset : offset + length]
        assert zlib.crc32(stored) == self.crc32[number]
        raw = zlib.decompress(stored)
        assert raw == self.rows[number].tobytes()
        at = 0

        def planes(count: int, of: int) -> list[int]:
            nonlocal at
            at += count * of
            start = at - count * of
            return [sum(raw[start + n * count + i] << 8 * n for n in range(of)) for i in range(count)]

        shape = planes(self.width, 1)
        escaped = [place for place in range(self.width) if shape[place] == 255]
        for place, more in zip(escaped, planes(len(escaped), int(self.attributes["escape_planes"])), strict=True):
            shape[place] += more
        by_shape = sorted((s, place) for place, s in enumerate(shape) if s)
        starts = [0, *np.cumsum(self.shapes["steps"]).tolist()]
        steps = {s: range(*starts[s : s + 2]) for s in set(shape)}
        stored_steps = {s: [k for k in steps[s] if self.shapes["source"][k] >= 2] for s in set(shape)}
        distance_planes = int(self.attributes["distance_planes"])
        fresh = {place: half for (_, place), half in zip(by_shape, planes(len(by_shape), distance_planes), strict=True)}
        halves: dict[tuple[int, int], int] = {}
        for nth in range(max(map(len, stored_steps.values()))):
            having = [(s, place) for s, place in by_shape if len(stored_steps[s]) > nth]
            for (s, place), half in zip(having, planes(len(having), distance_planes), strict=True):
                halves[place, stored_steps[s][nth]] = half
        assert not any(raw[at:])

        found = [(0, 0, [])] * self.width
        for s, place in by_shape:
            distance = before = 2 * fresh[place] + self.shapes["odd"][s]
            staircase = []
            for k in steps[s]:
                source = self.shapes["source"][k]
                before = (distance, before, *[2 * halves.get((place, k), 0) + odd for odd in (0, 1)])[source]
                names = ("holder", "level", "step_outcome")
                staircase.append((*(self.shapes[name][k] for name in names), before))
            within = 0
            for bit, step in enumerate(self.order):
                within ^= step if place >> bit & 1 else 0
            found[within] = (self.shapes["outcome"][s], distance, staircase)
        return found


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
        "pawns": layout.placements.pawns.tolist(),
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
        assert file["index/pawns"][:].tolist() == layout.placements.pawns.tolist()
        assert all(a < b for a, b in pairwise(file["index/start"][:].tolist()))
        assert file["index/start"][:].tolist() == layout.start[:-1].tolist()
        assert file["index/flip"][:].tolist() == layout.flip.tolist()
        assert file["index/family"][:].tolist() == layout.family.tolist()
