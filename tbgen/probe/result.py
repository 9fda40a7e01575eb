"""What a probe answers. Outcomes are the integers of tbgen/core/outcome.py, positive when White holds the score."""

from dataclasses import dataclass
from typing import Final, NamedTuple

import chess
import numpy as np
from numpy.typing import ArrayLike, NDArray

from tbgen.core import outcome as outcomes
from tbgen.system.text import counted, plies

FIFTY: Final = 100
"""Plies."""


def is_late(clock: int, dtg: int | None, most: int | None = FIFTY) -> bool:
    """Whether halfmove clock and distance add up to more than 100: the 50-move rule may come before the goal. `most`:
    the plies that a rule set allows; None: it has no such rule."""
    return most is not None and bool(dtg) and clock + (dtg or 0) > most


class MoveResult(NamedTuple):
    """What a move leads to if both sides then play best."""

    move: chess.Move
    outcome: int
    dtg: int
    """Plies from before the move until the deciding goal is on the board; 0: the record stands throughout."""
    exact: bool
    reset: bool
    """Whether the move starts a new record: a capture or a pawn move, unless the rules know no resets."""
    record: int
    """The record after the move."""

    @property
    def uci(self) -> str:
        return self.move.uci()

    @property
    def gscore(self) -> str:
        return outcomes.text(self.outcome)

    def __str__(self) -> str:
        return f"{self.uci} {self.gscore} in {self.dtg}" if self.dtg else f"{self.uci} {self.gscore}"

    def __repr__(self) -> str:
        return f"<MoveResult {self}>"


class UnknownMove(NamedTuple):
    """A move that leads to a table that is missing."""

    move: chess.Move
    reset: bool
    table: str
    """The name of its file."""

    def __repr__(self) -> str:
        return f"<UnknownMove {self.move.uci()}: {self.table} is missing>"


class LineMove(NamedTuple):
    """A move of the principal line."""

    move: chess.Move
    record: int
    """The record after the move; after the line's last move, the goal that decides."""
    san: str

    @property
    def uci(self) -> str:
        return self.move.uci()

    @property
    def record_gscore(self) -> str:
        """The record as text."""
        return outcomes.text(self.record)

    def __str__(self) -> str:
        return f"{self.san} ({self.record_gscore})"

    def __repr__(self) -> str:
        return f"<LineMove {self}>"


class Result(NamedTuple):
    """What a position is worth under a record."""

    material: str
    """The material of the table that was asked."""
    outcome: int
    dtg: int
    """Plies until the goal that decides the game is on the board; 0: the record stands."""
    exact: bool
    """Whether `dtg` is exact; if not, it is an upper bound."""
    record: int
    """The record that stands now, the position's own goal included."""
    moves: tuple[MoveResult, ...] | None = None
    """All legal moves, best first, if they were asked for."""
    line: tuple[LineMove, ...] | None = None
    """Best play to the goal, if it was asked for; empty where the record stands."""
    unknown: tuple[UnknownMove, ...] = ()
    """The moves that `moves` lacks, if part of them is enough."""

    @property
    def gscore(self) -> str:
        """`G1.5` when White holds it, `-G1.5` when Black does."""
        return outcomes.text(self.outcome)

    @property
    def score(self) -> float:
        """The G-score as a number: 1.5 for `G1.5` and for `-G1.5`. Lower is better for the winner."""
        return outcomes.level(self.outcome) / 2

    @property
    def record_gscore(self) -> str:
        """The record that stands now, as text."""
        return outcomes.text(self.record)

    @property
    def winner(self) -> chess.Color:
        """The side that holds the score; there always is one."""
        return self.outcome > 0

    @property
    def stands(self) -> bool:
        """Whether neither side can better the record, so that it is the result already."""
        return self.outcome == self.record

    def __str__(self) -> str:
        from tbgen.probe.words import sentence  # late: words are made of results

        return sentence(self)

    def __repr__(self) -> str:
        from tbgen.probe.words import reached

        worth = f"{self.gscore}, the record" if self.stands else reached(self.outcome, self.dtg)
        record = "" if self.stands else f", record {self.record_gscore}"
        asked = [counted(len(self.moves), "move")] if self.moves is not None else []
        asked += [f"a line of {plies(len(self.line))}"] if self.line else []
        return f"<Result {self.material}: {', '.join([worth + record, *asked])}>"

    def _repr_html_(self) -> str:
        from tbgen.probe.html import html

        return html(self)


class ResultWithMoves(Result):
    """A result whose moves were asked for."""

    moves: tuple[MoveResult, ...]


@dataclass(frozen=True)
class Positions:
    """Positions of the same men, without rights to castle or to capture en passant.

    `men` names White's men, then Black's, and with them the columns of `squares`, letter by letter: those of `KRvKN`
    are White's king, White's rook, Black's king, Black's knight. In `KNvKR` White has the knight.
    `squares[position, man]` are numbers as python-chess has them: a1 = 0, b1 = 1 ... h8 = 63.
    `white_to_move[position]` is true or false.
    """

    men: str
    squares: ArrayLike
    white_to_move: ArrayLike


class Answers(NamedTuple):
    """What a `Result` says, as columns: an item per position."""

    outcomes: NDArray[np.int16]
    """White's view, as tbgen/core/outcome.py has it; 0 where a row is not a legal position."""
    dtg: NDArray[np.uint16]
    records: NDArray[np.int16] | None
    """The records that stand, each position's own goal included; None if no records were given."""

    @property
    def scores(self) -> NDArray[np.float64]:
        """The G-scores as numbers, whoever holds them; NaN where a row is not a legal position."""
        return np.where(self.outcomes, (outcomes.BASE - abs(self.outcomes)) / 2, np.nan)
