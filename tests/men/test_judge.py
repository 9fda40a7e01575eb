"""Legal moves as Fairy-Stockfish has them, by `pyffish`: all men of chess and all that are built in but the Adjutant,
whose dabbaba-rides it does not know."""

import random
from collections.abc import Iterator

import chess
import pyffish
import pytest

from tbgen.board.men import BUILT_IN
from tbgen.board.men.board import FairyBoard, piece
from tbgen.core import position

JUDGED = [man for man in BUILT_IN.values() if "DD" not in man.moves]
LETTERS = "".join(man.letter for man in JUDGED)
VARIANT = "tbgenjudge"
RULES = "\n".join(
    [
        f"[{VARIANT}:chess]",
        *(f"customPiece{number} = {man.letter.lower()}:{man.moves}" for number, man in enumerate(JUDGED, 1)),
        f"promotionPieceTypes = qrbn{LETTERS.lower()}",
        "castling = false",
    ]
)
PLIES = 3


def boards(count: int, draw: random.Random) -> Iterator[FairyBoard]:
    """Positions of two to ten men, and those a few plies later."""
    while count > 0:
        board = FairyBoard(men=JUDGED)
        men = ["K", "k", *draw.choices(LETTERS + LETTERS.lower() + "QRBNPPPqrbnppp", k=draw.randint(0, 8))]
        for letter, square in zip(men, draw.sample(range(64), len(men)), strict=True):
            board.set_piece_at(square, piece(letter, letter.isupper()))
        board.turn = draw.random() < 0.5
        for _ in range(PLIES):
            if position.fault(board):
                break
            yield board
            count -= 1
            moves = list(board.legal_moves)
            if not moves:
                break
            board = board.copy(stack=False)
            board.push(draw.choice(moves))


@pytest.mark.parametrize("count", [1_000, pytest.param(100_000, marks=pytest.mark.full)])
def test_legal_moves_are_those_of_fairy_stockfish(count: int) -> None:
    pyffish.load_variant_config(RULES)
    promotions = 0
    for board in boards(count, random.Random(count)):
        there = "qrbn" + board.letters.lower()  # a pawn becomes what is on the board
        theirs = {move for move in pyffish.legal_moves(VARIANT, board.fen(), []) if len(move) < 5 or move[4] in there}
        ours = {move.uci() for move in board.legal_moves}
        assert ours == theirs, board.fen()
        check = pyffish.gives_check(VARIANT, board.fen(), [])
        assert position.level(board) == 2 * len(ours) + (not check)
        promotions += any(move[4:] and move[4] not in "qrbn" for move in ours)
    assert promotions > count // 100


def test_san_names_a_man_and_tells_like_men_apart() -> None:
    board = position.of_tables("7k/P7/8/C3C3/8/2C5/8/K7 w - - 0 1")
    said = {board.san(move) for move in board.legal_moves}
    assert {"a8=C", "a8=Q+", "Cd6", "Cb5", "Ced4", "Ccd4"} <= said
    assert all(board.parse_san(board.san(move)) == move == board.parse_uci(move.uci()) for move in board.legal_moves)


def test_a_board_comes_back_from_its_copy_and_from_taken_back_moves() -> None:
    board = position.of_tables("7k/P1h5/8/C3C3/8/2C5/8/K7 w - - 0 1")
    text = board.fen()
    for move in list(board.legal_moves):
        after = board.copy()
        after.push(move)
        assert position.of_tables(after.fen()) == after != board
        assert after.peek() == move
        assert after.pop() == move
        assert after == board
    assert board.mirror().mirror() == board
    assert board.transform(chess.flip_vertical).transform(chess.flip_vertical).fen() == text
