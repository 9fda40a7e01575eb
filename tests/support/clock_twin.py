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
        start, target, paid = [0], [], []
        for (men, turn), board in zip(self.nodes, boards, strict=True):
            for move in board.legal_moves:
                if board.is_zeroing(move):
                    after = board.copy(stack=False)
                    after.push(move)
                    target.append(-1)
                    paid.append(oracle(after))
                else:
                    target.append(self.number[after_quiet_move(men, move), not turn])
                    paid.append(0)
            start.append(len(target))
        self._start, self._target, self._paid = np.array(start), np.array(target), np.array(paid, np.int16)
        open_kings = self.level == OPEN_KINGS
        movers = np.repeat(np.arange(len(self.nodes)), np.diff(self._start))
        self._twice = (self._target >= 0) & open_kings[self._target] & open_kings[movers]

    def _solve(self, form: Form) -> None:
        """Levels of records from the lowest up: one that restarts the clock leads to clock 0 of a lower level."""
        self.value = np.zeros((PLIES + 1, len(self.records), len(self.nodes)), np.int16)
        self.value[:, :, self.level < 2] = self.own[self.level < 2]
        going = np.flatnonzero(np.diff(self._start) > 0)
        restarting = [[place] for place, goal in enumerate(self.records) if goal.level < form.cutoff]
        others = [place for place, goal in enumerate(self.records) if goal.level >= form.cutoff]
        for places in (*restarting, others):
            setting = {place: self._setting(form, place) for place in places}
            for clock in range(PLIES, -1, -1):
                for place in places:
                    self._one(form, clock, place, going, setting[place])

    def _setting(self, form: Form, place: int) -> NDArray[np.int64]:
        """The moves that set a new record."""
        level = self.level[self._target]
        return np.flatnonzero((self._target >= 0) & (level < self.records[place].level))

    def _one(self, form: Form, clock: int, place: int, going: NDArray[np.int64], setting: NDArray[np.int64]) -> None:
        record = self.records[place]
        if clock == PLIES:
            self.value[clock, place, going] = worth(record)
            return
        found = np.where(self._target >= 0, self.value[clock + 1, place][self._target], self._paid)
        target = self._target[setting]
        level = self.level[target]
        if clock + 1 == PLIES and not form.closing_counts:
            setting, target, level = (one[level < 2] for one in (setting, target, level))
        after = np.where(level < form.cutoff, 0, clock + 1)
        found[setting] = np.where(level < 2, self.own[target], self.value[after, self.own_place[target], target])
        if form.bare_kings and len(self.nodes[0][0]) == 2:
            found[self._twice] = worth(record)
        best = np.where(
            self.white[going],
            np.maximum.reduceat(found, self._start[going]),
            np.minimum.reduceat(found, self._start[going]),
        )
        self.value[clock, place, going] = best

    def _place_of(self, own: int) -> int:
        level = 512 - abs(int(own))
        return 0 if level < 2 else 2 * (level - 2) + [*chess.COLORS].index(own > 0)
