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

from collections.abc import Callable, Iterable, Iterator, Mapping
from concurrent.futures import Future, ThreadPoolExecutor
from dataclasses import dataclass
from typing import Final

import numpy as np
from numpy.typing import NDArray

from tbgen.index.atlas import Atlas, make_atlas
from tbgen.index.contents import Contents
from tbgen.index.layout import Layout, layout_of
from tbgen.material import Material
from tbgen.retro.ground import Ground, make_ground
from tbgen.retro.verify_moves import Case, Desk, Tables, count_legal, find_levels, make_desk, make_tables
from tbgen.retro.verify_steps import Finding, faults, is_readable
from tbgen.retro.verify_trial import FIELDS, PROBLEMS, try_nodes
from tbgen.retro.verify_worth import pack_steps

__all__ = ["Finding", "Verdict", "verify"]

_CHUNK: Final = 1 << 14
"""Numbers that one call of a kernel deals with."""
_GROUP: Final = 1 << 20
"""Slices are taken together until they have so many numbers."""

Numbers = NDArray[np.int64]
Report = Callable[[int], None]


@dataclass(frozen=True)
class Verdict:
    checked: int
    """Legal positions looked at."""
    wrong: int
    """Positions (and staircases of the dictionary) with something wrong."""
    examples: list[Finding]
    """The first few: what is wrong with the dictionary, then positions by number."""


def verify(
    contents: Contents,
    answers: Mapping[Material, NDArray[np.int32]],
    *,
    threads: int = 1,
    sample: int | None = None,
    seed: int = 0,
    report: Report = lambda numbers: None,
    limit: int = 10,
) -> Verdict:
    """Check a table, all of it or a random sample of so many positions.

    Of `contents.entries` and `contents.staircases` only ranges are read, a slice at a time, so that they may be
    anything that can be sliced. `answers` holds the entries of all tables that resets lead to, taken as right.
    `report` hears of numbers done."""
    layout = layout_of(contents.material)
    if not is_readable(contents.steps):
        return Verdict(0, 1, [Finding("the dictionary of staircases cannot be read", staircase=0)])
    if len(contents.entries) != layout.size or len(contents.staircases) != layout.size:
        return Verdict(0, 1, [Finding("not as many entries as the table has numbers", number=0)])
    trial = _Trial(contents, layout, answers, limit)
    trial.findings(faults(contents.steps))
    with ThreadPoolExecutor(threads) as pool:
        try:
            if sample is None:
                for group in _groups(layout):
                    trial.whole(group, pool, report)
                trial.findings(trial.unused())
            else:
                drawn = trial.draw(min(sample, layout.size), np.random.default_rng(seed))
                for part, nodes in drawn:
                    trial.some(part, nodes, pool, report)
        except BaseException:
            pool.shutdown(cancel_futures=True)
            raise
    return Verdict(trial.checked, trial.wrong, trial.examples)


def _groups(layout: Layout) -> Iterator[range]:
    """Neighbouring slices that are checked at the same time."""
    first = 0
    for part in range(layout.slices):
        if layout.start[part + 1] - layout.start[first] >= _GROUP or part + 1 == layout.slices:
            yield range(first, part + 1)
            first = part + 1


def _pushed(layout: Layout, part: int) -> set[int]:
    """The slices of the same table that a pawn's step leads to, and those that a step from there leads to
    are not among them."""
    squares = layout.placements.pawns[part].tolist()
    found = set()
    for pawn, (side, _) in enumerate(layout.letters[layout.first_pawn :]):
        for steps in (1, 2):
            moved = list(squares)
            moved[pawn] += steps * (8 if side == 0 else -8)
            if 8 <= moved[pawn] < 56:
                code = sum(square << 6 * place for place, square in enumerate(moved))
                slice_of = int(layout.placements.slice_of[code])
                if slice_of >= 0:
                    found.add(slice_of >> 4)
    return found


class _Trial:
    """One table on trial."""

    def __init__(
        self, contents: Contents, layout: Layout, answers: Mapping[Material, NDArray[np.int32]], limit: int
    ) -> None:
        others = contents.material.successors()
        self.contents = contents
        self.layout = layout
        self.limit = limit
        self.checked = 0
        self.wrong = 0
        self.examples: list[Finding] = []
        self._layouts = [layout, *map(layout_of, others)]
        self._answers = [np.ascontiguousarray(answers[other], np.int32) for other in others]
        for other, entries in zip(self._layouts[1:], self._answers, strict=True):
            if len(entries) != other.size:
                raise ValueError(f"{other.material} has {other.size} numbers, not {len(entries)}")
        self._atlas: Atlas = make_atlas(self._layouts)
        addresses = [0, *(entries.ctypes.data for entries in self._answers)]
        self._tables: Tables = make_tables(self._layouts, addresses, layout.slices)
        self._first_step = np.array(contents.steps.start, np.int64)
        self._step = pack_steps(contents.steps)
        self._used = np.zeros(len(self._first_step) - 1, np.uint8)
        self._used[0] = 1
        self._shelf: dict[int, tuple[NDArray[np.int32], NDArray[np.int32]]] = {}

    def findings(self, found: Iterable[Finding]) -> None:
        for finding in found:
            self.wrong += 1
            if len(self.examples) < self.limit:
                self.examples.append(finding)

    def unused(self) -> Iterator[Finding]:
        """What is wrong with the dictionary after all positions were seen."""
        for staircase in np.flatnonzero(self._used == 0).tolist():
            yield Finding("no position has it", staircase=staircase)

    def whole(self, group: range, pool: ThreadPoolExecutor, report: Report) -> None:
        """Check neighbouring slices."""
        self._fetch(group)
        cases, chunks = {}, []
        for part in group:
            size = int(self.layout.start[part + 1] - self.layout.start[part])
            cases[part] = self._case(part, np.empty(size, np.uint8))
            chunks += [(part, at, min(at + _CHUNK, size)) for at in range(0, size, _CHUNK)]
        counted = [
            pool.submit(find_levels, cases[part].ground, make_desk(), cases[part].levels, start, end)
            for part, start, end in chunks
        ]
        for job in counted:
            job.result()
        self._collect(
            [pool.submit(self._try, cases[part], np.arange(start, end)) for part, start, end in chunks], report
        )

    def some(self, part: int, nodes: Numbers, pool: ThreadPoolExecutor, report: Report) -> None:
        """Check some positions of one slice."""
        self._fetch([part])
        case = self._case(part, np.empty(0, np.uint8))
        chunks = [nodes[at : at + _CHUNK] for at in range(0, len(nodes), _CHUNK)]
        self._collect([pool.submit(self._try, case, chunk) for chunk in chunks], report)

    def draw(self, count: int, random: np.random.Generator) -> list[tuple[int, Numbers]]:
        """So many legal positions, each once, by slices; all that there are if there are no more."""
        legal = np.zeros(0, np.int64)
        tried = np.zeros(0, np.int64)
        desk = make_desk()
        while len(legal) < count and len(tried) < self.layout.size:
            if len(tried) + 4 * count < self.layout.size:
                new = np.setdiff1d(random.integers(0, self.layout.size, 2 * count), tried)
            else:
                new = np.setdiff1d(np.arange(self.layout.size), tried)
            random.shuffle(new)
            tried = np.concatenate([tried, new])
            legal = np.concatenate(
                [legal, *(numbers[self._legal(part, numbers, desk)] for part, numbers in self._parts(new))]
            )
        return [(part, numbers - self.layout.start[part]) for part, numbers in self._parts(legal[:count])]

    def _legal(self, part: int, numbers: Numbers, desk: Desk) -> NDArray[np.bool_]:
        legal = np.zeros(len(numbers), np.bool_)
        count_legal(self._ground(part), desk, numbers - self.layout.start[part], legal)
        return legal

    def _parts(self, numbers: Numbers) -> Iterator[tuple[int, Numbers]]:
        """Numbers by slices, in rising order."""
        numbers = np.sort(numbers)
        parts = np.searchsorted(self.layout.start, numbers, side="right") - 1
        for part in np.unique(parts).tolist():
            yield part, numbers[parts == part]

    def _ground(self, part: int) -> Ground:
        layout = self.layout
        return make_ground(
            self._atlas,
            int(layout.family[part]),
            int(layout.flip[part]),
            int(layout.half_size[part]),
            layout.placements.pawns[part].tolist(),
        )

    def _case(self, part: int, levels: NDArray[np.uint8]) -> Case:
        whole_game = int(self.contents.rules == "wg")
        return Case(self._ground(part), self._tables, part, whole_game, levels, self._first_step, self._step)

    def _fetch(self, group: Iterable[int]) -> None:
        """Have these slices and those that their pawns lead to in memory, and no others."""
        needed = {part for one in group for part in (one, *_pushed(self.layout, one))}
        for part in self._shelf.keys() - needed:
            del self._shelf[part]
            self._tables.entries[part] = self._tables.staircases[part] = 0
        for part in sorted(needed - self._shelf.keys()):
            numbers = slice(int(self.layout.start[part]), int(self.layout.start[part + 1]))
            entries = np.ascontiguousarray(self.contents.entries[numbers], np.int32)
            staircases = np.ascontiguousarray(self.contents.staircases[numbers], np.int32)
            self._shelf[part] = entries, staircases
            self._tables.entries[part] = entries.ctypes.data
            self._tables.staircases[part] = staircases.ctypes.data

    def _try(self, case: Case, nodes: Numbers) -> tuple[int, int, int, NDArray[np.int64]]:
        found = np.zeros((self.limit, FIELDS), np.int64)
        legal, wrong = try_nodes(case, make_desk(), nodes, self._used, found)
        return len(nodes), legal, wrong, found[:wrong]

    def _collect(self, jobs: list[Future[tuple[int, int, int, NDArray[np.int64]]]], report: Report) -> None:
        """Wait for trials, in order."""
        for job in jobs:
            nodes, legal, wrong, found = job.result()
            self.checked += legal
            self.wrong += wrong
            self.examples += [_finding(row) for row in found[: self.limit - len(self.examples)].tolist()]
            report(nodes)


def _finding(row: list[int]) -> Finding:
    number, problem, holder, level, *worths = row
    if level == 0 and not any(worths):
        return Finding(PROBLEMS[problem], number)
    expected, stored = (worths[0], worths[1]), (worths[2], worths[3])
    return Finding(PROBLEMS[problem], number, record=(holder, level), expected=expected, stored=stored)
