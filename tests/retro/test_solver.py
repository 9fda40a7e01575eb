"""How slices are solved: threads and files leave no trace, and whoever solves is told, and stopped, at once."""

import faulthandler
import math
import subprocess
import sys
import time
from collections.abc import Iterator
from concurrent.futures import ThreadPoolExecutor
from pathlib import Path
from threading import Event, Timer
from typing import Any

import numpy as np
import pytest

from tbgen.core.material import parse
from tbgen.core.table_rules import TableRules
from tbgen.errors import OutOfRoom
from tbgen.generate import estimate
from tbgen.index import Layout, layout_of
from tbgen.index.exits import exits_of
from tbgen.memory import disk_arrays
from tbgen.retro import slice_solver, solver
from tbgen.retro.checkpoint import Counts, InMemory, TableArrays
from tbgen.retro.export import finish
from tbgen.retro.job import Solved, Stopped
from tbgen.retro.slice_solver import SliceSolver
from tbgen.retro.sweep.levels import Schedule
from tbgen.retro.threads.ahead import is_in_file
from tbgen.retro.threads.counters import LEVEL, POSITIONS_SETTLED
from tbgen.retro.threads.team import ABORT, Team
from tbgen.system import thresholds
from tests.support.patience import PATIENCE
from tests.support.solved import contents, entries_of, every_byte, solved

# --- threads ---------------------------------------------------------------------------------------------


@pytest.fixture
def two_teams(monkeypatch: pytest.MonkeyPatch) -> None:
    """Two slices of KPvK at a time, however small. What others are compared with, or lead to, is made before."""
    contents("KPvK", "r")
    monkeypatch.setattr(solver, "TEAM_FROM", 1)
    monkeypatch.setattr(solver, "_teams", lambda *_: 2)


@pytest.mark.parametrize(
    ("slices", "threads", "room", "teams"),
    [
        (4, 1, 9, 1), (4, 2, 9, 2), (4, 4, 9, 4), (4, 8, 9, 4), (8, 4, 9, 4),
        (1, 2, 9, 1), (3, 2, 9, 1), (4, 3, 9, 1), (6, 4, 9, 2),
        (4, 4, 3.9, 2), (4, 4, 1.9, 1), (4, 4, -1, 1), (4, 2, math.inf, 2),
    ],
)  # fmt: skip
def test_as_many_teams_as_keep_all_threads_at_work(slices: int, threads: int, room: float, teams: int) -> None:
    assert solver._teams(1000, slices, threads, room * thresholds.AT_WORK * 1000) == teams


def test_slices_with_snapshots_are_solved_one_by_one() -> None:
    assert [solver._teams(thresholds.LONG_FROM - less, 4, 4, math.inf) for less in (0, 1)] == [1, 4]


def test_room_for_a_slice_is_room_for_all_of_its_arrays() -> None:
    for rules in (True, False):
        arrays = estimate.solving(thresholds.TEAM_FROM, 24 * thresholds.TEAM_FROM, 2, with_record=rules)
        assert arrays.memory - thresholds.PROGRAM + arrays.scratch <= thresholds.AT_WORK * thresholds.TEAM_FROM


INTERRUPTED = """
import sys
from concurrent.futures import ThreadPoolExecutor
from tbgen.index.exits import exits_of
from tbgen.core.material import parse
from tbgen.retro import solver

class Pool(ThreadPoolExecutor):
    def submit(self, work, *arguments):
        running = super().submit(work, *arguments)
        if arguments == (int(sys.argv[1]),):
            raise KeyboardInterrupt
        return running

solver.TEAM_FROM, solver.ThreadPoolExecutor = 1, Pool
for _ in range(10):  # where threads end depends on how far they have come
    try:
        solver.solve_table(exits_of(parse("KvK"), {}), threads=3)
    except KeyboardInterrupt:
        print("interrupted")
"""


@pytest.mark.parametrize("last", [1, 2])
def test_an_interrupt_while_threads_start_ends_those_that_have(last: int) -> None:
    """They would wait for the others for ever, at full speed."""
    command = [sys.executable, "-c", INTERRUPTED, str(last)]
    run = subprocess.run(command, capture_output=True, text=True, timeout=PATIENCE, check=False)
    assert (run.stdout, run.stderr) == ("interrupted\n" * 10, "")


@pytest.mark.parametrize("threads", [2, 3])
@pytest.mark.parametrize("rules", ["r", "wg"])
@pytest.mark.parametrize("name", ["KNvK", "KPvK"])
def test_slices_side_by_side_leave_no_trace_of_threads(name: str, rules: str, threads: int) -> None:
    assert every_byte(solved(name, rules, threads)) == every_byte(contents(name, rules))


@pytest.mark.parametrize("threads", [1, 2, 3])
@pytest.mark.parametrize(
    ("name", "rules", "times"),
    [("KvK", "r", 2), ("KNvK", "r", 2), ("KNvK", "wg", 1), ("KBvK", "r", 1), ("KQvK", "r", 1), ("KPvK", "r", 1)],
)
@pytest.mark.usefixtures("always_together")
def test_a_team_leaves_no_trace_of_threads(name: str, rules: str, times: int, threads: int) -> None:
    expected = every_byte(contents(name, rules))
    for _ in range(times):
        assert every_byte(solved(name, rules, threads)) == expected


@pytest.mark.parametrize("threads", [2, 4])
@pytest.mark.usefixtures("two_teams")
def test_teams_side_by_side_leave_no_trace_of_threads(threads: int) -> None:
    assert every_byte(solved("KPvK", "r", threads)) == every_byte(contents("KPvK", "r"))


class FewThreads(ThreadPoolExecutor):
    """For which the system starts no second thread of a team."""

    def submit(self, work: Any, /, *arguments: Any, **options: Any) -> Any:
        if work.__name__ == "begin" and arguments == (1,):
            raise RuntimeError("can't start new thread")
        return super().submit(work, *arguments, **options)


@pytest.mark.usefixtures("two_teams")
def test_a_team_that_lacks_threads_ends_the_others(monkeypatch: pytest.MonkeyPatch) -> None:
    """Its first thread would wait for the second for ever, and whoever waits for the team as well."""
    monkeypatch.setattr(solver, "ThreadPoolExecutor", FewThreads)
    exits = exits_of(parse("KPvK"), entries_of(parse("KPvK").successors(), "r"))
    with pytest.raises(RuntimeError, match="can't start"):
        solver.solve_table(exits, threads=4)


@pytest.mark.full
@pytest.mark.parametrize("name", ["KNNvK", "KRvKN", "KBvKN"])
@pytest.mark.usefixtures("always_together")
def test_a_team_leaves_no_trace_of_threads_with_four_men(name: str) -> None:
    expected = every_byte(contents(name))
    for threads in (2, 3, 4):
        assert every_byte(solved(name, "r", threads)) == expected


@pytest.mark.parametrize(
    ("name", "rules", "threads"),
    [
        ("KNvK", "r", 2),
        ("KPvK", "r", 1),
        ("KRvK", "wg", 1),
        ("KRvKN", "r", 2),
        pytest.param("KBBvK", "r", 2, marks=pytest.mark.full),
        pytest.param("KNvKP", "r", 1, marks=pytest.mark.full),
    ],
)
@pytest.mark.usefixtures("always_together")
def test_arrays_in_files_leave_no_trace(
    name: str, rules: str, threads: int, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(thresholds, "LARGE", 0)
    monkeypatch.setattr(disk_arrays, "SMALL", 0)
    arrays, material = disk_arrays.DiskArrays(tmp_path, 0), parse(name)
    assert is_in_file(arrays.work(1, np.uint8))
    assert not is_in_file(np.zeros(4, np.uint64)[1:].view(np.uint8))
    exits = exits_of(material, entries_of(material.successors(), rules))
    found, expected = (
        solver.solve_table(exits, rules=TableRules(rules), threads=threads, checkpoint=made)
        for made in (InMemory(arrays), InMemory())
    )
    assert every_byte(finish(found)) == every_byte(finish(expected)) == every_byte(contents(name, rules))
    assert found.counts.legal == expected.counts.legal, "the file has it too"
    assert found.counts.looks < expected.counts.looks or not expected.counts.looks, "reviews are given up sooner"
    arrays.close()


# --- how a run goes --------------------------------------------------------------------------------------


@pytest.mark.parametrize("team_from", [1, 1 << 40])
@pytest.mark.parametrize("name", ["KNvK", "KPvK"])
def test_reports_add_up_to_the_table(name: str, team_from: int, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(solver, "TEAM_FROM", team_from)
    monkeypatch.setattr(slice_solver, "_GLANCE", 0.001)
    material, told = parse(name), list[int]()
    done = solver.solve_table(exits_of(material, entries_of(material.successors(), "r")), threads=2, report=told.append)
    assert min(told) >= 0
    assert sum(told) == done.layout.size
    assert done.counts.legal == np.count_nonzero(done.entries)


def rounds_told(name: str, threads: int) -> list[tuple[int, int]]:
    told = list[tuple[int, int]]()
    exits = exits_of(parse(name), entries_of(parse(name).successors(), "r"))
    solver.solve_table(exits, threads=threads, tell_round=lambda *which: told.append(which))
    return told


@pytest.mark.usefixtures("always_together")
def test_levels_of_a_slice_are_told_as_they_come(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(slice_solver, "_GLANCE", 0.001)
    told = [level for level, _ in rounds_told("KNvK", 2)]
    assert told
    assert told == sorted(told)


@pytest.mark.usefixtures("always_together")
def test_rounds_are_told_as_they_come(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(slice_solver, "_GLANCE", 0.001)
    told = {distance for _, distance in rounds_told("KBvKN", 2)}
    assert min(told) == 0
    assert 10 < max(told) < 200


@pytest.mark.usefixtures("two_teams")
def test_levels_of_slices_side_by_side_are_not_told(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(slice_solver, "_GLANCE", 0.001)
    assert not rounds_told("KPvK", 2)


@pytest.fixture
def no_hang() -> Iterator[None]:
    """Kernels that wait for ever can be ended by nothing else."""
    faulthandler.dump_traceback_later(PATIENCE, exit=True)
    yield
    faulthandler.cancel_dump_traceback_later()


@pytest.fixture
def teams(monkeypatch: pytest.MonkeyPatch) -> list[Team]:
    """All that are made, the last one last."""
    make_team, made = slice_solver.make_team, list[Team]()

    def team_of(size: int) -> Team:
        made.append(make_team(size))
        return made[-1]

    monkeypatch.setattr(slice_solver, "make_team", team_of)
    return made


class SlowlyFilled(ThreadPoolExecutor):
    """The first thread is at work long before the last."""

    def submit(self, *what: Any, **how: Any) -> Any:
        running = super().submit(*what, **how)
        time.sleep(0.05)
        return running


@pytest.mark.parametrize("threads", [1, 2])
@pytest.mark.usefixtures("always_together", "no_hang")
def test_who_is_to_end_does_not_end_the_round(threads: int, teams: list[Team], monkeypatch: pytest.MonkeyPatch) -> None:
    """With six men one takes half a minute."""
    exits = exits_of(parse("KQvK"), entries_of(parse("KQvK").successors(), "r"))
    make_schedule, schedules = slice_solver.make_schedule, list[Schedule]()

    def schedule_of(*words: Any) -> Schedule:
        schedules.append(make_schedule(*words))
        teams[-1].shared[ABORT] = 1
        return schedules[-1]

    monkeypatch.setattr(slice_solver, "make_schedule", schedule_of)
    monkeypatch.setattr(solver, "ThreadPoolExecutor", SlowlyFilled)
    with pytest.raises(Stopped):
        solver.solve_table(exits, threads=threads)
    assert schedules[0].counts[LEVEL] <= 1
    assert schedules[0].counts[POSITIONS_SETTLED] == 0


@pytest.mark.parametrize("threads", [1, 2])
@pytest.mark.usefixtures("always_together", "no_hang")
def test_threads_end_wherever_they_are(threads: int, teams: list[Team]) -> None:
    """None waits at a barrier for others, and none goes on until what is left has been done."""
    exits = exits_of(parse("KNvKN"), entries_of(parse("KNvKN").successors(), "r"))
    takes, stopped = 0.0, 0
    for _ in range(2):  # the first time kernels may have to be compiled
        begun = time.monotonic()
        solver.solve_table(exits, threads=threads)
        takes = time.monotonic() - begun
    for part in range(1, 16):
        ending = Timer(takes * part / 16, lambda: teams[-1].shared.__setitem__(ABORT, 1))
        ending.start()
        try:
            solver.solve_table(exits, threads=threads)
        except Stopped:
            stopped += 1
        ending.cancel()
    assert stopped


class Forgetful(InMemory):
    """Has some slices already, as after a stop."""

    def __init__(self, done: Solved, slices: list[int]) -> None:
        super().__init__()
        self.done, self.slices = done, slices
        self.told: list[int] = []

    def open(self, layout: Layout, links: int) -> tuple[TableArrays, dict[int, Counts]]:
        arrays = TableArrays(self.done.entries.copy(), self.done.staircases.copy(), self.done.links)
        for slice_ in range(self.done.layout.slices):
            if slice_ not in self.slices:
                here = slice(self.done.layout.start[slice_], self.done.layout.start[slice_ + 1])
                arrays.entries[here] = arrays.staircases[here] = 0
        return arrays, dict.fromkeys(self.slices, Counts(1))

    def solved(self, slice_: int, counts: Counts) -> None:
        self.told.append(slice_)


@pytest.mark.parametrize("slices", [[], [0, 1, 2], list(range(12))])
def test_slices_that_are_there_already_are_not_solved_again(slices: list[int]) -> None:
    material = parse("KPvK")
    answers = entries_of(material.successors(), "r")
    checkpoint = Forgetful(solver.solve_table(exits_of(material, answers)), slices)
    reported: list[int] = []
    again = solver.solve_table(exits_of(material, answers), checkpoint=checkpoint, report=reported.append)
    assert every_byte(finish(again)) == every_byte(contents("KPvK"))
    assert sorted(checkpoint.told) == [slice_ for slice_ in range(again.layout.slices) if slice_ not in slices]
    assert sum(reported) == again.layout.size


@pytest.mark.parametrize("team_from", [1, 1 << 40])
def test_an_end_asked_for_comes_at_once(team_from: int, monkeypatch: pytest.MonkeyPatch) -> None:
    def interrupt(numbers: int) -> None:
        told.append(numbers)
        raise KeyboardInterrupt

    monkeypatch.setattr(solver, "TEAM_FROM", team_from)
    monkeypatch.setattr(slice_solver, "_GLANCE", 0.001)
    told: list[int] = []
    material = parse("KPvK")
    with pytest.raises(KeyboardInterrupt):
        solver.solve_table(exits_of(material, entries_of(material.successors(), "r")), threads=2, report=interrupt)
    assert len(told) <= 2, "no slice is begun any more"
    assert sum(told) < layout_of(material).size / 4


def test_the_slice_that_fails_is_told_and_not_those_that_end_with_it(monkeypatch: pytest.MonkeyPatch) -> None:
    """Even if one of those comes first: its thread may have been about to begin."""
    failed, solve = Event(), SliceSolver.solve

    def late_or_full(one: SliceSolver) -> None:
        if one._slice == 1:
            failed.set()
            raise OutOfRoom("full")
        assert failed.wait(PATIENCE)
        while not one._job.stopped:
            time.sleep(0.001)
        solve(one)

    material = parse("KPvK")
    exits = exits_of(material, entries_of(material.successors(), "r"))
    monkeypatch.setattr(SliceSolver, "solve", late_or_full)
    with pytest.raises(OutOfRoom):
        solver.solve_table(exits, threads=2)


def test_answers_that_lack_positions_are_noticed() -> None:
    nothing = np.zeros(layout_of(parse("KvK")).size, np.int32)
    with pytest.raises(AssertionError, match="contradictions"):
        solver.solve_table(exits_of(parse("KNvK"), {parse("KvK"): nothing}))
    with pytest.raises(KeyError):
        solver.solve_table(exits_of(parse("KNvK"), {}))
