"""The rule of thumb for mating potential that engines with many kinds of men use, Pair-o-Max among them.

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
_FEW: Final = {(1, 0), (1, 1), (2, 0), (2, 1)}
_AFTER_SACRIFICE: Final = {(1, 1), (1, 2), (2, 1), (2, 2)}
_LIKE_PAIR: Final = "NN"
"""Cannot mate."""
_COLOUR_BOUND: Final = "B"


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


def advise(material: Material) -> Advice:
    difference = value(material.first) - value(material.second)
    if difference == 0:
        return Advice(None, 0, Fraction(1), "nobody is ahead")
    if difference > 0:
        return Advice(0, difference, *_factor(material.first, material.second))
    return Advice(1, -difference, *_factor(material.second, material.first))


def _factor(ours: str, theirs: str) -> tuple[Fraction, str]:
    attackers, defenders = ours.replace("P", ""), theirs.replace("P", "")
    if "P" not in ours:
        return _without_pawns(attackers, defenders)
    if ours.count("P") == 1 and defenders and (len(attackers), len(defenders)) in _AFTER_SACRIFICE:
        left = "".join(sorted(defenders, key=lambda letter: VALUES[letter])[1:])
        if _without_pawns(attackers, left)[0] == _EIGHTH:
            return Fraction(1, 4), "a piece can be given for the last pawn"
    return Fraction(1), "has pawns"


def _without_pawns(attackers: str, defenders: str) -> tuple[Fraction, str]:
    counts = len(attackers), len(defenders)
    if attackers == _COLOUR_BOUND and counts in ((1, 0), (1, 1)):
        return _EIGHTH, "a colour-bound piece alone"
    if attackers == _LIKE_PAIR and len(defenders) < 2:
        return _EIGHTH, "a like pair that cannot mate"
    if counts in _FEW and value(attackers) - value(defenders) < _MINOR:
        return _EIGHTH, "less than 3.5 pawns ahead, without pawns"
    if not defenders:
        return Fraction(1), "nothing against it"
    return Fraction(1, 2), "no pawns"
