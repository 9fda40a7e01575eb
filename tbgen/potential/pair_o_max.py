"""The rule of thumb for mating potential by H. G. Muller, as his engine Pair-o-Max applies it.

It looks at the counts and values of the men alone, and says by what factor the advantage of the side ahead is to be
multiplied. Counts are of pieces, attacker's then defender's; kings and pawns are left out. Its remarks on light men
that mate alone and on men that move like kings have nothing to say about ordinary chess.
"""

from fractions import Fraction
from typing import Final, NamedTuple

from tbgen.material import Material

VALUES: Final = {"Q": 950, "R": 500, "B": 325, "N": 325, "P": 100}
"""The worth of men in hundredths of a pawn; the rule knows minors as worth up to 350."""

_EIGHTH: Final = Fraction(1, 8)
_MINOR: Final = 350
_BONUS: Final = 8
"""A pair on both colours is worth more by this part of one of them."""
_FEW_PIECES: Final = {(1, 0), (1, 1), (2, 0), (2, 1)}
_AFTER_SACRIFICE: Final = {(1, 1), (1, 2), (2, 1), (2, 2)}
_PAIR: Final = "NN"
"""Cannot mate."""
_ONE_COLOUR: Final = "B"

COLOUR_BOUND: Final = "a colour-bound piece alone"
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


def value(letters: str) -> int:
    return sum(VALUES[letter] for letter in letters)


def worth(letters: str, *, pair: bool = False) -> int:
    """Of a side's men. `pair`: bishops are known to stand on both colours."""
    return value(letters) + (VALUES["B"] // _BONUS if pair and letters.count("B") > 1 else 0)


def advise(material: Material, *, pair: bool = False) -> Advice:
    """`pair`: a side with several bishops is known to have them on both colours."""
    ours, theirs = material.first, material.second
    difference = worth(ours, pair=pair) - worth(theirs, pair=pair)
    if difference == 0:
        return Advice(None, 0, Fraction(1), "nobody is ahead")
    if difference > 0:
        return Advice(0, difference, *_factor(ours, theirs, pair))
    return Advice(1, -difference, *_factor(theirs, ours, pair))


def _factor(ours: str, theirs: str, pair: bool) -> tuple[Fraction, str]:
    attackers, defenders = ours.replace("P", ""), theirs.replace("P", "")
    if "P" not in ours:
        return _without_pawns(attackers, defenders, pair)
    if ours.count("P") == 1 and defenders and (len(attackers), len(defenders)) in _AFTER_SACRIFICE:
        left = "".join(sorted(defenders, key=lambda letter: VALUES[letter])[1:])
        if _without_pawns(attackers, left, pair)[0] == _EIGHTH:
            return Fraction(1, 4), LAST_PAWN
    return Fraction(1), "has pawns"


def _without_pawns(attackers: str, defenders: str, pair: bool) -> tuple[Fraction, str]:
    counts = len(attackers), len(defenders)
    if attackers == _ONE_COLOUR and counts in ((1, 0), (1, 1)):
        return _EIGHTH, COLOUR_BOUND
    if attackers == _PAIR and len(defenders) < 2:
        return _EIGHTH, LIKE_PAIR
    if counts in _FEW_PIECES and worth(attackers, pair=pair) - worth(defenders, pair=pair) < _MINOR:
        return _EIGHTH, FEW
    if not defenders:
        return Fraction(1), "nothing against it"
    return Fraction(1, 2), "no pawns"
