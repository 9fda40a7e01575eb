"""Finished tables read by their description, and compared with the slow twin in every entry."""

import chess
import numpy as np
from numpy.typing import NDArray

from tbgen.core import outcome
from tbgen.core.table_contents import MOVER_HOLDS, OPPONENT_HOLDS, Contents, distances, outcomes
from tbgen.index import layout_of
from tbgen.index.atlas import MEN, make_atlas
from tests.support.numbering import locate_many
from tests.support.slow_twin.goals import LEVELS, Goal, Result, goal_of, goal_worth, scores_of, worth
from tests.support.slow_twin.placements import KINDS, board_of, men_of
from tests.support.slow_twin.slice import Slice

Ints = NDArray[np.int64]
Flags = NDArray[np.bool_]

assert LEVELS == outcome.BASE, "solver and twin write values alike"


class Reader:
    """V(p, r) from what a table contains, by its description and not by the solver's code. White is the first side."""

    def __init__(self, table: Contents) -> None:
        self.table = table
        self._layout = layout_of(table.material)
        self._atlas = make_atlas([self._layout])
        steps = table.steps
        self._staircase_of_step = np.repeat(np.arange(len(steps.start) - 1), np.diff(steps.start))
        # one more, so that step -1 is one that nobody takes
        self._pays, self._plies = np.append(steps.outcome, 0).astype(np.int64), np.append(steps.distance, 0)

    def numbers(self, men: Ints, whites: Flags) -> Ints:
        """Row by row; all rows list the same men alike."""
        letters = [KINDS[kind] for kind in (men[0] // 64).tolist()]
        squares, numbers = np.zeros((len(men), MEN), np.int64), np.zeros(len(men), np.int64)
        for slot, (side, letter) in enumerate(self._layout.letters):
            column = letters.index(letter if side == 0 else letter.lower())
            squares[:, slot] = men[:, column] % 64
            letters[column] = "taken"
        locate_many(self._atlas, 0, squares, (~whites).astype(np.int64), numbers)
        return numbers

    def number(self, board: chess.Board) -> int:
        """Where White is the second side, colours are swapped."""
        normal = self._normal(board)
        return int(self.numbers(np.array([men_of(normal)]), np.array([normal.turn]))[0])

    def fresh(self, numbers: Ints, whites: Flags) -> tuple[Ints, Ints]:
        """v(p) as White sees it, and the distance."""
        entries = self.table.entries[numbers]
        return np.where(whites, 1, -1) * outcomes(entries).astype(np.int64), distances(entries).astype(np.int64)

    def under(self, record: Goal, numbers: Ints, whites: Flags) -> tuple[Ints, Ints]:
        """V(p, r) and the distance, in positions whose own goal does not replace the record."""
        values, plies = self.fresh(numbers, whites)
        inside = outcome.BASE - abs(values) >= record.level
        values[inside], plies[inside] = worth(record), 0
        for turn in chess.COLORS:
            last = self._last_steps(MOVER_HOLDS if turn == record.owner else OPPONENT_HOLDS, record.level)
            step = last[self.table.staircases[numbers]]
            paid = (1 if turn else -1) * self._pays[step]
            gains = (paid < worth(record)) if record.owner else (paid > worth(record))
            taken = inside & (whites == turn) & (step >= 0) & gains
            values[taken], plies[taken] = paid[taken], self._plies[step[taken]]
        return values, plies

    def _last_steps(self, holder: int, level: int) -> Ints:
        """`[staircase]`: its last step for this holder up to this level, or -1."""
        steps = self.table.steps
        last = np.full(len(steps.start) - 1, -1)
        at = np.flatnonzero((steps.holder == holder) & (steps.level <= level))
        np.maximum.at(last, self._staircase_of_step[at], at)
        return last

    def result(self, board: chess.Board, record: Goal) -> Result:
        """V(p, r) of one position, its own goal counted in."""
        if self._normal(board) is not board:
            goal, plies = self.result(board.mirror(), record.of_other_side())
            return Result(goal.of_other_side(), plies)
        numbers, whites = np.array([self.number(board)]), np.array([board.turn])
        own = record == goal_of(board)
        values, distance = self.fresh(numbers, whites) if own else self.under(record, numbers, whites)
        return Result(goal_worth(int(values[0])), int(distance[0]))

    def _normal(self, board: chess.Board) -> chess.Board:
        men = sorted(p.symbol() for p in board.piece_map().values() if p.color == chess.WHITE)
        return board if men == sorted("K" + self.table.material.first) else board.mirror()


def differences(reader: Reader, slice_: Slice) -> list[str]:
    """The first few entries on which table and twin differ."""
    whites, levels = np.array([turn for _, turn in slice_.nodes]), np.array(slice_.levels)
    numbers = reader.numbers(np.array([men for men, _ in slice_.nodes]), whites)
    values, plies = reader.fresh(numbers, whites)
    wrong: list[tuple[int, Goal | None]] = []
    wrong += [(node, None) for node in np.flatnonzero((values != slice_._values) | (plies != slice_._plies)).tolist()]
    for layer, scores in slice_._layers.items():
        nodes = np.flatnonzero(levels >= layer.level)
        values, plies = reader.under(layer, numbers[nodes], whites[nodes])
        differ = scores_of(values, plies, worth(layer)) != scores[nodes]
        wrong += [(node, layer) for node in nodes[differ].tolist()]
    told = []
    for node, record in wrong[:10]:
        board = board_of(*slice_.nodes[node])
        found = reader.result(board, record or goal_of(board))
        told.append(f"{board.fen()} under {record}: {found}, but {slice_.arrive(node, record)}")
    return told
