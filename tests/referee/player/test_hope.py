"""Moves beyond the tables: by men, record and what can be taken."""

import random
from collections.abc import Iterator
from pathlib import Path

import chess
import pytest

from tbgen.core import outcome, position
from tbgen.probe import Tablebase, open_tablebase
from tbgen.probe.numbering import material_of
from tbgen.referee.player.shallow_search import Hope
from tbgen.rules.potential.better import points
from tbgen.rules.scoring import Exponential

POINTS = Exponential()


def best(fen: str, record: str | None = None, *, tablebase: Tablebase | None = None, whole_game: bool = False) -> str:
    board = chess.Board(fen)
    stands = position.goal(board) if record is None else outcome.parse(record)
    found = Hope(tablebase, whole_game=whole_game).best(board, stands, board.legal_moves)
    return found.uci() if found else ""


@pytest.mark.parametrize(
    ("fen", "move"),
    [
        ("k7/8/1K6/8/8/8/7R/8 w - - 0 1", "h2h8"),  # mate
        ("4k3/8/8/8/8/8/3q4/R3K2R w KQ - 0 1", "e1d2"),  # the only capture of a check
        ("4k3/8/8/3q4/8/8/6B1/4K3 w - - 0 1", "g2d5"),  # a queen for nothing
        ("8/4P1k1/8/8/8/8/1n6/4K3 w - - 0 1", "e7e8q"),
        ("4k3/8/2p5/3q4/8/8/6B1/3QK3 w - - 0 1", "g2d5"),  # a queen for a bishop
    ],
)
def test_what_men_promise(fen: str, move: str) -> None:
    assert best(fen) == move


def test_no_move_at_all() -> None:
    assert Hope(None, whole_game=False).best(chess.Board(), position.goal(chess.Board()), []) is None


def test_a_reset_for_a_bad_record_and_none_for_a_good_one() -> None:
    """What men promise is the same with the pawn and without."""
    fen = "4k3/8/8/1p6/8/2N5/8/Q3K3 w - - 9 50"
    assert best(fen, "-G1.0") == "c3b5"
    assert best(fen, "G1.0") != "c3b5"


def test_tables_are_asked(small_tables: Path) -> None:
    """A rook's mate against a lone king is known to be forced; men alone promise less."""
    board, move = chess.Board("8/8/8/8/8/1k6/1n6/K6R w - - 0 1"), chess.Move.from_uci("a1b2")
    board.remove_piece_at(chess.B3)
    board.set_piece_at(chess.B4, chess.Piece.from_symbol("k"))
    with open_tablebase(small_tables) as tables:
        values = [
            Hope(asked, whole_game=False)._after(board, move, position.goal(board), 0, -10, 10)
            for asked in (None, tables)
        ]
    assert values[1] == pytest.approx(0.5, abs=0.01)  # less one's own moves, of which the other side has some
    assert values[0] < 0.46


class Twin:
    """The same without cutting anything short."""

    def __init__(self, *, whole_game: bool) -> None:
        self._whole_game = whole_game

    def after(self, board: chess.Board, move: chess.Move, record: int, left: int) -> float:
        reset = not self._whole_game and board.is_zeroing(move)
        board = board.copy(stack=False)
        board.push(move)
        goal = position.goal(board)
        record = goal if reset else outcome.improved(record, goal)
        if outcome.level(goal) <= 1:
            return 1.5 * self.seen(record, not board.turn)
        if left:
            return -max(self.after(board, reply, record, left - 1) for reply in board.legal_moves)
        return -self.quiet(board, record, outcome.level(goal), 6)

    def quiet(self, board: chess.Board, record: int | None, level: int, left: int) -> float:
        material = material_of(board)
        bishops = [board.pieces(chess.BISHOP, side) for side in (True, False)]
        pairs = [
            len({square % 2 ^ square // 8 % 2 for square in squares}) == 2 for squares in bishops if len(squares) > 1
        ]
        hope = points(material, pair=any(pairs) if pairs else None) - 0.5
        found = hope if board.turn else -hope
        if record is not None:
            found += 0.5 * self.seen(record, board.turn)
        found += level / 4000
        if left:
            for move in board.legal_moves:
                if board.is_capture(move) or move.promotion:
                    after = board.copy(stack=False)
                    after.push(move)
                    found = max(found, -self.quiet(after, record if self._whole_game else None, 0, left - 1))
        return found

    @staticmethod
    def seen(record: int, white: bool) -> float:
        return (float(POINTS.points(record)) - 0.5) * (1 if white else -1)


def placed(men: str) -> Iterator[chess.Board]:
    drawn = random.Random(men)
    while True:
        board = chess.Board(None)
        board.turn = drawn.random() < 0.5
        for square, man in zip(drawn.sample(range(8, 56), len(men)), men, strict=True):
            board.set_piece_at(square, chess.Piece.from_symbol(man))
        board.halfmove_clock = 5
        if board.is_valid() and any(board.legal_moves):
            yield board


@pytest.mark.parametrize("whole_game", [False, True])
@pytest.mark.parametrize("men", ["KRPkrn", "KBBkbp", "KPPkpp", "KQkrrp"])
def test_nothing_that_is_cut_short_is_better(men: str, whole_game: bool) -> None:
    boards, twin = placed(men), Twin(whole_game=whole_game)
    for record in ("G1.5", "-G3.0", "G8.5"):
        board = next(boards)
        stands = outcome.improved(outcome.parse(record), position.goal(board))
        found = Hope(None, whole_game=whole_game).best(board, stands, board.legal_moves)
        values = {move: twin.after(board, move, stands, 1) for move in board.legal_moves}
        assert found is not None
        assert values[found] == pytest.approx(max(values.values())), board.fen()
