"""Material as algebra: `KRPvKB` parsed, normalised, mirrored, and what it can turn into.

A material is written with the stronger side first. "Stronger" is a fixed order and nothing more: more
men, then the heavier men, letter by letter. Both colours may have either side of it, so a position is
looked up as it stands or with the colours swapped.
"""

import itertools
import re
from collections.abc import Iterator, Mapping
from dataclasses import dataclass
from typing import Final

from tbgen.errors import BadInput
from tbgen.meant import hint
from tbgen.text import typed

MEN_IN_TABLES: Final = 5
"""Tables are built and probed with at most this many men, kings included."""

MEN_NUMBERED: Final = 6
"""Positions of at most this many men can be numbered, and so estimated: more than tables are built of."""

PIECES: Final = "QRBNP"
"""Everything but kings, heaviest first: the order within a side."""

PROMOTIONS: Final = "QRBN"
_RANK: Final = {letter: place for place, letter in enumerate(PIECES)}
_NAME: Final = re.compile(r"K([QRBNP]*?)V?K([QRBNP]*)\Z")


def _in_order(letters: str) -> str:
    return "".join(sorted(letters, key=_RANK.__getitem__))


def _strength(letters: str) -> tuple[int, list[int]]:
    return len(letters), [-_RANK[letter] for letter in letters]


@dataclass(frozen=True, order=True)
class Material:
    """The men of both sides without their kings; `first` is the side named first."""

    first: str
    second: str

    @property
    def name(self) -> str:
        return f"K{self.first}vK{self.second}"

    def __str__(self) -> str:
        return self.name

    @property
    def men(self) -> int:
        return 2 + len(self.first) + len(self.second)

    @property
    def pawns(self) -> int:
        return (self.first + self.second).count("P")

    @property
    def swapped(self) -> "Material":
        """The same men in the other colours' hands."""
        return Material(self.second, self.first)

    @property
    def even(self) -> bool:
        """Whether both sides have the same men."""
        return self.first == self.second

    @property
    def is_normal(self) -> bool:
        return _strength(self.first) >= _strength(self.second)

    @property
    def normal(self) -> "Material":
        return self if self.is_normal else self.swapped

    def captures(self) -> Iterator["Material"]:
        """What is left when one man falls (not normalised, each once)."""
        for letter in dict.fromkeys(self.first):
            yield Material(self.first.replace(letter, "", 1), self.second)
        for letter in dict.fromkeys(self.second):
            yield Material(self.first, self.second.replace(letter, "", 1))

    def promotions(self) -> Iterator["Material"]:
        """What a promotion without capture makes (not normalised)."""
        yield from self._first_promotes()
        for new in self.swapped._first_promotes():
            yield new.swapped

    def _first_promotes(self) -> Iterator["Material"]:
        if "P" in self.first:
            for new in PROMOTIONS:
                yield Material(_in_order(self.first.replace("P", new, 1)), self.second)

    def _first_captures_and_promotes(self) -> Iterator["Material"]:
        for letter in dict.fromkeys(self.second.replace("P", "")):  # no pawn stands on the last rank
            yield from Material(self.first, self.second.replace(letter, "", 1))._first_promotes()

    def successors(self) -> list["Material"]:
        """Every other normal material that one move can lead to, promotion with capture included."""
        found = set()
        for other in itertools.chain(
            self.captures(),
            self.promotions(),
            self._first_captures_and_promotes(),
            self.swapped._first_captures_and_promotes(),
        ):
            found.add(other.normal)
        return sorted(found, key=build_key)


def build_key(material: Material) -> tuple[int, int, tuple[int, ...], tuple[int, ...]]:
    """Sorting by this puts every material behind all that it depends on: fewer men, then fewer pawns."""
    return (
        material.men,
        material.pawns,
        tuple(_RANK[letter] for letter in material.first),
        tuple(_RANK[letter] for letter in material.second),
    )


def parse(words: str, otherwise: Mapping[str, str] | None = None) -> Material:
    """The normal material that any spelling stands for: `KvKB`, `kbk`, `KBK`, `KB-K`. For words in `otherwise` there is
    something else to suggest."""
    squeezed = typed(words).strip().upper().replace("-", "V").replace(" ", "").replace("_", "V")
    match = _NAME.match(squeezed)
    if match is None:
        meant = hint(words, otherwise=otherwise)
        raise BadInput(f"not a material: {words!r} ({meant}write both sides with their kings, as in KRvKN)")
    return Material(_in_order(match[1]), _in_order(match[2])).normal


def every(men: int) -> list[Material]:
    """All normal materials of exactly this many men, in build order."""
    found = set()
    for ahead in range((men - 1) // 2, men - 1):
        for first in itertools.combinations_with_replacement(PIECES, ahead):
            for second in itertools.combinations_with_replacement(PIECES, men - 2 - ahead):
                found.add(Material("".join(first), "".join(second)).normal)
    return sorted(found, key=build_key)


def with_dependencies(materials: list[Material]) -> list[Material]:
    """These materials and all that they depend on, in build order."""
    needed: set[Material] = set()
    todo = list(materials)
    while todo:
        material = todo.pop()
        if material not in needed:
            needed.add(material)
            todo.extend(material.successors())
    return sorted(needed, key=build_key)
