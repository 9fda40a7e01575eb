"""Which parts to solve: the position's own, and those that resets lead to unless they are too large.

A part is *whole* if it is solved for both bounds, and answers all resets that lead to it. A larger one may be solved
for one bound only: what a side is sure of gets better by its captures and by its own promotions to a queen, and hardly
by any other. That is an eighth of the work for all promotions and both bounds.
"""

import sys
from collections.abc import Callable, Container, Iterable, Mapping, Sequence, Set
from contextlib import suppress
from dataclasses import dataclass, field
from functools import cache
from typing import Final, NamedTuple

import chess

from tbgen.beyond.local.resets import Reset, after_retaking, resets
from tbgen.beyond.local.walks import AllFrom, Pawns, TooMany, by_two_files, closed, folded
from tbgen.core.material import PROMOTIONS, Material
from tbgen.errors import UnsupportedPosition
from tbgen.index.atlas import MEN
from tbgen.index.groups import MOST_ALIKE
from tbgen.probe.numbering import material_of
from tbgen.store.format.local import BOTH, Bound, make_key, numbers_per_slice, tells

Tables = Mapping[Material, Set[Pawns] | None]
"""Complete tables by White's men and Black's, and the slices that are asked of each; None: all of them."""

_LISTED: Final = 2048
"""Slices of a part alone, at most, whose resets are listed: that takes a quarter of a millisecond each."""


class Part(NamedTuple):
    """The slices of one material that are solved together."""

    material: Material
    """White's men, and Black's."""
    slices: Set[Pawns]
    """The pawns of each."""
    bounds: tuple[Bound, ...]
    """What it is solved for, in White's view: what is exact, both bounds, or one."""
    known: tuple[Material, ...]
    """The parts that it is solved with: those that its resets lead to, or retaking after these."""
    complete: Tables
    """The complete tables that it is solved with, and what all parts of the plan ask of them: so they are read once."""
    keys: Mapping[Bound, tuple[str, str]]
    """What decides its values, by bound: as White sees them, and as Black does, with the colours swapped."""

    @property
    def numbers(self) -> int:
        return len(self.slices) * numbers_per_slice(self.material)

    @property
    def swapped(self) -> bool:
        """Whether Black is the first side of its tables: the stronger side is."""
        return not self.material.is_normal

    @property
    def exact(self) -> bool:
        """Whether nothing that its resets lead to is unknown."""
        return self.bounds == (Bound.EXACT,)

    @property
    def times(self) -> int:
        """How often it is solved."""
        return len(self.bounds)

    def tells(self, bounds: Iterable[Bound]) -> bool:
        """Whether it is solved for all of these."""
        return all(tells(self.bounds, bound) for bound in bounds)


@dataclass
class _Asked:
    """What leads to a part that has not been looked at."""

    every: set[Pawns] = field(default_factory=set)
    counted: set[Pawns] = field(default_factory=set)
    """Those to which resets lead that count for a bound (`_counts`)."""
    bounds: set[Bound] = field(default_factory=set)
    """The bounds for which they count."""
    retaken: set[tuple[Material, Pawns]] = field(default_factory=set)
    """What retaking makes of these resets: it is asked for if this part is not whole."""


@dataclass
class _Chosen:
    slices: Set[Pawns]
    bounds: tuple[Bound, ...]
    is_whole: bool
    leads_to: dict[Material, set[Material]] = field(default_factory=dict)
    """Where its resets lead to, solved or not; and for each where it comes to if the man that moved is retaken."""
    counted: set[Material] = field(default_factory=set)
    """Of the parts that it leads to, those that are asked by resets that count: they have what these ask for, whole or
    not."""


def make_plan(
    board: chess.Board, complete: Container[Material], most: int, room: int = sys.maxsize, one_bound: int = 0
) -> list[Part]:
    """The parts of at most `most` numbers, and for one bound those of at most `one_bound`, in the order in which they
    can be solved; the last is the position's own. `complete` are the materials that have tables. TooMany if all have
    more than `room` numbers together. UnsupportedPosition if there can be no local table of the position."""
    choice = _Choice(board, complete, most, one_bound, room)
    while choice.waiting:
        choice.look_at_next()
    plan: dict[Material, Part] = {}
    for material in sorted(choice.chosen, key=choice.size):
        plan[material] = choice.part(material, plan)
    return [*plan.values()]


def start_of(board: chess.Board) -> tuple[Material, Pawns]:
    """The men of a position, and its pawns. UnsupportedPosition if there can be no local table of it."""
    material = material_of(board)
    if not can_be_solved(material):
        raise UnsupportedPosition(
            f"{material.normal}: a local table has pawns, up to {MEN} men, all of chess, and up to {MOST_ALIKE} like "
            "pieces a side"
        )
    white, black = (tuple(sorted(board.pieces(chess.PAWN, color))) for color in (chess.WHITE, chess.BLACK))
    return material, (white, black)


@cache
def can_be_solved(material: Material) -> bool:
    """Whether there can be local tables of it."""
    alike = max(side.count(piece) for side in (material.first, material.second) for piece in PROMOTIONS)
    return not material.fairy and material.pawns > 0 and material.men <= MEN and alike <= MOST_ALIKE


class _Choice:
    """What is chosen so far, and what is to be looked at."""

    def __init__(self, board: chess.Board, complete: Container[Material], most: int, one_bound: int, room: int) -> None:
        self._has_table: Callable[[Material], bool] = cache(lambda material: material.normal in complete)
        self._most = most
        self._largest = max(most, one_bound)
        self._one_bound = one_bound
        self._room = room
        self._root, self._start = start_of(board)
        self.waiting = {self._root: _Asked({self._start})}
        self.chosen: dict[Material, _Chosen] = {}
        self._tables: dict[Material, set[Pawns] | None] = {}
        """What all parts ask of complete tables."""

    def look_at_next(self) -> None:
        # resets lead to fewer men, or to fewer pawns: all that leads to this one is known
        # of equal ones that first of which less is asked: it takes less room
        material = max(self.waiting, key=lambda one: (one.men, one.pawns, -len(self.waiting[one].every)))
        asked = self.waiting.pop(material)
        chosen = self._root_part() if material == self._root else self._fitting(material, asked)
        if chosen is None or not chosen.is_whole:
            self._retake(asked.retaken)
        if chosen is not None:
            self._room -= len(chosen.slices) * numbers_per_slice(material)
            if self._room < 0 and material != self._root:
                raise TooMany
            self.chosen[material] = chosen
            self._follow_all(material, chosen)

    def _root_part(self) -> _Chosen:
        return _Chosen(closed({self._start}) if self._largest else AllFrom(self._start), BOTH, is_whole=True)

    def _fitting(self, material: Material, asked: _Asked) -> _Chosen | None:
        """A part with what it is solved for; None if it is too large."""
        each = numbers_per_slice(material)
        room = self._room // each + 1
        with suppress(TooMany):
            return _Chosen(closed(asked.every, min(self._most // each, room)), BOTH, is_whole=True)
        bounds = tuple(bound for bound in BOTH if bound in asked.bounds)
        with suppress(TooMany):
            if bounds:
                return _Chosen(closed(asked.counted, min(self._one_bound // each, room)), bounds, is_whole=False)
        return None

    def _follow_all(self, material: Material, chosen: _Chosen) -> None:
        """Note where all resets of a part lead to."""
        # alone, and with many slices, it takes whole tables
        listed = self._largest or len(chosen.slices) <= _LISTED
        for pawns in chosen.slices if listed else by_two_files(self._start):
            for reset in resets(pawns, material):
                self._follow(chosen, reset)
        if not listed:
            self._tables = dict.fromkeys(self._tables)

    def _follow(self, chosen: _Chosen, reset: Reset) -> None:
        lead = reset.material
        behind = chosen.leads_to.setdefault(lead, set())
        if self._has_table(lead):
            self._ask_table(lead, reset.pawns)
            return
        retaken = {*after_retaking(reset)}
        for one, pawns in retaken:
            behind.add(one)
            if self._has_table(one):
                self._ask_table(one, pawns)
        if not self._may_be_chosen(lead):
            self._retake(retaken)
            return
        asked = self.waiting.setdefault(lead, _Asked())
        asked.every.add(reset.pawns)
        asked.retaken |= retaken
        bounds = {bound for bound in chosen.bounds if _counts(reset, bound)}
        if bounds:
            chosen.counted.add(lead)
            asked.counted.add(reset.pawns)
            asked.bounds |= bounds

    def _ask_table(self, material: Material, pawns: Pawns) -> None:
        asked = self._tables.setdefault(material, set())
        assert asked is not None
        asked.add(folded(pawns))

    def _retake(self, retaken: Iterable[tuple[Material, Pawns]]) -> None:
        """Ask for what retaking leads to."""
        for material, pawns in retaken:
            if self._may_be_chosen(material):
                asked = self.waiting.setdefault(material, _Asked())
                asked.every.add(pawns)
                asked.counted.add(pawns)

    def _may_be_chosen(self, material: Material) -> bool:
        """Whether it is small enough, to judge by a single slice."""
        return (
            not self._has_table(material) and can_be_solved(material) and numbers_per_slice(material) <= self._largest
        )

    def size(self, material: Material) -> tuple[int, int, int]:
        """What comes first by this can be solved first."""
        return material.men, material.pawns, len(self.chosen[material].slices)

    def part(self, material: Material, plan: Mapping[Material, Part]) -> Part:
        """What was chosen, given the parts that it leads to."""
        chosen = self.chosen[material]
        tables, known, exact = set[Material](), set[Material](), True
        for lead, retaken in chosen.leads_to.items():
            if self._has_table(lead):
                tables.add(lead)
                continue
            there = plan.get(lead)
            if there is not None and not (self.chosen[lead].is_whole or lead in chosen.counted):
                there = None
            if there is not None:
                known.add(lead)
            exact = exact and there is not None and there.exact
            if there is None or not there.tells(chosen.bounds):
                tables |= {one for one in retaken if self._has_table(one)}
                known |= {one for one in retaken if one in plan}
        bounds = (Bound.EXACT,) if exact else chosen.bounds
        asked = {one.normal for one in tables}
        complete = {one: self._tables[one] for one in sorted(self._tables) if one.normal in asked}
        keys = {bound: _keys(material, bound, complete, [plan[one] for one in known]) for bound in bounds}
        return Part(material, chosen.slices, bounds, tuple(sorted(known)), complete, keys)


def _counts(reset: Reset, bound: Bound) -> bool:
    """Whether a bound gets better if it is known what a reset leads to, and that is likely: it is a capture, or the
    side that is sure of this bound promotes to a queen."""
    return not reset.promotion or (reset.promotion == "Q" and bound == (Bound.WORST, Bound.BEST)[reset.side])


def _keys(material: Material, bound: Bound, complete: Iterable[Material], known: Sequence[Part]) -> tuple[str, str]:
    """What decides the values of a part's table: its men alone if they are exact. Else what is known of the resets,
    complete tables and parts, whichever slices these have."""
    found = []
    for swapped in (False, True):
        lines = [_seen(material, swapped).name, (bound.swapped if swapped else bound).value]
        if bound != Bound.EXACT:
            lines.append(" ".join(sorted({one.normal.name for one in complete})) or "-")
            for part in known:
                keys = [key[swapped] for there, key in part.keys.items() if there in (bound, Bound.EXACT)]
                lines += [f"{_seen(part.material, swapped)} {key}" for key in keys]
        found.append(make_key([*lines[:3], *sorted(lines[3:])]))
    return found[0], found[1]


def _seen(material: Material, swapped: bool) -> Material:
    return material.swapped if swapped else material
