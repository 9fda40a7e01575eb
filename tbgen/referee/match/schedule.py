"""Who plays whom, with which colours, from which opening."""

from collections.abc import Iterator
from itertools import combinations
from typing import NamedTuple


class Pairing(NamedTuple):
    """A game to be played."""

    round: str
    """As in the PGN tag, `3.1`. No two games of a match have the same."""
    white: int
    """The engine's place in the list."""
    black: int
    opening: int


def schedule(
    engines: int, games: int, *, gauntlet: bool = False, swap: bool = True, reverse: bool = False, each: bool = False
) -> Iterator[Pairing]:
    """All games of a match, round by round: every pair of engines plays so many games.

    In a round a pair plays one opening twice, colours swapped; of an odd number of games the last round
    has only the first. Without `swap` it is played once. All pairs of a round play the same opening, or `each` its
    own. In a gauntlet only the first engine plays all others. `reverse` begins with the other colours.
    """
    pairs = list(combinations(range(engines), 2))
    if gauntlet:
        pairs = [pair for pair in pairs if pair[0] == 0]
    in_pair = 2 if swap else 1
    for number in range(-(-games // in_pair)):
        in_round = 0
        for place, (first, second) in enumerate(pairs):
            if reverse:
                first, second = second, first
            for white, black in ((first, second), (second, first))[: min(in_pair, games - in_pair * number)]:
                in_round += 1
                opening = number * len(pairs) + place if each else number
                yield Pairing(f"{number + 1}.{in_round}", white, black, opening)
