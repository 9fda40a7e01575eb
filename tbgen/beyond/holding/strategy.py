"""The defender's replies: what a proof comes to when it is played."""

from collections.abc import Iterator
from typing import Any, NamedTuple

import chess
import numpy as np
from numpy.typing import NDArray

from tbgen.beyond.holding.exits import worth
from tbgen.beyond.holding.graph import Graph, Turn
from tbgen.beyond.holding.hold import FOR_EVER, Hold
from tbgen.beyond.holding.way import Way
from tbgen.probe import Tablebase


class Reply(NamedTuple):
    """What the defender does where he has the move."""

    place: tuple[int, ...]
    """Coordinates in the graph."""
    move: chess.Move
    rank: int | None = None
    """How many moves there may be before the defender's goal is made; None where it has been made, or need not."""


def replies(
    held: Hold | Way, turn: chess.Color, bound: int, tables: Tablebase | None, *, may_exit: bool = True
) -> list[Reply]:
    """What the defender does, from the graph's own arrangement on, wherever the attacker goes.

    If he cannot hold for ever, the replies last for as long as he can. `may_exit`: he may leave the graph.
    """
    return list(_Walk(held, bound, tables, may_exit=may_exit).replies(turn))


def first_reply(held: Hold | Way, turn: chess.Color, bound: int, tables: Tablebase | None) -> Reply | None:
    """Give the defender's reply in the graph's own arrangement, where he has the move."""
    return next(_Walk(held, bound, tables, may_exit=True).replies(turn), None)


class _Walk:
    def __init__(self, way: Hold | Way, bound: int, tables: Tablebase | None, *, may_exit: bool) -> None:
        self._held = held = way.held if isinstance(way, Way) else way
        self._way = way if isinstance(way, Way) else None
        self._bound = bound
        self._tables = tables
        self._may_exit = may_exit
        self._attacks = _Moves(held.graph, held.graph.turns[held.attacker], held.plies[held.attacker])
        self._holds = _Moves(held.graph, held.graph.turns[1 - held.attacker], held.plies[1 - held.attacker])
        self._met: dict[bool, set[int]] = {True: set(), False: set()}
        """By whether the defender has the move."""

    def replies(self, turn: chess.Color) -> Iterator[Reply]:
        held = self._held
        defender_moves = turn == (held.attacker == 1)
        layer = [int(np.ravel_multi_index(held.graph.start, held.graph.shape))]
        self._met[defender_moves].update(layer)
        left = held.at(held.graph.start, turn)
        while layer and left > 1:
            reached: list[int] = []
            for place in layer:
                if defender_moves:
                    reply, to = self._reply(place)
                    if reply is not None:
                        yield reply
                else:
                    to = [there for _, there in self._attacks.of(place)]
                reached += to
            defender_moves, left = not defender_moves, left - (left < FOR_EVER)
            met = self._met[defender_moves]
            layer = [place for place in dict.fromkeys(reached) if place not in met]
            met.update(layer)

    def _reply(self, place: int) -> tuple[Reply | None, list[int]]:
        """The best quiet move; among equals one that comes back to what was met, so that the strategy stays small."""
        at = tuple(int(one) for one in np.unravel_index(place, self._held.graph.shape))
        options = list(self._holds.of(place))
        if self._way is not None and self._way.at(at, defends=True):
            return self._approach(self._way, at, options)
        if options:
            move, to = max(options, key=lambda one: (self._attacks.plies[one[1]], one[1] in self._met[False]))
            if self._attacks.plies[to] + 1 >= self._holds.plies[place]:
                return Reply(at, move), [to]
        other = self._other_reply(self._held.graph.board_at(at, self._held.attacker == 1))
        return (None if other is None else Reply(at, other)), []

    def _approach(
        self, way: Way, at: tuple[int, ...], options: list[tuple[chess.Move, int]]
    ) -> tuple[Reply | None, list[int]]:
        """A move that makes the goal, or comes nearer to where it is made."""
        rank = int(way.defending[at])
        theirs = self._held.graph.turns[self._held.attacker]
        for move, to in options:
            there = np.unravel_index(to, self._held.graph.shape)
            makes = theirs.level[there] <= way.level and self._attacks.plies[to] == FOR_EVER
            if makes or way.attacking[there] < rank:
                return Reply(at, move, rank), [to]
        exit_ = self._other_reply(self._held.graph.board_at(at, self._held.attacker == 1))
        return (None if exit_ is None else Reply(at, exit_, rank)), []

    def _other_reply(self, board: chess.Board) -> chess.Move | None:
        """An exit that is known to end well; else a quiet move, for one ply more; None where there is neither."""
        sign = 1 if self._held.attacker == 0 else -1
        quiet = None
        for move in board.legal_moves:
            if not board.is_zeroing(move):
                quiet = quiet or move
            elif self._may_exit:
                after = board.copy(stack=False)
                after.push(move)
                outcome = worth(after, self._tables)
                if outcome is not None and outcome * sign <= self._bound * sign:
                    return move
        return quiet


class _Moves:
    """The quiet moves of one side, for arrangements by their flat numbers."""

    def __init__(self, graph: Graph, turn: Turn, plies: NDArray[np.int16]) -> None:
        self.plies = _flat(plies, graph)
        self._size = _stride(graph, 0)
        first = np.arange(len(graph.rights)) * self._size
        self._free_men = [
            (free, _stride(graph, free.axis), (first[free.after] - first).tolist(), _flat(targets, graph))
            for free, targets in turn.moves
        ]

    def of(self, place: int) -> Iterator[tuple[chess.Move, int]]:
        """Each with the arrangement that it leads to."""
        for free, stride, lost, targets in self._free_men:
            at = place // stride % len(free.squares)
            after = place + lost[place // self._size]
            for target in chess.scan_forward(targets[place]):
                yield chess.Move(free.squares[at], target), after + (free.squares.index(target) - at) * stride


def _stride(graph: Graph, axis: int) -> int:
    return int(np.prod(graph.shape[axis + 1 :], dtype=np.int64))


def _flat(array: NDArray[Any], graph: Graph) -> memoryview:
    """Item by item, a view gives Python's own integers: faster than an array."""
    return np.ascontiguousarray(np.broadcast_to(array, graph.shape)).reshape(-1).data
