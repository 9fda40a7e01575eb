"""A game that takes moves, and says after each what the record is and whether the game is over.

An illegal move, a crashed engine or a resignation is not a matter of a `Game`: the program that runs the game gives
the other side G0.0. Insufficient material does not end a game.
"""

from collections.abc import Hashable, Iterable
from typing import Final, NamedTuple, Self

import chess

from tbgen.core import outcome, position
from tbgen.errors import BadInput, check_kind
from tbgen.rules import fen, variants
from tbgen.rules.endings import Ending
from tbgen.rules.record import Record, Standing, check_move
from tbgen.rules.rulesets import RuleSet, W, check_rules
from tbgen.system.text import typed

_BARE_KINGS_LEVEL: Final = 17
"""G8.5: a bare king in the open, kept from no square."""


class Turn(NamedTuple):
    """The state of a game after a ply."""

    standing: Standing
    """The record."""

    ending: Ending | None
    """Why the game is over; None before that."""

    quiet: int
    """The count of the 50-move rule: the halfmove clock, unless improvements restart it."""

    open_kings: int
    """How many positions in a row have shown bare kings at G8.5, this one included."""

    @property
    def outcome(self) -> int:
        """The record."""
        return self.standing.outcome

    @property
    def ended(self) -> bool:
        """Whether the game is over."""
        return self.ending is not None

    @property
    def result(self) -> int | None:
        """The game's result: the record, once the game is over."""
        return self.standing.outcome if self.ending is not None else None


class Game:
    """A game under a rule set.

    The start position's board is copied and its move stack not looked at (see `replayed`);
    `given` is the record it brings along.
    """

    def __init__(self, board: chess.Board | None = None, given: int | str | None = None, rules: RuleSet = W) -> None:
        check_rules(rules)
        self.rules = rules
        self.record = Record(
            board,
            given,
            whole_game=rules.whole_game,
            closing=lambda start: self._leaves_out(start, start.halfmove_clock),
        )
        self.board = self.record.board
        self._variant = self.record.variant
        self._seen: list[dict[Hashable, int]] = [{}]  # one for every reset: how often, by position
        self.turns: list[Turn] = []
        self._note(self.record.standing, self.board.halfmove_clock)

    @classmethod
    def from_fen(
        cls, text: str, rules: RuleSet = W, *, chess960: bool = False, variant: variants.Variant = variants.CHESS
    ) -> Self:
        """A game from a FEN with or without the record's field."""
        check_rules(rules)
        found = fen.read_fen(text, whole_game=rules.whole_game, chess960=chess960, variant=variant)
        return cls(found.board, found.record, rules)

    @classmethod
    def replayed(cls, board: chess.Board, given: int | str | None = None, rules: RuleSet = W) -> Self:
        """The game of a board's whole move stack, `given` being the record of its root position."""
        position.check_board(board)
        game = cls(board.root(), given, rules)
        game.push_all(board.move_stack)
        return game

    @property
    def turn(self) -> Turn:
        """The state now."""
        return self.turns[-1]

    @property
    def ended(self) -> bool:
        """Whether the game is over."""
        return self.turns[-1].ending is not None

    @property
    def result(self) -> int | None:
        """The game's result: the record, once the game is over."""
        return self.turns[-1].result

    def fen(self) -> str:
        """The FEN with the record, the halfmove clock being the count of the rules in use."""
        board = self.board.copy(stack=False)
        board.halfmove_clock = self.turn.quiet
        return fen.format_fen(board, self.record.outcome, whole_game=self.rules.whole_game)

    def push(self, move: chess.Move) -> Turn:
        """Make a move after checking that it is legal and that the game still goes on."""
        self._require_going_on()
        check_move(move)
        if not self.board.is_legal(move):
            raise BadInput(f"illegal move {move} at ply {self.record.ply + 1}: {self.board.fen()}")
        return self.push_legal(move)

    def push_all(self, moves: Iterable[chess.Move]) -> Turn:
        """Make moves one after the other, as `push` does."""
        for move in moves:
            self.push(move)
        return self.turns[-1]

    def push_san(self, text: str) -> Turn:
        """Make the move that a text stands for: `Nf3`."""
        self._require_going_on()
        check_kind(text, str, "a move's text", "write it as Nf3, or give a chess.Move to Game.push")
        try:
            move = self.board.parse_san(typed(text))
        except ValueError as error:
            raise BadInput(f"at ply {self.record.ply + 1}: {error}") from None
        return self.push(move)

    def push_legal(self, move: chess.Move) -> Turn:
        """Make a move that is known to be legal, in a game that is known to go on."""
        quiet = self.turns[-1].quiet + 1
        standing = self.record.push(move, closing=self._leaves_out(self.board, quiet))
        if standing.reset:
            quiet = 0
            self._seen.append({} if self._variant.resets_are_final else self._seen[-1])
        elif standing.just_set and self.rules.fifty.restarts(standing.level, self.rules.cutoff):
            quiet = 0
        return self._note(standing, quiet)

    def pop(self) -> chess.Move:
        """Take the last move back."""
        turn = self.turns[-1]
        key = self._variant.same(self.board)
        move = self.record.pop()
        self.turns.pop()
        self._seen[-1][key] -= 1
        if turn.standing.reset:
            self._seen.pop()
        return move

    def _completes(self, board: chess.Board, quiet: int) -> bool:
        """Whether this count ends the game with the men on this board."""
        limit = self.rules.fifty.limit(board.occupied.bit_count())
        return limit is not None and quiet >= limit

    def _leaves_out(self, board: chess.Board, quiet: int) -> bool:
        """Whether a position with this count improves the record by mate and stalemate only."""
        return not self.rules.fifty.closing_counts and self._completes(board, quiet)

    def _require_going_on(self) -> None:
        ending = self.turns[-1].ending
        if ending is not None:
            raise BadInput(f"the game ended at ply {self.record.ply} ({ending})")

    def _note(self, standing: Standing, quiet: int) -> Turn:
        """Note the position on the board, and whether it ends the game."""
        key = self._variant.same(self.board)
        seen = self._seen[-1]
        times = seen[key] = seen.get(key, 0) + 1
        level = outcome.level(standing.goal)
        board = self.board
        open_kings = 0
        if level == _BARE_KINGS_LEVEL and board.occupied == board.kings and self._variant.bare_kings_draw:
            open_kings = self.turns[-1].open_kings + 1 if self.turns else 1

        rules = self.rules
        ending = self._variant.ending(board, level)
        if ending is not None:
            pass
        elif rules.bare_kings is not None and open_kings >= rules.bare_kings:
            ending = Ending.BARE_KINGS
        elif self._completes(board, quiet):
            ending = Ending.FIFTY_MOVES
        elif rules.repetitions is not None and times >= rules.repetitions:
            ending = Ending.REPETITION
        turn = Turn(standing, ending, quiet, open_kings)
        self.turns.append(turn)
        return turn
