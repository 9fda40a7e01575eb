"""Forging tables: files that are changed and sealed again, so that every checksum is right but the contents are not."""

import hashlib
import random
import zlib
from collections.abc import Callable
from functools import cache
from typing import Any, Final

import numpy as np
from numpy.typing import NDArray

from tbgen.store.format import head as heads
from tbgen.store.format.schema import (
    CHECK,
    CHUNKS,
    COUNT,
    FORM_PAGE,
    FORMS,
    INDEX,
    NOTES,
    RAW,
    SHAPES,
    index_page,
    with_checks,
)

_NUMBERS: Final = (0, 1, 2, 3, 255, 256, 4096, 1 << 15, (1 << 31) - 1, 1 << 31, 1 << 40, (1 << 62) - 1, (1 << 64) - 1)
_WORDS: Final = ("", "-1", "1.5", "9" * 5000, "\x1b[2J", "KvK", "KBvK", "KQQQvKQQQ", "r", "wg", "exact", "complete")

_LINES: Final = ("\n", "more 5\n", "\x1b[2J\n", "man \n", "section \n", "ä ö\n", "x" * 9000)
_NOTES: Final = (b"[" * 100_000, b'{"facts": ' + b"[" * 100_000, b"1" * 10_000, b"{}", b'{"facts": {"a": NaN}}')


class Parts:
    """A table taken apart. Whatever is changed, `together` gives a file whose checksums are right."""

    def __init__(self, data: bytes) -> None:
        self.head = heads.parse(data[: heads.SIZE])
        found = {name: data[place.offset : place.end] for name, place in self.head.sections.items()}
        self.sections = {name: found[name] for name in found if name not in (INDEX, SHAPES, FORMS, NOTES, CHUNKS)}
        self.notes = found[NOTES][:-CHECK]
        index = np.frombuffer(found[INDEX], index_page(self.head.group))
        listed = [found[SHAPES][row["shapes"] : int(row["shapes"]) + int(row["shapes_length"])] for row in index]
        self.counts = [one[:COUNT] for one in listed]
        """How many shapes each list has, as it says."""
        self.lists = [inflated(one[COUNT:]) for one in listed]
        """The lists, inflated like all that follows."""
        self.chunks: list[bytes] = []
        for row in index:
            ends = int(row["first"]) + np.cumsum(row["length"], dtype=np.int64)
            starts = ends - row["length"]
            self.chunks += [inflated(found[CHUNKS][a:b]) for a, b in zip(starts, ends, strict=True) if a < b]
        pages = found.get(FORMS, b"")
        self.pages = [inflated(pages[at + CHECK : at + FORM_PAGE]) for at in range(0, len(pages), FORM_PAGE)]
        self.change_index: Callable[[NDArray[Any]], object] = lambda index: None
        """Changes the pages of the index before they get their checksums."""
        self.change_head: Callable[[str], str] = lambda lines: lines
        """The same for the lines of the head, but for the first and the last."""

    def together(self) -> bytes:
        group = self.head.group
        lists = [count + deflated(one) for count, one in zip(self.counts, self.lists, strict=True)]
        chunks = [deflated(one) for one in self.chunks]
        index = np.zeros(len(lists), index_page(group))
        columns = {
            "length": [len(chunk) for chunk in chunks],
            "crc32": [zlib.crc32(chunk) for chunk in chunks],
        }
        for name, values in columns.items():
            index[name] = np.pad(values, (0, len(lists) * group - len(values))).reshape(len(lists), group)
        index["first"] = _starts(index["length"].sum(axis=1))
        index["shapes_length"] = [len(one) for one in lists]
        index["shapes"] = _starts(index["shapes_length"])
        index["shapes_crc32"] = [zlib.crc32(one) for one in lists]
        self.change_index(index)
        told = self.sections | {
            INDEX: with_checks(index).tobytes(),
            SHAPES: b"".join(lists),
            FORMS: b"".join(map(_form_page, self.pages)),
            NOTES: self.notes + _crc32(self.notes),
            CHUNKS: b"".join(chunks),
        }
        body, sections = b"", {}
        for name, data in told.items():
            if data:
                sections[name] = heads.Section(heads.SIZE + len(body), len(data))
                body += data
        block = self.head._replace(
            sections=sections, size=heads.SIZE + len(body), sha256=hashlib.sha256(body).hexdigest()
        ).render()
        return relined(block + body, self.change_head)


def _starts(lengths: NDArray[Any]) -> NDArray[np.int64]:
    ends: NDArray[np.int64] = np.cumsum(lengths, dtype=np.int64)
    return np.asarray(ends - lengths)


def _crc32(data: bytes) -> bytes:
    return zlib.crc32(data).to_bytes(CHECK, "little")


def _form_page(raw: bytes) -> bytes:
    body = deflated(raw).ljust(FORM_PAGE - CHECK, b"\0")[: FORM_PAGE - CHECK]
    return _crc32(body) + body


class Stored(bytes):
    """What is put into the file as it is."""


def inflated(stored: bytes) -> bytes:
    return zlib.decompressobj(RAW).decompress(stored)


def deflated(raw: bytes) -> bytes:
    if isinstance(raw, Stored):
        return raw
    packer = zlib.compressobj(wbits=RAW)
    return packer.compress(raw) + packer.flush()


@cache
def bomb() -> Stored:
    """Zeros without end, nearly."""
    return Stored(deflated(bytes(1 << 26)))


def relined(data: bytes, change: Callable[[str], str]) -> bytes:
    """A file with other lines in its head, and their checksum. `change` gets all between the first and the last."""
    block, body = data[: heads.SIZE].rstrip(b"\0"), data[heads.SIZE :]
    text = block[len(heads.MAGIC) :].rpartition(b"crc32 ")[0].decode("ascii")
    block = heads.MAGIC + change(text).encode("utf-8")
    block += b"crc32 %08x\n" % zlib.crc32(block)
    return block.ljust(heads.SIZE, b"\0")[: heads.SIZE] + body


def says(lines: str, name: str, value: object) -> str:
    """The lines with another value behind this name."""
    return "".join(
        f"{name} {value}\n" if line.startswith(f"{name} ") or line == f"{name}\n" else line
        for line in lines.splitlines(keepends=True)
    )


def forged(draw: random.Random, data: bytes) -> tuple[str, bytes]:
    """Change a table, with right checksums. Returns what was done, and the bytes."""
    parts = Parts(data)
    what = draw.choice((_line, _line, _lines, _index, _list, _page, _chunk, _notes))(draw, parts)
    return what, parts.together()


def _line(draw: random.Random, parts: Parts) -> str:
    """One line has another value."""
    names = [*parts.head.attributes(), "format", "size", "sha256", *(f"section {name}" for name in parts.head.sections)]
    name = draw.choice(names)
    known = getattr(parts.head, name, 0)
    near = [known + by for by in (-4096, -1, 1, 8)] if isinstance(known, int) else [f"{known}0"]
    value = " ".join(str(draw.choice((*_NUMBERS, *near, *_WORDS))) for _ in range(draw.choice((1, 1, 2, 14))))
    parts.change_head = lambda lines: says(lines, name, value)
    return f"{name} is {value[:80]!r}"


def _lines(draw: random.Random, parts: Parts) -> str:
    """There are other lines."""
    how = draw.randrange(6)

    def change(text: str) -> str:
        lines = text.splitlines(keepends=True)
        at = draw.randrange(len(lines))
        match how:
            case 0:
                del lines[at]
            case 1:
                lines.insert(draw.randrange(len(lines)), lines[at])
            case 2:
                draw.shuffle(lines)
            case 3:
                lines.insert(
                    at, draw.choice(("\n", "more 5\n", "\x1b[2J\n", "man \n", "section \n", "ä ö\n", "x" * 9000))
                )
            case 4:
                lines = lines * 2
            case _:
                lines[at] = lines[at].replace(" ", draw.choice(("  ", "\t", "")), 1)
        return "".join(lines)

    parts.change_head = change
    return f"lines of the head, kind {how}"


def _index(draw: random.Random, parts: Parts) -> str:
    """A place, a length or a checksum in the index is another."""
    name = draw.choice(("first", "shapes", "shapes_length", "shapes_crc32", "length", "crc32"))
    by = draw.choice((*_NUMBERS, None, None))

    def change(index: NDArray[Any]) -> None:
        column = index[name].reshape(-1)
        at = draw.randrange(len(column))
        value = int(column[at]) + draw.choice((-1, 1, 100)) if by is None else by
        column[at] = value % (1 << 8 * column.dtype.itemsize)
        index[name] = column.reshape(index[name].shape)

    parts.change_index = change
    return f"{name} of the index is {by}"


def _list(draw: random.Random, parts: Parts) -> str:
    if draw.random() < 0.2:
        number, count = draw.randrange(len(parts.counts)), draw.choice((0, 1, 255, 256, 1 << 18, (1 << 32) - 1))
        parts.counts[number] = count.to_bytes(COUNT, "little")
        return f"list of shapes: number {number} has {count}, it says"
    return f"list of shapes: {_mangle(draw, parts.lists)}"


def _page(draw: random.Random, parts: Parts) -> str:
    return f"page of forms: {_mangle(draw, parts.pages)}"


def _chunk(draw: random.Random, parts: Parts) -> str:
    return f"chunk: {_mangle(draw, parts.chunks)}"


def _notes(draw: random.Random, parts: Parts) -> str:
    notes = [parts.notes]
    what = _mangle(draw, notes)
    deep = b"[" * 100_000
    parts.notes = draw.choice(
        (bytes(notes[0]), deep, b'{"facts": ' + deep, b"1" * 10_000, b"{}", b'{"facts": {"a": NaN}}')
    )
    return f"notes: {what}, or others"


def _mangle(draw: random.Random, parts: list[bytes]) -> str:
    """Change one of some parts."""
    if not parts:
        return "there is none"
    number = draw.randrange(len(parts))
    raw, how = parts[number], draw.randrange(8)
    at = draw.randrange(len(raw) + 1)
    match how:
        case 0:
            parts[number] = raw[:at]
        case 1:
            parts[number] = raw + draw.randbytes(draw.choice((1, 100, 10_000)))
        case 2:
            parts[number] = bomb()
        case 3:
            parts[number] = Stored(draw.randbytes(100))
        case 4:
            parts[number] = Stored(deflated(raw)[: draw.choice((0, 5, 100))])
        case 5:
            parts[number] = parts[draw.randrange(len(parts))]
        case _:
            changed = bytearray(raw)
            for _ in range(draw.choice((1, 1, 2, 20)) if raw else 0):
                changed[draw.randrange(len(raw))] = draw.choice((0, 255, draw.randrange(256)))
            parts[number] = bytes(changed)
    return f"number {number}, kind {how}"
