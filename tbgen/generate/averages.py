"""What a number of a table takes on average, for tables that have never been built.

Fitted to recorded.csv: the logarithms are linear in men, pawns and how near the sides come in worth. Tables of equal
sides take the most: more positions stay open for long, and have a staircase.
"""

from math import exp
from typing import Final, NamedTuple

from tbgen.core.material import Material
from tbgen.core.table_rules import TableRules
from tbgen.rules.potential.pieces import pieces

_NEAR: Final = 200
"""Hundredths of a pawn between the sides with which their nearness falls to 1/e."""


class Terms(NamedTuple):
    """A number for each term of a logarithm: what a material has of it, or how much that weighs."""

    always: float
    men: float
    pawns: float
    nearness: float


_POSITIONS: Final = Terms(0.285, -0.149, 0.103, 0.026)
"""Legal ones."""
_BYTES: Final = {
    TableRules.RESET: Terms(-2.533, 0.259, -0.062, 1.663),
    TableRules.WHOLE_GAME: Terms(-1.989, 0.129, 0.004, 0.923),
}
_MICROSECONDS: Final = {
    TableRules.RESET: Terms(-3.020, 0.556, 0.123, 1.578),
    TableRules.WHOLE_GAME: Terms(-1.802, 0.231, 0.229, 0.395),
}
"""Of CPU at a pace of 1, writing included."""


class Average(NamedTuple):
    """For each number of a table."""

    positions: float
    bytes: float
    microseconds: float


def traits_of(material: Material) -> Terms:
    values = pieces(material)
    ours, theirs = (sum(values[letter].value for letter in side) for side in (material.first, material.second))
    pawns = (material.first + material.second).count("P")
    return Terms(1, material.men, pawns, exp(-abs(ours - theirs) / _NEAR))


def average(material: Material, rules: TableRules) -> Average:
    traits = traits_of(material)
    weights = _POSITIONS, _BYTES[rules], _MICROSECONDS[rules]
    return Average(*(exp(sum(a * b for a, b in zip(one, traits, strict=True))) for one in weights))
