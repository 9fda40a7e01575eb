"""Forging tables: files that are changed and sealed again, so that every checksum is right but the contents are not."""

import hashlib
import io
import random
import zlib
from collections.abc import Callable
from typing import Any, Final

import h5py
import numpy as np

from tbgen.store.format import seal

_NUMBERS: Final = (0, 1, -1, 255, 1 << 15, (1 << 31) - 1, 1 << 31, 1 << 40, (1 << 62), (1 << 64) - 1)
_ATTRIBUTES: Final = (
    "material", "rules", "size", "legal", "staircases", "steps", "chunk_width", "escape_planes", "distance_planes",
    "format", "program",
)  # fmt: skip
_DATASETS: Final = (
    "shapes/outcome", "shapes/odd", "shapes/steps", "shapes/holder", "shapes/level", "shapes/step_outcome",
    "shapes/source", "order",
    "chunk_crc32", "chunk_places",
)  # fmt: skip


def forged(draw: random.Random, data: bytes) -> tuple[str, bytes]:
    """Change a table and seal it again. Returns what was done, and the bytes."""
    stamp = seal.parse(data[: seal.SIZE])
    match draw.randrange(6):
        case 0:
            field = draw.choice(("size", "head", "head_crc32", "minor"))
            value = draw.choice((*_NUMBERS, getattr(stamp, field) + draw.choice((1, -1, 8))))
            change: dict[str, Any] = {field: value}
            stamp = stamp._replace(**change)
            return f"{field} of the seal is {value}", stamp.render()[: seal.SIZE] + data[seal.SIZE :]
        case 1:
            lines = seal.MAGIC + draw.choice(
                (b"", b"format\n", b"format 1\n", b"format 1.0\nsize x\n", b"format 1.0\n" * 30, b"\xff 1\n",
                b"format 1.0.0\n",
                 data[len(seal.MAGIC) : seal.SIZE].rstrip(b"\0").rpartition(b"crc32 ")[0].replace(b"size", b"sizes"))
            )  # fmt: skip
            block = (lines + b"crc32 %08x\n" % zlib.crc32(lines))[: seal.SIZE].ljust(seal.SIZE, b"\0")
            return "lines of the seal", block + data[seal.SIZE :]
        case 2:
            what, changed = _edited(draw, data)
            return what, resealed(changed, stamp.head)
    head = bytearray(data)
    for _ in range(draw.choice((1, 1, 2, 20))):
        head[draw.randrange(seal.SIZE, stamp.head)] = draw.choice((0, 255, draw.randrange(256)))
    return "bytes of the head", resealed(bytes(head), stamp.head)


def resealed(data: bytes, head: int) -> bytes:
    """The same bytes with a seal that fits."""
    body = data[seal.SIZE :]
    digest = hashlib.sha256(body).hexdigest()
    stamp = seal.Seal(*seal.FORMAT, len(data), head, zlib.crc32(data[seal.SIZE : head]), digest)
    return stamp.render() + body


def _edited(draw: random.Random, data: bytes) -> tuple[str, bytes]:
    """A number or a name that HDF5 knows of, changed by HDF5."""
    memory = io.BytesIO(data)
    edit: Callable[[h5py.File, random.Random], str] = draw.choice((_attribute, _dataset))
    with h5py.File(memory, "r+", driver="fileobj") as file:
        what = edit(file, draw)
    return what, memory.getvalue()


def _attribute(file: h5py.File, draw: random.Random) -> str:
    name = draw.choice(_ATTRIBUTES)
    value: Any
    if isinstance(file.attrs[name], bytes):
        text = draw.choice(("KvK", "KBvK", "KPvK", "KQQQvKQQQ", "r", "wg", "", "9.9", "\x1b[2J", "K", "x" * 1000))
        value = np.bytes_(text.encode())
    else:
        value = draw.choice(
            (*(number for number in _NUMBERS if number < 1 << 63), int(file.attrs[name]) + draw.choice((1, -1, 256)))
        )
    file.attrs[name] = value
    return f"{name} is {value!r}"


def _dataset(file: h5py.File, draw: random.Random) -> str:
    name = draw.choice(_DATASETS)
    column = file[name][...]
    flat = column.reshape(-1)
    if not len(flat):
        return f"{name} is empty"
    at = draw.randrange(len(flat))
    room = 8 * flat.dtype.itemsize
    value = draw.choice((*_NUMBERS, int(flat[at]) + draw.choice((1, -1)))) % (1 << room)
    flat.view(f"<u{flat.dtype.itemsize}")[at] = value
    file[name][...] = column
    return f"{name}[{at}] is {value}"
