"""What a match says about strength, when a game may be worth any share of a point.

Elo follows from the points ratio; its error bars and the likelihood of superiority from the spread
of the points per game. The sequential test counts a game worth x >= 1/2 as (x - 1/2) / (1/2) of a
win and (1 - x) / (1/2) of a draw, and likewise below: with whole points it is the usual test.
"""

import enum
import math
from abc import ABC, abstractmethod
from collections.abc import Hashable
from dataclasses import dataclass, field
from fractions import Fraction
from statistics import NormalDist
from typing import ClassVar, Final, NamedTuple, TypeAlias

from tbgen.errors import BadInput

_REACH: Final = NormalDist().inv_cdf(0.975)
"""Standard errors to either error bar: 95 % lie between them."""
_FARTHEST: Final = 10_000
"""The largest difference in Elo that a test takes."""

Points: TypeAlias = float | Fraction
_HALF: Final = Fraction(1, 2)
_ROOT_2: Final = math.sqrt(2)
_NORMALIZED: Final = 800 / math.log(10)
"""Normalised Elo of a standard deviation of a game."""
_ROUNDING: Final = 1e-12
"""A variance below this is none to a test."""
_FEWEST: Final = 8
"""Games or pairs, from which on their own spread counts alone."""
_USUAL_SPREAD: Final = 0.25
"""The standard deviation of a pair's mean points, taken for granted where pairs are few or all alike: about that of
matches between equal engines."""


class Interval(NamedTuple):
    """An estimate between its error bars."""

    low: float
    value: float
    high: float

    @property
    def margin(self) -> float:
        """Half the distance between the error bars."""
        if math.isinf(self.low) or math.isinf(self.high):
            return math.inf
        return (self.high - self.low) / 2


def elo(ratio: float) -> float:
    """The difference in Elo that makes one expect this share of the points."""
    if ratio <= 0:
        return -math.inf
    if ratio >= 1:
        return math.inf
    return 400 * math.log10(ratio / (1 - ratio))


def expected(difference: float) -> float:
    """The share of the points that a difference in Elo makes one expect."""
    return 1 / (1 + math.pow(10, -difference / 400))


@dataclass
class Sample:
    """The points of one side in a match, game by game."""

    games: int = 0
    ahead: float = 0.0
    """The sum of what the games were worth beyond 1/2."""

    squares: float = 0.0
    """The sum of the squares of it."""

    usual: float = _ROOT_2 * _USUAL_SPREAD
    """The standard deviation that is assumed, as that of two games is that of a pair."""

    _least: float = math.inf
    _most: float = -math.inf

    def add(self, points: Points) -> None:
        """Count a game."""
        beyond = _beyond_half(points)
        self.games += 1
        self.ahead += beyond
        self.squares += beyond * beyond
        self._least, self._most = min(self._least, beyond), max(self._most, beyond)

    @property
    def mean(self) -> float:
        """What a game was worth beyond 1/2 on the average; 0 before the first."""
        return self.ahead / self.games if self.games else 0.0

    @property
    def ratio(self) -> float:
        """Points per game; 1/2 before the first."""
        return 0.5 + self.mean

    @property
    def error(self) -> float:
        """The standard error of the ratio; infinite before the second game, as one game has no spread."""
        return math.inf if self.games < 2 else math.sqrt(self.variance / self.games)

    @property
    def variance(self) -> float:
        """The variance of the points. That of a few games is no less than usual, and so is that of games all alike."""
        variance = self.squares / self.games - self.mean * self.mean if self._least < self._most else 0.0
        return max(variance, self.usual**2) if self.games < _FEWEST or variance <= 0 else variance


@dataclass
class Pairs:
    """The points of one side, two games of one opening counted together: what the opening gives, both have had.

    So the spread is that of pairs, which is smaller than that of games. With whole points these are the five classes
    of the pentanomial model.
    """

    by_pairs: bool = True
    """Whether the spread is that of pairs, where there are two at least; else that of games."""
    games: Sample = field(default_factory=Sample)
    pairs: Sample = field(default_factory=lambda: Sample(usual=_USUAL_SPREAD))
    """The mean points of each pair."""
    classes: list[int] = field(default_factory=lambda: [0] * 5)
    """How many pairs are nearest to 0, 1/2, 1, 3/2 and 2 points."""
    _open: dict[Hashable, Points] = field(default_factory=dict)

    def add(self, points: Points, pair: Hashable = None) -> None:
        """Count a game of a pair, or of none."""
        self.games.add(points)
        if pair in self._open:
            mean = (Fraction(self._open.pop(pair)) + Fraction(points)) / 2
            self.pairs.add(mean)
            self.classes[round(4 * mean)] += 1
        elif pair is not None:
            self._open[pair] = points

    @property
    def error(self) -> float:
        """The standard error of the points per game."""
        return self.pairs.error if self.by_pairs and self.pairs.games > 1 else self.games.error

    def elo(self) -> Interval:
        """The difference in Elo with its error bars, which may be infinite."""
        ratio, reach = self.games.ratio, _REACH * self.error
        return Interval(elo(ratio - reach), elo(ratio), elo(ratio + reach))

    @property
    def los(self) -> float:
        """The likelihood of superiority, from 0 to 1."""
        mean = self.games.mean
        if mean == 0:
            return 0.5
        return NormalDist().cdf(mean / self.error)


class SprtVerdict(enum.StrEnum):
    """What a sequential test says."""

    CONTINUE = "continue"
    ACCEPT_H0 = "H0 accepted"
    ACCEPT_H1 = "H1 accepted"


@dataclass
class Sequential(ABC):
    """A sequential test of elo0 (H0) against elo1 (H1)."""

    on_pairs: ClassVar[bool] = False
    """Whether it counts pairs of games, and games without a partner say nothing to it."""

    elo0: float
    elo1: float
    alpha: float = 0.05
    beta: float = 0.05

    def __post_init__(self) -> None:
        if not -_FARTHEST <= self.elo0 < self.elo1 <= _FARTHEST:
            raise BadInput(f"elo0 has to be below elo1, and neither beyond {_FARTHEST}: {self.elo0}, {self.elo1}")
        if not (self.alpha > 0 and self.beta > 0 and self.alpha + self.beta < 1):
            raise BadInput(f"no error rates to test with: {self.alpha}, {self.beta}")

    @abstractmethod
    def add(self, points: Points, pair: Hashable = None) -> None:
        """Count a game of a pair."""

    @property
    @abstractmethod
    def llr(self) -> float:
        """The log-likelihood ratio of H1 to H0; 0 while there is nothing to say."""

    @property
    def bounds(self) -> tuple[float, float]:
        """Below the first H0 is accepted, above the second H1."""
        return math.log(self.beta / (1 - self.alpha)), math.log((1 - self.beta) / self.alpha)

    @property
    def verdict(self) -> SprtVerdict:
        """What the games so far say."""
        low, high = self.bounds
        if self.llr <= low:
            return SprtVerdict.ACCEPT_H0
        if self.llr >= high:
            return SprtVerdict.ACCEPT_H1
        return SprtVerdict.CONTINUE


@dataclass
class Sprt(Sequential):
    """The test in the BayesElo model of draws.

    The share of draws is estimated from the games. None are needed, but at least one win and one
    loss, as sums: before that, the test has nothing to say.
    """

    wins: float = field(default=0.0, init=False)
    losses: float = field(default=0.0, init=False)
    draws: float = field(default=0.0, init=False)

    def add(self, points: Points, pair: Hashable = None) -> None:
        """Count a game; pairs mean nothing to this test."""
        decided = 2 * _beyond_half(points)
        self.draws += 1 - abs(decided)
        if decided >= 0:
            self.wins += decided
        else:
            self.losses -= decided

    @property
    def llr(self) -> float:
        """The log-likelihood ratio of H1 to H0; 0 while there is no whole win and no whole loss.

        A win has the probability 1 / (1 + a), a loss 1 / (1 + b), a draw what is left, which is
        (ab - 1) / ((1 + a) (1 + b)). The product ab depends on the share of draws only and is the
        same under both hypotheses, so it cancels, and no draws at all are no special case.
        """
        if self.wins < 1 or self.losses < 1:
            return 0.0
        win = (self.losses + self.draws) / self.wins
        loss = (self.wins + self.draws) / self.losses
        draw_elo = 200 * math.log10(win * loss)
        grown = math.pow(10, -draw_elo / 400)
        scale = 4 * grown / (1 + grown) ** 2

        def costs(difference: float) -> tuple[float, float]:
            bayes = difference / scale
            return _log_one_plus(draw_elo - bayes), _log_one_plus(draw_elo + bayes)

        win0, loss0 = costs(self.elo0)
        win1, loss1 = costs(self.elo1)
        return (self.wins + self.draws) * (win0 - win1) + (self.losses + self.draws) * (loss0 - loss1)


@dataclass
class PairedSprt(Sequential):
    """The test on pairs of games, whose points are taken to be normally distributed.

    `normalized`: the Elo are normalised, that is they count in standard deviations of a game; the spread is unknown
    under both hypotheses. Otherwise they are the usual ones.
    """

    on_pairs = True

    normalized: bool = True
    sample: Pairs = field(default_factory=Pairs, init=False)

    def add(self, points: Points, pair: Hashable = None) -> None:
        self.sample.add(points, pair)

    @property
    def llr(self) -> float:
        """The log-likelihood ratio of H1 to H0; 0 while there are too few pairs to know their spread.

        Pairs that are all alike show none: with the usual one instead, the test comes to its end.
        """
        pairs = self.sample.pairs
        if pairs.games < _FEWEST:
            return 0.0
        variance = pairs.variance
        if variance < _ROUNDING:
            variance = _USUAL_SPREAD**2
        if self.normalized:
            deviation = math.sqrt(variance)
            t, t0, t1 = (pairs.mean / deviation, *(_ROOT_2 * one / _NORMALIZED for one in (self.elo0, self.elo1)))
            return pairs.games / 2 * math.log((1 + (t - t0) ** 2) / (1 + (t - t1) ** 2))
        low, high = expected(self.elo0), expected(self.elo1)
        return pairs.games * (high - low) * (2 * pairs.ratio - low - high) / (2 * variance)


def _log_one_plus(difference: float) -> float:
    """log(1 + 10^(difference / 400)), without overflow."""
    power = difference * math.log(10) / 400
    return max(power, 0.0) + math.log1p(math.exp(-abs(power)))


def _beyond_half(points: Points) -> float:
    beyond = float(points - _HALF)
    if not abs(beyond) <= 0.5:  # not a number is no better than too large a one
        raise BadInput(f"a game is worth between 0 and 1 point, not {points}")
    return beyond
