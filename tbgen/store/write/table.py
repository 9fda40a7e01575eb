"""Writing a table: beside its place, then moved there in one step."""

import io
import os
from collections.abc import Callable, Iterator
from concurrent.futures import ThreadPoolExecutor
from contextlib import contextmanager, suppress
from pathlib import Path
from typing import BinaryIO, Final

import h5py
import numpy as np

from tbgen._version import __version__
from tbgen.contents import Contents, Make, in_memory
from tbgen.files import settle
from tbgen.index import layout_of
from tbgen.safe_files import create
from tbgen.store.format import seal
from tbgen.store.format.local import BOUND, LOCAL, LocalNotes
from tbgen.store.format.schema import FACTS, SHAPES, Facts, columns, describe, note
from tbgen.store.lock import half_written
from tbgen.store.write import chunks
from tbgen.store.write.encode import Encoded, encode
from tbgen.store.write.target import Target

_HDF5: Final = "v110"
"""The oldest HDF5 that is to read the file: the first with an index of chunks that is made in one piece."""

PROGRAM: Final = f"tbgen {__version__}"


def write_table(
    path: str | Path,
    contents: Contents,
    facts: Facts,
    *,
    local: LocalNotes | None = None,
    threads: int = 1,
    make: Make = in_memory,
    program: str = PROGRAM,
    check: Callable[[Path], None] = lambda written: None,
) -> None:
    """Write the table, the same bytes for the same contents and facts. Other programs see all of it or nothing.

    `local`: what a local table says beside, whose contents are those of its layout.
    `program`: which program has built it, if not this one.
    `make` gives arrays for notes on every position in between. `check` is called with the finished file before it gets
    its name; if it raises an error, there is no table."""
    path = Path(path)
    half = half_written(path)
    try:
        with os.fdopen(create(half), "wb+") as file, _workers(threads) as pool:
            head = _write(file, contents, encode(contents, pool, make), facts, local, program)
            stamp = seal.make_seal(file, head)
            file.seek(0)
            file.write(stamp.render())
            file.flush()
            os.fsync(file.fileno())
        check(half)
        os.replace(half, path)  # noqa: PTH105
    except BaseException as error:
        with suppress(OSError):
            half.unlink(missing_ok=True)
        if isinstance(error, OSError) and error.errno is not None and error.filename in (None, str(half)):
            error.filename = str(path)  # a full disk does not say what did not fit
        raise
    settle(path.parent)


@contextmanager
def _workers(threads: int) -> Iterator[ThreadPoolExecutor]:
    """A pool of threads. If something fails, it drops the calls that it has not begun."""
    with ThreadPoolExecutor(threads) as pool:
        try:
            yield pool
        except BaseException:
            pool.shutdown(wait=False, cancel_futures=True)
            raise


def _write(
    file: BinaryIO, contents: Contents, encoded: Encoded, facts: Facts, local: LocalNotes | None, program: str
) -> int:
    """Write all but the seal. Returns where the chunks begin. Nothing but chunks follows; HDF5's metadata lies
    before."""
    header: dict[str, int | float | str] = {
        "format": ".".join(map(str, seal.FORMAT)),
        "program": program,
        "material": contents.material.name,
        "rules": contents.rules,
        "size": len(contents.entries),
        "legal": encoded.legal,
        "staircases": len(contents.steps.start) - 1,
        "steps": len(contents.steps.level),
        "chunk_width": encoded.width,
        "escape_planes": encoded.escape_planes,
        "distance_planes": encoded.distance_planes,
    }
    if local is not None:
        header[BOUND] = local.bound.value
    target = Target(file)
    with h5py.File(target, "w", driver="fileobj", userblock_size=seal.SIZE, libver=(_HDF5, _HDF5)) as store:
        note(store, header)
        note(store.create_group(FACTS), facts)
        columns(store.create_group(SHAPES), encoded.shapes._asdict())
        columns(store, {"order": np.array(encoded.order, "<u4")})
        describe(store, local.layout(contents.material) if local else layout_of(contents.material))
        if local is not None:
            note(store.create_group(LOCAL), local.facts())
        chunks.create(store, encoded.count, encoded.raw)
        places = chunks.fill(store, encoded.chunks, target)
    target.check()
    offsets, sizes = places.T
    if not (offsets + sizes == np.append(offsets[1:], file.seek(0, io.SEEK_END))).all():
        raise OSError("HDF5 has written something between the chunks or behind them")
    return int(offsets[0])
