"""How far tables are that are built or read, and how far compiling is."""

import sys
from collections import Counter
from collections.abc import Mapping, Sequence
from typing import Final

from tbgen.cli.display import LONG, Display, Task
from tbgen.core import outcome
from tbgen.core.material import Material
from tbgen.generate.estimate import numbers_of
from tbgen.generate.forecast import BUSY
from tbgen.generate.precompile import VERIFYING, cold_parts, warm_up
from tbgen.generate.usage import Clocks
from tbgen.generate.watcher import Watcher
from tbgen.system.text import say, size_of

_MUCH: Final = 1 << 30
"""Bytes that are worth telling."""
COMPILING: Final = "compiling the solver, this once"
COMPILING_VERIFIER: Final = "compiling the verifier, this once"
COMPILING_EVERY: Final = 10.0
_SOLVING: Final = 0.72
"""The part of the time that solving a table takes, roughly,"""
_PASSES: Final = 0.05, 0.17
"""and each of the writer's two passes. Staircases are numbered before, and a sample is checked afterwards."""
_READ: Final = 30
"""Bytes for each number that all this reads of a table that does not fit into memory: 28 of KRRvKR, 33 of KBNvKN."""


class TableProgress(Display, Watcher):
    """Shows each table at work and, where there are several, all together. What `show` prints goes to
    standard output in any case, above the bars if these are there too."""

    def __init__(
        self,
        tables: Sequence[Material],
        *,
        quiet: bool,
        costs: Mapping[str, float] | None = None,
        planned: float = 0.0,
        threads: int = 0,
    ) -> None:
        """`costs`: estimated CPU seconds per table; without them all numbers count the same. `planned`: seconds
        that all should take, if that was estimated. `threads`: with how many this process builds a table, if it does.
        A material may be in `tables` once per set of rules, if these are not at work at the same time."""
        self._shares = sys.stdout.isatty()  # asked now: while bars are drawn, another stream stands for it
        super().__init__(quiet=quiet, stream=sys.stdout if self._shares else None, period=LONG)
        sizes = {material: numbers_of(material) for material in tables}
        self._cost = {m: costs[m.name] / size if costs else 1.0 for m, size in sizes.items()}
        total = sum(self._cost[material] * sizes[material] for material in tables)
        self._several = len(tables) != 1  # the bar of a single table says all
        name = f"{len(tables)} tables" if self._several else tables[0].name
        self._planned = planned
        self._all = self.task(name, total, drawn=self._several, planned=planned)
        self._tables: dict[Material, Task] = {}
        self._written: Counter[Material] = Counter()
        self._reading: dict[Material, Task] = {}
        self._stage = ""
        self._threads = threads
        self._begun = Clocks.read()

    def show(self, lines: list[str]) -> None:
        """Print to standard output."""
        for line in lines:
            if self._shares:
                self.say(line)
            else:
                say(line, flush=True)

    def began(self, material: Material) -> None:
        if material in self._tables:  # a worker died, and another one starts again
            self._forget(material)
        planned = 0.0 if self._several else self._planned
        self._tables[material] = self.task(material.name, numbers_of(material), every=0, planned=planned)

    def found(self, material: Material, numbers: int) -> None:
        if material in self._tables:
            self._tables[material].found(_SOLVING * numbers)
            self._all.found(self._cost[material] * _SOLVING * numbers)

    def noted(self, material: Material, line: str) -> None:
        self.remark(f"{material}: {line}")

    def solved(self, material: Material, numbers: int) -> None:
        self._advance(material, _SOLVING * numbers)

    def written(self, material: Material, numbers: int) -> None:
        self.at_stage(material, "writing")
        share = _PASSES[self._written[material] >= numbers_of(material)]
        self._written[material] += numbers
        self._advance(material, share * numbers)

    def checked(self, material: Material, numbers: int) -> None:
        """`numbers` more numbers of a finished table have been verified or compared."""
        self._advance(material, numbers)

    def _advance(self, material: Material, done: float) -> None:
        if material in self._tables:
            self._tables[material].advance(done)
            self._all.advance(self._cost[material] * done)

    def at_round(self, material: Material, level: int, distance: int) -> None:
        at = f"at {outcome.gscore(level)}"
        self.at_stage(material, f"{at}, round {distance}" if distance else at)

    def at_stage(self, material: Material, what: str) -> None:
        self._stage = f"{material} {what}" if self._several else what

    def beside(self, task: Task) -> list[str]:
        """The level and the round of a large table, or what comes after the last one; and what came from disk and went
        there: long work may wait for that."""
        now = Clocks.read().since(self._begun)
        told = [self._stage] if self._stage else []
        return told + [f"{size_of(now.came)} read", f"{size_of(now.went)} written"] * (now.came + now.went >= _MUCH)

    def waiting(self, task: Task) -> float:
        """The writer reads all of a table that does not fit into memory, at the speed that the disk has shown. What
        has been read is little against a table that fits."""
        for material, own in [*self._tables.items()] if self._threads else []:  # there is one at most
            size, so_far = numbers_of(material), Clocks.read().since(self._begun)
            if task in (own, self._all) and so_far.came > size:
                waited = max(0.0, so_far.wall - so_far.cpu / (self._threads * BUSY))
                return waited * _READ * min(size, (size - own.done) / (1 - _SOLVING)) / so_far.came
        return 0.0

    def read(self, material: Material, numbers: int) -> None:
        """`numbers` more numbers of a finished table have been read."""
        if material not in self._reading:
            self._reading[material] = self.task(f"reading {material}", numbers_of(material), every=0)
        task = self._reading[material]
        task.advance(numbers)
        if task.done >= numbers_of(material):
            self._reading.pop(material).end()

    def waits(self, material: Material) -> None:
        if not self.quiet:
            self.say(f"{material}: another process is building it; waiting")

    def finished(self, material: Material) -> None:
        if material in self._reading:
            self._reading.pop(material).end()
        if material in self._tables:
            self._forget(material, numbers_of(material))

    def _forget(self, material: Material, done: float = 0.0) -> None:
        """Remove a table's bar; the bar for all goes on as if so many of its numbers were done."""
        self._stage = ""
        self._written.pop(material, 0)
        task = self._tables.pop(material)
        task.end()
        self._all.advance(self._cost[material] * (done - task.done))


def warm_up_visibly(processes: int, *, quiet: bool, verifying: bool = False) -> None:
    """Compile the kernels if that has not been done, and show how far it is: it takes half a minute, once. Those that
    verify a table take half of that."""
    wanted = VERIFYING if verifying else None
    if not cold_parts(wanted):
        return
    name, time = (COMPILING_VERIFIER, "a quarter of a") if verifying else (COMPILING, "half a")
    with Display(quiet=quiet, period=LONG) as display:
        if not quiet and not display.draws:
            display.say(f"tbgen: {name}: about {time} minute")
        task = display.task(name, 1.0, every=COMPILING_EVERY)
        warm_up(processes, task.at, wanted)
