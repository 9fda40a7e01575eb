"""What the games of a match come to under one scoring: points, with their spread, and the sequential test."""

from collections.abc import Hashable, Sequence
from dataclasses import replace
from fractions import Fraction

from tbgen.referee.match.ledger import Entry
from tbgen.rules.scoring import Komi, Scoring
from tbgen.rules.statistics import Pairs, Sequential


class Account:
    """The points of all players under a scoring."""

    def __init__(
        self,
        players: Sequence[str],
        scoring: Scoring,
        sprt: Sequential | None = None,
        *,
        by_pairs: bool = True,
        opening_decides: bool = True,
    ) -> None:
        self.players = tuple(players)
        self.scoring = scoring
        self.sprt = None if sprt is None else replace(sprt)
        """A test of its own like the one given, of the first player against the second."""
        self.samples = {player: Pairs(by_pairs=by_pairs) for player in players}
        """The points of each player."""
        self.against: dict[tuple[str, str], Fraction] = {}
        """A player's points against another."""
        self._opening_decides = opening_decides
        """Whether the komi of an opening counts."""

    def points(self, entry: Entry) -> Fraction:
        """White's points for a game."""
        komi: Komi | None = entry.komi if self._opening_decides else None
        return self.scoring.under(komi=komi).points(entry.result)

    def add(self, entry: Entry, pair: Hashable) -> None:
        """Count a game of a pair."""
        white = self.points(entry)
        for player, opponent, points in ((entry.white, entry.black, white), (entry.black, entry.white, 1 - white)):
            self.samples[player].add(points, pair)
            self.against[player, opponent] = self.score(player, [opponent]) + points
        if self.sprt is not None:
            self.sprt.add(white if entry.white == self.players[0] else 1 - white, pair)

    def score(self, player: str, among: Sequence[str] | None = None) -> Fraction:
        """A player's points, in all games or in those against some."""
        opponents = self.players if among is None else among
        return sum((self.against.get((player, opponent), Fraction(0)) for opponent in opponents), Fraction(0))
