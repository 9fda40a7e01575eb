"""Local tables of positions with many men, in which pawns are blocked, against the slow twin, which plays with all."""

from pathlib import Path

import chess
import pytest

from tbgen.beyond.local.choose import make_plan
from tbgen.beyond.local.solve import solve_plan
from tbgen.beyond.local.view import SolvedTables
from tbgen.core import outcome, position
from tbgen.probe import open_tablebase
from tbgen.probe.bounds import View, answer
from tbgen.probe.numbering import material_of
from tests.support.slow_twin.goals import Goal, Result, possible_records
from tests.support.slow_twin.twin import Twin

pytestmark = pytest.mark.usefixtures("no_bundle")


def outcome_of(goal: Goal) -> int:
    return (outcome.held_by_white if goal.owner else outcome.held_by_black)(goal.level)


@pytest.mark.parametrize(
    "start",
    [
        "4k3/8/8/3p4/3Pp3/4P3/4P3/4K3 w - - 0 1",
        # a pawn may step, or be taken by one that then may
        "4k3/8/p3p3/P2pP3/3P4/2P5/8/4K3 w - - 0 1",
    ],
)
@pytest.mark.parametrize("winner", chess.COLORS)
@pytest.mark.full
def test_every_position_under_every_record(start: str, winner: chess.Color, tmp_path: Path) -> None:
    """With no table known, every capture and promotion mates for one side."""
    root = chess.Board(start)
    local = solve_plan(make_plan(root, [], 0), lambda materials: {})

    def mate_behind_exits(board: chess.Board, record: Goal) -> Result | None:
        return None if material_of(board) == material_of(root) else Result(Goal(winner, 0), 0)

    twin = Twin(oracle=mate_behind_exits)
    compared = 0
    with open_tablebase(tmp_path) as nothing:
        view = View(SolvedTables(local), winner, nothing)
        for board in positions_of(root):
            for goal in possible_records(board):
                value = twin.value(board, goal)
                found = view.result(board, outcome_of(goal))
                assert (found.outcome, found.dtg) == (outcome_of(value.goal), value.plies), (board.fen(), goal)
                compared += 1
    assert compared > 50_000


def positions_of(start: chess.Board) -> list[chess.Board]:
    """Every placement of the kings, with either side to move."""
    found = []
    pawns = chess.Board(None)
    for square in chess.SquareSet(start.pawns):
        pawns.set_piece_at(square, start.piece_at(square))
    free = chess.SquareSet(~pawns.occupied)
    for white in free:
        for black in free:
            for turn in chess.COLORS:
                board = pawns.copy()
                board.set_piece_at(white, chess.Piece(chess.KING, chess.WHITE))
                board.set_piece_at(black, chess.Piece(chess.KING, chess.BLACK))
                board.turn = turn
                if white != black and board.is_valid():
                    found.append(board)
    return found


@pytest.mark.parametrize(
    ("fen", "record"),
    [
        # Fine's No. 70: Black's king keeps White's out
        ("8/k7/3p4/p2P1p2/P2P1P2/8/8/K7 b - - 0 1", -6),
        # ten men, nothing to be taken
        ("8/2k5/1p1p1p1p/1P1P1P1P/8/8/2K5/8 w - - 0 1", 11),
    ],
)
def test_blocked_positions_are_exact_at_once(fen: str, record: int, tmp_path: Path) -> None:
    board = chess.Board(fen)
    plan = make_plan(board, [], 0)
    assert [len(part.slices) for part in plan] == [1]
    local = solve_plan(plan, lambda materials: {})
    held = outcome.held_by_white if record > 0 else outcome.held_by_black
    with open_tablebase(tmp_path) as nothing:
        found = answer(SolvedTables(local), board, outcome.improved(held(abs(record)), position.goal(board)), nothing)
    assert found.sure == (held(abs(record)), held(abs(record)), 0)
