"""A rule as short as Pair-o-Max's, whose shares are those of the tables: which side is ahead, how often it mates, and
what r-mobility gives for what it forces.

It keeps what tables confirm (what cannot mate, the margin of 3.5 pawns, the last pawn) and drops what they do not: that
an advantage without pawns is worth half. Instead, less than a pawn and a half is worth half, with pawns or without."""

from typing import Final, NamedTuple

from tbgen.core.material import Material
from tbgen.rules.potential import pair_o_max as rule
from tbgen.rules.potential.pieces import pieces

_SMALL: Final = 150
"""An advantage, in hundredths of a pawn, that is as good as none half of the time."""


class Line(NamedTuple):
    """What the rule says of a kind of advantage: means of all tables of three to five men where it holds."""

    why: str
    mates: float
    """How often the side ahead forces mate, of all placements with either side to move."""
    points: float
    """What it gets for what it forces: 1 for mate, 3/4 for stalemate ... 1/2 for nothing, less for the other's."""


CANNOT: Final = Line("cannot mate", 0.016, 0.583)
LAST_PAWN: Final = Line("a piece can be given for the last pawn", 0.324, 0.668)
FEW: Final = Line("less than 3.5 pawns ahead, without pawns", 0.167, 0.543)
SMALL: Final = Line("less than 1.5 pawns ahead", 0.516, 0.692)
AHEAD: Final = Line("ahead", 0.902, 0.944)
EVEN: Final = Line("nobody is ahead", 0.0, 0.5)
LINES: Final = (CANNOT, LAST_PAWN, FEW, SMALL, AHEAD)
"""The first that holds counts."""
_SAME: Final = {
    rule.COLOUR_BOUND: CANNOT,
    rule.LIKE_PAIR: CANNOT,
    rule.TOUGH: CANNOT,
    rule.LAST_PAWN: LAST_PAWN,
    rule.FEW: FEW,
}


def line(material: Material, *, pair: bool | None = None) -> tuple[int | None, Line]:
    """Who is ahead, as Pair-o-Max has it, and what that is worth. `pair`: whether a side's colour-bound men, if it has
    several, are known to stand on both colours, or on one."""
    advice = rule.advise(material, pair=pair)
    if advice.leader is None:
        return None, EVEN
    ours = (material.first, material.second)[advice.leader]
    if pair is False and all(pieces(material)[letter].colour_bound for letter in ours):
        return advice.leader, CANNOT
    return advice.leader, _SAME.get(advice.why) or (SMALL if advice.advantage < _SMALL else AHEAD)


def points(material: Material, *, pair: bool | None = None) -> float:
    """What the first side can hope for: 1/2 where nobody is ahead."""
    leader, found = line(material, pair=pair)
    return 1 - found.points if leader else found.points
