"""What own tables prove of a position: what each side is sure of, for the position and for each move.

Under the two assumptions about what is not known, the values are bounds. Where they are equal the outcome is exact.
The distance then is as well if it is the same twice: what the winner can force within a number of plies only grows
if he wins more of what is not known.
"""

from typing import NamedTuple

import chess

from tbgen.own.solve import OwnTables
from tbgen.own.sure import Sure, SureMove
from tbgen.own.view import View
from tbgen.probe import LineMove, Tablebase, play


class Answer(NamedTuple):
    sure: Sure
    moves: list[SureMove]
    """The best for the side to move first: by what it is sure of, then by what it may hope for."""
    line: list[LineMove]
    """Best play, as far as it stays within the own table; none if the answer is not exact."""


def answer(own: OwnTables, board: chess.Board, record: int, complete: Tablebase) -> Answer:
    """What own tables say of a position of their root under the record that stands there."""
    low, high = (View(own, winner, complete) for winner in (chess.BLACK, chess.WHITE))
    worst, best = (play.result(view, board, record) for view in (low, high))
    sure = _between(worst.outcome, best.outcome, worst.dtg, best.dtg)
    hopes = {one.move: one for one in play.moves(high, board, worst.record)}
    moves = []
    for one in play.moves(low, board, worst.record):
        hope = hopes[one.move]
        moves.append(SureMove(one.move, one.reset, _between(one.outcome, hope.outcome, one.dtg, hope.dtg)))
    line = play.line(low, board, worst, partial=True) if sure.dtg is not None else []
    return Answer(sure, sorted(moves, key=lambda one: _rank(one.sure, board.turn)), line)


def _between(white: int, black: int, *distances: int) -> Sure:
    known = white == black and len(set(distances)) == 1
    return Sure(white, black, distances[0] if known else None)


def _rank(sure: Sure, turn: chess.Color) -> tuple[int, int]:
    return (-sure.white, -sure.black) if turn == chess.WHITE else (sure.black, sure.white)
