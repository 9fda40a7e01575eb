"""What is proved, with the defender's replies: for people by the squares that they need, for `tbgen check` as text.

docs/proofs.md has the format of the text.
"""

from collections.abc import Iterator
from typing import NamedTuple

import chess

from tbgen.beyond import certificate
from tbgen.beyond.certificate import lines_of, name_of
from tbgen.beyond.holding.graph import Graph
from tbgen.beyond.holding.hold import Hold
from tbgen.beyond.holding.search import Proof
from tbgen.beyond.holding.strategy import Reply, replies
from tbgen.beyond.holding.way import Way
from tbgen.core import outcome
from tbgen.probe import Tablebase


class HoldingMan(NamedTuple):
    """A man that holds, and where it stands when its side has the move."""

    square: chess.Square
    """The square where the man stands at first."""
    piece: chess.Piece
    squares: list[chess.Square]


class Claim(NamedTuple):
    """The claim that the defender is sure of a bound, and how."""

    board: chess.Board
    record: int
    defender: chess.Color
    bound: int
    plies: int | None
    """None: for ever. Else the first ply at which the record may change to something worse than the bound: no table is
    asked, since a capture that ends well may begin with a worse record."""
    held: Hold | Way
    replies: list[Reply]

    @property
    def _graph(self) -> Graph:
        return self.held.held.graph if isinstance(self.held, Way) else self.held.graph

    @property
    def holding(self) -> list[HoldingMan]:
        """The men that move, each with its squares."""
        graph = self._graph
        found = []
        for free in graph.free_men:
            if (free.man.side == 0) != self.defender:
                continue
            used = {reply.place[free.axis] for reply in self.replies}
            if any(reply.move.from_square == free.squares[reply.place[free.axis]] for reply in self.replies):
                square = free.squares[graph.start[free.axis]]
                piece = self.board.piece_at(square)
                assert piece is not None
                found.append(HoldingMan(square, piece, [free.squares[at] for at in sorted(used)]))
        return found

    def lines(self) -> Iterator[str]:
        """The claim as text."""
        yield from lines_of(self.board, self.record, self.defender, self.bound, self.plies, self._written())

    def _written(self) -> Iterator[certificate.Reply]:
        """The replies hold under the worst record for which the attacker's goals are limited as they are. Before a goal
        of the defender's is made, that is a goal of the attacker's which it betters."""
        graph, sign = self._graph, 1 if self.defender else -1
        bound_limits = self.bound * sign < 0 and outcome.level(self.bound) < outcome.level(self.record)
        holding = self.bound if bound_limits or isinstance(self.held, Way) else self.record
        gaining = -sign * (outcome.BASE - max(outcome.level(self.bound) + 1, outcome.FIRST_RECORD))
        for place, move, rank in self.replies:
            name = name_of(graph.board_at(place, self.defender))
            under = holding if rank is None else gaining
            yield certificate.Reply(name, move.uci(), under, rank)
            if place == graph.start and self.board.turn == self.defender and name != name_of(self.board):
                # en passant, of which graphs know nothing
                yield certificate.Reply(name_of(self.board), move.uci(), under, rank)


def claims(board: chess.Board, record: int, proof: Proof, tables: Tablebase | None) -> list[Claim]:
    """What a proof claims: a bound that holds for ever, and how long the record holds if that is not the bound."""
    found = []
    for held, bound, plies in ((proof.held, proof.bound, None), (proof.delay, record, proof.plies)):
        if held is not None:
            strategy = replies(held, board.turn, bound, tables, may_exit=plies is None)
            found.append(Claim(board, record, proof.defender, bound, plies, held, strategy))
    return found
