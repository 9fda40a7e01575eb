"""What the file of a local table says beside what every table says: which placements of pawns it has, which bound its
values are, and what was known of the positions that its resets lead to."""

import enum
import hashlib
import re
from collections.abc import Container, Sequence
from functools import cache
from typing import Any, Final, NamedTuple

from tbgen.core.material import Material, parse
from tbgen.core.outcome import BASE
from tbgen.core.table_contents import OUTCOME_SHIFT
from tbgen.index.kings import FIXED, PAIRS
from tbgen.index.layout import Layout
from tbgen.store.format.build_notes import is_text

_KEY: Final = "key"
_COMPLETE: Final = "complete"
_TABLES: Final = "tables"
_SLICES: Final = "slices"
_SWAPPED: Final = "-"
_KEY_DIGITS: Final = 16
_SLICES_DIGITS: Final = 8


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

    @property
    def unknown(self) -> tuple[int, int]:
        """By the side to move, the entry of every position of which nothing is known; 0 where there is none."""
        mate = BASE << OUTCOME_SHIFT
        return {Bound.WORST: (-mate, mate), Bound.BEST: (mate, -mate)}.get(self, (0, 0))


BOTH: Final = (Bound.WORST, Bound.BEST)
"""Of a table that is not exact."""


def tells(there: Container[Bound], bound: Bound) -> bool:
    """Whether a bound is known where these are: what is exact is both."""
    return Bound.EXACT in there or bound in there


class LocalName(NamedTuple):
    """Which local table it is, in the name of its file and in the notes of others."""

    material: Material
    key: str
    """Stands for all that decides what the table says of a position."""
    slices: str
    """Stands for the placements of pawns that it has."""
    bound: Bound

    def __str__(self) -> str:
        return f"{self.material}.{self.key}.{self.slices}.{self.bound}"


_NAME: Final = re.compile(
    rf"(\w+)\.([0-9a-f]{{{_KEY_DIGITS}}})\.([0-9a-f]{{{_SLICES_DIGITS}}})\.({'|'.join(bound for bound in Bound)})"
)


def read_name(words: str) -> LocalName:
    """ValueError if that is not the name of a local table."""
    match = _NAME.fullmatch(words)
    if match is None:
        raise ValueError(f"{words} is no local table")
    return LocalName(_material(match[1]), match[2], match[3], Bound(match[4]))


def make_key(lines: Sequence[str]) -> str:
    return _digest(lines, _KEY_DIGITS)


class SolvedWith(NamedTuple):
    """Another local table, to which resets lead."""

    name: LocalName
    swapped: bool
    """Whether its first side is this table's second."""


class LocalNotes(NamedTuple):
    bound: Bound
    key: str
    slices: tuple[tuple[int, ...], ...]
    """The squares of the pawns, slice by slice: the first side's in rising order, then the second's."""
    complete: tuple[Material, ...]
    """The complete tables that resets lead to."""
    tables: tuple[SolvedWith, ...]
    """The local tables. All other resets were taken for mates."""

    def name(self, material: Material) -> LocalName:
        rows = [" ".join(map(str, one)) for one in sorted(self.slices)]
        return LocalName(material, self.key, _digest(rows, _SLICES_DIGITS), self.bound)

    def layout(self, material: Material) -> Layout:
        return Layout(material, tuple(sorted(self.slices)))

    def facts(self, material: Material) -> dict[str, object]:
        """As the file has it."""
        return {
            _KEY: self.key,
            _COMPLETE: sorted(material.name for material in self.complete),
            _TABLES: sorted(f"{_SWAPPED * one.swapped}{one.name}" for one in self.tables),
            _SLICES: self.layout(material).pawns.squares.tolist(),
        }


@cache
def numbers_per_slice(material: Material) -> int:
    """Both sides to move. Symmetry makes no two placements one."""
    return 2 * PAIRS[FIXED] * Layout(material).inner


def read_notes(material: Material, bound: str, facts: dict[str, Any]) -> LocalNotes:
    """What a file says; ValueError, TypeError or LookupError if it cannot be."""
    first = material.first.count("P")
    rows = [tuple(map(int, row)) for row in facts[_SLICES]]
    for row in rows:
        sides = row[:first], row[first:]
        if (
            len(row) != material.pawns
            or any(side != tuple(sorted(side)) for side in sides)
            or len({*row}) < len(row)
            or not 8 <= min(row) <= max(row) < 56
        ):
            raise ValueError("a placement of its pawns is none")
    if not rows or len({*rows}) < len(rows):
        raise ValueError("it has no placement of pawns, or one twice")
    if not all(map(is_text, (facts[_KEY], *facts[_COMPLETE], *facts[_TABLES]))):
        raise ValueError("its notes are none")
    complete, tables = tuple(map(_material, facts[_COMPLETE])), tuple(map(_solved_with, facts[_TABLES]))
    return LocalNotes(Bound(bound), facts[_KEY], tuple(rows), complete, tables)


def _solved_with(words: str) -> SolvedWith:
    return SolvedWith(read_name(words.removeprefix(_SWAPPED)), words.startswith(_SWAPPED))


def _material(name: str) -> Material:
    found = parse(name)
    if found.name != name:
        raise ValueError(f"{name} is not how that material is written")
    return found


def _digest(lines: Sequence[str], digits: int) -> str:
    return hashlib.sha256("\n".join(lines).encode("ascii")).hexdigest()[:digits]
