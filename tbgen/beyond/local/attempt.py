"""A position answered from local tables, within limits: small plans first, then what makes their bounds better."""

import time
from collections.abc import Callable, Iterable, Iterator, Mapping
from contextlib import closing, contextmanager
from dataclasses import dataclass
from functools import partial
from pathlib import Path
from typing import Final, NamedTuple

import chess

from tbgen.beyond.local.choose import Part
from tbgen.beyond.local.cluster import Cluster
from tbgen.beyond.local.complete import CompleteTables
from tbgen.beyond.local.files import KeptPart, Shelf
from tbgen.beyond.local.solve import LocalTables, solve_plan, workspaces_in
from tbgen.beyond.local.stages import Cost, Limits, stages
from tbgen.beyond.local.view import Both, SolvedTables
from tbgen.core.material import Material
from tbgen.core.table_rules import TableRules
from tbgen.errors import OutOfRoom, no_room
from tbgen.generate.calibration import known_pace
from tbgen.generate.forecast import BUSY, existing, free_disk
from tbgen.memory.disk_arrays import DiskArrays, scratch_of
from tbgen.probe import SureResult, Tablebase, bounds
from tbgen.probe.bounds import LocalSource
from tbgen.store import readable_tables
from tbgen.system.text import time_of

_SPARE: Final = 0.9
"""The share of the free disk that may be used."""

_Stage = tuple[list[Part], Cost, Mapping[Material, KeptPart]]


class Means(NamedTuple):
    """What an attempt may use."""

    directory: Path
    """Where the complete tables are."""
    memory: int
    """Bytes for each part."""
    seconds: float
    """The time for all plans together."""
    threads: int
    """How many solve a part."""
    keeps: bool = False
    """Whether tables that are solved are kept, in the directory."""
    resumes: bool = False
    """Whether a large part that is not done at the end is kept too, for the next attempt to go on with."""
    hopeful: bool = True
    """Whether solving is begun even if it is expected to take longer than there is time."""
    cluster: Cluster | None = None
    """What solves large plans, each part with so much memory and so many threads; else this process does."""
    at_once: int = 1
    """How many parts are solved at the same time."""

    @property
    def cpu_seconds(self) -> float:
        return self.seconds * self.threads * self.at_once


class Attempt(NamedTuple):
    """How far solving has come."""

    answer: SureResult | None
    plan: list[Part]
    """What the answer comes from."""
    time_ran_out: bool = False
    """Whether it did before all was solved that fits."""
    read: bool = False
    """Whether the answer comes from tables that were kept."""


class _TimeIsOver(Exception):
    pass


def attempt(
    board: chess.Board,
    record: int,
    tables: Tablebase,
    means: Means,
    began: Callable[[list[Part], Cost], None] = lambda plan, cost: None,
    report: Callable[[int], None] = lambda numbers: None,
    use: Callable[[LocalSource, SureResult], None] | None = None,
    distance: bool = False,
    remark: Callable[[str], None] = lambda line: None,
) -> Attempt:
    """What local tables prove of a position. `began` is called with each plan, `report` with the numbers solved, `use`
    with the last tables, for as long as they are there, and what they say, and `remark` with what is worth knowing.
    `distance`: more is solved as long as that is not known."""
    best = Attempt(None, [])
    last: LocalSource | None = tables.local
    with closing(DiskArrays(scratch_of(existing(means.directory)), means.memory)) as disk_arrays:
        asker = _Asker(board, record, tables, means, disk_arrays, report, remark, use is not None)
        for plan, cost, kept in _plans_left(board, tables, means, asker.shelf):
            said, reads = asker.kept(), True
            if said is None or not (plan[-1].material in kept or _is_enough(said, distance=distance)):
                if not means.hopeful and cost.cpu_seconds > means.cpu_seconds:
                    raise OutOfRoom(f"solving takes about {time_of(cost.cpu_seconds / means.threads)}")
                began(plan, cost)
                try:
                    with _full_is_no_room():
                        (said, source), reads = asker.try_plan(plan, kept), False
                except _TimeIsOver:
                    best = best._replace(time_ran_out=True)
                    break
                except OutOfRoom:
                    if best.answer is None:
                        raise
                    break  # what a smaller plan has proved stands
                if use is not None:
                    last = source
                del source  # the tables of this plan, so that there is room for those of the next one
            best = Attempt(said, plan, read=reads)
            if _is_enough(said, distance=distance):
                break
        if use is not None and best.answer is not None and last is not None:
            use(last, best.answer)
    return best


@contextmanager
def _full_is_no_room() -> Iterator[None]:
    """A disk that fills up is no more than that there was no room for a plan."""
    try:
        yield
    except OSError as error:
        reason = no_room(error)
        if reason is None:
            raise
        raise OutOfRoom(f"{reason} in {error.filename}" if error.filename else reason) from None


def _is_enough(said: SureResult, *, distance: bool) -> bool:
    return said.sure.exact and not (distance and said.sure.dtg is None)


def plans(board: chess.Board, means: Means) -> Iterator[tuple[list[Part], Cost]]:
    """The plans to try one after the other, and what each takes. OutOfRoom if the position is too large."""
    pace = known_pace().factor
    complete = {material for _, material, rules in readable_tables(means.directory) if rules == TableRules.RESET}
    limits = Limits(
        means.memory,
        int(_SPARE * free_disk(scratch_of(means.directory))) // means.at_once,
        means.cpu_seconds * BUSY,
    )
    return stages(board, complete, limits, means.threads, pace)


def _plans_left(board: chess.Board, tables: Tablebase, means: Means, shelf: Shelf) -> Iterable[_Stage]:
    """Plans, what each takes, and which of its parts files have: from the last one on whose last part they have. That
    one knows all that those before it do."""
    each = ((plan, cost, shelf.look_up(plan)) for plan, cost in plans(board, means))
    if tables.local is None or not tables.local.covers(board):
        return each
    listed = [*each]
    kept = [number for number, (plan, _, kept) in enumerate(listed) if plan[-1].material in kept]
    return listed[kept[-1] :] if kept else listed


@dataclass
class _Asker:
    """Asks the tables of one plan after the other."""

    board: chess.Board
    record: int
    tables: Tablebase
    means: Means
    disk_arrays: DiskArrays
    report: Callable[[int], None]
    remark: Callable[[str], None]
    records: bool
    """Whether contents of all parts stay."""

    def __post_init__(self) -> None:
        self._end = time.monotonic() + self.means.seconds
        self._complete = CompleteTables(self.means.directory, self.disk_arrays.array, threads=self.means.threads)
        self.shelf = Shelf(self.means.directory.resolve(), writes=self.means.keeps)

    def kept(self) -> SureResult | None:
        """What tables say that are kept."""
        return self.tables.sure(self.board, self.record, line=True)

    def try_plan(self, plan: list[Part], kept: Mapping[Material, KeptPart]) -> tuple[SureResult, LocalSource | None]:
        """What a plan proves, and the tables that do. What the last plan has left, and this one proves too, is
        removed."""
        weaker = [*self.shelf.written]
        files: LocalSource | None = self.tables.local
        source, said = files, self._on_cluster(plan, kept)
        if said is None:
            solved = SolvedTables(self._here(plan, kept))
            source = solved if files is None else Both(solved, files)
            said = bounds.answer(source, self.board, self.record, self.tables)
        self.shelf.forget(weaker)
        return said, source

    def _on_cluster(self, plan: list[Part], kept: Mapping[Material, KeptPart]) -> SureResult | None:
        if self.means.cluster is None:
            return None
        left = self._end - time.monotonic()
        try:
            new = self.means.cluster.shelve(self.means.directory, plan, kept, self.report, left)
        except TimeoutError:
            raise _TimeIsOver from None
        self.shelf.written += [one.file.path for part in new for one in part.values()]
        return self.kept()

    def _here(self, plan: list[Part], kept: Mapping[Material, KeptPart]) -> LocalTables:
        return solve_plan(
            plan,
            partial(self._complete.take, report=lambda numbers: self._tell(0)),
            threads=self.means.threads,
            arrays=self.disk_arrays,
            report=self._tell,
            shelf=self.shelf,
            there=kept,
            workspace=workspaces_in(self.disk_arrays, self._complete, self.remark) if self.means.resumes else None,
            records=self.records,
        )

    def _tell(self, numbers: int) -> None:
        """Called between slices, and ten times a second within a large one: the end may come a slice late, and a part
        that was just finished is lost."""
        self.report(numbers)
        if time.monotonic() > self._end:
            raise _TimeIsOver
