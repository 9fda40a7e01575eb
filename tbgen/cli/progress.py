"""Progress bars: one for all tables, one per table at work."""

import sys
import time
from collections.abc import Mapping, Sequence
from typing import Final, Self

from rich.console import Console
from rich.progress import (
    BarColumn,
    SpinnerColumn,
    TaskID,
    TaskProgressColumn,
    TextColumn,
    TimeRemainingColumn,
)
from rich.progress import (
    Progress as Bars,
)

from tbgen.generate.estimate import numbers_of
from tbgen.generate.forecast import time_of
from tbgen.generate.precompile import cold_parts, share_compiled, warm_up
from tbgen.material import Material
from tbgen.text import say, shown

COMPILING: Final = "compiling the solver, this once"
COMPILING_EVERY: Final = 10.0
_EVERY: Final = 60.0
"""Seconds from one line to the next, where there is no terminal."""
_PERIOD: Final = 600.0
_SHORT: Final = 30.0
"""Seconds over which the speed is averaged."""


class Progress:
    """A `Watcher` that draws bars on a terminal, and elsewhere prints a line a minute to standard error. What `show`
    prints goes to standard output in any case."""

    def __init__(self, tables: Sequence[Material], *, quiet: bool, costs: Mapping[str, float] | None = None) -> None:
        """`costs`: estimated CPU seconds per table; without them all numbers count the same. A material may be in
        `tables` once per set of rules, if these are not at work at the same time."""
        to_terminal = sys.stdout.isatty()
        self._console = Console(stderr=not to_terminal, highlight=False, soft_wrap=True, quiet=quiet)
        self._shares_terminal = to_terminal and not quiet
        """Whether what is printed has to go above the bars."""
        self._bars = _bars(self._console, drawn=self._console.is_terminal and not quiet, period=_PERIOD)
        sizes = {material: numbers_of(material) for material in tables}
        self._cost = {m: costs[m.name] / size if costs else 1.0 for m, size in sizes.items()}
        total = sum(self._cost[material] * sizes[material] for material in tables)
        self._all = self._bars.add_task(f"{len(tables)} tables", total=total, visible=len(tables) > 1)
        title = f"{len(tables)} tables" if len(tables) != 1 else tables[0].name
        self._lines = None if quiet or self._console.is_terminal else _Lines(title, _EVERY)
        self._tables: dict[Material, TaskID] = {}
        self._reading: dict[Material, TaskID] = {}

    def __enter__(self) -> Self:
        self._bars.start()
        return self

    def __exit__(self, *error: object) -> None:
        self._bars.stop()

    def show(self, lines: list[str]) -> None:
        """Print to standard output, above the bars."""
        for line in lines:
            if self._shares_terminal:
                self._console.print(shown(line), markup=False, emoji=False)
            else:
                say(line, flush=True)

    def began(self, material: Material) -> None:
        if material in self._tables:  # a worker died, and another one starts again
            self._forget(material)
        self._tables[material] = self._bars.add_task(material.name, total=numbers_of(material))

    def solved(self, material: Material, numbers: int) -> None:
        if material in self._tables:
            self._bars.advance(self._tables[material], numbers)
            self._bars.advance(self._all, self._cost[material] * numbers)
        if self._lines is not None:
            of_all = self._bars.tasks[self._bars.task_ids.index(self._all)]
            self._lines.at(of_all.completed / (of_all.total or 1))

    def read(self, material: Material, numbers: int) -> None:
        """`numbers` more numbers of a finished table have been read."""
        if material not in self._reading:
            self._reading[material] = self._bars.add_task(f"reading {material}", total=numbers_of(material))
        task = self._reading[material]
        self._bars.advance(task, numbers)
        if self._bars.tasks[self._bars.task_ids.index(task)].finished:
            self._bars.remove_task(self._reading.pop(material))

    def waits(self, material: Material) -> None:
        self._console.print(f"{material}: another process is building it; waiting")

    def finished(self, material: Material) -> None:
        if material in self._reading:
            self._bars.remove_task(self._reading.pop(material))
        if material in self._tables:
            self._forget(material)
            self._bars.advance(self._all, self._cost[material] * numbers_of(material))

    def _forget(self, material: Material) -> None:
        """Remove a table's bar, and take its share off the bar for all."""
        task = self._tables.pop(material)
        done = next(bar.completed for bar in self._bars.tasks if bar.id == task)
        self._bars.remove_task(task)
        self._bars.advance(self._all, -self._cost[material] * done)


def _bars(console: Console, *, drawn: bool = True, period: float = _SHORT) -> Bars:
    """Bars that leave nothing behind. `period`: seconds over which the speed is averaged, for the time left."""
    return Bars(
        SpinnerColumn(), TextColumn("{task.description}"), BarColumn(), TaskProgressColumn(), TimeRemainingColumn(),
        console=console, transient=True, disable=not drawn, speed_estimate_period=period,
    )  # fmt: skip


class _Lines:
    """How far something is, in a line now and then, where there is no terminal for a bar."""

    def __init__(self, what: str, every: float, share: float = 0) -> None:
        """`every`: seconds from one line to the next. `share`: what is done already."""
        self._what = what
        self._every = every
        self._begun = self._last = time.monotonic()
        self._first = share

    def at(self, share: float) -> None:
        """This much is done."""
        now = time.monotonic()
        if now - self._last >= self._every:
            self._last = now
            done = share - self._first
            left = f", about {time_of((1 - share) / done * (now - self._begun))} left" if done > 0 else ""
            say(f"tbgen: {self._what}: {share:.0%}{left}".replace("%", " %"), file=sys.stderr, flush=True)


class Counter:
    """One thing at a time on standard error: a bar on a terminal, else a line now and then."""

    def __init__(self, *, quiet: bool) -> None:
        console = Console(stderr=True, highlight=False, quiet=quiet)
        self._draws = console.is_terminal and not quiet
        self._speaks = not console.is_terminal and not quiet
        self._bars = _bars(console, drawn=self._draws)
        self._task: TaskID | None = None
        self._lines: _Lines | None = None
        self._what = ""
        self._done = self._total = 0

    def __enter__(self) -> Self:
        self._bars.start()
        return self

    def __exit__(self, *error: object) -> None:
        self._bars.stop()

    def begin(self, what: str, total: int) -> None:
        """Start again at nothing."""
        self._what, self._done, self._total = what, 0, total
        if self._task is not None:
            self._bars.remove_task(self._task)
        self._task = self._bars.add_task(what, total=total)
        self._lines = _Lines(what, _EVERY) if self._speaks else None

    def advance(self, count: int) -> None:
        """Say that so much more is done."""
        self._done += count
        if self._task is not None:
            self._bars.advance(self._task, count)
        if self._lines is not None:
            self._lines.at(self._done / self._total)

    def more(self, what: str, total: int, count: int) -> None:
        """Say that so much more of this is done. What was not at work, or is done, begins."""
        if what != self._what or self._done >= self._total:
            self.begin(what, total)
        self.advance(count)

    def at(self, done: int, total: int) -> None:
        """Say how much is done, and of how much: that may have grown."""
        if self._task is not None:
            self._bars.update(self._task, total=total)
        self._total = total
        self.advance(done - self._done)


def warm_up_visibly(processes: int, *, quiet: bool) -> None:
    """Compile the kernels if that has not been done, and show how far it is: it takes about a minute, once."""
    if not cold_parts():
        return
    console = Console(stderr=True, highlight=False)
    if quiet:
        warm_up(processes)
    elif console.is_terminal:
        with _bars(console, period=_PERIOD) as bars:
            task = bars.add_task(COMPILING, total=1.0)
            warm_up(processes, lambda share: bars.update(task, completed=share))
    else:
        say(f"tbgen: {COMPILING}: about a minute", file=sys.stderr, flush=True)
        warm_up(processes, _Lines(COMPILING, COMPILING_EVERY, share_compiled()).at)
