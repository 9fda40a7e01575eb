"""One slice, solved for every record."""

import itertools
from collections.abc import Callable

import chess
import numpy as np

from tests.support.slow_twin.goals import (
    PLIES,
    Goal,
    Ints,
    Result,
    Rules,
    columns,
    goal_of,
    goal_worth,
    one_ply_earlier,
    result_of,
    scores_of,
    worth,
)
from tests.support.slow_twin.placements import Placement, SliceName, after_quiet_move, board_of, placements

# What a move to some position pays, under the record before the move (None: a new count begins).
Arrival = Callable[[Goal | None], Result]
# Answers for the positions that a capture or a pawn move leads to.
Outside = Callable[[chess.Board], Arrival]


class Side:
    """One side's nodes, a run of the slice's node numbers, most mobile first; their moves."""

    def __init__(self, turn: chess.Color, first: int, levels: list[int], moves: list[list[int]]):
        self._first = first
        self._levels = np.array(levels)
        self._starts = np.cumsum([0] + [len(targets) for targets in moves])
        self._targets = np.fromiter(itertools.chain(*moves), dtype=np.int64)
        self._choose = np.maximum if turn == chess.WHITE else np.minimum

    def staying(self, level: int) -> slice:
        """The nodes whose goal does not replace a record of this level."""
        return slice(self._first, self._first + int(np.count_nonzero(self._levels >= level)))

    def best_moves(self, scores: Ints, count: int) -> Ints:
        """The best score that one move reaches, for each of the side's first nodes."""
        reached = scores[self._targets[: self._starts[count]]]
        best: Ints = self._choose.reduceat(reached, self._starts[:count])
        return best


class Slice:
    """V(p, r) and its distance, for every position of a slice (up to symmetry) and every record."""

    def __init__(self, name: SliceName, rules: Rules, arrival: Outside) -> None:
        self._rules = rules
        self._number_nodes(name)
        self._generate_moves(arrival)
        self._solve()

    def arrive(self, node: int, record: Goal | None) -> Result:
        """What a move to this node pays: v if the record is replaced, else V under the record."""
        ended = self.levels[node] < 2
        if ended or record is None or self.levels[node] < record.level:
            return Result(goal_worth(int(self._values[node])), int(self._plies[node]))
        return result_of(int(self._layers[record][node]), worth(record))

    def _number_nodes(self, name: SliceName) -> None:
        legal: list[tuple[bool, int, Placement]] = []
        for men, turn in itertools.product(placements(name), chess.COLORS):
            board = board_of(men, turn)
            if not board.was_into_check():  # no king can be taken
                legal.append((not turn, -goal_of(board).level, men))
        legal.sort()  # White's first, the most mobile first
        self.levels = [-minus_level for _, minus_level, _ in legal]
        self.nodes = [(men, not is_black) for is_black, _, men in legal]
        self.number = {node: number for number, node in enumerate(self.nodes)}

    def _generate_moves(self, arrival: Outside) -> None:
        """List where each node's moves lead: node numbers, and beyond them numbers of arrivals."""
        outside: dict[str, int] = {}
        self._arrivals: list[Arrival] = []
        self._paid_outside: tuple[Ints, Ints] | None = None
        moves: list[list[int]] = []
        for men, turn in self.nodes:
            board = board_of(men, turn)
            moves.append([])
            for move in board.legal_moves:
                if not board.is_zeroing(move):
                    moves[-1].append(self.number[after_quiet_move(men, move), not turn])
                    continue
                after = after_move(board, move)
                key = after.epd(en_passant="legal")
                if key not in outside:
                    outside[key] = len(self.nodes) + len(outside)
                    self._arrivals.append(arrival(after))
                moves[-1].append(outside[key])
        whites = sum(turn == chess.WHITE for _, turn in self.nodes)
        self._sides = [
            Side(chess.WHITE, 0, self.levels[:whites], moves[:whites]),
            Side(chess.BLACK, whites, self.levels[whites:], moves[whites:]),
        ]

    def _solve(self) -> None:
        """Layers from level 2 upward; each fixes v of the nodes whose own goal is its record."""
        turns = (turn for _, turn in self.nodes)
        goals = [Goal(not turn, level) for turn, level in zip(turns, self.levels, strict=True)]
        # Right for mate and stalemate; the others are fixed before a layer uses them.
        self._values, self._plies = columns([Result(goal, 0) for goal in goals])
        self._layers: dict[Goal, Ints] = {}
        for level in range(2, max(self.levels) + 1):
            for owner in chess.COLORS:
                self._layers[Goal(owner, level)] = self._solve_layer(Goal(owner, level))
            for node in np.flatnonzero(np.array(self.levels) == level).tolist():
                goal, self._plies[node] = self.arrive(node, goals[node])
                self._values[node] = worth(goal)

    def _solve_layer(self, record: Goal) -> Ints:
        standing = worth(record)
        inside = scores_of(self._values, self._plies, standing)
        outside = scores_of(*self._pay_outside(record), standing)
        scores = np.concatenate([inside, outside])
        staying = [side.staying(record.level) for side in self._sides]
        for part in staying:
            scores[part] = standing * PLIES
        while True:
            before = scores.copy()
            for side, part in zip(self._sides, staying, strict=True):
                best = side.best_moves(before, part.stop - part.start)
                scores[part] = one_ply_earlier(best, standing)
            if np.array_equal(scores, before):
                return scores[: len(self.nodes)]

    def _pay_outside(self, record: Goal) -> tuple[Ints, Ints]:
        if self._rules == "wg":
            return columns([arrive(record) for arrive in self._arrivals])
        if self._paid_outside is None:  # the same under every record
            self._paid_outside = columns([arrive(None) for arrive in self._arrivals])
        return self._paid_outside


def after_move(board: chess.Board, move: chess.Move) -> chess.Board:
    after = board.copy(stack=False)
    after.push(move)
    return after
