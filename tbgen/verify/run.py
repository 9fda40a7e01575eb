"""Verifying a table: one unit after another, each in batches on all threads."""

import time
from collections.abc import Callable, Iterable, Iterator
from concurrent.futures import ThreadPoolExecutor
from dataclasses import dataclass
from typing import Final, NamedTuple

import numpy as np

from tbgen.index.exits import Exits
from tbgen.turns import in_turn, pieces
from tbgen.verify.arrivals import NO_SURVEY, Survey
from tbgen.verify.compare import PROBLEMS
from tbgen.verify.dictionary import Finding
from tbgen.verify.table import BATCH, Numbers, Table
from tbgen.verify.units import Source, Unreadable

__all__ = ["Finding", "Verdict", "verify"]

_AHEAD: Final = 8
"""Batches per thread that are at work or wait."""
_DRAWN: Final = BATCH
"""Positions per thread that are drawn from a slice: reading it takes longer than checking them."""


@dataclass(frozen=True)
class Verdict:
    checked: int
    """Legal positions checked with all their moves."""
    wrong: int
    """How many positions, numbers without a legal position, and staircases are wrong."""
    examples: list[Finding]
    """The first few of those."""
    unchecked: int = 0
    """Legal positions with moves to tables that are missing, and nothing wrong as far as the others show."""


def verify(
    source: Source,
    exits: Exits,
    *,
    threads: int = 1,
    sample: int | None = None,
    seconds: float | None = None,
    seed: int = 0,
    report: Callable[[int], None] = lambda numbers: None,
    limit: int = 10,
) -> Verdict:
    """Check a table: all of it, `sample` positions drawn at random, or positions drawn until `seconds` are over. It is
    read a unit at a time.

    The entries of the tables that resets lead to are taken as right. If one is missing, positions with a move to it
    count as not checked, unless they are wrong whatever that move is worth.
    `report` is called with the numbers of each batch that is done; of a sample, with its share of all numbers."""
    checker = _Checker(source, exits, limit, report)
    with ThreadPoolExecutor(threads) as pool:
        try:
            generator = np.random.default_rng(seed)
            if seconds is not None:
                checker.a_while(seconds, generator, pool, threads)
            elif sample is not None:
                drawn = checker.table.draw(min(sample, checker.table.layout.size), generator)
                checker.report = _in_shares(report, len(drawn), checker.table.layout.size)
                checker.some(drawn, pool, threads)
            else:
                for slices in checker.table.units.in_turn():
                    checker.whole(slices, pool, threads)
        except Unreadable:
            checker.note([Finding("a dictionary of staircases cannot be read", staircase=0)])
    return Verdict(
        checker.checked, checker.wrong, sorted(checker.examples, key=lambda finding: finding.number), checker.unchecked
    )


def _in_shares(report: Callable[[int], None], drawn: int, size: int) -> Callable[[int], None]:
    """Turn reports of `drawn` numbers into reports of `size`: with a sample, reading the whole table takes the time."""
    done = 0

    def share(numbers: int) -> None:
        nonlocal done
        before, done = done, done + numbers
        report(size * done // drawn - size * before // drawn)

    return share


class _Seen(NamedTuple):
    """What was found in a batch."""

    numbers: int
    legal: int
    wrong: int
    unseen: int
    found: list[list[int]]


class _Checker:
    """Checks units or single positions of a table, and keeps what has been found so far."""

    def __init__(
        self,
        source: Source,
        exits: Exits,
        limit: int,
        report: Callable[[int], None],
    ) -> None:
        self.table = Table(source, exits, self.note)
        self.checked = 0
        self.wrong = 0
        self.unchecked = 0
        self.examples: list[Finding] = []
        self._limit = limit
        self.report = report

    def note(self, found: Iterable[Finding]) -> None:
        for finding in found:
            self.wrong += 1
            if len(self.examples) < self._limit:
                self.examples.append(finding)

    def whole(self, slices: range, pool: ThreadPoolExecutor, threads: int) -> None:
        """Check these slices."""
        table, start = self.table, self.table.layout.start.tolist()
        table.fetch(slices)
        surveys = {slice_: table.survey(slice_) for slice_ in slices}

        def batches() -> Iterator[tuple[int, slice]]:
            return ((slice_, here) for slice_ in slices for here in pieces(start[slice_ + 1] - start[slice_], BATCH))

        def numbers(slice_: int, here: slice) -> Numbers:
            return start[slice_] + np.arange(here.start, here.stop)

        def survey(slice_: int, here: slice) -> None:
            surveys[slice_].level[here] = table.levels(numbers(slice_, here))

        def check(slice_: int, here: slice) -> _Seen:
            return self._check(slice_, numbers(slice_, here), surveys[slice_])

        for _ in in_turn(pool, _AHEAD * threads, survey, batches()):
            pass
        for seen in in_turn(pool, _AHEAD * threads, check, batches()):
            self._count(seen)

    def some(self, numbers: Numbers, pool: ThreadPoolExecutor, threads: int) -> None:
        """Check these positions."""
        slices = self.table.slices_at(numbers)
        for slice_ in np.unique(slices).tolist():
            self.table.fetch([slice_])
            here = numbers[slices == slice_]
            batches = ((slice_, here[piece]) for piece in pieces(len(here), BATCH))
            for seen in in_turn(pool, _AHEAD * threads, self._check, batches):
                self._count(seen)

    def a_while(self, seconds: float, generator: np.random.Generator, pool: ThreadPoolExecutor, threads: int) -> None:
        """Check some positions of one slice after another until the time is up; of one slice at least."""
        start, end = self.table.layout.start, time.monotonic() + seconds
        while True:
            slice_ = int(self.table.slices_at(generator.integers(start[-1], size=1))[0])
            drawn = generator.integers(start[slice_], start[slice_ + 1], _DRAWN * threads)
            self.some(np.unique(drawn), pool, threads)
            if time.monotonic() > end:
                break

    def _check(self, slice_: int, numbers: Numbers, survey: Survey | None = None) -> _Seen:
        legal, wrong, unseen, found = self.table.check_all(slice_, numbers, survey or NO_SURVEY, self._limit)
        return _Seen(len(numbers), legal, wrong, unseen, found.tolist())

    def _count(self, seen: _Seen) -> None:
        self.checked += seen.legal - seen.unseen
        self.unchecked += seen.unseen
        self.wrong += seen.wrong
        self.examples += [_finding(*row) for row in seen.found[: self._limit - len(self.examples)]]
        self.report(seen.numbers)


def _finding(number: int, problem: int, holder: int, level: int, *worths: int) -> Finding:
    if not level and not any(worths):
        return Finding(PROBLEMS[problem], number)
    expected, stored = (worths[0], worths[1]), (worths[2], worths[3])
    return Finding(PROBLEMS[problem], number, record=(holder, level), expected=expected, stored=stored)
