"""The workspace of a table that takes long: files beside its place, with which a stopped build goes on.

    .KRPvKR.r.h5.work/   entries and staircases as they are in memory, empty files as long as there are none; of a large
                         table, finished, the slices that are finished, and staircases of those at work (finished.py);
                         links.N, the links of finished slices, in the order in which they were written; and the
                         journal (journal.py). At the end, while links become numbers: ends and numbered, unless slices
                         are compressed (renumbering.py)
                         Of a large slice at work: slice.S.N, its last snapshot, and worth.S, what its settled
                         positions are worth

A slice is in the journal only after the disk has the slice and all links of its staircases. A build that goes on
compares all this with its checksums, and follows each staircase to its first link. It solves again every slice of
which something is missing. If the program, the rules or a table that it depends on has changed, it is another build,
says so, and starts from nothing. So whatever stops a build, only what it did since the last line is lost: a few seconds
of small slices, a slice, or some minutes of one that is so large that snapshots are kept.
"""

import os
import time
import zlib
from collections.abc import Callable, Iterable, Mapping
from contextlib import suppress
from itertools import chain
from pathlib import Path
from threading import Lock
from typing import Any, Final, NamedTuple

import numpy as np
from numpy.typing import DTypeLike, NDArray

from tbgen._version import __version__
from tbgen.compiler.jit import SOLVER
from tbgen.core.table_contents import Told
from tbgen.core.table_rules import TableRules
from tbgen.generate import journal, renumbering, snapshots
from tbgen.generate.finished_slices import STAIRCASES, Compressed, Finished, InFull
from tbgen.generate.journal import AtWork, Batch, Done, Stretch
from tbgen.generate.snapshots import KeptSnapshot
from tbgen.index import Layout
from tbgen.memory.disk_arrays import DiskArrays
from tbgen.retro import export, link_log
from tbgen.retro.checkpoint import Counts, InMemory, Snapshot, TableArrays
from tbgen.retro.job import Solved
from tbgen.retro.snapshot import links_of
from tbgen.retro.values.staircase import Links, make_links
from tbgen.store.leftovers import SNAPSHOT, remove, workspace_of
from tbgen.system.output_files import settle, sync
from tbgen.system.safe_files import create, foreign, is_own, reopen
from tbgen.system.thresholds import is_compressed, is_kept, is_long

_WAIT: Final = 5.0
"""Seconds after which small slices are made safe."""
_EVERY: Final = 300.0
"""Seconds between two snapshots of a slice; it also takes until the sweep comes to where it can pause."""
_MUCH: Final = 1 << 24
"""Numbers of solved slices that are made safe without waiting."""
_LINKS: Final = 1 << 20
"""Links that are written at a time."""
STARTS_OVER: Final = "a stopped build of another tbgen, or with other tables, is of no use; starting over"
_NO_ROOM: Final = "the disk has no room for a snapshot now; a stop would cost what was done since the last one"
_NUMBER, _KEY = np.dtype("<i4"), np.dtype("<i8")


class _Resumed(NamedTuple):
    done: list[Done]
    at_work: dict[int, tuple[AtWork, NDArray[np.int32]]]
    """With the links in its cells."""
    number: int
    """N of the file with the links."""


class Workspace:
    """A `tbgen.retro.checkpoint.Checkpoint` for the process that holds the lock of the table."""

    def __init__(
        self,
        table: Path,
        layout: Layout,
        rules: TableRules,
        disk_arrays: DiskArrays,
        needed: Mapping[str, str] | None = None,
        note: Callable[[str], None] = lambda line: None,
        *,
        threads: int = 1,
    ) -> None:
        """`needed`: the tables that it depends on, with their digests. `note` is told what a user should know.
        `threads`: how many compress finished slices."""
        self._place = workspace_of(table)
        self._layout = layout
        self.arrays = disk_arrays
        self._note = note
        self.keeps = is_kept(self._layout.slices, self._layout.size)
        # the parts of a local table lead to each other, and are small beside complete tables
        self._compresses = layout.chosen is None and is_compressed(layout.slices, layout.size)
        self._threads = threads
        self._build: dict[str, Any] = {
            "program": __version__, "sources": SOLVER.digest, "material": layout.material.name, "rules": rules,
            "needed": dict(needed or {}),
        }  # fmt: skip
        self._finished: Finished | None = None
        self._links: Links | None = None
        self._lock = Lock()
        self._unsafe: dict[int, Counts] = {}
        """Solved, and not yet safe."""
        self._unsafe_numbers = 0
        self._at_work: dict[int, AtWork] = {}
        self._snapshots = 0
        self._lacks_room = False
        """Whether the last one found none."""
        self._safe_at = self._kept_at = time.monotonic()

    def open(self, layout: Layout, links: int) -> tuple[TableArrays, dict[int, Counts]]:
        if not self.keeps:
            return InMemory(self.arrays).open(layout, links)
        self._seen = link_log.make_seen(links)
        self._build["links"] = links
        self._remove_what_is_no_file()
        resumed = self._resume(links)
        if resumed is None:
            self.clear()
            self._place.mkdir()
            self._make_arrays(links)
            resumed = _Resumed([], {}, 0)
        self._begin(resumed)
        entries, staircases = self._slices.entries, self._slices.staircases
        return TableArrays(entries, staircases, self._there), {one.slice: one.counts for one in resumed.done}

    def turn_to(self, slices: Iterable[int]) -> None:
        if self.keeps:
            with self._lock:
                if self._compresses and self._unsafe:
                    self._make_safe()
                self._slices.turn_to(slices)

    def solved(self, slice_: int, counts: Counts) -> None:
        if not self.keeps:
            return
        with self._lock:
            self._unsafe[slice_] = counts
            self._unsafe_numbers += len(self._layout.numbers_in(slice_))
            if self._unsafe_numbers >= _MUCH or time.monotonic() - self._safe_at > _WAIT:
                self._make_safe()

    def lasting(self, slice_: int, count: int, kind: DTypeLike) -> NDArray[Any]:
        if not self._is_long(slice_):
            return self.arrays.work(count, kind)
        path = self._place / f"worth.{slice_}"
        if slice_ not in self._at_work:
            path.unlink(missing_ok=True)
        return self.arrays.named(path, count, kind)

    def begun(self, slice_: int) -> KeptSnapshot | None:
        found = self._at_work.get(slice_)
        return KeptSnapshot(self._place, found) if found else None

    def lost(self, slice_: int) -> None:
        self._drop_snapshot(slice_)

    def _drop_snapshot(self, slice_: int) -> None:
        (self._place / self._at_work.pop(slice_).file).unlink(missing_ok=True)

    def wants(self, slice_: int) -> bool:
        return self._is_long(slice_) and time.monotonic() - self._kept_at > _EVERY

    def keep(self, slice_: int, snapshot: Snapshot) -> None:
        with self._lock:
            self._snapshots += 1
            name = f"{SNAPSHOT}{slice_}.{self._number}.{self._snapshots}"
            written = snapshots.write(self._place, name, slice_, snapshot, self.arrays.owed())
            if written:
                for path in (self._place / f"worth.{slice_}", self._place / STAIRCASES):
                    sync(path)
                settle(self._place)
                journal.add(self._place, Batch([], self._write_links([slice_], snapshot.arrays["link"]), written))
                if slice_ in self._at_work:
                    self._drop_snapshot(slice_)
                self._at_work[slice_] = written
            elif not self._lacks_room:
                self._note(_NO_ROOM)
            self._lacks_room = not written
            self._kept_at = time.monotonic()

    def finish(self, solved: Solved) -> Told:
        """What the table says, once all slices are solved."""
        finished = self._finished
        if not isinstance(finished, Compressed):
            self.let_go()
            return export.finish(solved, self, self._threads)
        with self._lock:
            self._make_safe()
        self.let_go()
        entries = finished.column_of_entries()
        return export.finish_far(solved, entries, finished.numbered, self.arrays.finishing, self._threads)

    def let_go(self) -> None:
        """All slices are solved: what writing the table does not need takes no more room."""
        self._finished = self._links = None
        self._seen = link_log.make_seen(0)

    def ends(self, count: int) -> NDArray[np.int32]:
        return (
            renumbering.make_ends(self._place, count, self.arrays)
            if self.keeps
            else self.arrays.finishing(count, _NUMBER)
        )

    def renumbering(self, start: int, links: NDArray[np.int32]) -> None:
        if self.keeps:
            renumbering.keep(self._place, start, links)

    def clear(self) -> None:
        """Remove the workspace: the table is written, or is to be built from the start."""
        self._finished = self._links = None
        remove(self._place)

    @property
    def _slices(self) -> Finished:
        assert self._finished is not None
        return self._finished

    @property
    def _there(self) -> Links:
        assert self._links is not None
        return self._links

    def _make_arrays(self, links: int) -> None:
        self._finished = (
            Compressed(self._place, self._layout, self.arrays, self._threads)
            if self._compresses
            else InFull(self._place, self._layout, self.arrays)
        )
        self._links = make_links(links, shared=self._layout.slices > 1, arrays=self.arrays)

    # --- going on -------------------------------------------------------------------------------------------

    def _remove_what_is_no_file(self) -> None:
        """Builds of this user make only files here. With a pipe in place of one this build would wait for ever, with a
        link it would write elsewhere; without them, the file is missing, and what it held is solved again."""
        if self._place.is_symlink() or not self._place.is_dir():
            remove(self._place)
            return
        if self._place.stat().st_uid != os.geteuid():  # it may be the work of hours
            raise foreign(self._place)
        for path in self._place.iterdir():
            if not is_own(path.lstat()):
                remove(path)

    def _resume(self, links: int) -> _Resumed | None:
        """What the build can go on with; None if nothing."""
        found = journal.read(self._place)
        if found is None:
            return None
        head, lines = found
        if any(head.get(name) != value for name, value in self._build.items()):
            self._note(STARTS_OVER)
            return None
        batches = [*lines]
        self._make_arrays(links)
        log = self._log(head["number"])
        if not self._restore(log, [stretch for batch in batches for stretch in batch.links]):
            self._finished = self._links = None
            return None
        if not self._compresses:
            renumbering.undo(self._place, self._slices.staircases, self.arrays)
        done = {one.slice: one for batch in batches for one in batch.slices if self._is_whole(one)}
        last = {batch.at_work.slice: batch.at_work for batch in batches if batch.at_work}
        columns = {slice_: self._links_of(one) for slice_, one in last.items() if slice_ not in done}
        at_work = {slice_: (last[slice_], links) for slice_, links in columns.items() if links is not None}
        self._slices.wipe(one for one in range(self._layout.slices) if one not in done and one not in at_work)
        self._seen = link_log.make_seen(links)
        return _Resumed([*done.values()], at_work, head["number"] + 1)

    def _restore(self, log: Path, stretches: list[Stretch]) -> bool:
        """Put the links back; False if some contradict others in spite of right checksums."""
        links = self._there
        for stretch in stretches:
            read = _read(log, stretch)
            bad = link_log.restore(links, *read) if read is not None else 0
            for room in (links.room, links.slots_room):
                self.arrays.check(room)
            if bad:
                return False
        return True

    def _is_whole(self, done: Done) -> bool:
        return self._slices.is_whole(done) and self._are_there(self._slices.staircases_of(done.slice))

    def _links_of(self, found: AtWork) -> NDArray[np.int32] | None:
        """The links in the cells of a slice at work; None if one of them, or of its staircases, is missing."""
        numbers = self._layout.numbers_in(found.slice)
        staircases = self._slices.staircases[numbers.start : numbers.stop]
        links = links_of(KeptSnapshot(self._place, found), staircases, self.arrays.work)
        return links if links is not None and self._are_there([staircases, links]) else None

    def _are_there(self, columns: Iterable[NDArray[np.int32]]) -> bool:
        """Whether all links of these staircases are there."""
        return all(link_log.are_whole(self._there, some, self._seen) for some in columns)

    def _begin(self, resumed: _Resumed) -> None:
        """Begin a new journal and a new file of links, with what is finished."""
        self._number = resumed.number
        log = self._log(self._number)
        log.unlink(missing_ok=True)
        os.close(create(log))
        batches = [Batch(resumed.done, self._write_links(one.slice for one in resumed.done))] if resumed.done else []
        batches += [Batch([], self._write_links([one.slice], links), one) for one, links in resumed.at_work.values()]
        journal.start(self._place, {**self._build, "number": self._number}, batches)
        self._at_work = {slice_: one for slice_, (one, _) in resumed.at_work.items()}
        needed = {log.name}.union(*({one.file, f"worth.{one.slice}"} for one in self._at_work.values()))
        for other in self._place.iterdir():
            if other.name.startswith(("links.", SNAPSHOT, "worth.")) and other.name not in needed:
                with suppress(OSError):
                    other.unlink()

    # --- making safe ----------------------------------------------------------------------------------------

    def _make_safe(self) -> None:
        links = self._write_links(self._unsafe)
        journal.add(self._place, Batch(self._slices.keep(self._unsafe), links))
        for slice_ in self._unsafe:
            if slice_ in self._at_work:
                self._drop_snapshot(slice_)
            (self._place / f"worth.{slice_}").unlink(missing_ok=True)
        self._unsafe.clear()
        self._unsafe_numbers = 0
        self._safe_at = time.monotonic()

    def _write_links(self, slices: Iterable[int], *columns: NDArray[np.int32]) -> list[Stretch]:
        """Write those links of these slices, and of these columns, that are not yet in the file, and sync it."""
        links = self._there
        numbers, keys = np.empty(_LINKS, _NUMBER), np.empty(_LINKS, _KEY)
        stretches = []
        with os.fdopen(reopen(self._log(self._number), os.O_WRONLY | os.O_APPEND), "ab") as file:
            for staircases in chain(chain.from_iterable(map(self._slices.staircases_of, slices)), columns):
                at = 0
                while at < len(staircases):
                    count, end = link_log.collect(links, staircases, at, self._seen, numbers, keys)
                    at = int(end)
                    if count:
                        data = numbers[:count].tobytes() + keys[:count].tobytes()
                        stretches.append(Stretch(file.tell(), int(count), zlib.crc32(data)))
                        file.write(data)
            file.flush()
            os.fsync(file.fileno())
        return stretches

    def _log(self, number: int) -> Path:
        return self._place / f"links.{number}"

    def _is_long(self, slice_: int) -> bool:
        return self.keeps and is_long(len(self._layout.numbers_in(slice_)))


def _read(log: Path, stretch: Stretch) -> tuple[NDArray[np.int32], NDArray[np.int64]] | None:
    """Numbers and keys; None if they are not what was written."""
    try:
        with log.open("rb") as file:
            file.seek(stretch.offset)
            data = file.read(stretch.links * (_NUMBER.itemsize + _KEY.itemsize))
    except OSError:
        return None
    if len(data) != stretch.links * (_NUMBER.itemsize + _KEY.itemsize) or zlib.crc32(data) != stretch.crc32:
        return None
    return (
        np.frombuffer(data, _NUMBER, stretch.links),
        np.frombuffer(data, _KEY, stretch.links, stretch.links * _NUMBER.itemsize),
    )
