"""Captures en passant with the halfmove clock, judged by python-chess.

A right to capture is there at clock 0 only, and a hundred plies are too many for brute force: here a game ends three
plies after a reset. What promotions lead to is drawn by a seed, since the judge takes it as it is.
"""

import itertools
import random
from collections.abc import Iterator

import chess
import numpy as np
import pytest

from research.clock import solve
from research.clock.solve import Solver
from research.clock.tests import clock_oracle, clock_twin
from tbgen.core.material import every, parse
from tbgen.core.outcome import BASE
from tbgen.core.table_contents import OUTCOME_SHIFT
from tbgen.index import layout_of
from tests.support.slow_twin.goals import goal_of

PLIES = 3
JUDGED = 60


@pytest.fixture(scope="module", params=["W", pytest.param("C", marks=pytest.mark.full)])
def game(request: pytest.FixtureRequest) -> tuple[Solver, clock_twin.Form]:
    """King and pawn against king and pawn, solved under a rule set."""
    solver, draw = Solver(getattr(solve, request.param), clocks=()), np.random.default_rng(3)
    with pytest.MonkeyPatch.context() as patch:
        patch.setattr(solve, "CLOCK", PLIES)
        for material in (*every(2), *every(3)):
            solver.solve(material)
        for promoted in "QRBN":
            material = parse(f"K{promoted}vKP")
            size = layout_of(material).size
            drawn = (BASE - draw.integers(24, size=size)) * draw.choice([-1, 1], size)
            solver.found[material] = drawn.astype(np.int32) << OUTCOME_SHIFT
        solver.solve(parse("KPvKP"))
    return solver, getattr(clock_twin, request.param)


def _double_steps(seed: int) -> Iterator[tuple[chess.Board, chess.Move]]:
    """Positions at random, each with a double step that the other side may answer by a capture en passant."""
    draw = random.Random(seed)
    while True:
        board = chess.Board(None)
        board.turn = draw.choice(chess.COLORS)
        file, home, end = draw.randrange(8), *((1, 3) if board.turn else (6, 4))
        beside = draw.choice([one for one in (file - 1, file + 1) if 0 <= one < 8])
        step = chess.Move(chess.square(file, home), chess.square(file, end))
        board.set_piece_at(step.from_square, chess.Piece(chess.PAWN, board.turn))
        board.set_piece_at(chess.square(beside, end), chess.Piece(chess.PAWN, not board.turn))
        kings = draw.sample([square for square in chess.SQUARES if not board.piece_at(square)], 2)
        for square, color in zip(kings, chess.COLORS, strict=True):
            board.set_piece_at(square, chess.Piece(chess.KING, color))
        if board.is_valid() and board.is_legal(step):
            board.push(step)
            possible = board.has_legal_en_passant()
            board.pop()
            if possible:
                yield board, step


def _judged(solver: Solver, board: chess.Board, form: clock_twin.Form) -> int:
    """The outcome, as both find it."""

    def at_clock_0(after: chess.Board) -> int:
        return clock_oracle.at_clock_0(solver.found, after)

    ours = at_clock_0(board)
    assert ours == clock_twin.last_plies(board, goal_of(board), clock_twin.PLIES - PLIES, form, at_clock_0), board.fen()
    return ours


def test_double_steps_beside_a_pawn(game: tuple[Solver, clock_twin.Form]) -> None:
    solver, form = game
    matters = 0
    for board, step in itertools.islice(_double_steps(seed=1), JUDGED):
        _judged(solver, board, form)
        board.push(step)
        with_right = _judged(solver, board, form)
        board.ep_square = None
        matters += _judged(solver, board, form) != with_right
    assert matters
