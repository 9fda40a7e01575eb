"""How many positions a table stores twice, from its material alone.

Where both kings stand on the diagonal a1-h8, a placement and its mirror image have an entry each, unless they are the
same placement (symmetry.py). So a table has as many positions as stored entries, less half of those that come in twos.
Counting these takes neither the table nor every placement of the men: a placement is legal unless the king of the side
that is not to move is in check, and for that it matters only how many men stand on each line from this king, and which
of them is the nearest.
"""

from collections import Counter
from collections.abc import Sequence
from functools import lru_cache
from itertools import product
from math import factorial, perm, prod
from typing import Final, NamedTuple

from tbgen.core.material import Material
from tbgen.index.layout import Layout, layout_of
from tbgen.index.positions import legal, placed
from tbgen.index.symmetry import SymmetryClasses

_STRAIGHT, _DIAGONAL, _LEAP, _NO_WAY = range(4)
_ATTACKS: Final = {"Q": (_STRAIGHT, _DIAGONAL), "R": (_STRAIGHT,), "B": (_DIAGONAL,), "N": (_LEAP,)}
_LEAPS: Final = ((1, 2), (2, 1), (2, -1), (1, -2), (-1, -2), (-2, -1), (-2, 1), (-1, 2))
_LAST: Final = 7
"""The last square of the diagonal a1-h8, as of a rank or file."""
_KINGS: Final = tuple((one, other) for one in range(4) for other in range(_LAST + 1) if abs(one - other) > 1)
"""Where on the diagonal the two kings may stand, each pair once up to the other symmetries."""

_Attacks = tuple[int, ...]
"""The ways in which a man attacks the king that is not to move; none if he is on its side."""


class _Zone(NamedTuple):
    """Squares from which that king can be attacked in one way. On a line from it, only the nearest man attacks."""

    way: int
    size: int


class _Group(NamedTuple):
    """Like men of one side."""

    attacks: _Attacks
    men: int


class _Zones(NamedTuple):
    on_mirror: tuple[_Zone, ...]
    """The squares on the diagonal a1-h8 that no king is on."""
    beside: tuple[_Zone, ...]
    """The squares on one side of it. Those on the other side are their mirror images."""


@lru_cache(maxsize=512)
def stored_twice(material: Material) -> int:
    """How many positions of a normal material have two entries in its table."""
    if material.pawns:
        return 0
    if material.fairy:
        return _looked_at(layout_of(material))
    entries = 0
    for mover in (0,) if material.even else (0, 1):
        groups = [
            _Group(_ATTACKS[letter] if side == mover else (), count)
            for side, letters in enumerate((material.first, material.second))
            for letter, count in Counter(letters).items()
        ]
        for kings in _KINGS:
            zones = _zones(kings[1 - mover], kings[mover])
            entries += _placements(groups, zones) - _own_images(groups, zones)
    return entries // 2


def _looked_at(layout: Layout) -> int:
    """The same for men of any kind, by a look at each number that may be one of two."""
    return sum(int(legal(layout, placed(layout, numbers)).sum()) for numbers in SymmetryClasses(layout).twice()) // 2


def _zones(king: int, other: int) -> _Zones:
    """Around a king on the diagonal, with the other king on it as well, which shields it from men behind."""
    up, down = _LAST - king, king
    on_mirror = (up if other < king else other - king - 1, down if other > king else king - other - 1)
    leaps = sum(0 <= king + right <= _LAST and 0 <= king + ahead <= _LAST for right, ahead in _LEAPS)
    beside = ((_STRAIGHT, up), (_STRAIGHT, down), (_DIAGONAL, min(up, down)), (_LEAP, leaps // 2))
    return _Zones(
        _with_the_rest([_Zone(_DIAGONAL, size) for size in on_mirror], _LAST - 1),
        _with_the_rest([_Zone(*zone) for zone in beside], _LAST * (_LAST + 1) // 2),
    )


def _with_the_rest(zones: Sequence[_Zone], squares: int) -> tuple[_Zone, ...]:
    return *zones, _Zone(_NO_WAY, squares - sum(zone.size for zone in zones))


def _placements(groups: Sequence[_Group], zones: _Zones) -> int:
    """Legal placements."""
    men = tuple(group.attacks for group in groups for _ in range(group.men))
    orders = prod(factorial(group.men) for group in groups)
    return _arrangements(tuple(sorted(men)), tuple(sorted((*zones.on_mirror, *zones.beside, *zones.beside)))) // orders


def _own_images(groups: Sequence[_Group], zones: _Zones) -> int:
    """Legal placements that are their own mirror images: some men on the diagonal, the others in pairs of like men on a
    square and its image."""
    found = 0
    for pairs in product(*(range(group.men // 2 + 1) for group in groups)):
        split = list(zip(groups, pairs, strict=True))
        alone = tuple(group.attacks for group, twos in split for _ in range(group.men - 2 * twos))
        paired = tuple(group.attacks for group, twos in split for _ in range(twos))
        orders = prod(factorial(group.men - 2 * twos) * factorial(twos) for group, twos in split)
        found += _arrangements(alone, zones.on_mirror) * _arrangements(paired, zones.beside) // orders
    return found


@lru_cache(maxsize=4096)  # materials and kings have many in common
def _arrangements(men: tuple[_Attacks, ...], zones: tuple[_Zone, ...]) -> int:
    """Ways to put these men, told apart, on squares of their own in these zones so that none attacks. Zone by zone, for
    every set of men that stands in it or in one before it."""
    sets = range(1 << len(men))
    found = [1, *[0] * (len(sets) - 1)]
    for zone in zones:
        within = [_within(zone, [man for place, man in enumerate(men) if one >> place & 1]) for one in sets]
        found = [sum(found[one ^ part] * within[part] for part in sets if part & one == part) for one in sets]
    return found[-1]


def _within(zone: _Zone, men: Sequence[_Attacks]) -> int:
    """Ways to put these men on squares of a zone so that none attacks."""
    harmless = sum(zone.way not in attacks for attacks in men)
    if not men or harmless == len(men):
        return perm(zone.size, len(men))
    if zone.way == _LEAP:
        return 0
    return perm(zone.size, len(men)) * harmless // len(men)  # as many have each of them nearest
