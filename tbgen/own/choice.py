"""Which parts to solve: the position's own, and those that resets lead to unless they are too large.

A part is *whole* if it is solved for both bounds, and answers all resets that lead to it. A larger one may be solved
for one bound only: what a side is sure of gets better by its captures and by its own promotions to a queen, and hardly
by any other. That is an eighth of the work for all promotions and both bounds.
"""

import sys
from collections.abc import Container, Iterable, Mapping, Set
from contextlib import suppress
from dataclasses import dataclass, field
from typing import Final, NamedTuple

import chess

from tbgen.material import Material
from tbgen.own.slices import (
    PartName,
    Reset,
    beyond,
    can_be_solved,
    lead_of,
    leads_after_retaking,
    numbers_per_slice,
    resets,
    root_of,
)
from tbgen.own.walks import AllFrom, Placement, TooMany, by_two_files, closed
from tbgen.store.format.own import BOTH, Bound

Tables = Mapping[Material, Set[Placement] | None]
"""Complete tables, and the placements of pawns that are asked of each; None: all of them."""

_LISTED: Final = 2048
"""Placements of a part alone, at most, whose resets are listed: that takes a quarter of a millisecond each."""


class Chosen(NamedTuple):
    placements: Set[Placement]
    bounds: tuple[Bound, ...]
    """What it is solved for, in its own view: both bounds if it is whole."""
    is_whole: bool
    """Whether it has what any reset asks for."""
    leads_to: dict[PartName, set[PartName]]
    """Where its resets lead to, chosen or not; and for each where it comes to if the man that moved is retaken, unless
    it has a table. All of these are seen from here."""
    counted: set[PartName]
    """Of these, those that have what these resets ask for even if they are not whole."""
    tables: Tables
    """What all of them may ask of complete tables."""
    numbers: int


@dataclass
class _Asked:
    """What leads to a part that has not been looked at."""

    every: set[Placement] = field(default_factory=set)
    counted: set[Placement] = field(default_factory=set)
    """By resets that count for a bound."""
    bounds: set[Bound] = field(default_factory=set)
    """Those bounds."""
    retaken: set[tuple[PartName, Placement]] = field(default_factory=set)
    """Where retaking leads to: to be solved if the part is not, or for one bound only."""


def choose(
    board: chess.Board, complete: Container[Material], most: int, room: int = sys.maxsize, one_bound: int = 0
) -> dict[PartName, Chosen]:
    """The parts of at most `most` numbers, and for one bound those of at most `one_bound`; the position's own first.
    `complete` are the materials that have tables. TooMany if all together have more than `room`."""
    choice = _Choice(board, complete, most, one_bound, room)
    while choice.waiting:
        choice.look_at_next()
    return choice.chosen


class _Choice:
    """What is chosen so far, and what is to be looked at."""

    def __init__(self, board: chess.Board, complete: Container[Material], most: int, one_bound: int, room: int) -> None:
        self._complete = complete
        self._most = most
        self._one_bound = one_bound
        self._room = room
        self._root, self._start = root_of(board)
        self.waiting = {self._root: _Asked({self._start})}
        self.chosen: dict[PartName, Chosen] = {}

    def look_at_next(self) -> None:
        # resets lead to fewer men, or to fewer pawns: all that leads to this one is known
        name = max(self.waiting, key=lambda one: (one.material.men, one.material.pawns))
        asked = self.waiting.pop(name)
        found = self._root_part() if name == self._root else self._fitting(name, asked)
        if found is None or not found.is_whole:
            self._retake(asked.retaken)
        if found is not None:
            self._room -= found.numbers
            if self._room < 0 and name != self._root:
                raise TooMany
            self.chosen[name] = found._replace(tables=self._follow_all(name, found))

    @property
    def _largest(self) -> int:
        return max(self._most, self._one_bound)

    def _root_part(self) -> Chosen:
        placements = closed({self._start}) if self._largest else AllFrom(self._start)
        return _chosen(self._root, placements, BOTH, is_whole=True)

    def _fitting(self, name: PartName, asked: _Asked) -> Chosen | None:
        """A part with what it is solved for; None if it is too large."""
        each = numbers_per_slice(name.material)
        room = self._room // each + 1
        with suppress(TooMany):
            return _chosen(name, closed(asked.every, min(self._most // each, room)), BOTH, is_whole=True)
        bounds = tuple(bound for bound in BOTH if bound in asked.bounds)
        with suppress(TooMany):
            if bounds:
                return _chosen(name, closed(asked.counted, min(self._one_bound // each, room)), bounds, is_whole=False)
        return None

    def _follow_all(self, name: PartName, found: Chosen) -> Tables:
        """Note where all resets of a part lead to. What is asked of complete tables."""
        tables: dict[Material, set[Placement]] = {}
        # alone, and with many placements, it takes whole tables
        listed = self._largest or len(found.placements) <= _LISTED
        for pawns in found.placements if listed else by_two_files(self._start):
            for reset in resets(pawns, name.material):
                self._follow(name, found, reset, tables)
        return tables if listed else dict.fromkeys(tables)

    def _follow(self, name: PartName, found: Chosen, reset: Reset, tables: dict[Material, set[Placement]]) -> None:
        lead, there = lead_of(reset)
        behind = found.leads_to.setdefault(lead, set())
        if lead.material in self._complete:
            tables.setdefault(lead.material, set()).add(there)
            return
        leads = {*leads_after_retaking(reset)}
        behind.update(one for one, _ in leads)
        for one, retaking in leads:
            if one.material in self._complete:
                tables.setdefault(one.material, set()).add(retaking)
        after, retaken = beyond(name, lead), {(beyond(name, one), retaking) for one, retaking in leads}
        if not self._may_be_chosen(after.material):
            self._retake(retaken)
            return
        asked = self.waiting.setdefault(after, _Asked())
        asked.every.add(there)
        asked.retaken |= retaken
        bounds = {bound.seen(lead.swapped) for bound in found.bounds if _counts(reset, bound)}
        if bounds:
            found.counted.add(lead)
            asked.counted.add(there)
            asked.bounds |= bounds

    def _retake(self, retaken: Iterable[tuple[PartName, Placement]]) -> None:
        """Ask for what retaking leads to."""
        for part, there in retaken:
            if self._may_be_chosen(part.material):
                asked = self.waiting.setdefault(part, _Asked())
                asked.every.add(there)
                asked.counted.add(there)

    def _may_be_chosen(self, material: Material) -> bool:
        """By the size of a single slice."""
        return (
            material not in self._complete and can_be_solved(material) and numbers_per_slice(material) <= self._largest
        )


def _chosen(name: PartName, placements: Set[Placement], bounds: tuple[Bound, ...], *, is_whole: bool) -> Chosen:
    """A part whose resets have not been followed."""
    return Chosen(placements, bounds, is_whole, {}, set(), {}, len(placements) * numbers_per_slice(name.material))


def _counts(reset: Reset, bound: Bound) -> bool:
    """Whether a bound gets better if it is known what a reset leads to, and that is likely: it is a capture, or the
    side that is sure of this bound promotes to a queen."""
    return not reset.promotion or (reset.promotion == "Q" and bound == (Bound.WORST, Bound.BEST)[reset.side])
