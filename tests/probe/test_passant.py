"""The right to capture en passant: the probe's ply ahead and the solver's are two programs that must agree."""

import random
from collections.abc import Iterator
from pathlib import Path

import chess
import pytest

from tbgen.core import outcome
from tbgen.core.material import parse, with_dependencies
from tbgen.core.position import level
from tbgen.probe import Tablebase, open_tablebase
from tbgen.probe.play import has_right
from tests.support.small_tables import make

pytestmark = pytest.mark.full


@pytest.fixture(scope="module", params=["r", "wg"])
def tablebase(request: pytest.FixtureRequest, tmp_path_factory: pytest.TempPathFactory) -> Iterator[Tablebase]:
    directory: Path = tmp_path_factory.mktemp("passant")
    make(directory, with_dependencies([parse("KPvKP")]), request.param)
    with open_tablebase(directory, request.param) as opened:
        yield opened


def before_the_double_step(count: int) -> Iterator[tuple[chess.Board, chess.Move]]:
    """Positions with a double step after which a capture en passant is legal."""
    dice = random.Random(6)
    while count:
        white = dice.random() < 0.5
        file = dice.randrange(8)
        beside = file + dice.choice((-1, 1))
        if not 0 <= beside < 8:
            continue
        board = chess.Board(None)
        board.turn = white
        origin, target = (chess.square(file, rank if white else 7 - rank) for rank in (1, 3))
        board.set_piece_at(origin, chess.Piece(chess.PAWN, white))
        board.set_piece_at(chess.square(beside, 3 if white else 4), chess.Piece(chess.PAWN, not white))
        for square, colour in zip(dice.sample(chess.SQUARES, 2), chess.COLORS, strict=True):
            board.set_piece_at(square, chess.Piece(chess.KING, colour))
        step = chess.Move(origin, target)
        if not board.is_valid() or step not in board.legal_moves:
            continue
        after = board.copy()
        after.push(step)
        if has_right(after):
            yield board, step
            count -= 1


def test_the_solver_and_the_probe_agree(tablebase: Tablebase) -> None:
    dice = random.Random(7)
    chosen = 0
    for board, step in before_the_double_step(2000):
        for record in (None, dice.choice((-1, 1)) * (outcome.BASE - dice.randint(2, level(board)))):
            result = tablebase.probe(board, record, moves=True)
            assert result.moves
            best = result.moves[0]
            where = f"{board.fen()} {record}"
            assert (best.outcome, 0 if result.stands else best.dtg) == (result.outcome, result.dtg), where
            chosen += best.move == step
    assert chosen > 20


def test_lines_from_the_right(tablebase: Tablebase) -> None:
    captures = 0
    for board, step in before_the_double_step(300):
        board.push(step)
        result = tablebase.probe(board, line=True)
        assert result.line is not None
        assert len(result.line) == result.dtg, board.fen()
        captures += bool(result.line) and board.is_en_passant(result.line[0].move)
        if result.line:
            assert result.line[-1].record == result.outcome
    assert captures > 100
