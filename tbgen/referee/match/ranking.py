"""Who is ahead: by points, then by tiebreaks one after the other."""

from collections.abc import Callable, Mapping, Sequence
from fractions import Fraction
from types import MappingProxyType
from typing import Any, Final, Protocol, TypeAlias

from tbgen.errors import BadInput


class Scores(Protocol):
    """What tiebreaks look at."""

    def score(self, player: str, among: Sequence[str] | None = None) -> Fraction:
        """A player's points, in all games or in those against some."""

    def mobility(self, player: str) -> Fraction:
        """The sum of r-mobility points."""

    def balance(self, player: str) -> tuple[int, ...]:
        """Stalemates given minus suffered, then the same for G1.0, G1.5 ..."""

    def sonneborn_berger(self, player: str) -> Fraction:
        """The points against each opponent times the opponent's."""

    def wins(self, player: str) -> int:
        """Games won."""

    def forfeits(self, player: str) -> int:
        """Games lost by crashing, on time or by an illegal move."""


Tiebreak: TypeAlias = Callable[[Scores, str, Sequence[str]], Any]
"""What players are ordered by, the larger the better, given those who are level so far."""

TIEBREAKS: Final[Mapping[str, Tiebreak]] = MappingProxyType(
    {
        "forfeits": lambda scores, player, level: -scores.forfeits(player),
        "direct": lambda scores, player, level: scores.score(player, level),
        "mobility": lambda scores, player, level: scores.mobility(player),
        "balance": lambda scores, player, level: scores.balance(player),
        "sonneborn-berger": lambda scores, player, level: scores.sonneborn_berger(player),
        "wins": lambda scores, player, level: scores.wins(player),
    }
)
DEFAULT: Final = "direct,mobility,sonneborn-berger"


def parse(words: str) -> tuple[str, ...]:
    """Tiebreaks from a list: `direct,mobility`."""
    names = tuple(words.replace(",", " ").split())
    unknown = [name for name in names if name not in TIEBREAKS]
    if unknown:
        raise BadInput(f"no such tiebreak: {unknown[0]!r} (there are: {', '.join(TIEBREAKS)})")
    return names


def ranked(scores: Scores, players: Sequence[str], tiebreaks: Sequence[str]) -> list[list[str]]:
    """The players from first to last. Those who are level on all counts stand together."""
    by = [lambda scores, player, level: scores.score(player), *(TIEBREAKS[name] for name in tiebreaks)]
    return _split(scores, list(players), by)


def _split(scores: Scores, level: list[str], by: Sequence[Tiebreak]) -> list[list[str]]:
    if len(level) < 2 or not by:
        return [level]
    values = {player: by[0](scores, player, level) for player in level}
    found: list[list[str]] = []
    for value in sorted(set(values.values()), reverse=True):
        found += _split(scores, [player for player in level if values[player] == value], by[1:])
    return found
