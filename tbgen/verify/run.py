"""Verifying a table: one unit after another, each in batches on all threads."""

import time
from collections import Counter
from collections.abc import Callable, Iterable, Iterator, Set
from concurrent.futures import ThreadPoolExecutor
from dataclasses import dataclass
from typing import Any, Final, NamedTuple, TypeVar

import numpy as np

from tbgen.index.exits import Exits
from tbgen.system.parallel import in_turn, pieces, ranges
from tbgen.verify.arrivals import NO_SURVEY, Survey
from tbgen.verify.compare import PROBLEMS
from tbgen.verify.finding import Finding
from tbgen.verify.table import BATCH, Numbers, Table
from tbgen.verify.units import IN_MEMORY, Memory, Source, Unreadable

__all__ = ["Finding", "Verdict", "verify"]

T = TypeVar("T")

_AHEAD: Final = 8
"""Batches per thread that are at work or wait."""
_DRAWN: Final = 1 << 13
"""Positions per thread that are drawn from a unit: reading it takes longer than checking them."""
_STRETCH: Final = 1 << 18
"""Numbers that positions are drawn from where a table is in files and not read by units: as many as have their kings
alike, so that moves lead to few other places, and only these come to memory."""
_GLANCES: Final = 24
"""Positions that show which units a unit's moves lead to."""


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
    memory: Memory = IN_MEMORY,
) -> Verdict:
    """Check a table: all of it, `sample` positions drawn at random, or positions drawn until `seconds` are over. It is
    read a unit at a time.

    The entries of the tables that resets lead to are taken as right. If one is missing, positions with a move to it
    count as not checked, unless they are wrong whatever that move is worth.
    `report` is called with how many numbers each batch has that is done; of a sample with more, so that all calls add
    up to the size of the table."""
    with ThreadPoolExecutor(threads) as pool:
        checker = _Checker(source, exits, limit, report, memory, pool, threads)
        try:
            generator = np.random.default_rng(seed)
            if seconds is not None:
                checker.a_while(seconds, generator)
            elif sample is not None:
                drawn = checker.table.draw(min(sample, checker.table.layout.size), generator)
                checker.report = _in_shares(report, len(drawn), checker.table.layout.size)
                checker.some(drawn)
            else:
                needs = checker.look_around(generator) if checker.table.units.divides else {}
                for unit in checker.table.units.order(needs):
                    checker.whole(unit, needs.get(unit, set()))
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


_Batch = tuple[int, Numbers | range]
"""A slice, and numbers in it."""


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
        memory: Memory,
        pool: ThreadPoolExecutor,
        threads: int,
    ) -> None:
        self.table = Table(source, exits, self.note, memory)
        self.checked = 0
        self.wrong = 0
        self.unchecked = 0
        self.examples: list[Finding] = []
        self._limit = limit
        self._draws_together = not memory.divides and not memory.holds(self.table.layout.size)
        self._pool = pool
        self._threads = threads
        self._surveys: dict[int, Survey] = {}
        """`[slice]`: of those that are at work."""
        self._left = Counter(slice_ for one in self.table.units.spans for slice_ in one.slices)
        """`[slice]`: in how many units it is still to be checked."""
        self.report = report

    def note(self, found: Iterable[Finding]) -> None:
        for finding in found:
            self.wrong += 1
            if len(self.examples) < self._limit:
                self.examples.append(finding)

    def look_around(self, generator: np.random.Generator) -> dict[int, set[int]]:
        """For each unit: those that moves of a few of its positions lead to."""
        units, found = self.table.units, dict[int, set[int]]()
        for unit, span in enumerate(units.spans):
            self.table.fetch(unit)
            for number in generator.integers(span.numbers.start, span.numbers.stop, _GLANCES):
                self._look(int(self.table.slices_at(number)), np.array([number]))
            found[unit] = units.asked_for()
        return found

    def whole(self, unit: int, needs: Set[int]) -> None:
        """Check a unit. `needs`: others that its moves are known to lead to."""
        span = self.table.units.spans[unit]
        for slice_ in span.slices:
            if slice_ not in self._surveys:
                self._surveys[slice_] = self._survey(slice_)
        batches: list[_Batch] = [
            (slice_, numbers)
            for slice_ in span.slices
            for own in [self.table.layout.numbers_in(slice_)]
            for numbers in ranges(range(max(own.start, span.numbers.start), min(own.stop, span.numbers.stop)), BATCH)
        ]
        self._check(unit, batches, needs)
        for slice_ in span.slices:
            self._left[slice_] -= 1
            if not self._left[slice_]:
                del self._surveys[slice_]

    def _survey(self, slice_: int) -> Survey:
        table, survey = self.table, self.table.survey(slice_)
        start = table.layout.numbers_in(slice_).start

        def fill(here: slice) -> None:
            survey.level[here] = table.levels(start + np.arange(here.start, here.stop))

        for _ in self._in_turn(fill, zip(pieces(len(survey.level), BATCH), strict=True)):
            pass
        return survey

    def some(self, numbers: Numbers) -> None:
        """Check these positions."""
        units, slices = self.table.units.of(numbers), self.table.slices_at(numbers)
        for unit in np.unique(units).tolist():
            batches: list[_Batch] = [
                (slice_, here[piece])
                for slice_ in np.unique(slices[units == unit]).tolist()
                for here in [numbers[(units == unit) & (slices == slice_)]]
                for piece in pieces(len(here), BATCH)
            ]
            self._check(unit, batches)

    def a_while(self, seconds: float, generator: np.random.Generator) -> None:
        """Check some positions of one unit after another until the time is up; of one unit at least."""
        units, end = self.table.units, time.monotonic() + seconds
        while True:
            number = generator.integers(self.table.layout.size, size=1)
            numbers = units.spans[units.of(number)[0]].numbers
            if self._draws_together:
                start = int(number[0]) // _STRETCH * _STRETCH
                numbers = range(start, min(start + _STRETCH, self.table.layout.size))
            drawn = generator.integers(numbers.start, numbers.stop, _DRAWN * self._threads)
            self.some(np.unique(drawn))
            if time.monotonic() > end:
                break

    def _check(self, unit: int, batches: list[_Batch], needs: Set[int] = frozenset()) -> None:
        """Check batches of a unit: as far as other units are in memory first, then those again that ask for more."""
        self.table.fetch(unit)
        needed = {unit, *needs}
        while batches:
            self.table.units.fetch(needed)
            left = list[_Batch]()
            for batch, seen in zip(batches, self._in_turn(self._look, batches), strict=True):
                if seen is None:
                    left.append(batch)
                else:
                    self._count(seen)
            batches, asked = left, self.table.units.asked_for()
            if batches and asked <= needed:
                raise AssertionError(f"unit {unit} asks for what is in memory")
            needed |= asked

    def _in_turn(self, work: Callable[..., T], calls: Iterable[tuple[Any, ...]]) -> Iterator[T]:
        return in_turn(self._pool, _AHEAD * self._threads, work, calls)

    def _look(self, slice_: int, numbers: Numbers | range) -> _Seen | None:
        """None if a unit is needed that is not in memory."""
        if isinstance(numbers, range):
            numbers = np.arange(numbers.start, numbers.stop)
        checked = self.table.check_all(slice_, numbers, self._surveys.get(slice_, NO_SURVEY), self._limit)
        if checked is None:
            return None
        legal, wrong, unseen, found = checked
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
