"""Syzygy tables: who wins by the rules of chess, also where it would take more than 50 moves.

A win is G0.0. Under the tournament's rules a win against which only the 50-move rule would help is one too; under
those of cuteRMob it is not. What these tables call a draw says nothing of the record.
"""

from collections.abc import Sequence
from pathlib import Path
from typing import Final, NamedTuple

import chess

from tbgen.core import outcome
from tbgen.errors import BadInput
from tbgen.rules.rulesets import RuleSet

MOST_MEN: Final = 7
_WIN, _CURSED = 2, 1
_FIFTY: Final = 100
"""Plies."""


class SyzygyVerdict(NamedTuple):
    """A game that is won by the tables."""

    winner: chess.Color
    cursed: bool
    """Whether only by ignoring the 50-move rule."""

    @property
    def outcome(self) -> int:
        """The result: G0.0."""
        return outcome.goal(0, not self.winner)

    def __str__(self) -> str:
        """The words of the tag `RMobilityTermination`."""
        return f"syzygy, {'cursed win' if self.cursed else 'win'}"


class Syzygy:
    """The Syzygy tables of some directories."""

    def __init__(self, directories: Sequence[Path], most_men: int = MOST_MEN) -> None:
        import chess.syzygy  # late: few ask for it

        self._most_men = most_men
        self._tables = chess.syzygy.Tablebase()
        for directory in directories:
            found = self._tables.add_directory(str(directory)) if directory.is_dir() else 0
            if not found:
                raise BadInput(f"no Syzygy tables in {directory}")

    def verdict(self, board: chess.Board, rules: RuleSet) -> SyzygyVerdict | None:
        """Who wins; None if nobody does, or the tables do not know."""
        if chess.popcount(board.occupied) > self._most_men or board.castling_rights:
            return None
        wdl = self._tables.get_wdl(board)
        if not wdl:
            return None
        cursed = abs(wdl) == _CURSED
        if rules.adjudicates_draws or self._in_time(board, wdl):
            return SyzygyVerdict(board.turn if wdl > 0 else not board.turn, cursed)
        return None

    def _in_time(self, board: chess.Board, wdl: int) -> bool:
        """Whether the win comes before the 50-move rule, with the moves that have been made."""
        if abs(wdl) != _WIN:
            return False
        if not board.halfmove_clock:
            return True
        dtz = self._tables.get_dtz(board)
        return dtz is not None and abs(dtz) + board.halfmove_clock < _FIFTY  # it may take one ply more than they say

    def close(self) -> None:
        self._tables.close()
