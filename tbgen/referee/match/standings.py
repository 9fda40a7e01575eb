"""What the games of a match say: the table with its tiebreaks, Elo, LOS, all scorings, and the sequential test."""

from collections import Counter
from collections.abc import Hashable, Sequence
from fractions import Fraction
from typing import Any, Final, NamedTuple

from tbgen.errors import BadInput, quoted
from tbgen.referee.match.accounts import Account
from tbgen.referee.match.client import Misconduct
from tbgen.referee.match.ledger import Entry
from tbgen.referee.match.words import number, pairs
from tbgen.rules.scoring import DRAW, SCORINGS, Classical, Exponential, FullPoints, Scoring
from tbgen.rules.statistics import Interval, PairedSprt, Sequential, Sprt
from tbgen.rules.tiebreaks import Crosstable, Measure, by_gscore, ranked

ERROR_BARS: Final = ("pairs", "games")
"""Units whose spread error bars come from, the usual one first."""
TIEBREAK: Final = "direct,mobility,sonneborn-berger"
_MISCONDUCT: Final = frozenset(kind.value for kind in Misconduct)


class Tally(NamedTuple):
    """Games with one colour."""

    wins: int = 0
    draws: int = 0
    losses: int = 0

    def __str__(self) -> str:
        return f"{self.wins}-{self.draws}-{self.losses}"


class Line(NamedTuple):
    """A player's line in the table. Players level on score and all tiebreaks share a place."""

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
    sonneborn_berger: Fraction
    as_white: Tally
    as_black: Tally
    elo: Interval
    los: float
    pairs: tuple[int, ...]
    """Pairs of games that are nearest to 0, 1/2, 1, 3/2 and 2 points."""
    forfeits: int


class Standings:
    """All games of a match so far."""

    def __init__(
        self,
        players: Sequence[str],
        scoring: Scoring,
        tiebreak: str = TIEBREAK,
        sprt: Sequential | None = None,
        cutoff: int | None = None,
        *,
        by_pairs: bool = True,
    ) -> None:
        """`cutoff`: of the match, for scorings that have one; None: the usual one. `by_pairs`: whether error bars come
        from pairs of games."""
        if sprt is not None and len(players) != 2:
            raise BadInput("a sequential test takes two engines")
        self.players = tuple(players)
        self.games = 0
        self.repeats = 0
        """Games that repeat another one move by move."""
        self.scoring = scoring
        self.account = Account(players, scoring, sprt, by_pairs=by_pairs)
        """What counts."""
        self.others = [
            Account(players, kind().under(cutoff), sprt, by_pairs=by_pairs, opening_decides=kind is not FullPoints)
            for kind in SCORINGS.values()
            if kind is not type(scoring)
        ]
        """The same games under all other scorings. A komi is the opening's, or the usual one."""
        self._tiebreaks = tiebreak.replace(",", " ").split()
        for name in self._tiebreaks:
            if name not in self._measures:
                raise BadInput(f"no such tiebreak: {quoted(name)} (there are: {', '.join(self._measures)})")
        self._table = Crosstable()
        self._tallies = {(player, white): Tally() for player in players for white in (True, False)}
        self._forfeits = Counter[str]()
        self._byes = Counter[str]()

    @property
    def sprt(self) -> Sequential | None:
        """The test of the first player against the second."""
        return self.account.sprt

    def add(self, entry: Entry) -> None:
        white = self.account.points(entry)
        decided = white if self.scoring.whole else Classical().points(entry.result)
        pair = _pair(entry)
        self.games += 1
        self._table.add(entry.white, entry.black, entry.result)
        for account in (self.account, *self.others):
            account.add(entry, pair)
        for player, share, is_white in ((entry.white, decided, True), (entry.black, 1 - decided, False)):
            wins, draws, losses = self._tallies[player, is_white]
            tally = Tally(wins + (share > DRAW), draws + (share == DRAW), losses + (share < DRAW))
            self._tallies[player, is_white] = tally
        if entry.termination in _MISCONDUCT:
            self._forfeits[entry.black if entry.result > 0 else entry.white] += 1

    # --- what systems of pairing look at: systems.Results ---

    def score_of(self, player: int, opponent: int | None = None) -> Fraction:
        """Points, in all games or in those against an opponent."""
        return self.score(self.players[player], None if opponent is None else [self.players[opponent]])

    def order(self) -> list[int]:
        """The players from first to last; of those who are level the one that was named first."""
        return [self.players.index(player) for group in self.ranking() for player in group]

    def add_bye(self, player: int, points: int) -> None:
        """Give a player points for games that it could not play for want of an opponent."""
        self._byes[self.players[player]] += points

    # --- who is ahead ---

    def score(self, player: str, among: Sequence[str] | None = None, account: Account | None = None) -> Fraction:
        """A player's points, in all games or in those against some, also under another scoring."""
        byes = self._byes[player] if among is None else 0
        return (account or self.account).score(player, among) + byes

    def mobility(self, player: str) -> Fraction:
        return self._table.points(player, Exponential())

    def sonneborn_berger(self, player: str) -> Fraction:
        """The points against each opponent times the opponent's."""
        found = (points * self.score(other) for (one, other), points in self.account.against.items() if one == player)
        return sum(found, Fraction(0))

    @property
    def _measures(self) -> dict[str, Measure]:
        return {
            "forfeits": lambda player, level: -self._forfeits[player],
            "direct": self.score,
            "mobility": lambda player, level: self.mobility(player),
            "balance": lambda player, level: self._table.balance(player),
            "sonneborn-berger": lambda player, level: self.sonneborn_berger(player),
            "wins": lambda player, level: sum(self._tallies[player, white].wins for white in (True, False)),
        }

    def ranking(self) -> list[list[str]]:
        """The players from first to last; those who are level stand together."""
        by: list[Measure] = [lambda player, level: self.score(player)]
        return ranked(list(self.players), [*by, *(self._measures[name] for name in self._tiebreaks)])

    # --- what is shown ---

    def by_scoring(self, player: str) -> dict[str, Fraction]:
        """A player's points under every scoring."""
        accounts = {account.scoring.title: account for account in (self.account, *self.others)}
        return {kind.title: self.score(player, account=accounts[kind.title]) for kind in SCORINGS.values()}

    def lines(self) -> list[Line]:
        """The table: by score, then by the tiebreaks."""
        groups = self.ranking()
        order = [player for group in groups for player in group]
        lines: list[Line] = []
        for group in groups:
            place = len(lines) + 1
            lines += [self._line(player, place, order) for player in group]
        return lines

    def _line(self, player: str, place: int, order: Sequence[str]) -> Line:
        sample = self.account.samples[player]
        return Line(
            place,
            player,
            sample.games.games,
            self.score(player),
            tuple(self.account.against.get((player, other)) for other in order),
            self.mobility(player),
            self._table.balance(player),
            self.sonneborn_berger(player),
            self._tallies[player, True],
            self._tallies[player, False],
            sample.elo(),
            sample.los,
            tuple(sample.classes),
            self._forfeits[player],
        )

    def as_dict(self) -> dict[str, Any]:
        """Everything, for programs. Infinite error bars are null."""
        lines = self.lines()
        found: dict[str, Any] = {
            "games": self.games,
            "repeats": self.repeats,
            "table": [
                {
                    "place": line.place,
                    "player": line.player,
                    "games": line.games,
                    "score": _number(line.score),
                    "against": {
                        other.player: _number(points)
                        for other, points in zip(lines, line.against, strict=True)
                        if points is not None
                    },
                    "mobility": _number(line.mobility),
                    "balance": by_gscore(line.balance),
                    "sonneborn_berger": _number(line.sonneborn_berger),
                    "white": line.as_white._asdict(),
                    "black": line.as_black._asdict(),
                    "elo": [finite(value) for value in line.elo],
                    "los": round(line.los, 6),
                    "pairs": list(line.pairs),
                    "scorings": {title: _number(points) for title, points in self.by_scoring(line.player).items()},
                    "others": {
                        account.scoring.title: {
                            "elo": [finite(value) for value in account.samples[line.player].elo()],
                            "los": round(account.samples[line.player].los, 6),
                        }
                        for account in self.others
                    },
                    "forfeits": line.forfeits,
                }
                for line in lines
            ],
        }
        if self.sprt is not None:
            low, high = self.sprt.bounds
            found["sprt"] = {
                "elo0": self.sprt.elo0,
                "elo1": self.sprt.elo1,
                **_said(self.sprt),
                "bounds": [round(low, 6), round(high, 6)],
                "others": {one.scoring.title: _said(one.sprt) for one in self.others if one.sprt is not None},
            }
        return found


def _said(sprt: Sequential) -> dict[str, Any]:
    """What a test says, for programs."""
    return {"llr": round(sprt.llr, 6), "verdict": str(sprt.verdict)}


def _pair(entry: Entry) -> Hashable:
    """What two games of one opening with changed colours have in common."""
    return entry.round.partition(".")[0], frozenset((entry.white, entry.black))


_MODELS: Final = ("bayesian", "normalized", "logistic")
_TEST: Final = "elo0=0 elo1=5 alpha=0.05 beta=0.05 model=bayesian"


def parse_sprt(words: Sequence[str]) -> Sequential:
    """A sequential test from `elo0=0 elo1=5 alpha=0.05 beta=0.05 model=bayesian`."""
    usual = pairs(_TEST.split(), _TEST)
    given = usual | pairs(words, _TEST, usual)
    model = given.pop("model")
    if model not in _MODELS:
        raise BadInput(f"no such model of a sequential test: {quoted(model)} (there are: {', '.join(_MODELS)})")
    elo0, elo1, alpha, beta = (number(key, words, float) for key, words in given.items())
    if model == "bayesian":
        return Sprt(elo0, elo1, alpha, beta)
    return PairedSprt(elo0, elo1, alpha, beta, normalized=model == "normalized")


def finite(value: float) -> float | None:
    """A number that JSON has words for."""
    return round(value, 2) if abs(value) < 1e6 else None


def _number(points: Fraction) -> float:
    return round(float(points), 6)
