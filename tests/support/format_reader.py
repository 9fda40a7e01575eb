"""docs/format.md as a program: no line of tbgen is used to read a table, and no HDF5."""

import hashlib
import json
import struct
import zlib
from collections.abc import Sequence
from functools import cache
from math import comb
from pathlib import Path

Step = tuple[int, int, int, int]

HEAD = 4096


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
    """Reads nothing twice. `reads` has section, offset and length of each range that it has read."""

    def __init__(self, path: Path) -> None:
        self._path = path
        self._known: dict[tuple[str, int, int], bytes] = {}
        self.reads: list[tuple[str, int, int]] = []
        block = self._read(0, HEAD).rstrip(b"\0")
        lines = block.decode("ascii").splitlines()
        assert lines[0] == "tbgen endgame table"
        assert lines[-1] == f"crc32 {zlib.crc32(block[: block.rindex(b'crc32')]):08x}"
        self.words = dict(line.partition(" ")[::2] for line in lines[1:-1] if line[:4] != "man ")
        self.kinds = dict(line.split()[1:] for line in lines if line[:4] == "man ")
        assert self.words["format"] == "1.0"
        self.sections = {
            line.split()[1]: (int(line.split()[2]), int(line.split()[3])) for line in lines if line[:8] == "section "
        }
        self.men = self.words["men"]
        self.width, self.group = int(self.words["chunk"]), int(self.words["group"])
        self.order = [int(word) for word in self.words["order"].split()]
        self.page = 8 + 8 + 4 + 4 + 8 * self.group + 4
        self.chunks = -(-int(self.words["numbers"]) // self.width)

    def range(self, section: str, offset: int, length: int) -> bytes:
        start, size = self.sections[section]
        assert 0 <= offset <= offset + length <= size
        here = section, offset, length
        if here not in self._known:
            self.reads.append(here)
            self._known[here] = self._read(start + offset, length)
        return self._known[here]

    def _read(self, offset: int, length: int) -> bytes:
        with self._path.open("rb") as file:
            file.seek(offset)
            return file.read(length)

    def check(self) -> None:
        whole = self._path.read_bytes()
        assert len(whole) == int(self.words["size"])
        assert hashlib.sha256(whole[HEAD:]).hexdigest() == self.words["sha256"]

    def notes(self) -> dict[str, dict[str, object]]:
        stored = self.range("notes", 0, self.sections["notes"][1])
        assert zlib.crc32(stored[:-4]) == int.from_bytes(stored[-4:], "little")
        found: dict[str, dict[str, object]] = json.loads(stored[:-4])
        return found

    def row(self, squares: list[int]) -> int:
        """The row of the slice with these pawns."""
        if self.words["bound"] != "complete":
            return self.local_row(squares)
        ranks = []
        for man in "Pp":
            mine = sorted(square - 8 for square, letter in zip(squares, self.men, strict=True) if letter == man)
            ranks.append((sum(comb(square, nth + 1) for nth, square in enumerate(mine)), comb(48, len(mine))))
        nth = ranks[0][0] * ranks[1][1] + ranks[1][0]
        rows = self.words["rows"].split()
        if rows:
            return int(rows[nth])
        page = self.range("slices", nth // 511 * 4096, 4096)
        assert zlib.crc32(page[: 511 * 8]) == int.from_bytes(page[511 * 8 : 511 * 8 + 4], "little")
        return int.from_bytes(page[nth % 511 * 8 :][:8], "little")

    def local_row(self, squares: list[int]) -> int:
        """What a row would say, by the slices that a local table lists."""
        slices = self.notes()["local"]["slices"]
        assert isinstance(slices, list)
        even = sorted(man for man in self.men if man.isupper()) == sorted(
            man.upper() for man in self.men if man.islower()
        )
        for symmetry in range(4 if even else 2):
            tried = [turned(symmetry, square) for square in squares]
            tried = self.swapped(tried) if symmetry & 2 else tried
            pawns = [
                square for man in "Pp" for square in sorted(s for s, m in zip(tried, self.men, strict=True) if m == man)
            ]
            if pawns in slices:
                start = slices.index(pawns) * int(self.words["numbers"]) // len(slices)
                return start << 16 | 2 << 4 | (symmetry & 2) << 2 | symmetry
        raise LookupError("the table does not have it")

    def swapped(self, squares: list[int]) -> list[int]:
        mine = {man: [s for s, m in zip(squares, self.men, strict=True) if m == man] for man in set(self.men)}
        return [mine[man.swapcase()].pop(0) for man in self.men]

    def number(self, squares: list[int], mover: int) -> int:
        """LookupError where a slim table leaves it out."""
        men = self.men
        row = self.row(squares)
        squares = [turned(row & 7, square) for square in squares]
        if row >> 3 & 1:
            squares, mover = self.swapped(squares), 1 - mover
        family, flip, start = row >> 4 & 3, (row >> 8 & 15) - 1, row >> 16
        if flip != -1 and mover:
            squares, mover = self.swapped([turned(flip, square) for square in squares]), 0
        keeps = self.words["keeps"]
        if keeps != "both" and flip == -1:
            if mover != ["first", "second"].index(keeps):
                raise LookupError("it is left out")
            mover = 0
        codes = [64 * turned(s, squares[0]) + turned(s, squares[1]) for s in SYMMETRIES[family]]
        symmetry = SYMMETRIES[family][codes.index(min(codes))]
        squares = [turned(symmetry, square) for square in squares]
        pieces = [man for man in men if man not in "KkPp"]
        inner, rest = 1, 0
        for man in reversed(list(dict.fromkeys(pieces))):
            x, y, z = (*sorted(s for s, m in zip(squares, men, strict=True) if m == man), 0, 0)[:3]
            rest += inner * (x + y * (y - 1) // 2 + z * (z - 1) * (z - 2) // 6)
            inner *= {1: 64, 2: 2016, 3: 41664}[pieces.count(man)]
        half = len(PAIRS[family]) * inner
        return start + mover * half + PAIRS[family].index(min(codes)) * inner + rest

    def digest(self) -> str:
        entries, lengths, staircases = (hashlib.sha256() for _ in range(3))
        left = int(self.words["numbers"])
        for number in range(self.chunks):
            for outcome, distance, steps in self.chunk(number)[:left]:
                entries.update(struct.pack("<i", 65536 * outcome + distance))
                lengths.update(bytes([len(steps)]))
                staircases.update(b"".join(struct.pack("<BBhH", *step) for step in steps))
                left -= 1
        name = f"tbgen contents {self.words['material']} {self.words['rules']}\n".encode("ascii")
        return hashlib.sha256(name + entries.digest() + lengths.digest() + staircases.digest()).hexdigest()

    def index(self, number: int) -> tuple[tuple[int, int, int], tuple[int, int, int]]:
        """Where the chunk is, and the list of shapes of its group: offset, length, checksum."""
        page = self.range("index", number // self.group * self.page, self.page)
        assert zlib.crc32(page[:-4]) == int.from_bytes(page[-4:], "little")
        first, listed, listed_length, listed_crc32 = struct.unpack_from("<QQII", page)
        both = struct.unpack_from(f"<{2 * self.group}I", page, 24)
        lengths, crc32 = both[: self.group], both[self.group :]
        nth = number % self.group
        return (first + sum(lengths[:nth]), lengths[nth], crc32[nth]), (listed, listed_length, listed_crc32)

    def stored(self, section: str, place: tuple[int, int, int], plain: int = 0) -> tuple[bytes, bytes]:
        """So many plain bytes, and what is deflated behind them."""
        stored = self.range(section, *place[:2])
        assert zlib.crc32(stored) == place[2]
        return stored[:plain], zlib.decompress(stored[plain:], -15)

    def form(self, number: int) -> list[tuple[int, int, int, int]]:
        """Source, holder, level and outcome of each step."""
        if number == 0:
            return []
        page = self.range("forms", number // 1024 * 4096, 4096)
        assert zlib.crc32(page[4:]) == int.from_bytes(page[:4], "little")
        raw = zlib.decompressobj(-15).decompress(page[4:])
        count = int.from_bytes(raw[:2], "little")
        steps = raw[2 : 2 + count]
        at, total = 2 + count, sum(steps)
        first = sum(steps[: number % 1024])
        found = []
        for step in range(first, first + steps[number % 1024]):
            how, level, low, high = (raw[at + column * total + step] for column in range(4))
            found.append((how & 3, how >> 2, level, struct.unpack("<h", bytes([low, high]))[0]))
        return found

    def position(self, number: int) -> tuple[int, int, list[Step]]:
        """Fresh outcome, distance and steps of one position."""
        chunk, within = divmod(number, self.width)
        return self.chunk(chunk, [within])[within]

    def chunk(self, number: int, wanted: Sequence[int] = ()) -> list[tuple[int, int, list[Step]]]:
        """The same by number within the chunk: of all its positions, or of those that are wanted."""
        place, listed = self.index(number)
        (_, raw), (count, shapes) = self.stored("chunks", place), self.stored("shapes", listed, 4)
        form_bytes, distance_bytes = int(self.words["form_bytes"]), int(self.words["distance_bytes"])
        at = 0

        def planes(raw: bytes, count: int, of: int) -> list[int]:
            nonlocal at
            at += count * of
            start = at - count * of
            return [sum(raw[start + n * count + i] << 8 * n for n in range(of)) for i in range(count)]

        worth, held, form, listed_shapes = [0], [0], [0], int.from_bytes(count, "little")
        for block in range(0, listed_shapes, 256):
            length = min(256, listed_shapes - block)
            worth += [value - (value >> 15 << 16) for value in planes(shapes, length, 2)]
            held += planes(shapes, length, 1)
            form += planes(shapes, length, form_bytes)
        assert at == len(shapes)
        assert max(held) <= int(self.words["distances"])
        at = 0
        shape = planes(raw, self.width, 1)
        escaped = [place for place in range(self.width) if shape[place] == 255]
        for where, more in zip(escaped, planes(raw, len(escaped), int(self.words["shape_bytes"])), strict=True):
            shape[where] += more
        by_shape = sorted((s, where) for where, s in enumerate(shape) if s)
        halves: dict[tuple[int, int], int] = {}
        for nth in range(max(held)):
            having = [(s, where) for s, where in by_shape if held[s] > nth]
            for (_, where), half in zip(having, planes(raw, len(having), distance_bytes), strict=True):
                halves[where, nth] = half
        assert at == len(raw) <= int(self.words["longest"])

        found: list[tuple[int, int, list[Step]]] = [(0, 0, [])] * self.width
        form_of = cache(self.form)
        for s, where in by_shape:
            within = 0
            for bit, step in enumerate(self.order):
                within ^= step if where >> bit & 1 else 0
            if wanted and within not in wanted:
                continue
            distance = before = 2 * halves[where, 0] + (worth[s] & 1)
            staircase, nth = [], 0
            for source, holder, level, outcome in form_of(form[s]):
                if source >= 2:
                    nth += 1
                    before = 2 * halves[where, nth] + (source == 3)
                elif source == 0:
                    before = distance
                staircase.append((holder, level, outcome, before))
            assert nth == held[s] - 1
            found[within] = (worth[s] >> 1, distance, staircase)
        return found
