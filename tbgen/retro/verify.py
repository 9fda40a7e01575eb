"""Is a finished table right? Every position is compared with what its legal moves lead to, forwards only.

Nothing of the solver's propagation is shared: no un-moves, no queues, no order of levels. What is shared lies
below it: squares and numbers, attacks, the list of legal moves.

What is checked
---------------
For a legal position p of level L > 1 and each record that can stand there (levels 2 to L, in either side's
hands), what the table says, outcome and distance, must be what the best legal move makes of it:

* a reset to q pays what q is worth afresh, one ply later;
* a quiet move to q replaces a record of a level above q's own: q is worth its fresh value, one ply later;
* any other quiet move leaves the record: q is worth what the table says of q under that record, one ply later,
  or the record stands.

The mover takes the best outcome. If that is the record, it stands and the distance is 0; the mover takes the
shortest way to anything better and the longest to anything worse. Mate and stalemate are worth themselves.
A double step that gives a right to capture en passant is looked at one ply deeper. In the whole game every
move leaves the record unless it leads to something of a lower level than p's own. That says all: what a table
says of the records below p's own level is then the same comparison with more outcomes made equal.

Why that is enough
------------------
Take a game with a fixed record, the layers of lower records and the tables that resets lead to being right.
Say the table gives p more than the record to White. Then White has a move that keeps at least as much, and if
exactly as much at a distance one smaller; Black has none that leaves less, or as much at a distance that is
not smaller. Distances are no smaller than 0, so White's play gets out of the layer with at least that much;
and Black has moves that never leave more, while staying for ever pays only the record. So the outcome is
right. Where the table says that the record stands, either side can stay or do better for ever, so the record
is right too. Distances follow from the outcomes: of two sets of distances that both fit, take the smallest
distance in which they differ. It is the distance of moves with smaller ones, in which they agree: a
contradiction. So layer by layer (a fresh value is the layer of p's own goal), slice by slice, exactly one
table passes, and whatever another one says differently, it is found at some position.

An alteration might leave all values and yet be one: an entry or staircase at a number of no position; a
staircase of no position; a step that changes nothing. So the staircases must be canonical: all different, all
used, none empty, each in rising order, and every step with an outcome that counts at its level, other than
that of the step before it, at a level that a record can have there. That leaves one way to write them, but for
their numbers.

If one day a staircase keeps only the distance at which a run of equal outcomes starts, the comparison changes
in one place, `_try_records` in verify_trial.py; the fresh values stay exact.
"""

import time
from collections.abc import Callable, Iterable, Iterator, Mapping
from concurrent.futures import ThreadPoolExecutor
from dataclasses import dataclass
from typing import Final, NamedTuple

import numpy as np
from numpy.typing import NDArray

from tbgen.material import Material
from tbgen.retro.verify_steps import Finding
from tbgen.retro.verify_table import BATCH, Levels, Numbers, Table
from tbgen.retro.verify_trial import FIELDS, PROBLEMS, make_rows, try_all
from tbgen.retro.verify_units import Source, Unreadable
from tbgen.turns import in_turn

__all__ = ["Finding", "Verdict", "verify"]

_AHEAD: Final = 8
"""Batches a thread that wait to be looked at."""
_DRAWN: Final = 4 * BATCH
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
        levels: dict[int, Levels] = {part: np.empty(start[part + 1] - start[part], np.uint8) for part in parts}

        def batches() -> Iterator[tuple[int, int, int]]:
            for part in parts:
                for at in range(start[part], start[part + 1], BATCH):
                    yield part, at, min(at + BATCH, start[part + 1])

        def survey(part: int, first: int, end: int) -> None:
            levels[part][first - start[part] : end - start[part]] = table.levels(np.arange(first, end))

        def look(part: int, first: int, end: int) -> _Seen:
            return self._try(part, np.arange(first, end), (start[part], levels[part]))

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

    def _try(self, part: int, numbers: Numbers, levels: tuple[int, Levels] | None = None) -> _Seen:
        table = self.table
        positions = table.place(numbers)
        lists = table.list(positions)
        arrivals = table.arrive(positions, lists, levels)
        found = np.zeros((self._limit, FIELDS), np.int64)
        stored = table.units.stored(part, numbers)
        legal, wrong, unseen = try_all(table.units.book, make_rows(), lists, arrivals, *stored, found)
        found[:, 0] = numbers[found[:, 0]]
        return _Seen(len(numbers), legal, wrong, unseen, found[:wrong].tolist())

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
