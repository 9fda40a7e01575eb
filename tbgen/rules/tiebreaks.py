"""A crosstable and its two tiebreaks.

Direct encounter, and then either the sum of r-mobility points; or the number of stalemates given minus suffered, then
the same for G1.0, G1.5 and so on.
"""

from collections import Counter
from collections.abc import Callable, Sequence
from fractions import Fraction
from typing import Any, Final, NamedTuple

from tbgen.core import outcome
from tbgen.rules.scoring import DRAW, Scoring

Measure = Callable[[str, Sequence[str]], Any]
"""Gives what a player is ordered by, the larger the better, among those who are level so far."""

_NOBODY: Final = (0, Fraction(0))


class Row(NamedTuple):
    """A player's line in the final table. Players level on score and tiebreaks share a place."""

    place: int
    """By score, by direct encounter, then by the sum of r-mobility points."""
    place_by_balance: int
    """By score, by direct encounter, then by the other tiebreak."""
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
        """The final table: by score, by direct encounter, then by the sum of the points of `mobility`."""
        rows = {
            player: Row(
                0, 0, player, meetings.total(), self.points(player, scoring), self.points(player, mobility),
                self.balance(player),
            )
            for player, meetings in self._meetings.items()
        }  # fmt: skip
        encounters = {player: self.against(player, scoring) for player in rows}

        def direct(player: str, level: Sequence[str]) -> Fraction:
            """Points above one half for each game: players need not have met equally often."""
            met = [encounters[player].get(other, _NOBODY) for other in level]
            return sum((points - games * DRAW for games, points in met), Fraction(0))

        def places(last: Callable[[Row], Any]) -> dict[str, int]:
            measures: list[Measure] = [
                lambda player, level: rows[player].score, direct, lambda player, level: last(rows[player])
            ]  # fmt: skip
            found: dict[str, int] = {}
            for group in ranked(list(rows), measures):
                found |= dict.fromkeys(group, len(found) + 1)
            return found

        by_mobility, by_balance = places(lambda row: row.mobility), places(lambda row: row.balance)
        return [
            rows[player]._replace(place=place, place_by_balance=by_balance[player])
            for player, place in by_mobility.items()
        ]


def ranked(level: list[str], by: Sequence[Measure]) -> list[list[str]]:
    """Players who are level so far, ordered by these measures, one after the other; those who remain level together."""
    if len(level) < 2 or not by:
        return [level]
    values = {player: by[0](player, level) for player in level}
    found: list[list[str]] = []
    for value in sorted(set(values.values()), reverse=True):
        found += ranked([player for player in level if values[player] == value], by[1:])
    return found
