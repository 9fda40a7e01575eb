"""Points for a game, from its outcome. Exact: fractions, to be rounded only when written.

Every scoring gives White's share of the one point at stake; Black has the rest.
"""

import math
import re
from abc import ABC, abstractmethod
from collections.abc import Iterable, Mapping
from dataclasses import dataclass, replace
from fractions import Fraction
from types import MappingProxyType
from typing import Any, ClassVar, Final, Self

from tbgen.core import outcome
from tbgen.core.position import record_of
from tbgen.errors import BadInput, quoted
from tbgen.rules.rulesets import DEFAULT_CUTOFF, SHEET_LEVEL, bare_name, named, parse_cutoff
from tbgen.system.text import typed

WIN: Final = Fraction(1)
DRAW: Final = Fraction(1, 2)
LOSS: Final = Fraction(0)

_DIGITS: Final = 4
"""Decimals of points that are no halves."""
_MOST_DIGITS: Final = 12
_WHOLE: Final = {WIN: "1-0", DRAW: "1/2-1/2", LOSS: "0-1"}
_KOMI: Final = re.compile(r"([+\-mM]?)[gG]([0-9]{1,99})(?:\.(00?|25|50?|75))?\Z")
_QUARTERS: Final = {None: 0, "0": 0, "00": 0, "25": 1, "5": 2, "50": 2, "75": 3}


@dataclass(frozen=True, slots=True)
class Komi:
    """A G-score in quarters, and the side whose sign it bears: `G5.75`, `-G3.5`."""

    quarters: int
    white: bool = True

    @classmethod
    def parse(cls, words: str) -> Self:
        """The komi that a text stands for: `G5.75`, `-G3.5`, `mG5.75`, `g5`."""
        match = _KOMI.match(typed(words).strip())
        if match is None:
            raise BadInput(f"not a komi: {quoted(words)} (write G5.75 for White's, -G5.75 for Black's)")
        sign, whole, part = match.groups()
        return cls(4 * int(whole) + _QUARTERS[part], sign not in outcome.BLACKS)

    def __str__(self) -> str:
        whole, part = divmod(self.quarters, 4)
        return f"{'' if self.white else '-'}G{whole}.{('0', '25', '5', '75')[part]}"


DEFAULT_KOMI: Final = Komi(23)


@dataclass(frozen=True, kw_only=True)
class Scoring(ABC):
    """How an outcome becomes points. A subclass says what the holder of the record gets."""

    title: ClassVar[str]
    """The words of the tag `RMobilityScoring`."""

    whole: ClassVar[bool] = True
    """Whether games are won, drawn or lost, and nothing between."""

    cutoff: int | None = None
    """The level from which on all records are one and the same, if there is one."""

    komi: Komi | None = None
    """What the side whose sign it bears has to do better than, if there is one."""

    takes_komi: ClassVar[bool] = False
    """Whether a komi may decide."""

    def under(self, cutoff: int | None = None, komi: Komi | None = None) -> Self:
        """Return the scoring with this cutoff and this komi, so far as they are given and it has any use for them."""
        scheme = self if komi is None or not self.takes_komi else replace(self, komi=komi)
        has_cutoff = scheme.cutoff is not None or scheme.komi is not None
        return scheme if cutoff is None or not has_cutoff else replace(scheme, cutoff=cutoff)

    def points(self, result: int | str) -> Fraction:
        """White's points for an outcome, which may be given as its text: `G1.5`, `-G1.5`."""
        return self._points(record_of(result))

    def _points(self, result: int) -> Fraction:
        share = self.share(outcome.level(result))
        return share if result > 0 else 1 - share

    @abstractmethod
    def share(self, level: int) -> Fraction:
        """What the holder of a record of this level gets."""


class Exponential(Scoring):
    """1/2 + (1/2)^(1+2G)."""

    title = "Exponential"
    whole = False

    def share(self, level: int) -> Fraction:
        return DRAW + Fraction(1, 2 << level)


class Harmonic(Scoring):
    """1/2 + 1/2 / (1+2G)."""

    title = "Harmonic"
    whole = False

    def share(self, level: int) -> Fraction:
        return DRAW + Fraction(1, 2 * (1 + level))


class Classical(Scoring):
    """A mate wins, all else is a draw."""

    title = "Classical"

    def share(self, level: int) -> Fraction:
        return WIN if level == 0 else DRAW


@dataclass(frozen=True, kw_only=True)
class Winner(Scoring):
    """A record below the cutoff wins, all else is a draw."""

    title = "RMobility Winner"
    cutoff: int = DEFAULT_CUTOFF

    def share(self, level: int) -> Fraction:
        return WIN if level < self.cutoff else DRAW


@dataclass(frozen=True, kw_only=True)
class OverTheBoard(Winner):
    """A record that is on the score sheet, of G3.5 or lower, wins, all else is a draw."""

    title = "Over The Board"
    cutoff: int = SHEET_LEVEL + 1


class FullPoints(Scoring):
    """The holder of any record wins. With a komi, the komi decides."""

    title = "Full Points"
    takes_komi = True

    def share(self, level: int) -> Fraction:
        return WIN

    def _points(self, result: int) -> Fraction:
        if self.komi is None:
            return super()._points(result)
        return against_komi(result, self.komi, self.cutoff)


@dataclass(frozen=True, kw_only=True)
class WithKomi(FullPoints):
    """The komi decides; from the cutoff on all records are a dead draw."""

    title = "Komi"
    cutoff: int = DEFAULT_CUTOFF
    komi: Komi = DEFAULT_KOMI


def against_komi(result: int, komi: Komi, cutoff: int | None) -> Fraction:
    """White's points when the side whose sign the komi bears has to do better than it.

    That side wins with a better record, draws with just this one, and loses with a weaker one or
    with none at all. With a cutoff all records from there on are a dead draw, weaker than any of
    its own and better than any of the other side's.
    """
    level = outcome.level(result)
    if cutoff is not None and level >= cutoff:
        reached: float = 2 * cutoff
    elif (result > 0) == komi.white:
        reached = 2 * level
    else:
        reached = math.inf
    share = WIN if reached < komi.quarters else DRAW if reached == komi.quarters else LOSS
    return share if komi.white else 1 - share


SCORINGS: Final[Mapping[str, type[Scoring]]] = MappingProxyType(
    {
        "exponential": Exponential,
        "harmonic": Harmonic,
        "classical": Classical,
        "winner": Winner,
        "komi": WithKomi,
        "full": FullPoints,
        "otb": OverTheBoard,
    }
)
_BY_TITLE: Final = {bare_name(kind.title): name for name, kind in SCORINGS.items()}


def scoring_name(words: str) -> str:
    """The name of a scoring that is named or titled so in any spelling; what is none as it is."""
    bare = bare_name(words)
    return _BY_TITLE.get(bare, bare if bare in SCORINGS else words)


def scoring(
    name: str = "exponential",
    *,
    cutoff: str | int | None = None,
    komi: str | Komi | None = None,
) -> Scoring:
    """A scoring by its name or title, with another cutoff or komi if given."""
    kind = named(scoring_name(name), SCORINGS, "scoring")
    given: dict[str, Any] = {}
    if cutoff is not None:
        given["cutoff"] = parse_cutoff(cutoff)
    if komi is not None:
        given["komi"] = Komi.parse(komi) if isinstance(komi, str) else komi
    return kind(**given)


def decimal(points: Fraction, digits: int = _DIGITS) -> str:
    """Points as a decimal fraction, ties rounded to even, so that both sides' still add up to 1."""
    return f"{float(round(points, digits)):.{digits}f}"


def digits_of(points: Iterable[Fraction]) -> int:
    """Return how many decimals tell sums of points apart: one for halves, else four, and more where they need them."""
    different = set(points)
    if all((2 * each).denominator == 1 for each in different):
        return 1
    enough = (n for n in range(_DIGITS, _MOST_DIGITS) if len({round(each, n) for each in different}) == len(different))
    return next(enough, _MOST_DIGITS)


def points_text(white: Fraction, *, whole: bool) -> str:
    """Both sides' points: `1-0`, `1/2-1/2` or `0-1` if they are whole, `0.6250 - 0.3750` if not."""
    if whole:
        return _WHOLE[white]
    return f"{decimal(white)} - {decimal(1 - white)}"


def classical_result(result: int | None) -> str:
    """The tag `Result` for an outcome: only a mate is a win; `*` for a game without result."""
    if result is None:
        return "*"
    return points_text(Classical().points(result), whole=True)
