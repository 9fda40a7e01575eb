"""The rules of the game once more, written down from their text with nothing but python-chess: slow and plain.

Nothing here knows `tbgen`. Scores are doubled, so that they are whole; a record is (score, holder).
"""

from typing import NamedTuple

import chess

BARE_KINGS_IN_THE_OPEN = 17
"""G8.5."""


class Rules(NamedTuple):
    """What differs between rule sets."""

    fifty: bool = True
    last_ply_counts: bool = False
    improvements_restart_below: int = 0
    bare_kings: bool = False
    whole_game: bool = False


W = Rules()
C = Rules(last_ply_counts=True, improvements_restart_below=12, bare_kings=True)
LEGACY = Rules(bare_kings=True)
WHOLE_GAME = Rules(whole_game=True)
OVER_THE_BOARD = Rules(improvements_restart_below=8)
NO_FIFTY = Rules(fifty=False)

Record = tuple[int, bool]


class Referee:
    """Watches a game. Moves after its end are allowed, and what they bring is said as well."""

    def __init__(self, board: chess.Board, record: Record | None, rules: Rules) -> None:
        self.board = board.copy(stack=False)
        self.rules = rules
        self.quiet = board.halfmove_clock
        self.open_kings = 0
        self.seen: dict[str, int] = {}
        self.record = self.goal()
        fresh = board.halfmove_clock == 0 and not rules.whole_game
        if record is not None and not fresh and record[0] <= self.record[0]:
            self.record = record
        self.ending = self._look()

    def goal(self) -> Record:
        """What the position scores, for the side that is not to move."""
        score = 2 * self.board.legal_moves.count() + (not self.board.is_check())
        return score, not self.board.turn

    def push(self, move: chess.Move) -> None:
        """Make a move."""
        resets = self.board.is_capture(move) or self.board.piece_type_at(move.from_square) == chess.PAWN
        self.board.push(move)
        goal = self.goal()
        self.quiet = 0 if resets else self.quiet + 1
        if resets:
            self.seen.clear()  # nothing from before can come again
        over = self.rules.fifty and self.quiet >= 100
        if resets and not self.rules.whole_game:
            self.record = goal
        elif goal[0] < self.record[0] and (not over or goal[0] <= 1 or self.rules.last_ply_counts):
            self.record = goal
            if not resets and goal[0] < self.rules.improvements_restart_below:
                self.quiet = 0
        self.ending = self._look()

    def _look(self) -> str | None:
        """Why the game is over."""
        board = self.board
        key = board.epd(en_passant="legal")
        self.seen[key] = self.seen.get(key, 0) + 1
        in_the_open = len(board.piece_map()) == 2 and self.goal()[0] == BARE_KINGS_IN_THE_OPEN
        self.open_kings = self.open_kings + 1 if in_the_open else 0
        if not any(board.legal_moves):
            return "mate" if board.is_check() else "stalemate"
        if self.rules.bare_kings and self.open_kings >= 2:
            return "bare kings at G8.5"
        if self.rules.fifty and self.quiet >= 100:
            return "50-move rule"
        return "repetition" if self.seen[key] >= 3 else None
