"""Verifying: batch after batch on all threads, a part of the table at a time, and what is found."""

import time
from collections.abc import Callable, Iterable, Iterator, Mapping
from concurrent.futures import ThreadPoolExecutor
from dataclasses import dataclass
from typing import Final, NamedTuple

import numpy as np
from numpy.typing import NDArray

from tbgen.material import Material
from tbgen.turns import in_turn
from tbgen.verify.arrivals import NO_SURVEY, Survey
from tbgen.verify.compare import PROBLEMS
from tbgen.verify.dictionary import Finding
from tbgen.verify.table import BATCH, Numbers, Table
from tbgen.verify.units import Source, Unreadable

__all__ = ["Finding", "Verdict", "verify"]

_AHEAD: Final = 8
"""Batches a thread that wait to be looked at."""
_DRAWN: Final = BATCH
"""Positions a thread that are drawn of a slice: to have it read takes longer than to check them."""


@dataclass(frozen=True)
class Verdict:
    checked: int
    """Legal positions looked at, with all their moves."""
    wrong: int
    """How many of them have something wrong, and how many staircases of dictionaries, and numbers of none."""
    examples: list[Finding]
    """The first few of those."""
    unchecked: int = 0
    """Legal positions with moves to tables that are not at hand, and nothing wrong as far as one can see."""


def verify(
    source: Source,
    answers: Mapping[Material, NDArray[np.int32]],
    *,
    threads: int = 1,
    sample: int | None = None,
    seconds: float | None = None,
    seed: int = 0,
    report: Callable[[int], None] = lambda numbers: None,
    limit: int = 10,
) -> Verdict:
    """Check a table, all of it, a random sample of so many positions, or what can be drawn in so many seconds. It is
    read a part at a time.

    `answers` holds the entries of the tables that resets lead to, which are taken as right. Where one is not among
    them, positions with a move to it count as not checked, unless they are wrong whatever that move is worth. `report`
    hears of numbers done."""
    trial = _Trial(source, answers, limit, report)
    with ThreadPoolExecutor(threads) as pool:
        try:
            generator = np.random.default_rng(seed)
            if seconds is not None:
                trial.a_while(seconds, generator, pool, threads)
            elif sample is not None:
                trial.some(trial.table.draw(min(sample, trial.table.layout.size), generator), pool, threads)
            else:
                for slices in trial.table.units.in_turn():
                    trial.whole(slices, pool, threads)
        except Unreadable:
            trial.note([Finding("a dictionary of staircases cannot be read", staircase=0)])
    return Verdict(
        trial.checked, trial.wrong, sorted(trial.examples, key=lambda finding: finding.number), trial.unchecked
    )


class _Seen(NamedTuple):
    """What came of a batch."""

    numbers: int
    legal: int
    wrong: int
    unseen: int
    found: list[list[int]]


class _Trial:
    """What has been found so far."""

    def __init__(
        self,
        source: Source,
        answers: Mapping[Material, NDArray[np.int32]],
        limit: int,
        report: Callable[[int], None],
    ) -> None:
        self.table = Table(source, answers, self.note)
        self.checked = 0
        self.wrong = 0
        self.unchecked = 0
        self.examples: list[Finding] = []
        self._limit = limit
        self._report = report

    def note(self, found: Iterable[Finding]) -> None:
        for finding in found:
            self.wrong += 1
            if len(self.examples) < self._limit:
                self.examples.append(finding)

    def whole(self, parts: range, pool: ThreadPoolExecutor, threads: int) -> None:
        """Check these slices."""
        table, start = self.table, self.table.layout.start.tolist()
        table.fetch(parts)
        surveys = {part: table.survey(part) for part in parts}

        def batches() -> Iterator[tuple[int, int, int]]:
            for part in parts:
                for at in range(start[part], start[part + 1], BATCH):
                    yield part, at, min(at + BATCH, start[part + 1])

        def survey(part: int, first: int, end: int) -> None:
            surveys[part].level[first - start[part] : end - start[part]] = table.levels(np.arange(first, end))

        def look(part: int, first: int, end: int) -> _Seen:
            return self._try(part, np.arange(first, end), surveys[part])

        for _ in in_turn(pool, _AHEAD * threads, survey, batches()):
            pass
        for seen in in_turn(pool, _AHEAD * threads, look, batches()):
            self._count(seen)

    def some(self, numbers: Numbers, pool: ThreadPoolExecutor, threads: int) -> None:
        """Check these positions."""
        parts = self.table.part_of(numbers)
        for part in np.unique(parts).tolist():
            self.table.fetch([part])
            here = numbers[parts == part]
            batches = ((part, here[at : at + BATCH]) for at in range(0, len(here), BATCH))
            for seen in in_turn(pool, _AHEAD * threads, self._try, batches):
                self._count(seen)

    def a_while(self, seconds: float, generator: np.random.Generator, pool: ThreadPoolExecutor, threads: int) -> None:
        """Check some positions of a slice, then of another, until the time is up: of one slice at least."""
        start, end = self.table.layout.start, time.monotonic() + seconds
        while True:
            part = int(self.table.part_of(generator.integers(start[-1], size=1))[0])
            drawn = generator.integers(start[part], start[part + 1], _DRAWN * threads)
            self.some(np.unique(drawn), pool, threads)
            if time.monotonic() > end:
                break

    def _try(self, part: int, numbers: Numbers, survey: Survey | None = None) -> _Seen:
        legal, wrong, unseen, found = self.table.try_all(part, numbers, survey or NO_SURVEY, self._limit)
        return _Seen(len(numbers), legal, wrong, unseen, found.tolist())

    def _count(self, seen: _Seen) -> None:
        self.checked += seen.legal - seen.unseen
        self.unchecked += seen.unseen
        self.wrong += seen.wrong
        self.examples += [_finding(*row) for row in seen.found[: self._limit - len(self.examples)]]
        self._report(seen.numbers)


def _finding(number: int, problem: int, holder: int, level: int, *worths: int) -> Finding:
    if not level and not any(worths):
        return Finding(PROBLEMS[problem], number)
    expected, stored = (worths[0], worths[1]), (worths[2], worths[3])
    return Finding(PROBLEMS[problem], number, record=(holder, level), expected=expected, stored=stored)
