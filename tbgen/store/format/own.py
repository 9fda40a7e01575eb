"""What the file of an own table says beside what every table says: which placements of pawns it has, which bound its
values are, and what was known of the positions that its resets lead to."""

import enum
import hashlib
from collections.abc import Container
from typing import Final, NamedTuple

import numpy as np
from numpy.typing import NDArray

from tbgen.index.kings import FIXED, PAIRS
from tbgen.index.layout import Layout
from tbgen.material import Material, parse

OWN: Final = "own"
BOUND: Final = "bound"
COMPLETE: Final = "complete"
PARTS: Final = "parts"
_NOTHING: Final = "-"
_SWAPPED: Final = "-"
KEY_DIGITS: Final = 16


class Bound(enum.StrEnum):
    """What a table's values are for the side that its material names first."""

    EXACT = "exact"
    WORST = "worst"
    """The other side mates wherever nothing is known: the first side gets this or better."""
    BEST = "best"
    """It mates there itself, and gets this or worse."""

    @property
    def swapped(self) -> "Bound":
        """The same for the other side."""
        return {Bound.WORST: Bound.BEST, Bound.BEST: Bound.WORST}.get(self, self)

    def seen(self, swapped: bool) -> "Bound":
        """The same for the side that another table has first, which may be the other one."""
        return self.swapped if swapped else self


BOUNDS: Final = tuple(bound.value for bound in Bound)
BOTH: Final = (Bound.WORST, Bound.BEST)
"""Of a table that is not exact."""


def tells(there: Container[Bound], bound: Bound) -> bool:
    """Whether a bound is known where these are: what is exact is both."""
    return Bound.EXACT in there or bound in there


class OwnPart(NamedTuple):
    """Another own table, to which resets lead."""

    material: Material
    swapped: bool
    """Whether its first side is this table's second."""
    key: str
    only: Bound | None = None
    """The bound of its that was known, in its own view, if the other one was not."""


class OwnNotes(NamedTuple):
    bound: Bound
    placements: tuple[tuple[int, ...], ...]
    """The squares of the pawns, slice by slice: the first side's in rising order, then the second's."""
    complete: tuple[Material, ...]
    """The complete tables that resets lead to."""
    parts: tuple[OwnPart, ...]
    """The own tables. All other resets were taken for mates."""

    def key(self, material: Material) -> str:
        """Stands for all that a table depends on, but for the bound: for what is known, on which placements."""
        lines = [material.name, *(" ".join(map(str, one)) for one in sorted(self.placements))]
        lines += [self._complete(), self._parts()]
        return hashlib.sha256("\n".join(lines).encode("ascii")).hexdigest()[:KEY_DIGITS]

    def layout(self, material: Material) -> Layout:
        return Layout(material, tuple(sorted(self.placements)))

    def _complete(self) -> str:
        return " ".join(material.name for material in sorted(self.complete)) or _NOTHING

    def _parts(self) -> str:
        words = (
            f"{_SWAPPED * one.swapped}{one.material.name}.{one.key}{'' if one.only is None else f'.{one.only}'}"
            for one in sorted(self.parts, key=lambda one: one[:3])
        )
        return " ".join(words) or _NOTHING

    def facts(self) -> dict[str, str]:
        """The attributes of the group."""
        return {COMPLETE: self._complete(), PARTS: self._parts()}


def numbers_per_slice(layout: Layout) -> int:
    """Both sides to move. Symmetry makes no two placements one."""
    return 2 * PAIRS[FIXED] * layout.inner


def read_notes(
    material: Material, bound: object, pawns: NDArray[np.int8], facts: dict[str, int | float | str]
) -> OwnNotes:
    """What a file says; ValueError (or BadInput) if it cannot be."""
    first = material.first.count("P")
    rows = pawns.tolist()
    for row in rows:
        sides = row[:first], row[first:]
        if any(side != sorted(side) for side in sides) or len({*row}) < len(row) or not 8 <= min(row) <= max(row) < 56:
            raise ValueError("a placement of its pawns is none")
    placements = tuple(map(tuple, rows))
    if len({*placements}) < len(placements):
        raise ValueError("it has a placement of pawns twice")
    complete = tuple(map(_material, _words(facts, COMPLETE)))
    return OwnNotes(Bound(str(bound)), placements, complete, tuple(map(_part, _words(facts, PARTS))))


def _words(facts: dict[str, int | float | str], name: str) -> list[str]:
    words = str(facts[name])
    return [] if words == _NOTHING else words.split()


def _material(name: str) -> Material:
    found = parse(name)
    if found.name != name:
        raise ValueError(f"{name} is not how that material is written")
    return found


def _part(words: str) -> OwnPart:
    name, key, *only = words.removeprefix(_SWAPPED).split(".")
    if len(key) != KEY_DIGITS or not {*key} <= {*"0123456789abcdef"} or not {*only} <= {*BOTH} or len(only) > 1:
        raise ValueError(f"{words} is no own table")
    return OwnPart(_material(name), words.startswith(_SWAPPED), key, Bound(only[0]) if only else None)
