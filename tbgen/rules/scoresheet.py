"""The protocol over the board: what two players write down beside their moves.

A goal of G3.5 or lower that improves the record is an entry, and so is such a record that the start
brings along. A capture or pawn move draws a line under the sheet. At the end the side that suffered
the last entry below the last line loses; without one the game is drawn. `scoring.OverTheBoard` gives
the same points from the outcome alone. Players may agree on another score than G3.5.
"""

from collections.abc import Iterable
from fractions import Fraction

from tbgen import outcome
from tbgen.rules.record import Standing
from tbgen.rules.rulesets import SHEET_LEVEL
from tbgen.rules.scoring import DRAW, LOSS, WIN


class ScoreSheet:
    """The entries of a game, in parts between the lines."""

    def __init__(
        self, standings: Iterable[Standing] = (), *, whole_game: bool = False, level: int = SHEET_LEVEL
    ) -> None:
        self.whole_game = whole_game
        self.level = level
        """Of the weakest score that is written down."""
        self.parts: list[list[Standing]] = [[]]
        for standing in standings:
            self.add(standing)

    def add(self, standing: Standing) -> None:
        """Put down what a ply calls for, if anything."""
        if standing.reset and not self.whole_game and self.parts[-1]:
            self.parts.append([])
        is_news = standing.just_set or not standing.ply  # a start may bring the record of earlier moves along
        if is_news and standing.level <= self.level:
            self.parts[-1].append(standing)

    @property
    def last(self) -> Standing | None:
        """The last entry below the last line."""
        return self.parts[-1][-1] if self.parts[-1] else None

    @property
    def points(self) -> Fraction:
        """White's points if the game ends here."""
        last = self.last
        if last is None:
            return DRAW
        return WIN if last.outcome > 0 else LOSS

    def __str__(self) -> str:
        return "\n----\n".join(
            "\n".join(f"{entry.ply:>4}  {outcome.text(entry.outcome)}" for entry in part) for part in self.parts
        )
