"""A crosstable and its two tiebreaks.

Either the sum of r-mobility points; or the number of stalemates given minus suffered, then the same
for G1.0, G1.5 and so on.
"""

from collections import Counter
from collections.abc import Sequence
from fractions import Fraction
from typing import Any, NamedTuple

from tbgen import outcome
from tbgen.rules.scoring import Scoring


class Row(NamedTuple):
    """A player's line in the final table. Players level on score and tiebreak share a place."""

    place: int
    """By score, then by the sum of r-mobility points."""
    place_by_balance: int
    """By score, then by the other tiebreak."""
    player: str
    games: int
    score: Fraction
    mobility: Fraction
    """The sum of r-mobility points."""

    balance: tuple[int, ...]
    """Stalemates given minus suffered, then the same for G1.0, G1.5 ...: compare as it is."""


class Meeting(NamedTuple):
    """A game seen from one of its sides."""

    opponent: str
    as_white: bool
    result: int
    """The outcome, positive when the player holds the record."""

    def points(self, scoring: Scoring) -> Fraction:
        """The player's points."""
        if self.as_white:
            return scoring.points(self.result)
        return 1 - scoring.points(outcome.flip(self.result))


def by_gscore(balance: Sequence[int]) -> dict[str, int]:
    """The G-scores given more often than suffered, or the other way round."""
    return {outcome.gscore(level): count for level, count in enumerate(balance, start=1) if count}


class Crosstable:
    """All games of a tournament, and what follows from them.

    Games that are alike are counted, not kept: a million of them take no more room than a thousand.
    """

    def __init__(self) -> None:
        self._meetings: dict[str, Counter[Meeting]] = {}
        self._highest = 0

    def add(self, white: str, black: str, result: int) -> None:
        """Enter a game for both sides."""
        sides = (
            (white, Meeting(black, True, result)),
            (black, Meeting(white, False, outcome.flip(result))),
        )
        for player, meeting in sides:
            self._meetings.setdefault(player, Counter())[meeting] += 1
        self._highest = max(self._highest, outcome.level(result))

    def meetings(self, player: str) -> Counter[Meeting]:
        """A player's games: how often each."""
        return self._meetings.get(player, Counter())

    def points(self, player: str, scoring: Scoring) -> Fraction:
        """A player's points in all games."""
        return sum((times * game.points(scoring) for game, times in self.meetings(player).items()), Fraction(0))

    def against(self, player: str, scoring: Scoring) -> dict[str, tuple[int, Fraction]]:
        """Games with each opponent, and a player's points in them."""
        found: dict[str, tuple[int, Fraction]] = {}
        for meeting, times in self.meetings(player).items():
            games, points = found.get(meeting.opponent, (0, Fraction(0)))
            found[meeting.opponent] = games + times, points + times * meeting.points(scoring)
        return found

    def balance(self, player: str) -> tuple[int, ...]:
        """How often a player gave minus suffered G0.5, G1.0, G1.5 ...: as long for every player."""
        found = Counter[int]()
        for meeting, times in self.meetings(player).items():
            found[outcome.level(meeting.result)] += times if meeting.result > 0 else -times
        return tuple(found[level] for level in range(1, self._highest + 1))

    def rows(self, scoring: Scoring, mobility: Scoring) -> list[Row]:
        """The final table: by score, then by the sum of the points of `mobility`."""
        rows = [
            Row(
                0, 0, player, meetings.total(), self.points(player, scoring), self.points(player, mobility),
                self.balance(player),
            )
            for player, meetings in self._meetings.items()
        ]  # fmt: skip
        places = _places([(row.score, row.mobility) for row in rows])
        others = _places([(row.score, row.balance) for row in rows])
        placed = [
            row._replace(place=place, place_by_balance=other)
            for row, place, other in zip(rows, places, others, strict=True)
        ]
        return sorted(placed, key=lambda row: row.place)


def _places(keys: Sequence[Any]) -> list[int]:
    """The place of each, the largest first: those that are alike share one."""
    first: dict[Any, int] = {}
    for place, key in enumerate(sorted(keys, reverse=True), start=1):
        first.setdefault(key, place)
    return [first[key] for key in keys]
