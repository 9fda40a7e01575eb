"""Writing a table: beside its place, then moved there in one step."""

import os
from concurrent.futures import ThreadPoolExecutor
from contextlib import suppress
from pathlib import Path
from typing import Final

import h5py
import numpy as np

from tbgen import __version__
from tbgen.index import layout_of
from tbgen.index.contents import Contents
from tbgen.store import chunks, seal
from tbgen.store.encode import Encoded, encode
from tbgen.store.lock import half_written
from tbgen.store.schema import FACTS, SHAPES, Facts, columns, describe, note

_METADATA: Final = 1 << 13
"""Bytes that HDF5 takes for its own notes, and for each chunk: a first guess, raised until it is enough."""
_METADATA_CHUNK: Final = 44
_TRIES: Final = 20


def write_table(path: str | Path, contents: Contents, facts: Facts, *, threads: int = 1) -> None:
    """Write the table, the same bytes for the same contents and facts. Whoever looks finds all of it or nothing."""
    path = Path(path)
    with ThreadPoolExecutor(threads) as pool:
        encoded = encode(contents, pool)
    parts = _parts(contents, encoded, facts)
    half = half_written(path)
    try:
        with half.open("wb") as file:
            file.writelines(parts)
            file.flush()
            os.fsync(file.fileno())
        os.replace(half, path)  # noqa: PTH105
    except BaseException:
        with suppress(OSError):
            half.unlink(missing_ok=True)
        raise
    handle = os.open(path.parent, os.O_RDONLY | os.O_DIRECTORY)
    try:
        os.fsync(handle)
    finally:
        os.close(handle)


def _parts(contents: Contents, encoded: Encoded, facts: Facts) -> tuple[bytes, bytes]:
    """The seal, and the rest of the file."""
    room = _METADATA + _METADATA_CHUNK * len(encoded.chunks)
    for _ in range(_TRIES):
        rest, head = _rest(contents, encoded, facts, room)
        if head is not None:
            return seal.make_seal(rest, head).render(), rest
        room += room // 4
    raise OSError(f"HDF5 scatters what it notes for itself: {room} bytes in one piece are not enough for it")


def _rest(contents: Contents, encoded: Encoded, facts: Facts, room: int) -> tuple[bytes, int | None]:
    """All but the seal, and where the chunks begin; None where HDF5 found no room in front of them for what it
    notes for itself, so that the chunks are not all that follows.

    HDF5 writes to memory: where a disk is full, it takes the process down with it."""
    header: dict[str, int | float | str] = {
        "format": ".".join(map(str, seal.FORMAT)),
        "program": f"tbgen {__version__}",
        "material": contents.material.name,
        "rules": contents.rules,
        "size": len(contents.entries),
        "legal": int(np.count_nonzero(contents.entries)),
        "staircases": len(contents.steps.start) - 1,
        "steps": len(contents.steps.level),
        "chunk_width": encoded.width,
        "escape_planes": encoded.escape_planes,
        "distance_planes": encoded.distance_planes,
    }
    name = f"table {id(encoded)}"  # HDF5 takes two files of one name for the same, even in memory
    store = h5py.File(name, "w", driver="core", backing_store=False, userblock_size=seal.SIZE, meta_block_size=room)
    with store as file:
        note(file, header)
        note(file.create_group(FACTS), facts)
        columns(file.create_group(SHAPES), encoded.shapes._asdict())
        columns(file, {"order": np.array(encoded.order, "<u4")})
        describe(file, layout_of(contents.material))
        chunks.create(file, encoded.chunks, encoded.raw)
        places = chunks.fill(file, encoded.chunks)
        file.flush()
        rest = file.id.get_file_image()
    offsets, sizes = places.T
    ends = np.append(offsets[1:], seal.SIZE + len(rest))
    return rest, int(offsets[0]) if (offsets + sizes == ends).all() else None
