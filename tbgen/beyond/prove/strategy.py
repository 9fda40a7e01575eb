"""What local tables prove, as a strategy: one reply of the side that is sure of a bound to all that can come up.

A reply depends on the position alone. It is made for the worst record under which the side is sure of the bound there:
whatever is right under that one is right under every better one. Where that record is worse than the bound, play must
come nearer to a better one: see `_reply`. Ranks say how near it is.
"""

from collections.abc import Callable, Iterator
from contextlib import suppress
from typing import Final, NamedTuple

import chess

from tbgen.beyond.certificate import Reply, lines_of, name_of
from tbgen.core import outcome
from tbgen.core.position import goal, level
from tbgen.errors import MissingTable, OutOfRoom, UnsupportedPosition
from tbgen.probe import Result, Tablebase, play
from tbgen.probe.bounds import LocalSource, View
from tbgen.probe.numbering import Signature, signature

MOST: Final = 2_000_000
"""Replies that a strategy may have: a gigabyte."""

Report = Callable[[int, int], None]
"""Called with the replies that are found, and with those that are known to be needed."""


class Proved(NamedTuple):
    """That a side is sure of a bound, and how."""

    board: chess.Board
    record: int
    defender: chess.Color
    bound: int
    replies: list[Reply]

    def lines(self) -> Iterator[str]:
        """The claim as text."""
        yield from lines_of(self.board, self.record, self.defender, self.bound, None, self.replies)


def prove(
    local: LocalSource,
    tables: Tablebase,
    board: chess.Board,
    record: int,
    defender: chess.Color,
    bound: int,
    report: Report = lambda found, needed: None,
) -> Proved:
    """How a side gets a bound that local tables say it is sure of. OutOfRoom where that takes too many replies."""
    walk = _Walk(local, tables, defender, bound)
    return Proved(board, record, defender, bound, walk.replies(board, record, report))


class _Attack(NamedTuple):
    """A position in which the attacker has the move."""

    board: chess.Board
    record: int


class _Complete:
    """Complete tables, asked but once for those that are not there."""

    def __init__(self, tables: Tablebase) -> None:
        self._tables = tables
        self._missing = set[Signature]()

    def complete(self, board: chess.Board, record: int | None = None) -> Result:
        """What they say; MissingTable where they do not."""
        men = signature(board)
        if men not in self._missing:
            with suppress(MissingTable, UnsupportedPosition):
                return self._tables.complete(board, record)
            self._missing.add(men)
        raise MissingTable("no table has what can come up: local tables may have been removed meanwhile")

    def known(self, board: chess.Board) -> Result | None:
        """What they say of a position just after a reset; None where they do not."""
        with suppress(MissingTable):
            return self.complete(board)
        return None


class _Walk:
    def __init__(self, local: LocalSource, tables: Tablebase, defender: chess.Color, bound: int) -> None:
        self._complete = _Complete(tables)
        self._view = View(local, not defender, self._complete)
        self._defender = defender
        self._sign = 1 if defender else -1
        self._bound = bound
        self._alike = max(outcome.level(bound) + (bound * self._sign > 0), outcome.FIRST_RECORD)
        """Records of this level and more are alike: none of them is better than the bound for its holder, or all are
        for the defender."""
        self._found: list[Reply] = []
        self._next: list[tuple[int, ...]] = []
        """The replies that may come after each, for as long as the record is worse than the bound."""
        self._number: dict[str, int] = {}
        self._waiting: list[tuple[int, chess.Board]] = []
        self._attacks: dict[tuple[str, int], tuple[int, ...]] = {}
        self._last = 0
        """The worst record of the last position."""

    def replies(self, board: chess.Board, record: int, report: Report) -> list[Reply]:
        """All of them, from a position on."""
        if board.turn == self._defender:
            self._defend(board)
        else:
            self._attack(_Attack(board, record))
        done = 0
        while self._waiting:
            number, board = self._waiting.pop()
            self._answer(number, board)
            done += 1
            report(done, len(self._number))
        return [
            reply._replace(rank=rank if self._is_bad(reply.record) else None)
            for reply, rank in zip(self._found, ranks(self._next), strict=True)
        ]

    def _defend(self, board: chess.Board) -> int:
        """The number of the reply to be made here."""
        name = name_of(board)
        number = self._number.get(name)
        if number is None:
            number = self._number[name] = len(self._number)
            if number == MOST:
                raise OutOfRoom(
                    f"the proof that {chess.COLOR_NAMES[self._defender].capitalize()} is sure of "
                    f"{outcome.text(self._bound)} takes more than {MOST:,} replies"
                )
            self._found.append(Reply(name, "", 0))
            self._next.append(())
            self._waiting.append((number, board))
        return number

    def _answer(self, number: int, board: chess.Board) -> None:
        if board.move_stack and board.halfmove_clock == 0 and self._view.is_unknown(board):
            record = -self._sign * (outcome.BASE - outcome.FIRST_RECORD)
            move, after = self._retake(board)
        else:
            record = self._worst_record(board)
            move, after = self._reply(board, record)
        self._found[number] = Reply(self._found[number].position, move.uci(), record)
        if after is not None:
            replies = self._attack(after)
            if self._is_bad(after.record):
                self._next[number] = replies

    def _attack(self, attack: _Attack) -> tuple[int, ...]:
        """Go wherever the attacker may go. The replies to be made under a record that is worse than the bound."""
        key = name_of(attack.board), attack.record
        if key not in self._attacks:
            replies = set()
            for move in attack.board.legal_moves:
                after = self._after(attack, move)
                if after is not None and any(after.board.legal_moves):
                    number = self._defend(after.board)
                    if self._is_bad(after.record):
                        replies.add(number)
            self._attacks[key] = tuple(sorted(replies))
        return self._attacks[key]

    def _after(self, there: _Attack, move: chess.Move) -> _Attack | None:
        """Where a move leads to; None where complete tables know that."""
        after = there.board.copy(stack=False)
        after.push(move)
        if not there.board.is_zeroing(move):
            return _Attack(after, outcome.improved(there.record, goal(after)))
        return None if self._complete.known(after) is not None else _Attack(after, goal(after))

    def _worst_record(self, board: chess.Board) -> int:
        """The worst record for the defender under which he is sure of the bound here."""
        highest = min(level(board), self._alike)
        theirs = [-self._sign * (outcome.BASE - one) for one in range(outcome.FIRST_RECORD, highest + 1)]
        ours = [self._sign * (outcome.BASE - one) for one in range(min(level(board), self._alike - 1), 1, -1)]
        records = theirs + ours
        low, high = 0, len(records) - 1
        nearby = [at for at, record in enumerate(records) if record == self._last] or [high // 2]
        nearby.append(nearby[0] - 1)  # as a rule the position before this one has the same
        while low < high:
            middle = nearby.pop(0) if nearby else (low + high) // 2
            if not low <= middle < high:
                middle = (low + high) // 2
            if self._is_sure(board, records[middle]):
                high = middle
            else:
                low = middle + 1
        self._last = records[low]
        return self._last

    def _reply(self, board: chess.Board, record: int) -> tuple[chess.Move, _Attack | None]:
        """A move that keeps the bound. Where the record is not worse than that, or where the move makes it so, any will
        do. Else it is the best one: outcomes only rise, and while they do not, the distance falls."""
        here = _Attack(board, record)
        quiet = []
        for move in board.legal_moves:
            if not board.is_zeroing(move):
                after = self._after(here, move)
                assert after is not None
                quiet.append((move, after))
            elif self._is_known_to_do(board, move):
                return move, None
        fine = [one for one in quiet if not self._is_bad(one[1].record)]
        # what was met costs nothing; and the fewer moves the attacker has, the smaller the strategy is
        fine.sort(key=lambda one: ((name_of(one[1].board), one[1].record) not in self._attacks, level(one[1].board)))
        for move, after in fine:
            if self._is_sure(after.board, after.record):
                return move, after
        best = play.moves(self._view, board, record)[0].move
        return best, self._after(here, best)

    def _retake(self, board: chess.Board) -> tuple[chess.Move, _Attack | None]:
        """The best way to take the man that has just moved: whatever the record was, it is no more. MissingTable where
        that is not enough: a local table that had the position has just been removed."""
        found = [(self._sign * after.outcome, move.uci()) for move, after in self._view.retaking(board)]
        best, uci = max(found, default=(-outcome.BASE, ""))
        if not uci or self._is_bad(self._sign * best):
            raise MissingTable(f"no local table has {self._view.name(board)} any more")
        move = chess.Move.from_uci(uci)
        return move, self._after(_Attack(board, 0), move)

    def _is_known_to_do(self, board: chess.Board, move: chess.Move) -> bool:
        """Whether complete tables know that a reset ends well."""
        after = board.copy(stack=False)
        after.push(move)
        found = self._complete.known(after)
        return found is not None and not self._is_bad(found.outcome)

    def _is_sure(self, board: chess.Board, record: int) -> bool:
        return not self._is_bad(play.result(self._view, board, record).outcome)

    def _is_bad(self, record: int) -> bool:
        """Whether it is worse than the bound for the defender."""
        return record * self._sign < self._bound * self._sign


def ranks(following: list[tuple[int, ...]]) -> list[int]:
    """For each number how many there can be one after the other from there on: there are no circles."""
    found = [-1] * len(following)
    open_now = set[int]()
    for start in range(len(following)):
        stack = [start]
        while stack:
            number = stack[-1]
            if found[number] >= 0:
                stack.pop()
                continue
            missing = [one for one in following[number] if found[one] < 0]
            if not missing:
                found[number] = 1 + max((found[one] for one in following[number]), default=-1)
                open_now.discard(number)
                stack.pop()
            else:
                assert number not in open_now, "a strategy that goes round in a circle"
                open_now.add(number)
                stack += missing
    return found
