"""Material as algebra: `KRPvKB` parsed, normalised, mirrored, and what it can turn into.

A material is written with the stronger side first. "Stronger" is a fixed order and nothing more: more
men, then the heavier men, letter by letter. Both colours may have either side of it, so a position is
looked up as it stands or with the colours swapped.

Men beyond those of chess (tbgen/board/men) stand behind the knights, by letter. A pawn promotes to a queen, rook,
bishop or knight, or to any such man that is on the board as it moves, on either side.
"""

import itertools
import re
from collections.abc import Iterable, Iterator, Mapping
from dataclasses import dataclass
from typing import Final

from tbgen.board.men import Man, Men, known, named
from tbgen.errors import BadInput, quoted
from tbgen.system.suggestions import hint
from tbgen.system.text import typed

MEN_IN_TABLES: Final = 6
"""Tables are built and probed with at most this many men, kings included."""

PROMOTIONS: Final = "QRBN"
"""The pieces of chess, heaviest first."""

MOST_FAIRY: Final = 3
"""Kinds of men beyond those of chess in a material."""

_MOST_MOVES: Final = 127
"""Tables have no position in which a side has more."""
_MOVES: Final = {"Q": 27, "R": 14, "B": 13, "N": 8, "P": 12}
_KING_MOVES: Final = 8
_FAIRY: Final = "ACDEFGHIJLMOSTUWXYZ"
"""The letters that such men may have."""
PIECES: Final = f"{PROMOTIONS}P"
"""All men of chess but kings."""
MEN_OF_CHESS: Final = f"K{PIECES}"
_RANK: Final = {letter: place for place, letter in enumerate(f"{PROMOTIONS}{_FAIRY}P")}
_NAME: Final = re.compile(rf"K([{''.join(_RANK)}]*?)V?K([{''.join(_RANK)}]*)\Z")


def in_order(letters: Iterable[str]) -> str:
    """The men of a side as a material has them."""
    return "".join(sorted(letters, key=_RANK.__getitem__))


def _strength(letters: str) -> tuple[int, list[int]]:
    return len(letters), [-_RANK[letter] for letter in letters]


@dataclass(frozen=True, order=True)
class Material:
    """The men of both sides without their kings; `first` is the side named first."""

    first: str
    second: str
    fairy: tuple[Man, ...] = ()
    """Those beyond chess, each once, by letter."""

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
        return Material(self.second, self.first, self.fairy)

    @property
    def promotions_to(self) -> str:
        """The men that a pawn may become."""
        return PROMOTIONS + "".join(man.letter for man in self.fairy)

    def with_men(self, first: str, second: str) -> "Material":
        """What is left or made of these men."""
        return Material(first, second, tuple(man for man in self.fairy if man.letter in first + second))

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
            yield self.with_men(self.first.replace(letter, "", 1), self.second)
        for letter in dict.fromkeys(self.second):
            yield self.with_men(self.first, self.second.replace(letter, "", 1))

    def promotions(self) -> Iterator["Material"]:
        """What a promotion without capture makes (not normalised)."""
        yield from self._first_promotes(self.second)
        for new in self.swapped._first_promotes(self.first):
            yield new.swapped

    def _first_promotes(self, second: str) -> Iterator["Material"]:
        """`second`: what is left of the other side's men."""
        if "P" in self.first:
            for new in self.promotions_to:
                yield self.with_men(in_order(self.first.replace("P", new, 1)), second)

    def _first_captures_and_promotes(self) -> Iterator["Material"]:
        for letter in dict.fromkeys(self.second.replace("P", "")):  # no pawn stands on the last rank
            yield from self._first_promotes(self.second.replace(letter, "", 1))

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


def parse(words: str, otherwise: Mapping[str, str] | None = None, men: Men | None = None) -> Material:
    """The normal material that any spelling stands for: `KvKB`, `kbk`, `KBK`, `KB-K`. For words in `otherwise` there is
    something else to suggest. `men`: what other letters stand for than those of chess."""
    squeezed = typed(words).strip().upper().replace("-", "V").replace(" ", "").replace("_", "V")
    match = _NAME.match(squeezed)
    if match is None:
        meant = hint(words, otherwise=otherwise)
        raise BadInput(f"not a material: {quoted(words)} ({meant}write both sides with their kings, as in KRvKN)")
    try:
        return make(in_order(match[1]), in_order(match[2]), known() if men is None else men).normal
    except BadInput as error:
        raise BadInput(f"not a material: {quoted(words)} ({error})") from None


def make(first: str, second: str, men: Men) -> Material:
    """The material of these men, each side's in order; BadInput if tables cannot have it."""
    found = named({*first, *second} & {*_FAIRY}, men)
    if len(found) > MOST_FAIRY:
        raise BadInput(f"{quoted(f'K{first}vK{second}')} has more than {MOST_FAIRY} kinds of men beyond those of chess")
    moves = _MOVES | {man.letter: man.most_moves for man in found}
    if found and any(sum(moves[letter] for letter in side) + _KING_MOVES > _MOST_MOVES for side in (first, second)):
        sides = quoted(f"K{first}vK{second}")
        raise BadInput(f"a side of {sides} may have more than {_MOST_MOVES} moves, and tables know no more")
    return Material(first, second, tuple(found))


def every(men: int) -> list[Material]:
    """All normal materials of exactly this many men of chess, in build order."""
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
