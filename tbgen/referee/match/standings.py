"""What the games of a match say: the table with both tiebreaks, Elo, LOS, and the sequential test."""

from collections import Counter
from collections.abc import Sequence
from dataclasses import replace
from fractions import Fraction
from typing import Any, Final, NamedTuple

from tbgen import outcome
from tbgen.errors import BadInput
from tbgen.referee.match.client import Misconduct
from tbgen.referee.match.control import read_number
from tbgen.referee.match.ledger import Entry
from tbgen.rules.scoring import Exponential, Scoring
from tbgen.rules.statistics import Interval, Sample, Sprt
from tbgen.rules.tiebreaks import Crosstable, Played

_MISCONDUCT: Final = frozenset(kind.value for kind in Misconduct)


class Line(NamedTuple):
    """A player's line in the table. Players level on score and tiebreak share a place."""

    place: int
    player: str
    games: int
    score: Fraction
    against: tuple[Fraction | None, ...]
    """Points against each player, in the order of the table; None against oneself or where none played."""
    mobility: Fraction
    """The sum of r-mobility points."""
    balance: tuple[int, ...]
    """Stalemates given minus suffered, then the same for G1.0, G1.5 ..."""
    elo: Interval
    los: float
    forfeits: int


class Standings:
    """All games of a match so far."""

    def __init__(
        self, players: Sequence[str], scoring: Scoring, tiebreak: str = "mobility", sprt: Sprt | None = None
    ) -> None:
        if sprt is not None and len(players) != 2:
            raise BadInput("a sequential test takes two engines")
        self.players = tuple(players)
        self.games = 0
        self.repeats = 0
        """Games that repeat another one move by move."""
        self.sprt = sprt
        """Of the first player against the second."""
        self._scoring = scoring
        self._tiebreak = tiebreak
        self._table = Crosstable()
        self._samples = {player: Sample() for player in players}
        self._against = Counter[tuple[str, str]]()
        self._points: dict[tuple[str, str], Fraction] = {}
        self._forfeits = Counter[str]()

    def points(self, entry: Entry) -> Fraction:
        """White's points for a game."""
        scoring = self._scoring
        if scoring.komi is not None and entry.komi is not None:
            scoring = replace(scoring, komi=entry.komi)
        return scoring.points(entry.result)

    def add(self, entry: Entry) -> None:
        """Count a game."""
        white = self.points(entry)
        self.games += 1
        self._table.add(Played(entry.white, entry.black, entry.result))
        for player, opponent, points in ((entry.white, entry.black, white), (entry.black, entry.white, 1 - white)):
            self._samples[player].add(points)
            self._against[player, opponent] += 1
            self._points[player, opponent] = self._points.get((player, opponent), Fraction(0)) + points
        if self.sprt is not None:
            self.sprt.add(white if entry.white == self.players[0] else 1 - white)
        if entry.termination in _MISCONDUCT:
            self._forfeits[entry.black if entry.result > 0 else entry.white] += 1

    def sample(self, player: str) -> Sample:
        """A player's points game by game."""
        return self._samples[player]

    def lines(self) -> list[Line]:
        """The table: by score, then by the tiebreak."""
        exponential = Exponential()

        def score(player: str) -> Fraction:
            return sum((self._points.get((player, other), Fraction(0)) for other in self.players), Fraction(0))

        def rank(player: str) -> tuple[Any, ...]:
            mobility = self._table.points(player, exponential)
            balance = self._table.balance(player)
            return (score(player), mobility) if self._tiebreak == "mobility" else (score(player), balance)

        ranks = {player: rank(player) for player in self.players}
        order = sorted(self.players, key=ranks.__getitem__, reverse=True)
        lines: list[Line] = []
        for number, player in enumerate(order, start=1):
            above = order[number - 2] if number > 1 else None
            shared = above is not None and ranks[above] == ranks[player]
            sample = self._samples[player]
            lines.append(
                Line(
                    lines[-1].place if shared else number,
                    player,
                    sample.games,
                    score(player),
                    tuple(self._points.get((player, other)) for other in order),
                    self._table.points(player, exponential),
                    self._table.balance(player),
                    sample.elo(),
                    sample.los,
                    self._forfeits[player],
                )
            )
        return lines

    def as_dict(self) -> dict[str, Any]:
        """Everything, for programs. Infinite error bars are null."""
        found: dict[str, Any] = {
            "games": self.games,
            "repeats": self.repeats,
            "table": [
                {
                    "place": line.place,
                    "player": line.player,
                    "games": line.games,
                    "score": _number(line.score),
                    "mobility": _number(line.mobility),
                    "balance": balance(line.balance),
                    "elo": [finite(value) for value in line.elo],
                    "los": round(line.los, 6),
                    "forfeits": line.forfeits,
                }
                for line in self.lines()
            ],
        }
        if self.sprt is not None:
            low, high = self.sprt.bounds
            found["sprt"] = {
                "elo0": self.sprt.elo0,
                "elo1": self.sprt.elo1,
                "llr": round(self.sprt.llr, 6),
                "bounds": [round(low, 6), round(high, 6)],
                "verdict": str(self.sprt.verdict),
            }
        return found


def balance(counts: Sequence[int]) -> dict[str, int]:
    """The G-scores given more often than suffered, or the other way round."""
    return {outcome.text(outcome.held_by_white(level)): count for level, count in enumerate(counts, start=1) if count}


def parse_sprt(words: Sequence[str]) -> Sprt:
    """A sequential test from `elo0=0 elo1=5 alpha=0.05 beta=0.05`."""
    given: dict[str, float] = {}
    for word in words:
        key, _, value = word.partition("=")
        if key not in ("elo0", "elo1", "alpha", "beta"):
            raise BadInput(f"nothing about a sequential test: {word!r} (write elo0=0 elo1=5 alpha=0.05 beta=0.05)")
        given[key] = read_number(key, value, float)
    return Sprt(given.get("elo0", 0.0), given.get("elo1", 5.0), given.get("alpha", 0.05), given.get("beta", 0.05))


def finite(value: float) -> float | None:
    """A number that JSON has words for."""
    return round(value, 2) if abs(value) < 1e6 else None


def _number(points: Fraction) -> float:
    return round(float(points), 6)
