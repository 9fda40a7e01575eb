"""What exits are worth: captures, promotions and single steps of pawns that tables know, or that end the game."""

from collections.abc import Iterator
from typing import Final, NamedTuple

import chess
import numpy as np
from numpy.typing import NDArray

from tbgen.beyond.holding.graph import Graph
from tbgen.board.geometry import BISHOP, FAIRY, KING, KNIGHT, PAWN_DOWN, PAWN_UP, QUEEN, ROOK
from tbgen.board.men import known
from tbgen.board.move_sets import BIT, Bools, Ints, Man, Sets, move_sets, screen, union
from tbgen.core.outcome import BASE, FIRST_RECORD, level
from tbgen.core.position import STALEMATE, goal
from tbgen.errors import MissingTable, UnsupportedPosition
from tbgen.probe import Positions, Tablebase

Outcomes = NDArray[np.int16]
Rows = tuple[NDArray[np.intp], ...]

_LETTERS: Final = {KING: "K", QUEEN: "Q", ROOK: "R", BISHOP: "B", KNIGHT: "N", PAWN_UP: "P", PAWN_DOWN: "P"}
_PROMOTED: Final = [QUEEN, ROOK, BISHOP, KNIGHT]
_PAWNS: Final = (PAWN_UP, PAWN_DOWN)
NO_MEN: Final = np.zeros(1, np.int8)
FEW: Final = 3
"""Men that can move besides the king: a capture takes one of them, and hinders two by pins at most."""


def worth(board: chess.Board, tables: Tablebase | None) -> int | None:
    """Give a position's outcome just after a reset, if the game is over there, or a table has it."""
    own = goal(board)
    if level(own) < FIRST_RECORD:
        return own
    answer = None if tables is None else tables.known(board)
    return None if answer is None else answer.outcome


class _Exit(NamedTuple):
    """A capture or pawn move, in all arrangements that have it."""

    man: Man
    victim: Man | None
    target: Ints
    rows: Rows


class Exits:
    """The exits of both sides: of each arrangement the worst and the best, for the side that does not move. Where a
    right to castle is left, nothing is known of them; nor do tables know any where a letter stands for another man than
    here."""

    def __init__(self, graph: Graph, tables: Tablebase | None) -> None:
        self._graph = graph
        defined = known() if graph.fairy else {}
        self._tables = tables if all(defined.get(man.letter) == man for man in graph.fairy) else None
        fairy = {FAIRY + place: man.letter for place, man in enumerate(graph.fairy)}
        self._letters = _LETTERS | fairy
        self._promoted = [*_PROMOTED, *fairy]
        self._outcomes: dict[tuple[int, int, bool], Outcomes] = {}
        self._few_move: dict[int, Bools] = {}

    def breaking(self, side: int, bound: int) -> Bools:
        """Say where a side has an exit that may be better for it than the bound."""
        turn, sign = self._graph.turns[side], 1 if side == 0 else -1
        # For any other bound an exit that stalemates breaks through like one of which nothing is known.
        is_stalemate = bound == sign * (BASE - STALEMATE)
        if self._tables is None and not is_stalemate:
            return turn.legal & turn.exits
        best = self._best(side, sign * BASE, ends=is_stalemate)
        return turn.legal & turn.exits & (best * sign > bound * sign)

    def saving(self, side: int, bound: int) -> Bools:
        """Say where a side has an exit that is as good for it as the bound, or better."""
        turn, sign = self._graph.turns[side], 1 if side == 0 else -1
        best = self._best(side, -sign * BASE, ends=True)
        return turn.legal & turn.exits & (best * sign >= bound * sign)

    def goals(self, side: int) -> Ints:
        """List the levels of a side's own goals that its exits are known to be worth."""
        turn, sign = self._graph.turns[side], 1 if side == 0 else -1
        best = sign * self._best(side, -sign * BASE, ends=True)[turn.legal & turn.exits].astype(np.int64)
        return np.unique(BASE - best[best > 0])

    def _best(self, side: int, unknown: int, *, ends: bool) -> Outcomes:
        """Give the best exit of each arrangement for the side that moves; `unknown` is the worth of what no table has.
        `ends`: where the game is over after it, it is worth that."""
        key = side, unknown, ends
        if key not in self._outcomes:
            self._outcomes[key] = self._work_out(side, unknown, ends)
        return self._outcomes[key]

    def _work_out(self, side: int, unknown: int, ends: bool) -> Outcomes:
        graph, sign = self._graph, 1 if side == 0 else -1
        best = np.full(graph.shape, -sign * BASE, np.int16)  # no exit is worse than this
        better = np.maximum if sign > 0 else np.minimum
        for man, targets in zip(graph.sets[side].men, graph.sets[side].targets, strict=True):
            left = targets
            for one in self._captures_and_steps(man, targets):
                left = left & ~BIT[one.target]
                if one.rows[0].size:
                    best[one.rows] = better(best[one.rows], self._outcomes_of(one, unknown, ends))
            if unknown == sign * BASE and not any(free.man is man for free in graph.free_men):
                best[np.broadcast_to(left != 0, graph.shape)] = unknown
        if unknown == sign * BASE:
            best[graph.rights != 0] = unknown
        return best

    def _captures_and_steps(self, man: Man, targets: Sets) -> Iterator[_Exit]:
        """List what may be known: not a pawn's double step, after which a capture en passant may be possible."""
        graph = self._graph
        arrivals: list[tuple[Man | None, Ints]] = [(one, one.squares) for one in graph.men if one.side != man.side]
        if man.kind in _PAWNS:
            arrivals.append((None, man.squares + (8 if man.kind == PAWN_UP else -8)))
        for victim, target in arrivals:
            hits = targets & BIT[target] != 0
            if hits.any():
                where = hits & graph.turns[man.side].legal
                where[graph.rights != 0] = False
                yield _Exit(man, victim, target, np.nonzero(where))

    def _outcomes_of(self, one: _Exit, unknown: int, ends: bool) -> Outcomes:
        """Give what an exit leads to, for each arrangement the best for who makes it."""
        graph, man = self._graph, one.man
        others = [
            (other, np.broadcast_to(one.target if other is man else other.squares, graph.shape)[one.rows])
            for other in graph.men
            if other is not one.victim
        ]
        better = np.maximum if man.side == 0 else np.minimum
        best: Outcomes | None = None
        for kind in self._kinds_after(man):
            men = [Man(kind if other is man else other.kind, other.side, squares) for other, squares in others]
            values = self._ask(men, man.side == 1)
            if values is None:
                values = np.full(one.rows[0].size, unknown, np.int16)
                if ends:
                    self._put_ends(values, men, 1 - man.side, self._hemmed_in(1 - man.side)[one.rows])
            best = values if best is None else better(best, values)
        assert best is not None
        return best

    def _put_ends(self, values: Outcomes, men: list[Man], mover: int, hemmed_in: Bools) -> None:
        """Put in what ends the game: stalemates where the side to move was hemmed in before, and mates. To look at all
        others would take long, and find next to nothing."""
        king = next(man for man in men if man.side == mover and man.kind == KING)
        occupied = union(BIT[man.squares] for man in men)
        likely = hemmed_in
        for man in men:
            if man.side != mover:
                likely = likely | (screen(man.kind, self._graph.fairy)[man.squares * 64 + king.squares] & occupied == 0)
        (rows,) = np.nonzero(likely)
        if rows.size:
            those = [man._replace(squares=man.squares[rows]) for man in men]
            levels = move_sets(those, mover, self._graph.fairy).level
            over = levels <= STALEMATE
            values[rows[over]] = (levels - BASE if mover == 0 else BASE - levels)[over]

    def _hemmed_in(self, side: int) -> Bools:
        """Say where at most a few men of a side could move, the king apart."""
        if side not in self._few_move:
            sets = self._graph.sets[side]
            pairs = zip(sets.men, sets.targets, strict=True)
            moving = sum((np.asarray(targets != 0, np.int8) for man, targets in pairs if man.kind != KING), NO_MEN)
            self._few_move[side] = np.broadcast_to(moving <= FEW, self._graph.shape)
        return self._few_move[side]

    def _kinds_after(self, man: Man) -> list[int]:
        """Say what a man may be after an exit: pawns stand still, and so does the rank on which they arrive."""
        if man.kind == PAWN_UP and man.squares.flat[0] // 8 == 6:
            return self._promoted
        if man.kind == PAWN_DOWN and man.squares.flat[0] // 8 == 1:
            return self._promoted
        return [man.kind]

    def _ask(self, men: list[Man], white_to_move: bool) -> Outcomes | None:
        if self._tables is None:
            return None
        order = sorted(men, key=lambda man: (man.side, man.kind != KING, man.kind))
        name = "v".join("".join(self._letters[man.kind] for man in order if man.side == side) for side in (0, 1))
        squares = np.stack([man.squares for man in order], axis=1)
        try:
            return self._tables.probe_many(Positions(name, squares, np.full(len(squares), white_to_move))).outcomes
        except (MissingTable, UnsupportedPosition):
            return None
