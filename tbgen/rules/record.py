"""The record of a game: the best goal since the last capture or pawn move, kept move by move.

`Record` keeps it for any sequence of legal moves and knows nothing of when a game ends; `ends.Game`
does. Both give a `Standing` for every ply.
"""

from collections.abc import Callable, Iterable
from typing import NamedTuple, Self

import chess

from tbgen.core import outcome, position
from tbgen.errors import BadInput, check_kind
from tbgen.rules import variants


class Standing(NamedTuple):
    """The record after a ply."""

    ply: int
    """Moves made since the start position, which is ply 0."""

    outcome: int
    """The record that stands."""

    set_at: int | None
    """The ply that set it; None when the start position brought it along from earlier."""

    goal: int
    """What the position on the board scores by itself."""

    reset: bool
    """Whether the ply was a capture, a pawn move or a drop. The start position is no reset."""

    @property
    def level(self) -> int:
        """Twice the record's G-score."""
        return outcome.level(self.outcome)

    @property
    def just_set(self) -> bool:
        """Whether this ply set the record that stands."""
        return self.set_at == self.ply

    def after(self, goal: int, *, reset: bool, restarts: bool, counts: bool = True) -> "Standing":
        """The standing one ply on.

        `restarts` begins a new record; `counts=False` leaves the old one as it is.
        """
        ply = self.ply + 1
        if restarts or (counts and outcome.improved(self.outcome, goal) != self.outcome):
            return Standing(ply, goal, ply, goal, reset)
        return Standing(ply, self.outcome, self.set_at, goal, reset)

    def __str__(self) -> str:
        return outcome.text(self.outcome)


def standing(
    board: chess.Board, given: int | str | None = None, *, whole_game: bool = False, closing: bool = False
) -> Standing:
    """The standing of a start position; `given` is the record that it brings along, an outcome or its text.

    The position's own goal counts, unless it completes the count of a 50-move rule (`closing`) and is neither mate nor
    stalemate. It is the record if none is given, or if the halfmove clock says that the last move was a reset, unless
    nothing resets (`whole_game`).
    """
    variant = variants.of(board)
    goal = variant.goal(board)
    given = None if given is None else position.record_of(given)
    if given is None or (board.halfmove_clock == 0 and not whole_game):
        return Standing(0, goal, 0, goal, False)
    position.check_record(given, board, variant.goal)
    stands = given if closing and outcome.level(goal) > position.STALEMATE else outcome.improved(given, goal)
    return Standing(0, stands, 0 if stands == goal else None, goal, False)


def check_move(move: object) -> None:
    """BadInput for what is no move."""
    check_kind(move, chess.Move, "a move", "give a chess.Move, or its text to Game.push_san")


class Record:
    """The record along a sequence of moves.

    The board is copied, and the moves on its stack are not looked at: see `replayed`. With
    `whole_game` nothing resets: the record survives captures and pawn moves.
    """

    def __init__(
        self,
        board: chess.Board | None = None,
        given: int | str | None = None,
        *,
        whole_game: bool = False,
        closing: Callable[[chess.Board], bool] = lambda start: False,
    ) -> None:
        """`closing` is whether a start position completes the count of a 50-move rule."""
        self.board = position.checked_copy(board)
        self.variant = variants.of(self.board)
        self.variant.check(whole_game=whole_game)
        self.whole_game = whole_game
        self.standings = [standing(self.board, given, whole_game=whole_game, closing=closing(self.board))]

    @classmethod
    def replayed(cls, board: chess.Board, given: int | str | None = None, *, whole_game: bool = False) -> Self:
        """The record of a board's whole move stack, `given` being that of its root position."""
        position.check_board(board)
        record = cls(board.root(), given, whole_game=whole_game)
        record.push_all(board.move_stack)
        return record

    @property
    def standing(self) -> Standing:
        """The standing now."""
        return self.standings[-1]

    @property
    def outcome(self) -> int:
        """The record now."""
        return self.standings[-1].outcome

    @property
    def ply(self) -> int:
        """Moves made since the start position."""
        return len(self.standings) - 1

    def push(self, move: chess.Move, *, closing: bool = False) -> Standing:
        """Make a move, which must be legal, and say how the record stands.

        A `closing` ply completes the count of a 50-move rule: unless it resets, it counts only if
        it is mate or stalemate.
        """
        check_move(move)
        board = self.board
        board.push(move)
        reset = board.halfmove_clock == 0 or move.drop is not None
        goal = self.variant.goal(board)
        found = self.standings[-1].after(
            goal,
            reset=reset,
            restarts=reset and not self.whole_game,
            counts=not closing or reset or outcome.level(goal) <= position.STALEMATE,
        )
        self.standings.append(found)
        return found

    def push_all(self, moves: Iterable[chess.Move]) -> Standing:
        """Make legal moves one after the other, and say how the record stands at last."""
        for move in moves:
            self.push(move)
        return self.standings[-1]

    def pop(self) -> chess.Move:
        """Take the last move back."""
        if len(self.standings) == 1:
            raise BadInput("no move to take back")
        self.standings.pop()
        return self.board.pop()
