"""A position answered from own tables, within limits: small plans first, then what makes their bounds better."""

import shutil
import time
from collections.abc import Callable, Iterator
from contextlib import closing
from functools import partial
from pathlib import Path
from typing import Final, NamedTuple

import chess

from tbgen.errors import OutOfRoom
from tbgen.generate.calibration import known_pace
from tbgen.generate.forecast import BUSY
from tbgen.own.cluster import Cluster
from tbgen.own.complete import CompleteTables
from tbgen.own.plan import Cost, Limits, PlannedPart, stages
from tbgen.own.search import Kept
from tbgen.own.shelf import Shelf
from tbgen.own.slices import PartName
from tbgen.own.solve import solve_plan, workspaces_in
from tbgen.own.view import Either, SolvedTables
from tbgen.probe import Answer, Tablebase, bounds
from tbgen.probe.bounds import OwnSource
from tbgen.store import readable_tables
from tbgen.store.disk_arrays import DiskArrays, scratch_of
from tbgen.table_rules import TableRules
from tbgen.text import time_of

_SPARE: Final = 0.9
"""The share of the free disk that may be used."""


class Means(NamedTuple):
    """What an attempt may use."""

    directory: Path
    """Of the complete tables."""
    memory: int
    seconds: float
    threads: int
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
    answer: Answer | None
    plan: list[PlannedPart]
    """Of the answer."""
    in_time: bool
    """Whether there was time for all that fits."""
    read: bool = False
    """Whether the answer comes from tables that were kept."""


class _TimeIsOver(Exception):
    pass


def plans(board: chess.Board, means: Means) -> Iterator[tuple[list[PlannedPart], Cost]]:
    """The plans to try one after the other, and what each takes. OutOfRoom if the position is too large."""
    pace = known_pace().factor
    complete = {material for _, material, rules in readable_tables(means.directory) if rules == TableRules.RESET}
    limits = Limits(
        means.memory,
        int(_SPARE * shutil.disk_usage(scratch_of(means.directory)).free) // means.at_once,
        means.cpu_seconds * BUSY,
    )
    return stages(board, complete, limits, means.threads, pace)


def attempt(
    board: chess.Board,
    record: int,
    tables: Tablebase,
    means: Means,
    began: Callable[[list[PlannedPart], Cost], None] = lambda plan, cost: None,
    report: Callable[[int], None] = lambda numbers: None,
    use: Callable[[OwnSource, Answer], None] | None = None,
    distance: bool = False,
) -> Attempt:
    """What own tables prove of a position. `began` is called with each plan, `report` with the numbers solved, and
    `use` with the last tables, for as long as they are there, and what they say. `distance`: more is solved as long as
    that is not known."""
    best, last = Attempt(None, [], True), Either(None, None)
    with closing(DiskArrays(scratch_of(means.directory), means.memory)) as disk_arrays:
        asker = _Asker(board, record, tables, means, disk_arrays, report, records=use is not None)
        for plan, cost in plans(board, means):
            there = asker.shelf.look_up(plan)
            is_kept = plan[-1].name in there
            if not means.hopeful and cost.cpu_seconds > means.cpu_seconds and not is_kept:
                raise OutOfRoom(f"solving takes about {time_of(cost.cpu_seconds / means.threads)}")
            own, said = None, asker.kept() if is_kept else None
            if said is None:  # or another process has just removed it
                began(plan, cost)
                try:
                    own, said = asker.solve(plan, there)
                except _TimeIsOver:
                    best = best._replace(in_time=False)
                    break
                except OutOfRoom:
                    if best.answer is None:
                        raise
                    break  # what a smaller plan has proved stands
            best = Attempt(said, plan, True, is_kept and own is None)
            if use is not None:  # else tables of a plan are gone when the next one is solved
                last = Either(own, tables.own)
            if said.sure.exact and not (distance and said.sure.dtg is None):
                break
        if use is not None and best.answer is not None:
            use(last, best.answer)
    return best


class _Asker:
    """Asks the tables of one plan after the other."""

    def __init__(
        self,
        board: chess.Board,
        record: int,
        tables: Tablebase,
        means: Means,
        disk_arrays: DiskArrays,
        report: Callable[[int], None],
        *,
        records: bool,
    ) -> None:
        self._end = time.monotonic() + means.seconds
        self._board = board
        self._record = record
        self._tables = tables
        self._means = means
        self._make = disk_arrays.array
        self._report = report
        self._records = records
        self._complete = CompleteTables(means.directory, self._make, threads=means.threads)
        self._workspace = workspaces_in(disk_arrays, self._complete) if means.resumes else None
        self.shelf = Shelf(means.directory.resolve(), writes=means.keeps)

    def kept(self) -> Answer | None:
        """What tables say that are kept."""
        return self._tables.sure(self._board, self._record, line=True)

    def solve(self, plan: list[PlannedPart], there: dict[PartName, Kept]) -> tuple[SolvedTables | None, Answer]:
        """What a plan proves, with its tables where this process has solved them. What the last plan has left, and this
        one proves too, is removed."""
        weaker = [*self.shelf.written]
        own, said = None, self._on_cluster(plan, there)
        if said is None:
            own = self._here(plan, there)
            said = bounds.answer(own, self._board, self._record, self._tables)
        self.shelf.forget(weaker)
        return own, said

    def _on_cluster(self, plan: list[PlannedPart], there: dict[PartName, Kept]) -> Answer | None:
        if self._means.cluster is None:
            return None
        left = self._end - time.monotonic()
        try:
            new = self._means.cluster.shelve(self._means.directory, plan, there, self._report, left)
        except TimeoutError:
            raise _TimeIsOver from None
        self.shelf.written += [path for kept in new for path in kept.files.values()]
        return self.kept()

    def _here(self, plan: list[PlannedPart], there: dict[PartName, Kept]) -> SolvedTables:
        own = solve_plan(
            plan,
            partial(self._complete.take, report=lambda numbers: self._tell(0)),
            threads=self._means.threads,
            make=self._make,
            report=self._tell,
            shelf=self.shelf,
            there=there,
            workspace=self._workspace,
            records=self._records,
        )
        return SolvedTables(own)

    def _tell(self, numbers: int) -> None:
        self._report(numbers)
        if time.monotonic() > self._end:
            raise _TimeIsOver
