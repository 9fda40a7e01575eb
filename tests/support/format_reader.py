"""docs/format.md as a program: no line of tbgen is used to read a table."""

import hashlib
import struct
import zlib
from pathlib import Path

import h5py
import numpy as np


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

        slice_ = 0
        even = sorted(man for man in men if man.isupper()) == sorted(man.upper() for man in men if man.islower())
        if "P" in men.upper():
            for symmetry in range(4 if even else 2):
                tried = [turned(symmetry, square) for square in squares]
                tried = swapped(tried) if symmetry & 2 else tried
                if pawns(tried) in self.index["pawns"]:
                    squares, mover = tried, mover ^ (symmetry >> 1)
                    break
            slice_ = self.index["pawns"].index(pawns(squares))
        flip = self.index["flip"][slice_]
        if flip != -1 and mover:
            squares, mover = swapped([turned(flip, square) for square in squares]), 0
        family = self.index["family"][slice_]
        codes = [64 * turned(s, squares[0]) + turned(s, squares[1]) for s in SYMMETRIES[family]]
        symmetry = SYMMETRIES[family][codes.index(min(codes))]
        squares = [turned(symmetry, square) for square in squares]
        inner, rest = 1, 0
        for slot, count, stride in self.index["groups"]:
            x, y, z = (*sorted(squares[slot : slot + count]), 0, 0)[:3]
            rest += stride * (x + y * (y - 1) // 2 + z * (z - 1) * (z - 2) // 6)
            inner *= {1: 64, 2: 2016, 3: 41664}[count]
        half = len(PAIRS[family]) * inner
        start: int = self.index["start"][slice_]
        return start + mover * half + PAIRS[family].index(min(codes)) * inner + rest

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

        found: list[tuple[int, int, list[tuple[int, int, int, int]]]] = [(0, 0, [])] * self.width
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
