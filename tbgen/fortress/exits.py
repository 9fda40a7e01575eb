"""What exits are worth where tables know: captures, after which there are fewer men."""

from typing import Final

import numpy as np
from numpy.typing import NDArray

from tbgen.board.geometry import BISHOP, FAIRY, KING, KNIGHT, PAWN_DOWN, PAWN_UP, QUEEN, ROOK
from tbgen.board.move_sets import BIT, Bools, Man
from tbgen.errors import MissingTable, UnsupportedPosition
from tbgen.fortress.graph import Graph
from tbgen.men import known
from tbgen.outcome import BASE
from tbgen.probe import Positions, Tablebase

Outcomes = NDArray[np.int16]

_LETTERS: Final = {KING: "K", QUEEN: "Q", ROOK: "R", BISHOP: "B", KNIGHT: "N", PAWN_UP: "P", PAWN_DOWN: "P"}
_PROMOTED: Final = [QUEEN, ROOK, BISHOP, KNIGHT]


class Exits:
    """The exits of both sides: of each arrangement the worst and the best, for the side that does not move. Where a
    right to castle is left, no table knows them; nor where a letter stands for another man than here."""

    def __init__(self, graph: Graph, tables: Tablebase | None) -> None:
        self._graph = graph
        defined = known() if graph.fairy else {}
        self._tables = tables if all(defined.get(man.letter) == man for man in graph.fairy) else None
        fairy = {FAIRY + place: man.letter for place, man in enumerate(graph.fairy)}
        self._letters = _LETTERS | fairy
        self._promoted = [*_PROMOTED, *fairy]
        self._found: dict[tuple[int, bool], Outcomes] = {}

    def breaking(self, side: int, bound: int) -> Bools:
        """Where a side has an exit that may be better for it than the bound."""
        turn, sign = self._graph.turns[side], 1 if side == 0 else -1
        if self._tables is None:
            return turn.legal & turn.exits
        found = self._values(side, known_only=False)
        return turn.legal & turn.exits & (found * sign > bound * sign)

    def saving(self, side: int, bound: int) -> Bools:
        """Where a side has an exit that is as good for it as the bound, or better."""
        turn, sign = self._graph.turns[side], 1 if side == 0 else -1
        if self._tables is None:
            return np.zeros(self._graph.shape, np.bool_)
        found = self._values(side, known_only=True)
        return turn.legal & turn.exits & (found * sign >= bound * sign)

    def _values(self, side: int, *, known_only: bool) -> Outcomes:
        """The best exit of each arrangement for the side that moves. Unknown ones count as mates, or not at all."""
        key = side, known_only
        if key not in self._found:
            self._found[key] = self._work_out(side, known_only)
        return self._found[key]

    def _work_out(self, side: int, known_only: bool) -> Outcomes:
        graph, sign = self._graph, 1 if side == 0 else -1
        found = np.full(graph.shape, -sign * BASE, np.int16)  # no exit is worse than this
        better = np.maximum if sign > 0 else np.minimum
        for man, targets in zip(graph.sets[side].men, graph.sets[side].targets, strict=True):
            left = targets
            for victim in graph.men:
                if victim.side == side:
                    continue
                taken = np.broadcast_to((targets & BIT[victim.squares]) != 0, graph.shape) & graph.turns[side].legal
                taken[graph.rights != 0] = False
                left = left & ~BIT[victim.squares]
                rows = np.nonzero(taken)
                if rows[0].size:
                    values = self._captures(man, victim, rows, None if known_only else sign * BASE)
                    if values is not None:
                        found[rows] = better(found[rows], values)
            if not known_only and not any(free.man is man for free in graph.free_men):
                unknown = np.broadcast_to(left != 0, graph.shape)
                found[unknown] = sign * BASE
        if not known_only:
            found[graph.rights != 0] = sign * BASE
        return found

    def _captures(
        self, man: Man, victim: Man, rows: tuple[NDArray[np.intp], ...], unknown: int | None
    ) -> Outcomes | None:
        """What these captures lead to, for each arrangement the best for who captures; `unknown` if no table says."""
        graph = self._graph
        columns = []
        for other in graph.men:
            if other is not victim:
                columns.append((other, np.broadcast_to((victim if other is man else other).squares, graph.shape)[rows]))
        found: Outcomes | None = None
        white_to_move = np.full(rows[0].size, man.side == 1)
        for kind in self._kinds_after(man):
            men = [(kind if other is man else other.kind, other.side) for other, _ in columns]
            values = self._ask(men, [squares for _, squares in columns], white_to_move)
            if values is None:
                if unknown is None:
                    continue
                values = np.full(rows[0].size, unknown, np.int16)
            better = np.maximum if man.side == 0 else np.minimum
            found = values if found is None else better(found, values)
        return found

    def _kinds_after(self, man: Man) -> list[int]:
        """What a man may be once it has taken: pawns stand still, and so does the rank on which they take."""
        if man.kind == PAWN_UP and man.squares.flat[0] // 8 == 6:
            return self._promoted
        if man.kind == PAWN_DOWN and man.squares.flat[0] // 8 == 1:
            return self._promoted
        return [man.kind]

    def _ask(self, men: list[tuple[int, int]], squares: list[NDArray[np.int64]], white: Bools) -> Outcomes | None:
        order = sorted(range(len(men)), key=lambda at: (men[at][1], men[at][0] != KING, men[at][0]))
        name = "v".join("".join(self._letters[men[at][0]] for at in order if men[at][1] == side) for side in (0, 1))
        assert self._tables is not None
        try:
            return self._tables.probe_many(
                Positions(name, np.stack([squares[at] for at in order], axis=1), white)
            ).outcomes
        except (MissingTable, UnsupportedPosition):
            return None
