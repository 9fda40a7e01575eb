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
from tbgen.generate.forecast import BUSY, time_of
from tbgen.generate.workspace import Workspace
from tbgen.index import Layout
from tbgen.own.choice import Tables
from tbgen.own.complete import CompleteTables
from tbgen.own.plan import Cost, Limits, PlannedPart, stages
from tbgen.own.search import Kept
from tbgen.own.shelf import Shelf
from tbgen.own.slices import PartName
from tbgen.own.solve import solve_plan
from tbgen.own.view import Either, SolvedTables
from tbgen.probe import Answer, Tablebase, bounds
from tbgen.probe.bounds import OwnSource
from tbgen.store import readable_tables
from tbgen.store.disk_arrays import DiskArrays, scratch_of
from tbgen.table_rules import TableRules

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
        int(_SPARE * shutil.disk_usage(scratch_of(means.directory)).free),
        means.seconds * means.threads * BUSY,
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
    end = time.monotonic() + means.seconds

    def tell(numbers: int) -> None:
        report(numbers)
        if time.monotonic() > end:
            raise _TimeIsOver

    best, last = Attempt(None, [], True), Either(None, None)
    shelf = Shelf(means.directory, writes=means.keeps)
    with closing(DiskArrays(scratch_of(means.directory), means.memory)) as disk_arrays:
        complete = CompleteTables(means.directory, disk_arrays.array, threads=means.threads)

        def solved(plan: list[PlannedPart], there: dict[PartName, Kept]) -> SolvedTables:
            make = disk_arrays.array
            take = partial(complete.take, report=lambda numbers: tell(0))
            own = solve_plan(
                plan, take, threads=means.threads, make=make, report=tell, shelf=shelf,
                there=there, workspace=workspace if means.resumes else None, records=use is not None,
            )  # fmt: skip
            return SolvedTables(own)

        def workspace(path: Path, layout: Layout, needed: Tables) -> Workspace:
            sums = {one.name: complete.sha256_of(one) for one in needed}
            return Workspace(path, layout, TableRules.RESET, disk_arrays, sums)

        for plan, cost in plans(board, means):
            there = shelf.look_up(plan)
            is_kept = plan[-1].name in there
            if not means.hopeful and cost.cpu_seconds > means.seconds * means.threads and not is_kept:
                raise OutOfRoom(f"solving takes about {time_of(cost.cpu_seconds / means.threads)}")
            own, said = None, tables.sure(board, record, line=True) if is_kept else None
            if said is None:  # or another process has just removed it
                began(plan, cost)
                weaker = [*shelf.written]
                try:
                    own = solved(plan, there)
                except _TimeIsOver:
                    best = best._replace(in_time=False)
                    break
                except OutOfRoom:
                    if best.answer is None:
                        raise
                    break  # what a smaller plan has proved stands
                said = bounds.answer(own, board, record, tables)
                shelf.forget(weaker)
            best = Attempt(said, plan, True, own is None)
            if use is not None:  # else tables of a plan are gone when the next one is solved
                last = Either(own, tables.own)
            if said.sure.exact and not (distance and said.sure.dtg is None):
                break
        if use is not None and best.answer is not None:
            use(last, best.answer)
    return best
