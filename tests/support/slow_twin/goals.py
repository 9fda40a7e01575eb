"""What is played for: goals, records, results, and their order as integers."""

from typing import Literal, NamedTuple

import chess
import numpy as np
from numpy.typing import NDArray

Ints = NDArray[np.int32] | NDArray[np.int64]
Rules = Literal["r", "wg"]


class Goal(NamedTuple):
    """A level and the side that reached it. Records and values are goals."""

    owner: chess.Color
    level: int

    def __str__(self) -> str:
        return f"{'+' if self.owner else '-'}G{self.level / 2}"

    def of_other_side(self) -> "Goal":
        return Goal(not self.owner, self.level)


class Result(NamedTuple):
    """The goal that decides, and the plies until it is on the board (0: the record stands)."""

    goal: Goal
    plies: int


def goal_of(board: chess.Board) -> Goal:
    level = 2 * board.legal_moves.count() + (0 if board.is_check() else 1)
    return Goal(not board.turn, level)


def record_after(record: Goal | None, own: Goal) -> Goal:
    """The record in a position whose own goal is `own`: only a strictly better level replaces."""
    return own if record is None or own.level < record.level else record


def possible_records(board: chess.Board, rules: Rules = "r") -> list[Goal]:
    """Every record that can stand in this position, its own goal counted in."""
    own = goal_of(board)
    if own.level < 2 or (rules == "r" and board.has_legal_en_passant()):
        return [own]  # the game has ended, or a pawn has just moved
    # Of equal levels, the other side's may have come first.
    return [Goal(owner, level) for level in range(2, own.level + 1) for owner in chess.COLORS]


# --- goals and results as integers ---------------------------------------------------------------

LEVELS = 512  # above every level: no legal position has more than 218 moves, which is level 437
PLIES = 100_000  # above every distance; LEVELS * PLIES fits 32 bits


def worth(goal: Goal) -> int:
    """The order of goals, best for White largest."""
    return LEVELS - goal.level if goal.owner else goal.level - LEVELS


def goal_worth(value: int) -> Goal:
    return Goal(value > 0, LEVELS - abs(value))


def columns(results: list[Result]) -> tuple[Ints, Ints]:
    values, plies = [worth(goal) for goal, _ in results], [plies for _, plies in results]
    return np.array(values, dtype=np.int32), np.array(plies, dtype=np.int32)


def scores_of(values: Ints, plies: Ints, record: int) -> Ints:
    """Value first, then distance: the side that betters the record wants it soon, the other side late."""
    towards_record: Ints = np.sign(record - values)
    return values * PLIES + towards_record * plies


def result_of(score: int, record: int) -> Result:
    """Undo `scores_of`, which moved every gain over the record towards it by the plies."""
    value = -(-score // PLIES) if score > record * PLIES else score // PLIES
    return Result(goal_worth(value), abs(value * PLIES - score))


def one_ply_earlier(scores: Ints, record: int) -> Ints:
    towards_record: Ints = np.sign(record * PLIES - scores)
    return scores + towards_record
