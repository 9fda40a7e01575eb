"""The rule of thumb for mating potential by H. G. Muller, as his engine Pair-o-Max applies it.

It looks at the counts and values of the men alone, and says by what factor the advantage of the side ahead is to be
multiplied. Counts are of pieces, attacker's then defender's; kings and pawns are left out.
"""

from collections.abc import Sequence
from fractions import Fraction
from typing import Final, NamedTuple

from tbgen.material import Material
from tbgen.potential.pieces import Piece, pieces

_EIGHTH: Final = Fraction(1, 8)
_MINOR: Final = 350
_BONUS: Final = 8
"""A pair on both colours is worth more by this part of one of them."""
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


def advise(material: Material, *, pair: bool = False) -> Advice:
    """`pair`: a side with several colour-bound men is known to have them on both colours."""
    known = pieces(material)
    ours, theirs = ([known[letter] for letter in side] for side in (material.first, material.second))
    difference = worth(ours, pair=pair) - worth(theirs, pair=pair)
    if difference == 0:
        return Advice(None, 0, Fraction(1), "nobody is ahead")
    if difference > 0:
        return Advice(0, difference, *_factor(ours, theirs, pair))
    return Advice(1, -difference, *_factor(theirs, ours, pair))


def worth(side: Sequence[Piece], *, pair: bool = False) -> int:
    """Of a side's men. `pair`: those that are colour-bound are known to stand on both colours."""
    values = [piece.value for piece in side]
    bound = [piece.value for piece in side if piece.colour_bound]
    return sum(values) + (min(bound) // _BONUS if pair and len(bound) > 1 else 0)


def _factor(ours: Sequence[Piece], theirs: Sequence[Piece], pair: bool) -> tuple[Fraction, str]:
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


def _without_pawns(attackers: Sequence[Piece], defenders: Sequence[Piece], pair: bool) -> tuple[Fraction, str]:
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
