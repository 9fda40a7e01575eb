"""The rule of thumb for mating potential by H. G. Muller, as his engine Pair-o-Max applies it.

It looks at the counts and values of the men alone, and says by what factor the advantage of the side ahead is to be
multiplied. Counts are of pieces, attacker's then defender's; kings and pawns are left out.
"""

from collections.abc import Sequence
from fractions import Fraction
from typing import Final, NamedTuple

from tbgen.core.material import Material
from tbgen.rules.potential.pieces import Piece, pieces

_EIGHTH: Final = Fraction(1, 8)
_MINOR: Final = 350
_FEW_PIECES: Final = {(1, 0), (1, 1), (2, 0), (2, 1)}
_AFTER_SACRIFICE: Final = {(1, 1), (1, 2), (2, 1), (2, 2)}

COLOUR_BOUND: Final = "a colour-bound piece alone"
TOUGH: Final = "a man that no king can approach draws"
LIKE_PAIR: Final = "a like pair that cannot mate"
FEW: Final = "less than 3.5 pawns ahead, without pawns"
LAST_PAWN: Final = "a piece can be given for the last pawn"
"""Reasons."""


class Advice(NamedTuple):
    """What the rule makes of a material."""

    leader: int | None
    """0 for the first side, 1 for the second, None if neither is ahead."""
    advantage: int
    """How much more its men are worth, in hundredths of a pawn."""
    factor: Fraction
    why: str


def advise(material: Material, *, pair: bool | None = None) -> Advice:
    """`pair`: whether a side's colour-bound men, if it has several, are known to stand on both colours, or on one. Who
    does not know has a pair whenever there are two."""
    known = pieces(material)
    ours, theirs = ([known[letter] for letter in side] for side in (material.first, material.second))
    difference = worth(ours, pair=pair) - worth(theirs, pair=pair)
    if difference == 0:
        return Advice(None, 0, Fraction(1), "nobody is ahead")
    if difference > 0:
        return Advice(0, difference, *_factor(ours, theirs, pair))
    return Advice(1, -difference, *_factor(theirs, ours, pair))


def worth(side: Sequence[Piece], *, pair: bool | None = None) -> int:
    """Of a side's men, with the lower bonus where two of them are colour-bound, unless `pair` denies it."""
    bonuses = [piece.bonus for piece in side if piece.colour_bound]
    is_pair = len(bonuses) > 1 and pair is not False
    return sum(piece.value for piece in side) + (min(bonuses) if is_pair else 0)


def may_pair(material: Material) -> bool:
    """Whether a side has several colour-bound men."""
    known = pieces(material)
    return any(sum(known[letter].colour_bound for letter in side) > 1 for side in (material.first, material.second))


def _factor(ours: Sequence[Piece], theirs: Sequence[Piece], pair: bool | None) -> tuple[Fraction, str]:
    attackers, defenders = _without(ours), _without(theirs)
    pawns = len(ours) - len(attackers)
    if not pawns:
        return _without_pawns(attackers, defenders, pair)
    if pawns == 1 and defenders and (len(attackers), len(defenders)) in _AFTER_SACRIFICE:
        left = sorted(defenders, key=lambda piece: piece.value)[1:]
        if _without_pawns(attackers, left, pair)[0] == _EIGHTH:
            return Fraction(1, 4), LAST_PAWN
    return Fraction(1), "has pawns"


def _without(side: Sequence[Piece]) -> list[Piece]:
    return [piece for piece in side if piece.letter != "P"]


def _without_pawns(attackers: Sequence[Piece], defenders: Sequence[Piece], pair: bool | None) -> tuple[Fraction, str]:
    counts = len(attackers), len(defenders)
    if counts in ((1, 0), (1, 1)) and attackers[0].colour_bound:
        return _EIGHTH, COLOUR_BOUND
    if counts == (1, 1) and defenders[0].tough:
        return _EIGHTH, TOUGH
    if len(attackers) == 2 and attackers[0] == attackers[1] and attackers[0].no_pair and len(defenders) < 2:
        return _EIGHTH, LIKE_PAIR
    if counts in _FEW_PIECES and not any(piece.mates_alone for piece in attackers):
        if worth(attackers, pair=pair) - worth(defenders, pair=pair) < _MINOR:
            return _EIGHTH, FEW
    if not defenders:
        return Fraction(1), "nothing against it"
    return Fraction(1, 2), "no pawns"
