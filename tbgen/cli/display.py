"""How far work is: bars on a terminal, one below the other; elsewhere a line a minute on standard error."""

import sys
import time
from collections import deque
from collections.abc import Iterator
from contextlib import contextmanager
from threading import Event, Lock, Thread
from typing import TYPE_CHECKING, Final, Self, TextIO

from tbgen.system.periodic_thread import call_every
from tbgen.system.text import say, shown, time_of

if TYPE_CHECKING:
    from rich.progress import Progress, TaskID

EVERY: Final = 60.0
"""Seconds from one line to the next, where there is no terminal."""
LONG: Final = 600.0
"""Seconds over which the speed of long work is averaged, for the time left."""
_TELLING: Final = 0.001
"""What must have been done for the time left to be told from it."""
_LATELY: Final = 0.1
"""What the last while has of it at the least: some work counts for nothing, as when steps are written for minutes."""
_SHORT: Final = 30.0
_GLANCE: Final = 1.0
"""Seconds between two looks whether a line is due, at the least."""


class Display:
    """Shows tasks, which may go on at the same time."""

    def __init__(
        self,
        *,
        quiet: bool,
        stream: TextIO | None = None,
        period: float = _SHORT,
        sizes: bool = False,
    ) -> None:
        """`stream`: where bars are drawn if it is a terminal, standard error if not given. `period`: seconds over which
        the speed is averaged. `sizes`: tasks count bytes."""
        self.stream = stream or sys.stderr
        self.period = period
        self._sizes = sizes
        self.quiet = quiet
        self.draws = not quiet and self.stream.isatty()
        self._bars: Progress | None = None
        self._tasks: list[Task] = []
        self._closed = Event()
        self._clock: Thread | None = None
        """Has tasks tell how far they are, also while they hear nothing."""

    def __enter__(self) -> Self:
        return self

    def __exit__(self, *error: object) -> None:
        self.close()

    def close(self) -> None:
        """Remove all bars: nothing is drawn or told any more."""
        self._closed.set()
        self._clear()
        self.draws = False

    def task(
        self,
        what: str,
        total: float | None,
        *,
        done: float = 0.0,
        every: float | None = None,
        drawn: bool = True,
        planned: float = 0.0,
    ) -> "Task":
        """A new task, of which so much was done before; it has a bar if it is `drawn`. `every`: seconds from one of its
        lines to the next; 0: it has none. `planned`: seconds that it was to take, if they were estimated. Without a
        total nobody knows when it is done."""
        every = 0.0 if self.quiet or self.draws else EVERY if every is None else every
        task = Task(self, what, total, done, every, planned, drawn=drawn)
        self._tasks.append(task)
        if every and self._clock is None:
            self._clock = call_every(max(every, _GLANCE), self.tell, self._closed, "display")
        self.draw()
        return task

    def say(self, line: str) -> None:
        """Print a line above the bars."""
        if self._bars is not None:
            self._bars.console.print(shown(line), markup=False, emoji=False, soft_wrap=True)
        else:
            say(line, file=self.stream, flush=True)

    def remark(self, line: str) -> None:
        """Print a line that is worth knowing, unless nothing is to be said."""
        if not self.quiet:
            self.say(line)

    @contextmanager
    def paused(self) -> Iterator[None]:
        """Leave the terminal to another display."""
        self._clear()
        draws, self.draws = self.draws, False
        try:
            yield
        finally:
            self.draws = draws
            self.draw()

    def tell(self) -> None:
        """Have what is at work tell how far it is, if that is due."""
        for task in [*self._tasks]:
            task.tell()

    def draw(self) -> None:
        """Draw what is at work."""
        if self._bars is None and self.draws:
            from tbgen.cli.bars import make_bars

            self._bars = make_bars(self.stream, self.period, sizes=self._sizes)
            self._bars.start()
        for task in self._tasks if self._bars is not None else ():
            task.draw(self._bars)

    def beside(self, task: "Task") -> list[str]:
        """What its lines tell beside how much is done."""
        return []

    def waiting(self, task: "Task") -> float:
        """Seconds that it will wait for a disk beyond what its speed tells."""
        return 0.0

    def redraw(self, task: "Task") -> None:
        """Draw it as if it began now."""
        task.erase(self._bars)
        self.draw()

    def forget(self, task: "Task") -> None:
        self._tasks.remove(task)
        task.erase(self._bars)

    def _clear(self) -> None:
        if self._bars is not None:
            self._bars.stop()
            for task in self._tasks:
                task.erase(self._bars)
            self._bars = None


class Task:
    """Something of which more and more is done."""

    def __init__(
        self,
        display: Display,
        what: str,
        total: float | None,
        done: float,
        every: float,
        planned: float,
        *,
        drawn: bool,
    ) -> None:
        self._display = display
        self.what = what
        self.total = total
        self.done = self._first = done
        self._every = every
        self._planned = planned
        self._drawn = drawn
        self._begun = self._last = time.monotonic()
        self._told = deque([(self._last, done)])
        """When how much was done: at the lines of the last while."""
        self._lock = Lock()
        """Of what lines are told from."""
        self._bar: TaskID | None = None

    def advance(self, count: float) -> None:
        """So much more is done."""
        self.at(self.done + count)

    def found(self, count: float) -> None:
        """So much more had been done before, which says nothing of the time left."""
        with self._lock:
            self._first += count
            self.done += count
            self._told = deque((when, done + count) for when, done in self._told)
        self._display.redraw(self)

    def at(self, done: float, total: float | None = None) -> None:
        """So much is done, of so much: that may have grown."""
        self.done, self.total = done, self.total if total is None else total
        self._display.draw()
        self.tell()

    def tell(self) -> None:
        """Print a line, if the last one is so long ago."""
        if not self._every or time.monotonic() - self._last < self._every:
            return
        with self._lock:  # another thread may have done it
            now = time.monotonic()
            if self.total and now - self._last >= self._every:
                self._last = now
                share = f"{self.done / self.total:.0%}".replace("%", " %")
                told = [share, *self._display.beside(self), *self._time_left(now)]
                self._display.say(f"tbgen: {self.what}: {', '.join(told)}")

    def _time_left(self, now: float) -> list[str]:
        """At the speed of the last while, which is longer where little was done."""
        assert self.total
        enough = self.done - _LATELY * self.total
        while len(self._told) > 1 and now - self._told[1][0] >= self._display.period and self._told[1][1] < enough:
            self._told.popleft()
        then, before = self._told[0]
        self._told.append((now, self.done))
        if before >= self.done - _TELLING * self.total or self.done >= self.total:
            return []
        measured = (self.total - self.done) / (self.done - before) * (now - then)
        return [f"about {time_of(self.believed(measured, now))} left"]

    def believed(self, measured: float, now: float) -> float:
        """The time left: what the speed promises, and where the plan has more left, as much of the difference as is
        still to be done of all. What comes last may take longest."""
        measured += self._display.waiting(self)
        if not self.total or not self._planned:
            return measured
        planned = self._planned * (1 - self._first / self.total) - (now - self._begun)
        return measured + max(0.0, 1 - self.done / self.total) * max(0.0, planned - measured)

    def end(self) -> None:
        """It is done with."""
        self._display.forget(self)

    def draw(self, bars: "Progress | None") -> None:
        """Draw its bar as it is now."""
        if bars is not None and self._drawn:
            if self._bar is None:
                self._bar = bars.add_task(
                    self.what, total=self.total, completed=int(self._first), believed=self.believed
                )
            bars.update(self._bar, total=self.total, completed=self.done)

    def erase(self, bars: "Progress | None") -> None:
        if bars is not None and self._bar is not None:
            bars.remove_task(self._bar)
        self._bar = None


class Counter(Display):
    """One task at a time."""

    _task: Task | None = None
    _every: float | None = None

    def begin(self, what: str, total: float) -> None:
        """Start again at nothing."""
        self.end()
        self._task = self.task(what, total, every=self._every)

    def end(self) -> None:
        if self._task is not None:
            self._task.end()
            self._task = None

    def advance(self, count: float) -> None:
        """So much more is done."""
        if self._task is not None:
            self._task.advance(count)

    def again(self, count: float) -> None:
        """So much of it has to be done once more."""
        if self._task is not None:
            self._task.at(self._task.done, (self._task.total or 0) + count)

    def more(self, what: str, total: float, count: float) -> None:
        """So much more of this is done. What was not at work, or is done, begins."""
        if self._task is None or what != self._task.what or self._task.done >= (self._task.total or 0):
            self.begin(what, total)
        self.advance(count)

    def at(self, done: float, total: float) -> None:
        """So much is done, of so much: that may have grown."""
        if self._task is not None:
            self._task.at(done, total)
