"""Writing a table: beside its place, then moved there in one step."""

import hashlib
import os
import zlib
from array import array
from collections.abc import Callable, Iterable, Iterator
from concurrent.futures import Executor, ThreadPoolExecutor
from contextlib import contextmanager, suppress
from pathlib import Path
from typing import Any, BinaryIO, Final, NamedTuple

import numpy as np

from tbgen._version import __version__
from tbgen.core.material import Material
from tbgen.core.table_contents import Told
from tbgen.index import layout_of
from tbgen.memory.arrays import Make, in_memory
from tbgen.store.format import head as heads
from tbgen.store.format.build_notes import Facts
from tbgen.store.format.head import Head, Whole
from tbgen.store.format.local import LocalNotes
from tbgen.store.format.schema import (  # fmt: skip
    CHUNKS,
    COMPLETE,
    FORM_PAGE,
    FORMS,
    INDEX,
    KEEPS,
    NOTES,
    SHAPES,
    SLICE_PAGE,
    SLICES,
    check_of,
    group_of,
    index_page,
    kinds_of,
    men_of,
    with_checks,
)
from tbgen.store.format.slices import tell
from tbgen.store.lock import half_written
from tbgen.store.write.encode import Census, Encoded, encode
from tbgen.store.write.hdf5 import Array, Described, describe
from tbgen.system.output_files import settle
from tbgen.system.safe_files import create
from tbgen.system.text import to_json

_BYTE: Final = np.dtype("u1")


class Slim(NamedTuple):
    """What the file of a slim table says beside its contents."""

    side: int
    """The side to move that it keeps."""
    whole: Whole


class _Beside(NamedTuple):
    """What a file says beside its contents."""

    facts: Facts
    local: LocalNotes | None
    slim: Slim | None
    program: str

    def notes(self, material: Material) -> bytes:
        told: dict[str, object] = {"facts": dict(sorted(self.facts.items()))}
        if self.local is not None:
            told["local"] = self.local.facts(material)
        if self.slim is not None:
            told["whole"] = self.slim.whole._asdict()
        words = to_json(told).encode("ascii")
        return words + check_of(words)


PROGRAM: Final = f"tbgen {__version__}"


def write_table(
    path: str | Path,
    contents: Told,
    facts: Facts,
    *,
    local: LocalNotes | None = None,
    slim: Slim | None = None,
    threads: int = 1,
    make: Make = in_memory,
    program: str = PROGRAM,
    report: Callable[[int], None] = lambda numbers: None,
    check: Callable[[Path], None] = lambda written: None,
) -> Census:
    """Write the table, the same bytes for the same contents and facts. Other programs see all of it or nothing. Returns
    what its entries come to.

    `local`: what a local table says beside its contents, which are those of its layout.
    `slim`: what a slim table says beside its contents, which are those of the side that it keeps.
    `program`: which program has built it, if not this one.
    `make` gives arrays for notes on every position in between. `report` is called with how many numbers a pass has
    gone through; there are two over all of them. `check` is called with the finished file before it gets
    its name; if it raises an error, there is no table."""
    path = Path(path)
    half = half_written(path)
    try:
        with os.fdopen(create(half), "wb+") as file, _workers(threads) as pool:
            encoded = encode(contents, pool, make, report=report, slim=slim is not None)
            _write(file, contents, encoded, _Beside(facts, local, slim, program), pool)
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
    return encoded.census


@contextmanager
def _workers(threads: int) -> Iterator[ThreadPoolExecutor]:
    """A pool of threads. If something fails, it drops the calls that it has not begun."""
    with ThreadPoolExecutor(threads) as pool:
        try:
            yield pool
        except BaseException:
            pool.shutdown(wait=False, cancel_futures=True)
            raise


def _write(file: BinaryIO, contents: Told, encoded: Encoded, beside: _Beside, pool: Executor) -> None:
    """Write the sections, then the head."""

    def described() -> Described:
        # in a thread that no Ctrl-C interrupts: HDF5 would drop it, and go on with what it had not been given
        return pool.submit(describe, arrays, attributes).result()

    local, slim = beside.local, beside.slim
    layout = local.layout(contents.material) if local else layout_of(contents.material)
    rows, slices = tell(layout, slim.side if slim else None)
    sections: dict[str, Any] = {  # lists of bytes, or of arrays of them
        SLICES: [slices],
        INDEX: [bytes(len(encoded.lists) * index_page(group_of(encoded.width)).itemsize)],
        SHAPES: encoded.lists,
        FORMS: encoded.pages,
        NOTES: [beside.notes(contents.material)],
    }
    sizes = {name: sum(map(len, parts)) for name, parts in sections.items()}
    arrays = {name: _array(name, size, encoded) for name, size in sizes.items() if size}
    head = _head(contents, encoded, beside)._replace(rows=rows)
    attributes = {"format": ".".join(map(str, heads.FORMAT))} | head.attributes()
    arrays[CHUNKS] = _array(CHUNKS, 1, encoded)
    begin = described().places[CHUNKS].offset
    file.seek(begin)
    lengths, crc32 = _write_chunks(file, encoded.chunks)
    arrays[CHUNKS] = _array(CHUNKS, sum(lengths), encoded)
    whole = described()
    if whole.places[CHUNKS].offset != begin:
        raise OSError("HDF5 has put the chunks elsewhere")
    sections[INDEX] = [_index(encoded, lengths, crc32)]
    for offset, data in whole.pieces:
        file.seek(offset)
        file.write(data)
    for name, parts in sections.items():
        if sizes[name]:
            file.seek(whole.places[name].offset)
            file.writelines(parts)
    file.truncate(whole.size)
    _seal(file, head._replace(sections=whole.places))


def _write_chunks(file: BinaryIO, chunks: Iterable[bytes]) -> tuple["array[int]", "array[int]"]:
    """The lengths and checksums of what was written: lists of millions of them would take ten times as much memory."""
    lengths, crc32 = array("I"), array("I")
    for chunk in chunks:
        file.write(chunk)
        lengths.append(len(chunk))
        crc32.append(zlib.crc32(chunk))
    return lengths, crc32


def _seal(file: BinaryIO, head: Head) -> None:
    """Write the head, with the size and digest of all behind it."""
    file.seek(heads.SIZE)
    sha256, size = hashlib.file_digest(file, "sha256").hexdigest(), file.tell()  # type: ignore[arg-type]  # it reads
    file.seek(0)
    file.write(head._replace(size=size, sha256=sha256).render())


def _array(section: str, length: int, encoded: Encoded) -> Array:
    """What HDF5's users see of a section of so many bytes."""
    if section == FORMS:
        return Array(_BYTE, (length // FORM_PAGE, FORM_PAGE))
    kind = {SLICES: SLICE_PAGE, INDEX: index_page(group_of(encoded.width))}.get(section, _BYTE)
    return Array(kind, (length // kind.itemsize,))


def _head(contents: Told, encoded: Encoded, beside: _Beside) -> Head:
    """All but rows, sections, size and digest."""
    material, steps, local, slim = contents.material, contents.steps, beside.local, beside.slim
    return Head(
        program=beside.program,
        material=material.name,
        rules=contents.rules,
        bound=local.bound.value if local else COMPLETE,
        keeps=KEEPS[slim.side + 1 if slim else 0],
        men=men_of(material),
        numbers=len(contents.entries),
        legal=encoded.census.legal,
        staircases=len(steps.start) - 1,
        steps=len(steps.level),
        chunk=encoded.width,
        group=group_of(encoded.width),
        order=tuple(encoded.order),
        distances=encoded.distances,
        distance_bytes=encoded.distance_bytes,
        shape_bytes=encoded.shape_bytes,
        form_bytes=encoded.form_bytes,
        longest=encoded.longest_chunk,
        rows=(),
        kinds=kinds_of(material),
        sections={},
        size=0,
        sha256="",
    )


def _index(encoded: Encoded, lengths: "array[int]", crc32: "array[int]") -> bytes:
    """Where chunks and lists of shapes lie in their sections, and their checksums."""
    group = group_of(encoded.width)
    index = np.zeros(len(encoded.lists), index_page(group))
    rest = len(index) * group - len(lengths)
    for name, values in (("length", lengths), ("crc32", crc32)):
        index[name] = np.pad(np.frombuffer(values, np.uint32), (0, rest)).reshape(len(index), group)
    ends = np.cumsum(index["length"].sum(axis=1, dtype=np.uint64))
    index["first"] = np.append(0, ends[:-1])
    sizes = np.array([len(one) for one in encoded.lists])
    index["shapes"], index["shapes_length"] = np.cumsum(sizes) - sizes, sizes
    index["shapes_crc32"] = [zlib.crc32(one.data) for one in encoded.lists]
    return with_checks(index).tobytes()
