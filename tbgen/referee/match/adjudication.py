"""What ends a game before its end: the engines' own scores, its length, and tables."""

from collections.abc import Sequence
from dataclasses import dataclass, field
from typing import Final, NamedTuple

import chess
from chess.engine import InfoDict

from tbgen.errors import BadInput
from tbgen.referee.match.words import answer, number, pairs

_MATE: Final = 1_000_000
"""Centipawns that a mate is worth."""


class ResignRule(NamedTuple):
    """A side has lost when its engine says so for some moves running, or both engines do."""

    moves: int
    score: int
    """Centipawns."""
    both: bool = False

    def __str__(self) -> str:
        return f"resign {self.score} for {self.moves} moves{', by both' if self.both else ''}"


class DrawRule(NamedTuple):
    """The record stands when both engines see nothing for some moves running; captures and pawn moves begin again."""

    first: int
    """Moves that have to be played before."""
    moves: int
    score: int

    def __str__(self) -> str:
        return f"draw {self.score} for {self.moves} moves from {self.first} on"


def parse_resign(words: Sequence[str]) -> ResignRule:
    """A rule from `movecount=3 score=600 twosided=true`."""
    given = pairs(words, "movecount=3 score=600 twosided=true", ("movecount", "score", "twosided"))
    both = answer("twosided", given.get("twosided", "no"))
    return ResignRule(_count(given, "movecount", 1), _count(given, "score", 0), both)


def parse_draw(words: Sequence[str]) -> DrawRule:
    """A rule from `movenumber=34 movecount=8 score=20`."""
    given = pairs(words, "movenumber=34 movecount=8 score=20", ("movenumber", "movecount", "score"))
    first = _count({"movenumber": "0", **given}, "movenumber", 0)
    return DrawRule(first, _count(given, "movecount", 1), _count(given, "score", 0))


def _count(given: dict[str, str], key: str, least: int) -> int:
    if key not in given:
        raise BadInput(f"the rule lacks {key}=N")
    return number(key, given[key], int, least, _MATE - 1)


@dataclass
class ScoreWatch:
    """What the engines of a game have said of it so far."""

    resign: ResignRule | None
    draw: DrawRule | None
    _lost: dict[chess.Color, int] = field(default_factory=lambda: {chess.WHITE: 0, chess.BLACK: 0})
    """The moves for which each side has called its game lost without a break."""
    _won: dict[chess.Color, int] = field(default_factory=lambda: {chess.WHITE: 0, chess.BLACK: 0})
    _level: int = 0
    """The plies for which all has been level without a break."""

    def add(self, side: chess.Color, info: InfoDict, *, reset: bool) -> None:
        """A side has moved; `reset` if by a capture or with a pawn."""
        told = info.get("score")
        score = None if told is None else told.relative.score(mate_score=_MATE)
        if self.resign is not None:
            self._lost[side] = self._lost[side] + 1 if score is not None and score <= -self.resign.score else 0
            self._won[side] = self._won[side] + 1 if score is not None and score >= self.resign.score else 0
        if self.draw is not None:
            level = score is not None and abs(score) <= self.draw.score and not reset
            self._level = self._level + 1 if level else 0

    @property
    def loser(self) -> chess.Color | None:
        """The side that has lost by the engines' scores."""
        rule = self.resign
        if rule is None:
            return None
        for side, moves in self._lost.items():
            if moves >= rule.moves and (not rule.both or self._won[not side] >= rule.moves):
                return side
        return None

    def is_draw(self, moves: int) -> bool:
        """Whether the record stands after so many moves of the game."""
        rule = self.draw
        return rule is not None and moves >= rule.first and self._level >= 2 * rule.moves
