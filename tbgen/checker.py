"""Checks certificates: claims that a side is sure of a bound, with its reply to everything.

This shares nothing with what found the claims: moves are python-chess's, and what captures and pawn moves lead to is
asked of tables. docs/beyond.md has the format, and why what is checked here proves a claim.
"""

from collections import deque
from collections.abc import Iterable, Iterator
from typing import NamedTuple

import chess

from tbgen import outcome
from tbgen.errors import BadInput, WrongClaim
from tbgen.probe import Tablebase
from tbgen.text import from_json

FORMAT = "tbgen 1"


class Claim(NamedTuple):
    """What a certificate claims, and the defender's replies."""

    board: chess.Board
    record: int
    defender: chess.Color
    bound: int
    """The game ends with this or better for the defender ..."""
    plies: int | None
    """... or, where this is a number, nothing worse can happen before that ply."""
    replies: dict[str, chess.Move]
    """By the placement of the men, the defender having the move."""


def read(lines: Iterable[str]) -> Iterator[Claim]:
    """The claims of a certificate."""
    found: Claim | None = None
    for line in lines:
        if line.startswith("{"):
            if found is not None:
                yield found
            found = _head(line)
        else:
            placement, _, move = line.partition(" ")
            if found is None:
                raise BadInput("not a certificate: it does not begin with a claim")
            try:
                found.replies[placement] = chess.Move.from_uci(move)
            except ValueError:
                raise BadInput(f"not a line of a certificate: {line!r}") from None
    if found is None:
        raise BadInput("not a certificate: it is empty")
    yield found


def _head(line: str) -> Claim:
    try:
        head = from_json(line)
        if head["claim"] != FORMAT:
            raise BadInput(f"a certificate of another format: {head['claim']!r}")
        board = chess.Board(head["fen"])
        record, bound = outcome.parse(head["record"]), outcome.parse(head["bound"])
        defender, plies = chess.COLOR_NAMES.index(head["defender"]) == 1, head["plies"]
    except (ValueError, KeyError, TypeError, AttributeError) as error:
        raise BadInput(f"not a claim: {error}") from None
    wrong = board.status() & ~(chess.STATUS_TOO_MANY_CHECKERS | chess.STATUS_IMPOSSIBLE_CHECK)
    if not (plies is None or type(plies) is int) or wrong or board.castling_rights:
        raise BadInput(f"not a claim: {line}")
    return Claim(board, record, defender, bound, plies, {})


def check(claim: Claim, tables: Tablebase | None) -> int:
    """Verify a claim, and give the number of positions that this took. WrongClaim where it is not proved."""
    return _Check(claim, tables).run()


def _level(board: chess.Board) -> int:
    return 2 * sum(1 for _ in board.legal_moves) + (0 if board.is_check() else 1)


class _Check:
    def __init__(self, claim: Claim, tables: Tablebase | None) -> None:
        self._claim = claim
        self._tables = tables
        # Read from the attacker: the higher, the better for him.
        self._sign = -1 if claim.defender else 1
        self._record = outcome.improved(claim.record, outcome.goal(_level(claim.board), claim.board.turn))
        if self._record != claim.record:
            raise WrongClaim(f"the record cannot be {outcome.text(claim.record)}: the position's own goal is better")
        if self._worse_than_bound(claim.record):
            raise WrongClaim("the bound is better for the defender than the record")

    def run(self) -> int:
        start = self._claim.board
        left = self._claim.plies
        waiting = deque([(start, left)])
        met = {self._key(start): left}
        while waiting:
            board, left = waiting.popleft()
            if left is not None and left <= 1:
                continue
            for after in self._defender(board) if board.turn == self._claim.defender else self._attacker(board):
                key, rest = self._key(after), None if left is None else left - 1
                if key not in met:  # the first way is the shortest, so that most plies are left
                    met[key] = rest
                    waiting.append((after, rest))
        return len(met)

    def _attacker(self, board: chess.Board) -> Iterator[chess.Board]:
        """Where the attacker may go; WrongClaim where that is better than the bound."""
        for move in board.legal_moves:
            after = board.copy(stack=False)
            after.push(move)
            if board.is_zeroing(move):
                self._ends_well(after, move)
                continue
            goal = outcome.goal(_level(after), after.turn)
            if self._worse_than_bound(outcome.improved(self._claim.record, goal)):
                raise WrongClaim(f"{board.fen()}: {move} makes {outcome.text(goal)}")
            yield after

    def _defender(self, board: chess.Board) -> Iterator[chess.Board]:
        """Where the defender's reply leads to."""
        move = self._claim.replies.get(board.board_fen())
        if move is None:
            if not any(board.legal_moves):
                return  # its goal was looked at when the attacker moved
            raise WrongClaim(f"{board.fen()}: there is no reply")
        if not board.is_legal(move):
            raise WrongClaim(f"{board.fen()}: {move} is no legal move")
        after = board.copy(stack=False)
        after.push(move)
        if board.is_zeroing(move):
            self._ends_well(after, move)
        else:
            yield after

    def _ends_well(self, after: chess.Board, move: chess.Move) -> None:
        """After a capture or a pawn move only tables know."""
        found = None if self._tables is None else self._tables.get(after)
        if found is None:
            raise WrongClaim(f"{after.fen()}, after {move}: no table knows it")
        if self._worse_than_bound(found.outcome):
            raise WrongClaim(f"{after.fen()}, after {move}: {found.gscore} is better than the bound")

    def _worse_than_bound(self, value: int) -> bool:
        """For the defender."""
        return value * self._sign > self._claim.bound * self._sign

    @staticmethod
    def _key(board: chess.Board) -> str:
        return board.epd(en_passant="legal")
