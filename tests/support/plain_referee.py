"""The rules of the game once more, written down from their text with nothing but python-chess: slow and plain.

Nothing here knows `tbgen`. Scores are doubled, so that they are whole; a record is (score, holder).
"""

from typing import NamedTuple

import chess
import chess.variant

BARE_KINGS_IN_THE_OPEN = 17
"""G8.5."""


class Rules(NamedTuple):
    """What differs between rule sets."""

    fifty: bool = True
    fifty_from_men: int = 0
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
CORRESPONDENCE = Rules(fifty_from_men=8)
GENERAL = Rules(improvements_restart_below=1000)

Record = tuple[int, bool]


class Referee:
    """Watches a game. Moves after its end are allowed, and what they bring is said as well."""

    forgets = True
    """Whether a reset makes positions from before impossible."""

    def __init__(self, board: chess.Board, record: Record | None, rules: Rules) -> None:
        self.board = board.copy(stack=False)
        self.rules = rules
        self.quiet = board.halfmove_clock
        self.open_kings = 0
        self.seen: dict[str, int] = {}
        self.record = self.goal()
        fresh = board.halfmove_clock == 0 and not rules.whole_game
        too_late = self.is_over() and not rules.last_ply_counts and self.record[0] > 1
        if record is not None and not fresh and (too_late or record[0] <= self.record[0]):
            self.record = record
        self.ending = self._look()

    def is_over(self) -> bool:
        """Whether 50 moves are complete."""
        return self.rules.fifty and self.quiet >= 100 and len(self.board.piece_map()) >= self.rules.fifty_from_men

    def goal(self) -> Record:
        """What the position scores, for the side that is not to move."""
        score = 2 * self.board.legal_moves.count() + (not self.board.is_check())
        return score, not self.board.turn

    def resets(self, move: chess.Move) -> bool:
        """Whether a move begins a new record."""
        return self.board.is_capture(move) or self.board.piece_type_at(move.from_square) == chess.PAWN

    def push(self, move: chess.Move) -> None:
        """Make a move."""
        resets = self.resets(move)
        self.board.push(move)
        goal = self.goal()
        self.quiet = 0 if resets else self.quiet + 1
        if resets and self.forgets:
            self.seen.clear()  # nothing from before can come again
        over = self.is_over()
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
        if (end := self.end_on_board()) is not None:
            return end
        if self.rules.bare_kings and self.open_kings >= 2:
            return "bare kings at G8.5"
        if self.is_over():
            return "50-move rule"
        return "repetition" if self.seen[key] >= 3 else None

    def end_on_board(self) -> str | None:
        """What the position shows to be over."""
        if any(self.board.legal_moves):
            return None
        return "mate" if self.board.is_check() else "stalemate"


class VariantReferee(Referee):
    """The same for variants, whose ends are read off the men on the board."""

    def __init__(self, board: chess.Board, record: Record | None, rules: Rules) -> None:
        self.name = board.uci_variant
        self.forgets = self.name != "crazyhouse"
        dead = self.name in ("atomic", "3check")
        super().__init__(board, record, rules._replace(bare_kings=rules.bare_kings and dead))

    def resets(self, move: chess.Move) -> bool:
        return move.drop is not None or super().resets(move)

    def goal(self) -> Record:
        winner = self.winner()
        if winner is not None:
            return 0, winner
        score, holder = super().goal()
        if self.name == "racingkings" and self.finished():  # by the moves that there would be
            free = chess.Board(self.board.fen())
            score = 2 * sum(not free.gives_check(move) for move in free.legal_moves) + 1
        return min(score, 437), holder is not (self.name == "antichess")

    def winner(self) -> bool | None:
        """Who has won by the end that the variant has of its own."""
        board = self.board
        kings = {side: board.pieces(chess.KING, side) for side in chess.COLORS}
        last = [side for side in chess.COLORS if kings[side] & chess.BB_RANK_8]
        won: list[bool] = []
        if self.name == "atomic":
            won = [not side for side in chess.COLORS if not kings[side]]
        elif self.name == "antichess":
            won = [board.turn] if not any(board.legal_moves) else []
        elif self.name == "horde":
            won = [] if board.occupied_co[chess.WHITE] else [chess.BLACK]
        elif isinstance(board, chess.variant.ThreeCheckBoard):
            won = [side for side in chess.COLORS if board.remaining_checks[side] == 0]
        elif self.name == "kingofthehill":
            won = [side for side in chess.COLORS if kings[side] & chess.BB_CENTER]
        elif self.name == "racingkings" and len(last) == 1:
            goes_on = board.turn == chess.BLACK and last == [chess.WHITE] and self.black_arrives()
            won = [] if goes_on else last
        return won[0] if won else None

    def black_arrives(self) -> bool:
        """Whether Black's king has a move to the last rank, whatever else is so."""
        king = self.board.king(chess.BLACK)
        return any(move.from_square == king and move.to_square >= chess.A8 for move in self.board.legal_moves)

    def end_on_board(self) -> str | None:
        if self.winner() is not None:
            return "won"
        if self.name == "racingkings" and self.finished():
            return "a drawn race" if self.goal()[0] > 1 else "stalemate"
        return super().end_on_board()

    def finished(self) -> bool:
        """Whether both kings have arrived."""
        return self.board.kings & chess.BB_RANK_8 == self.board.kings
