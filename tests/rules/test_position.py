"""The level of a position: the count without moves against python-chess's generator."""

import random

import chess
import pytest
from hypothesis import HealthCheck, example, given, settings
from hypothesis import strategies as st

from tbgen.core import outcome, position
from tbgen.errors import BadInput

MEN = "PPPPNBRQppppnbrq"


def slow_level(board: chess.Board) -> int:
    return 2 * board.legal_moves.count() + (not board.is_check())


@st.composite
def placements(draw: st.DrawFn) -> chess.Board:
    """Any placement, reachable or not, on which the side that has just moved is not in check."""
    squares = draw(st.lists(st.integers(0, 63), min_size=2, max_size=24, unique=True))
    board = chess.Board(None)
    for square, color in zip(squares[:2], chess.COLORS, strict=True):
        board.set_piece_at(square, chess.Piece(chess.KING, color))
    for square in squares[2:]:
        piece = chess.Piece.from_symbol(draw(st.sampled_from(MEN)))
        if piece.piece_type != chess.PAWN or 0 < chess.square_rank(square) < 7:
            board.set_piece_at(square, piece)
    board.turn = draw(st.booleans())
    if position.fault(board):
        board.turn = not board.turn
    if position.fault(board):  # both are in check, or the kings stand together: take men away
        for square in squares[2:]:
            board.remove_piece_at(square)
        if position.fault(board):
            return chess.Board()
    return board


@st.composite
def passants(draw: st.DrawFn) -> chess.Board:
    """A placement with a pawn that has just made a double step past one or two others."""
    board = draw(placements())
    file = draw(st.integers(0, 7))
    rank, step = (4, 1) if board.turn else (3, -1)
    for aside in draw(st.sampled_from([(-1,), (1,), (-1, 1)])):
        if 0 <= file + aside < 8:
            square = chess.square(file + aside, rank)
            if board.piece_type_at(square) != chess.KING:
                board.set_piece_at(square, chess.Piece(chess.PAWN, board.turn))
    for there in (rank + step, rank + 2 * step):
        if board.piece_type_at(chess.square(file, there)) != chess.KING:
            board.remove_piece_at(chess.square(file, there))
    if board.piece_type_at(chess.square(file, rank)) != chess.KING:
        board.set_piece_at(chess.square(file, rank), chess.Piece(chess.PAWN, not board.turn))
    board.ep_square = chess.square(file, rank + step)
    if position.fault(board):
        board.ep_square = None
    return board if not position.fault(board) else chess.Board()


@st.composite
def castlers(draw: st.DrawFn) -> chess.Board:
    """A Chess960 start position without some of its men, with all its castling rights."""
    board = chess.Board.from_chess960_pos(draw(st.integers(0, 959)))
    for square in draw(st.lists(st.integers(0, 63), max_size=30, unique=True)):
        if board.piece_type_at(square) != chess.KING:
            board.remove_piece_at(square)
    for square in draw(st.lists(st.integers(16, 47), max_size=6, unique=True)):
        board.set_piece_at(square, chess.Piece.from_symbol(draw(st.sampled_from(MEN))))
    board.turn = draw(st.booleans())
    board.castling_rights = board.clean_castling_rights()
    if position.fault(board):
        board.turn = not board.turn
    return board if not position.fault(board) else chess.Board()


many = settings(deadline=None, max_examples=600, suppress_health_check=[HealthCheck.too_slow])


@many
@given(st.one_of(placements(), passants(), castlers()))
def test_level_of_any_position(board: chess.Board) -> None:
    assert position.level(board) == slow_level(board), board.fen()


@settings(deadline=None, max_examples=30)
@given(st.integers(0, 959), st.lists(st.integers(0, 10_000), max_size=120))
@example(518, [0] * 120)
def test_level_along_a_game(start: int, choices: list[int]) -> None:
    board = chess.Board.from_chess960_pos(start)
    for choice in choices:
        moves = list(board.legal_moves)
        assert position.level(board) // 2 == len(moves), board.fen()
        assert position.level(board) == slow_level(board), board.fen()
        if not moves:
            break
        board.push(moves[choice % len(moves)])


@pytest.mark.parametrize(
    ("fen", "level"),
    [
        (chess.STARTING_FEN, 41),
        ("r3k2r/p1ppqpb1/bn2pnp1/3PN3/1p2P3/2N2Q1p/PPPBBPPP/R3K2R w KQkq - 0 1", 97),
        ("R6R/3Q4/1Q4Q1/4Q3/2Q4Q/Q4Q2/pp1Q4/kBNN1KB1 w - - 0 1", 437),  # 218, the most of all
        ("7k/5Q2/6K1/8/8/8/8/8 b - - 0 1", 1),  # stalemate
        ("7k/6Q1/6K1/8/8/8/8/8 b - - 0 1", 0),  # mate
        ("8/8/8/K2pP2r/8/8/8/6k1 w - d6 0 1", 13),  # en passant would uncover the rook
        ("8/8/8/1k6/3Pp3/8/8/K4B2 b - d3 0 1", 12),  # en passant shuts out the bishop
        ("8/8/8/2k5/3Pp3/8/8/K7 b - d3 0 1", 18),  # en passant takes the man that checks
        ("4k3/8/8/8/8/5n2/8/4K2R w K - 0 1", 8),  # no castling out of check
        ("4k3/8/8/8/8/8/5r2/4K2R w K - 0 1", 23),  # nor through it
        ("1n5k/P7/8/8/8/8/8/K7 w - - 0 1", 23),  # eight promotions, and three steps
        ("8/8/8/8/8/2n5/3n4/K6k w - - 0 1", 3),
        ("4k3/4r3/8/8/8/4P3/4K3/8 w - - 0 1", 17),  # a pinned pawn may step on
        ("k7/8/8/8/8/8/1p6/K1B5 w - - 0 1", 8),
    ],
)
def test_levels_by_hand(fen: str, level: int) -> None:
    board = chess.Board(fen)
    assert position.fault(board) is None
    assert position.level(board) == slow_level(board) == level


def test_goal_belongs_to_the_side_that_moved_there() -> None:
    assert outcome.text(position.goal(chess.Board())) == "-G20.5"
    assert outcome.text(position.goal(chess.Board("7k/5Q2/6K1/8/8/8/8/8 b - - 0 1"))) == "G0.5"


@pytest.mark.parametrize(
    ("fen", "reason"),
    [
        ("8/8/8/8/8/8/8/8 w - - 0 1", "empty"),
        ("8/8/8/8/8/8/8/K7 w - - 0 1", "Black has no king"),
        ("8/8/8/8/8/8/8/k7 w - - 0 1", "White has no king"),
        ("8/8/8/8/8/k7/8/K1K5 w - - 0 1", "more than one king"),
        ("8/8/8/8/8/8/1k6/K7 w - - 0 1", "not to move is in check"),
        ("P6k/8/8/8/8/8/8/K7 w - - 0 1", "first or last rank"),
        ("7k/8/8/8/8/8/8/K7 w K - 0 1", "castling rights"),
        ("7k/8/8/8/8/8/8/K7 w - e6 0 1", "en passant"),
        ("7k/8/8/8/PPPPPPPP/P7/8/K7 w - - 0 1", "8 pawns"),
        ("7k/8/8/8/NNNNNNNN/NNNNNNNN/8/K7 w - - 0 1", "16 men"),
    ],
)
def test_illegal_boards_are_refused_with_the_reason(fen: str, reason: str) -> None:
    with pytest.raises(BadInput, match=reason):
        position.checked_copy(chess.Board(fen))


def test_a_check_that_no_move_can_have_given_is_no_fault() -> None:
    board = chess.Board("7k/8/8/8/8/8/8/K1RR4 b - - 0 1")
    board.set_piece_at(chess.H1, chess.Piece(chess.ROOK, chess.WHITE))
    board.set_piece_at(chess.A8, chess.Piece(chess.ROOK, chess.WHITE))
    board.set_piece_at(chess.C3, chess.Piece(chess.BISHOP, chess.WHITE))
    assert board.status() != chess.STATUS_VALID
    assert position.fault(board) is None
    assert position.level(board) == slow_level(board)


def test_the_copy_is_a_copy() -> None:
    board = chess.Board()
    board.push_san("e4")
    copy = position.checked_copy(board)
    copy.push_san("e5")
    assert len(board.move_stack) == 1
    assert len(copy.move_stack) == 1


@pytest.mark.parametrize("seed", range(4))
def test_fens_are_read_as_python_chess_reads_them(seed: int) -> None:
    dice = random.Random(seed)
    same = refused = 0
    for _ in range(3000):
        board = chess.Board(None)
        for square in dice.sample(range(64), dice.randrange(33)):
            board.set_piece_at(square, chess.Piece.from_symbol(dice.choice("KQRBNPkqrbnp")))
        rights = f"{dice.choice(('-', '-', 'K'))} {dice.choice(('-', 'e3'))}"
        clocks = f"{dice.randrange(200)} {dice.randrange(200)}"
        text = f"{board.board_fen()} {dice.choice('wb')} {rights} {clocks}"
        if dice.random() < 0.6:
            at = dice.randrange(len(text))
            text = text[:at] + dice.choice("/18 9wb-kQ~0xé") * dice.randrange(3) + text[at + dice.randrange(2) :]
        try:
            expected = chess.Board(text)
        except ValueError:
            refused += 1
            with pytest.raises(BadInput, match="not a FEN"):
                position.read(text)
            continue
        if len(text.split()) > 1:
            same += 1
            found = position.read(text)
            assert found == expected, text
            assert (found.occupied, found.occupied_co) == (expected.occupied, expected.occupied_co), text
    assert same > 1000
    assert refused > 300


def test_a_fault_is_the_first_that_python_chess_names() -> None:
    dice = random.Random(9)
    seen = set()
    for _ in range(20_000):
        board = chess.Board(None)
        for symbol in dice.choice(("Kk", "KkRn", "Kkqb", "KkPp", "KkNp", "KkK", "kQ", "KkQQQrrrP")):
            board.set_piece_at(dice.randrange(64), chess.Piece.from_symbol(symbol))
        board.turn = dice.random() < 0.5
        status = board.status()
        expected = next((words for flag, words in position._FAULTS.items() if status & flag), None)
        assert position.fault(board) == expected, board.fen()
        seen.add(expected)
    assert len(seen) >= 6
