"""Writing a table: beside its place, then moved there in one step."""

import os
from collections.abc import Mapping
from concurrent.futures import ThreadPoolExecutor
from contextlib import suppress
from pathlib import Path
from typing import Final

import h5py
import numpy as np

from tbgen import __version__
from tbgen.index.contents import Contents
from tbgen.store import seal
from tbgen.store.blocks import Packed, create, fill
from tbgen.store.codec import Encoded, encode
from tbgen.store.lock import half_written

FACTS: Final = "facts"
_PROGRAM: Final = f"tbgen {__version__}"


def write_table(
    path: str | Path, contents: Contents, facts: Mapping[str, int | float | str], *, threads: int = 1
) -> None:
    """Write the table, the same bytes for the same contents and facts. Whoever looks finds all of it or nothing."""
    path = Path(path)
    with ThreadPoolExecutor(threads) as pool:
        encoded = encode(contents, pool)
    half = half_written(path)
    try:
        _write(half, contents, encoded, facts)
        os.replace(half, path)  # noqa: PTH105
    except BaseException:
        with suppress(OSError):
            half.unlink(missing_ok=True)
        raise
    _sync(path.parent, os.O_DIRECTORY)


def _write(path: Path, contents: Contents, encoded: Encoded, facts: Mapping[str, int | float | str]) -> None:
    metadata = 16384
    while (head := _fill(path, contents, encoded, facts, metadata)) is None:
        metadata *= 2
    with path.open("r+b") as file:
        stamp = seal.make_seal(file, head)
        file.seek(0)
        file.write(stamp.render())
        file.flush()
        os.fsync(file.fileno())


def _fill(
    path: Path, contents: Contents, encoded: Encoded, facts: Mapping[str, int | float | str], metadata: int
) -> int | None:
    """Write everything but the seal. Returns where the chunks begin, None where `metadata` bytes were too few
    for HDF5 to keep all that it notes for itself in front of them."""
    with h5py.File(path, "w", userblock_size=seal.SIZE, meta_block_size=metadata) as file:
        attributes: dict[str, int | float | str] = {
            "format": ".".join(map(str, seal.FORMAT)),
            "program": _PROGRAM,
            "material": contents.material.name,
            "rules": contents.rules,
            "size": len(contents.entries),
            "legal": int(np.count_nonzero(contents.entries)),
            "staircases": len(contents.steps.start) - 1,
            "steps": len(contents.steps.level),
            **encoded.attributes,
        }
        _note(file, attributes)
        _note(file.create_group(FACTS), facts)
        for name, array in encoded.arrays.items():
            file.create_dataset(name, data=array)
        for column in encoded.columns:
            create(file, column)
        places = np.concatenate([fill(file, column) for column in encoded.columns])
    order = np.argsort(places[:, 0])
    offsets, sizes = places[order, 0], places[order, 1]
    ends = np.append(offsets[1:], path.stat().st_size)
    return int(offsets[0]) if (offsets + sizes == ends).all() else None


def _note(group: h5py.Group, facts: Mapping[str, int | float | str]) -> None:
    """Attributes of fixed length: HDF5 keeps strings of any length in a heap, which is hard to read elsewhere."""
    for name, value in facts.items():
        if isinstance(value, str):
            group.attrs[name] = np.bytes_(value.encode("utf-8"))
        else:
            group.attrs[name] = value


def _sync(path: Path, flags: int = 0) -> None:
    handle = os.open(path, os.O_RDONLY | flags)
    try:
        os.fsync(handle)
    finally:
        os.close(handle)


__all__ = ["Packed", "write_table"]
