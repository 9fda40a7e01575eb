"""Where a table with many slices is built: in files beside its place, so that a build that was stopped goes on.

    .KRPvKR.r.h5.work/   entries, staircases and links as they are in memory, and the journal: a line of JSON for the
                         build it belongs to, then one for each slice that is finished and safe on disk

A slice is in the journal only after the disk has it; on the way back its checksums are compared. So whatever stops a
build, at most the slices since the last line are lost: one that is large, or what a few seconds brought of small ones.
"""

import json
import mmap
import os
import shutil
import time
import zlib
from collections.abc import Iterable
from pathlib import Path
from threading import Lock
from typing import Any, Final

import numpy as np
from numpy.typing import NDArray

from tbgen import __version__
from tbgen.build.scratch import Scratch
from tbgen.index import Layout, layout_of
from tbgen.jit import SOURCES
from tbgen.material import Material
from tbgen.retro.room import Counts, Room

_WORTH: Final = 1 << 23
"""Tables of fewer numbers are done so soon that nobody needs to keep what there is of them."""
_WAIT: Final = 5.0
"""Seconds between two times at which small slices are made safe."""
_MUCH: Final = 1 << 24
"""Numbers that are made safe at once."""
_PIECE: Final = 1 << 24


def workspace_path(table: Path) -> Path:
    return table.with_name(f".{table.name}.work")


class Workspace:
    """A keeper (see `tbgen.retro.room.Keeper`) for whoever holds the lock of the table."""

    def __init__(self, table: Path, material: Material, rules: str, scratch: Scratch) -> None:
        self._place = workspace_path(table)
        self._layout: Layout = layout_of(material)
        self._scratch = scratch
        self._keeps = self._layout.slices > 1 and self._layout.size >= _WORTH
        self._build = {"program": __version__, "sources": SOURCES, "material": material.name, "rules": rules}
        self._room: Room | None = None
        self._lock = Lock()
        self._fresh: dict[int, Counts] = {}
        self._safe_at = time.monotonic()

    def open(self, numbers: int, links: int) -> tuple[Room, dict[int, Counts]]:
        if not self._keeps:
            make = self._scratch.array
            return Room(make(numbers, np.int32), make(numbers, np.int32), make(links, np.int64)), {}
        lines = self._read_journal()
        if lines:
            self._room = self._make_room(numbers, int(lines[0]["links"]))
            done = {int(line["slice"]): Counts(*line["counts"]) for line in lines[1:] if self._is_whole(line)}
            self._wipe(part for part in range(self._layout.slices) if part not in done)
        else:
            self.clear()
            self._place.mkdir()
            self._room = self._make_room(numbers, links)
            done = {}
        self._write_journal(links=len(self._room.links), done=done)
        return self._room, done

    def solved(self, part: int, counts: Counts) -> None:
        with self._lock:
            self._fresh[part] = counts
            numbers = sum(len(self._range(one)) for one in self._fresh)
            if self._keeps and (numbers >= _MUCH or time.monotonic() - self._safe_at > _WAIT):
                self._make_safe()

    def clear(self) -> None:
        """Remove it: the table is written, or is to be built from the start."""
        shutil.rmtree(self._place, ignore_errors=True)

    def _make_room(self, numbers: int, links: int) -> Room:
        named = self._scratch.named
        return Room(
            named(self._place / "entries", numbers, np.int32),
            named(self._place / "staircases", numbers, np.int32),
            named(self._place / "links", links, np.int64),
        )

    def _wipe(self, parts: Iterable[int]) -> None:
        """Slices begin with zeros; what a stopped build left in some is in the way."""
        assert self._room is not None
        for part in parts:
            here = self._range(part)
            for array in self._room[:2]:
                left = array[here.start : here.stop]
                if left.any():
                    left[:] = 0

    def _range(self, part: int) -> range:
        return range(int(self._layout.start[part]), int(self._layout.start[part + 1]))

    def _sums(self, part: int) -> list[int]:
        assert self._room is not None
        here = self._range(part)
        return [_crc32(array[here.start : here.stop]) for array in self._room[:2]]

    def _is_whole(self, line: dict[str, Any]) -> bool:
        return bool(line["crc32"] == self._sums(int(line["slice"])))

    def _read_journal(self) -> list[dict[str, Any]]:
        """Its lines; none if it is of another build, or not there. The last line may be torn."""
        lines: list[dict[str, Any]] = []
        try:
            for line in (self._place / "journal").read_text().splitlines():
                lines.append(json.loads(line))
        except (OSError, ValueError):
            pass
        return lines if lines and all(lines[0].get(name) == value for name, value in self._build.items()) else []

    def _write_journal(self, links: int, done: dict[int, Counts]) -> None:
        journal, beside = self._place / "journal", self._place / "journal.new"
        lines = [{**self._build, "links": links}, *(self._line(part, counts) for part, counts in done.items())]
        _write(beside, "w", lines)
        beside.replace(journal)

    def _line(self, part: int, counts: Counts) -> dict[str, Any]:
        return {"slice": part, "counts": list(counts), "crc32": self._sums(part)}

    def _make_safe(self) -> None:
        assert self._room is not None
        for array in self._room:
            _sync(array)
        _write(self._place / "journal", "a", [self._line(part, counts) for part, counts in self._fresh.items()])
        self._fresh.clear()
        self._safe_at = time.monotonic()


def _write(path: Path, mode: str, lines: list[dict[str, Any]]) -> None:
    with path.open(mode) as file:
        file.writelines(json.dumps(line) + "\n" for line in lines)
        file.flush()
        os.fsync(file.fileno())


def _sync(array: NDArray[Any]) -> None:
    memory: object = array.base
    if isinstance(memory, mmap.mmap):
        memory.flush()


def _crc32(array: NDArray[np.int32]) -> int:
    found = 0
    for at in range(0, len(array), _PIECE):
        found = zlib.crc32(array[at : at + _PIECE].data, found)
    return found
