"""The journal of a workspace: lines of JSON that say what is finished, each with a checksum of its own.

The first line names the build and the file with its links. Each other line names slices that were made safe together,
and the stretch of links that came with them; or the last snapshot of a slice at work (snapshots.py).
"""

import json
import os
import zlib
from collections.abc import Iterable, Iterator
from itertools import takewhile
from pathlib import Path
from typing import Any, Final, NamedTuple

from tbgen.retro.checkpoint import Counts
from tbgen.system.output_files import renew
from tbgen.system.safe_files import reopen

_NAME: Final = "journal"
_LEAST: Final = 2
"""Lines of a journal that is worth reading: the first line, and one more."""


class Done(NamedTuple):
    """A finished slice."""

    slice: int
    counts: Counts
    entries_crc32: int
    staircases_crc32: int
    place: tuple[int, ...] = ()
    """Where they are, if they are compressed: where the sections of both begin, and where the last one ends."""


class Stretch(NamedTuple):
    """Links that were written together."""

    offset: int
    """The byte of the file at which they begin."""
    links: int
    crc32: int


class Written(NamedTuple):
    """An array in a file of several."""

    name: str
    length: int
    offset: int
    crc32: int


class AtWork(NamedTuple):
    """A snapshot of a slice."""

    slice: int
    file: str
    facts: dict[str, int]
    arrays: list[Written]


class Batch(NamedTuple):
    slices: list[Done]
    links: list[Stretch]
    at_work: AtWork | None = None


def read(place: Path) -> tuple[dict[str, Any], Iterator[Batch]] | None:
    """The first line and what was made safe; None if there is nothing. A line that is torn, has changed, or is a second
    first line ends the journal: what follows is not believed. Lines after the first are taken apart as they are asked
    for: those of another version may look otherwise."""
    try:
        lines = list(_sound((place / _NAME).read_bytes()))
    except FileNotFoundError:  # another error may pass, and the workspace holds the work of hours
        return None
    if len(lines) < _LEAST:
        return None
    return lines[0], map(_batch, takewhile(lambda line: "slices" in line, lines[1:]))


def start(place: Path, head: dict[str, Any], batches: Iterable[Batch]) -> None:
    """Replace the journal by a new one, in one step."""
    renew(place / _NAME, map(_text, [head, *map(_line, batches)]))


def add(place: Path, batch: Batch) -> None:
    with os.fdopen(reopen(place / _NAME, os.O_WRONLY | os.O_APPEND), "wb") as file:
        file.write(_text(_line(batch)))
        file.flush()
        os.fsync(file.fileno())


def _sound(data: bytes) -> Iterable[dict[str, Any]]:
    for row in data.splitlines(keepends=True):
        text, _, check = row.rpartition(b" ")
        if check != _check(text):
            return
        yield json.loads(text)


def _check(text: bytes) -> bytes:
    return b"%08x\n" % zlib.crc32(text)


def _text(line: dict[str, Any]) -> bytes:
    text = json.dumps(line).encode("ascii")
    return text + b" " + _check(text)


def _line(batch: Batch) -> dict[str, Any]:
    return {
        "slices": [
            [one.slice, *one.counts, one.entries_crc32, one.staircases_crc32, *one.place] for one in batch.slices
        ],
        "links": [list(stretch) for stretch in batch.links],
        "at_work": batch.at_work,
    }


def _batch(line: dict[str, Any]) -> Batch:
    return Batch(
        [
            Done(slice_, Counts(legal, attractions, looks), entries, staircases, tuple(place))
            for slice_, legal, attractions, looks, entries, staircases, *place in line["slices"]
        ],
        [Stretch(*stretch) for stretch in line["links"]],
        _at_work(*line["at_work"]) if line["at_work"] else None,
    )


def _at_work(slice_: int, file: str, facts: dict[str, int], arrays: list[list[Any]]) -> AtWork:
    return AtWork(slice_, file, facts, [Written(*one) for one in arrays])
