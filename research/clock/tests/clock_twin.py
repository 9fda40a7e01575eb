"""Games with a halfmove clock by brute force: moves and checks come from python-chess, results from the rules.

`Whole` solves all positions of a material without pawns, layer by layer, under every record; `last_plies` looks at one
position to the end of the game. What captures and pawn moves lead to is told by an oracle. White's outcomes are
positive.
"""

from collections.abc import Callable
from typing import NamedTuple

import chess
import numpy as np
from numpy.typing import NDArray

from tests.support.slow_twin.goals import Goal, goal_of, worth
from tests.support.slow_twin.placements import (
    Placement,
    after_quiet_move,
    board_of,
    men_of,
    normal_form,
    placements,
)

PLIES = 100
OPEN_KINGS = 17
Oracle = Callable[[chess.Board], int]
"""The outcome after a reset, at clock 0."""


class Form(NamedTuple):
    """A form of the 50-move rule, in words of docs/rules.md."""

    closing_counts: bool
    cutoff: int
    bare_kings: bool


W, C = Form(False, 0, False), Form(True, 12, True)


def last_plies(board: chess.Board, record: Goal, clock: int, form: Form, oracle: Oracle) -> int:
    """The outcome of a game that stands here, its own goal counted in the record. The oracle tells what restarts of the
    clock lead to."""
    if not board.legal_moves:
        return worth(goal_of(board))
    if clock >= PLIES:
        return worth(record)
    found = []
    for move in board.legal_moves:
        reset = board.is_zeroing(move)
        after = board.copy(stack=False)
        after.push(move)
        goal = goal_of(after)
        if reset or goal.level < min(record.level, form.cutoff):
            found.append(oracle(after))
            continue
        standing, count = record, clock + 1
        if goal.level < record.level and (goal.level < 2 or count < PLIES or form.closing_counts):
            standing = goal
        if form.bare_kings and len(board.piece_map()) == 2 and goal_of(board).level == goal.level == OPEN_KINGS:
            found.append(worth(standing))
            continue
        found.append(last_plies(after, standing, count, form, oracle))
    return max(found) if board.turn == chess.WHITE else min(found)


class Moves(NamedTuple):
    """A side's moves, those of a position together."""

    mover: NDArray[np.int64]
    """`[position]`: its number."""
    start: NDArray[np.int64]
    """`[position]`: where its moves begin."""
    target: NDArray[np.int64]
    """`[move]`: the position that it leads to; resets have numbers above these."""
    twice: NDArray[np.bool_]
    """`[move]`: whether both positions have G8.5."""


class Whole:
    """`value[clock, record]`, for all positions of a material without pawns."""

    def __init__(self, kinds: tuple[int, ...], form: Form, oracle: Oracle) -> None:
        self.nodes: list[tuple[Placement, bool]] = []
        boards = []
        for men in placements(((), kinds)):
            for turn in chess.COLORS:
                board = board_of(men, turn)
                if not board.was_into_check():
                    self.nodes.append((men, turn))
                    boards.append(board)
        self.number = {node: number for number, node in enumerate(self.nodes)}
        goals = [goal_of(board) for board in boards]
        self.level = np.array([goal.level for goal in goals])
        self.own = np.array([worth(goal) for goal in goals])
        self.white = np.array([turn for _, turn in self.nodes])
        self.top = int(self.level.max())
        self.records = [Goal(owner, level) for level in range(2, self.top + 1) for owner in chess.COLORS]
        self.own_place = np.array([self._place_of(own) for own in self.own])
        self._list_moves(boards, oracle)
        self._solve(form)

    def record(self, goal: Goal) -> int:
        return self.records.index(goal)

    def find(self, board: chess.Board) -> int:
        men, swapped = normal_form(men_of(board))
        assert not swapped
        return self.number[men, board.turn]

    def _list_moves(self, boards: list[chess.Board], oracle: Oracle) -> None:
        movers: dict[chess.Color, list[int]] = {side: [] for side in chess.COLORS}
        starts: dict[chess.Color, list[int]] = {side: [] for side in chess.COLORS}
        targets: dict[chess.Color, list[int]] = {side: [] for side in chess.COLORS}
        paid: list[int] = []
        for node, ((men, turn), board) in enumerate(zip(self.nodes, boards, strict=True)):
            first = len(targets[turn])
            for move in board.legal_moves:
                if board.is_zeroing(move):
                    after = board.copy(stack=False)
                    after.push(move)
                    targets[turn].append(len(self.nodes) + len(paid))
                    paid.append(oracle(after))
                else:
                    targets[turn].append(self.number[after_quiet_move(men, move), not turn])
            if len(targets[turn]) > first:
                movers[turn].append(node)
                starts[turn].append(first)
        self._paid = np.array(paid, np.int16)
        open_kings = np.concatenate([self.level == OPEN_KINGS, np.zeros(len(paid), bool)])
        self._moves = {}
        for side in chess.COLORS:
            mover, start, target = (np.array(one[side]) for one in (movers, starts, targets))
            mover_of = np.repeat(mover, np.diff(start, append=len(target)))
            self._moves[side] = Moves(mover, start, target, open_kings[target] & open_kings[mover_of])

    def _solve(self, form: Form) -> None:
        """Levels of records from the lowest up: one that restarts the clock leads to clock 0 of a lower level."""
        self.value = np.zeros((PLIES + 1, len(self.records), len(self.nodes)), np.int16)
        for place, record in enumerate(self.records):
            self.value[PLIES, place] = worth(record)
        self.value[:, :, self.level < 2] = self.own[self.level < 2]
        restarting = [[place] for place, goal in enumerate(self.records) if goal.level < form.cutoff]
        others = [place for place, goal in enumerate(self.records) if goal.level >= form.cutoff]
        for places in (*restarting, others):
            for clock in range(PLIES - 1, -1, -1):
                after = np.where(self.level < form.cutoff, 0, clock + 1)
                fresh = self.value[after, self.own_place, np.arange(len(self.nodes))]
                for place in places:
                    self._one(form, clock, place, fresh)

    def _one(self, form: Form, clock: int, place: int, fresh: NDArray[np.int16]) -> None:
        """`fresh`: what positions are worth one ply later if they set the record."""
        record = self.records[place]
        counts = clock + 1 < PLIES or form.closing_counts
        sets = self.level < (record.level if counts else 2)
        after = np.concatenate([np.where(sets, fresh, self.value[clock + 1, place]), self._paid])
        for side, best in ((chess.WHITE, np.maximum), (chess.BLACK, np.minimum)):
            moves = self._moves[side]
            found = after[moves.target]
            if form.bare_kings and len(self.nodes[0][0]) == 2:
                found[moves.twice] = worth(record)
            self.value[clock, place, moves.mover] = best.reduceat(found, moves.start)

    def _place_of(self, own: int) -> int:
        level = 512 - abs(int(own))
        return 0 if level < 2 else 2 * (level - 2) + [*chess.COLORS].index(own > 0)
