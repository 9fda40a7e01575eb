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


def schedule(engines: int, games: int, *, gauntlet: bool = False) -> Iterator[Pairing]:
    """All games of a match, round by round: every pair of engines plays so many games.

    In a round a pair plays one opening twice, colours swapped; of an odd number of games the last round
    has only the first. All pairs of a round play the same opening. In a gauntlet only the first engine
    plays all others.
    """
    pairs = list(combinations(range(engines), 2))
    if gauntlet:
        pairs = [pair for pair in pairs if pair[0] == 0]
    for number in range((games + 1) // 2):
        in_round = 0
        for first, second in pairs:
            for white, black in ((first, second), (second, first))[: games - 2 * number]:
                in_round += 1
                yield Pairing(f"{number + 1}.{in_round}", white, black, number)
