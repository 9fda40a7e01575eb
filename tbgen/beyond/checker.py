"""Checks certificates: claims that a side is sure of a bound, with its reply to everything.

This shares nothing with what found the claims: moves are python-chess's, and what captures and pawn moves lead to is
asked of complete tables. docs/proofs.md has the format, and why what is checked here proves a claim.
"""

from collections import deque
from collections.abc import Callable, Iterable, Iterator
from typing import Any, NamedTuple

import chess

from tbgen.core import outcome
from tbgen.errors import BadInput, WrongClaim, quoted
from tbgen.probe import Tablebase
from tbgen.system.text import from_json

FORMAT = "tbgen 2"


class Reply(NamedTuple):
    """What the defender plays in a position, under a record or any that is better for him."""

    record: int
    move: chess.Move
    rank: int | None


class Claim(NamedTuple):
    """What a certificate claims, and the defender's replies."""

    board: chess.Board
    record: int
    defender: chess.Color
    bound: int
    """The game ends with this or better for the defender ..."""
    plies: int | None
    """... or, where this is a number, the record is not worse before that ply, whatever the game may end with."""
    length: int
    """How many replies there are."""
    replies: dict[str, Reply]
    """The defender's answers, by the position in which he has the move."""


def read(lines: Iterable[str]) -> Iterator[Claim]:
    """The claims of a certificate."""
    found: Claim | None = None
    record: int | None = None
    moves: dict[str, chess.Move] = {}
    for line in lines:
        if line.startswith("{"):
            if found is not None:
                yield _whole(found)
            found, record = _head(line), None
        elif found is None:
            raise BadInput("not a certificate: it does not begin with a claim")
        elif " " not in line:
            record = outcome.parse(line)
        elif record is None:
            raise BadInput(f"a reply without a record: {quoted(line)}")
        else:
            position, reply = _reply(line, record, moves)
            if found.replies.setdefault(position, reply) is not reply:
                raise BadInput(f"two replies in one position: {quoted(line)}")
    if found is None:
        raise BadInput("not a certificate: it is empty")
    yield _whole(found)


def _whole(claim: Claim) -> Claim:
    if len(claim.replies) != claim.length:
        raise BadInput(f"the certificate has {len(claim.replies):,} of {claim.length:,} replies: it is not whole")
    return claim


def _reply(line: str, record: int, moves: dict[str, chess.Move]) -> tuple[str, Reply]:
    """`moves`: those that have been met, since most come up again and again."""
    position, move, *rank = line.split(" ")
    try:
        if move not in moves:
            moves[move] = chess.Move.from_uci(move)
        (number,) = map(int, rank) if rank else (None,)
    except ValueError:
        raise BadInput(f"not a line of a certificate: {quoted(line)}") from None
    return position, Reply(record, moves[move], number)


def _head(line: str) -> Claim:
    try:
        head = from_json(line)
        if head["claim"] != FORMAT:
            raise BadInput(f"a certificate of another format: {quoted(head['claim'])}")
        board = chess.Board(head["fen"])
        board.chess960 = board.has_chess960_castling_rights()
        record, bound = outcome.parse(head["record"]), outcome.parse(head["bound"])
        defender, plies, length = chess.COLOR_NAMES.index(head["defender"]) == 1, head["plies"], head["replies"]
    except BadInput:
        raise
    except (ValueError, KeyError, TypeError, AttributeError):
        raise BadInput(f"not a claim: {quoted(line)}") from None
    wrong = board.status() & ~(chess.STATUS_TOO_MANY_CHECKERS | chess.STATUS_IMPOSSIBLE_CHECK)
    is_span = plies is None or (type(plies) is int and plies > 0)
    if not is_span or type(length) is not int or wrong:
        raise BadInput(f"not a claim: {quoted(line)}")
    return Claim(board, record, defender, bound, plies, length, {})


def check(claim: Claim, tables: Tablebase | None, report: Callable[[int], Any] = lambda replies: None) -> int:
    """Verify a claim, and give the number of positions that this took. WrongClaim where it is not proved. `report` is
    called with the replies that were checked since the last call."""
    return _Check(claim, tables).run(report)


class _Game(NamedTuple):
    """A position of a game that the defender plays by his replies."""

    board: chess.Board
    record: int
    left: int | None
    """The plies that the claim is about, from here on; None: all."""


class _Check:
    def __init__(self, claim: Claim, tables: Tablebase | None) -> None:
        self._claim = claim
        self._tables = tables
        self._sign = 1 if claim.defender else -1
        self._waiting = deque[tuple[_Game, Reply]]()
        self._met = set[str]()
        self._attacks: dict[tuple[str, int], int] = {}
        """Positions in which the attacker has the move: the highest rank that he comes to under a bad record."""
        own = _goal(claim.board)
        if outcome.improved(claim.record, own) != claim.record:
            raise WrongClaim(f"the record cannot be {outcome.text(claim.record)}: the position's own goal is better")
        if outcome.level(claim.record) < outcome.FIRST_RECORD and claim.record != own:
            raise WrongClaim(f"the record cannot be {outcome.text(claim.record)}: no game goes on after that")

    def run(self, report: Callable[[int], Any]) -> int:
        start = self._game(self._claim.board, self._claim.record, self._claim.plies)
        if start.board.turn == self._claim.defender:
            self._defend(start)
        else:
            self._attack(start)
        while self._waiting:  # the first way to a position is the shortest, so that most plies are left
            game, reply = self._waiting.popleft()
            if not game.board.is_legal(reply.move):
                raise WrongClaim(f"{game.board.fen()}: {reply.move} is no legal move")
            after = self._after(game._replace(record=reply.record), reply.move)
            if after is not None:
                rank = self._attack(after)
                if self._is_bad(after.record) and rank >= self._rank(game, reply):
                    raise WrongClaim(f"{game.board.fen()}: {reply.move} comes no nearer to the bound")
            report(1)
        return len(self._met) + len(self._attacks)

    def _attack(self, game: _Game) -> int:
        """Whatever the attacker may do. The highest rank of a reply under a bad record; -1 where there is none."""
        if not any(game.board.legal_moves):
            self._ends(game)
        if game.left is not None and game.left <= 1:
            return -1
        key = _name(game.board), game.record
        if key not in self._attacks:
            games = [self._after(game, move) for move in game.board.legal_moves]
            self._attacks[key] = max((self._defend(one) for one in games if one is not None), default=-1)
        return self._attacks[key]

    def _defend(self, game: _Game) -> int:
        """Look for the defender's reply. Its rank if the record is bad, else -1."""
        if not any(game.board.legal_moves):
            self._ends(game)
            return -1
        if game.left is not None and game.left <= 1:
            return -1
        name = _name(game.board)
        reply = self._claim.replies.get(name)
        if reply is None or self._sign * reply.record > self._sign * game.record:
            raise WrongClaim(f"{game.board.fen()}: there is no reply under {outcome.text(game.record)}")
        if name not in self._met:
            self._met.add(name)
            self._waiting.append((game, reply))
        return self._rank(game, reply) if self._is_bad(game.record) else -1

    def _after(self, game: _Game, move: chess.Move) -> _Game | None:
        """The game after a move; None where complete tables know that it ends well, if the claim is about its end."""
        board = game.board.copy(stack=False)
        board.push(move)
        left = None if game.left is None else game.left - 1
        if not game.board.is_zeroing(move):
            return self._game(board, outcome.improved(game.record, _goal(board)), left)
        found = None if self._tables is None or left is not None else self._tables.known(board)
        if found is None:
            return self._game(board, _goal(board), left)
        if self._is_bad(found.outcome):
            raise WrongClaim(f"{board.fen()}, after {move}: {found.gscore} is worse than the bound")
        return None

    def _game(self, board: chess.Board, record: int, left: int | None) -> _Game:
        if left is not None and self._is_bad(record):
            raise WrongClaim(f"{board.fen()}: the record is {outcome.text(record)}, worse than the bound, too early")
        return _Game(board, record, left)

    def _rank(self, game: _Game, reply: Reply) -> int:
        if reply.rank is None:
            raise WrongClaim(f"{game.board.fen()}: the record is worse than the bound, and {reply.move} has no rank")
        return reply.rank

    def _ends(self, game: _Game) -> None:
        if self._is_bad(game.record):
            raise WrongClaim(f"{game.board.fen()}: the game ends with {outcome.text(game.record)}")

    def _is_bad(self, record: int) -> bool:
        """Whether it is worse than the bound for the defender."""
        return record * self._sign < self._claim.bound * self._sign


def _goal(board: chess.Board) -> int:
    return outcome.goal(2 * board.legal_moves.count() + (0 if board.is_check() else 1), board.turn)


def _name(board: chess.Board) -> str:
    """The name that certificates give a position."""
    name = board.board_fen()
    if board.castling_rights:
        name += f":{board.castling_xfen()}"
    if board.has_legal_en_passant():
        name += f":{chess.SQUARE_NAMES[board.ep_square or 0]}"
    return name
