"""Moves found on a board: the same ones as python-chess finds, and none where it finds none."""

from collections.abc import Iterator

import chess
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from tbgen.errors import BadInput
from tbgen.rules.pgn import san

SQUARES = [chess.square_name(square) for square in chess.SQUARES]
STARTS = (
    chess.STARTING_FEN,
    "r3k2r/p1ppqpb1/bn2pnp1/3PN3/1p2P3/2N2Q1p/PPPBBPPP/R3K2R w KQkq - 0 1",
    "8/2p5/3p4/KP5r/1R3p1k/8/4P1P1/8 w - - 0 1",  # captures en passant that would open a line to the king
    "n1n5/PPPk4/8/8/8/8/4Kppp/5N1N b - - 0 1",
    "k7/8/8/7Q/q7/4Q3/8/1K2Q1q1 b - - 0 1",  # many men of a kind
    "4k3/8/4r3/8/1N1NBN2/4N3/2q1K1R1/8 w - - 0 1",  # pins
)


def played(board: chess.Board, token: str) -> chess.Move | None:
    """The move that is made; None if none is. The board is left as it was."""
    step = san.step(token)
    assert step is not None
    fen, stack = board.fen(), list(board.move_stack)
    try:
        san.play(board, step)
    except BadInput:
        move = None
    else:
        move = board.pop()
    assert (board.fen(), board.move_stack) == (fen, stack)
    return move


def read_by_chess(board: chess.Board, text: str) -> chess.Move | None:
    try:
        return board.parse_san(text) or None
    except ValueError:
        return None


def walk(start: str, choices: list[int]) -> Iterator[chess.Board]:
    """A random game."""
    board = chess.Board(start)
    for choice in choices:
        yield board
        moves = list(board.legal_moves)
        if not moves:
            return
        board.push(moves[choice % len(moves)])


games = st.builds(walk, st.sampled_from(STARTS), st.lists(st.integers(0, 1000), min_size=1, max_size=60))


@settings(max_examples=30)
@given(games)
def test_every_legal_move_of_random_games(boards: Iterator[chess.Board]) -> None:
    for board in boards:
        for move in board.legal_moves:
            text = board.san(move)
            for token in (text, f"17.{text}", f"17...{text}!?", text.rstrip("+#"), f"{text.rstrip('+#')}$4"):
                assert played(board, token) == move, (board.fen(), token)
            assert played(board, board.lan(move)) == move
            assert played(board, move.uci()) == read_by_chess(board, move.uci())


tokens = st.one_of(
    st.builds(
        "".join,
        st.tuples(
            st.sampled_from(["", "N", "B", "R", "Q", "K"]),
            st.sampled_from(["", "", *"abcdefgh"]),
            st.sampled_from(["", "", *"12345678"]),
            st.sampled_from(["", "x", "-"]),
            st.sampled_from(SQUARES),
            st.sampled_from(["", "", "=Q", "N", "=K", "=b", "=P"]),
        ),
    ),
    st.sampled_from(["O-O", "0-0", "O-O-O", "0-0-0", "o-o", "--", "Z0", "e4e5e6", "Nf9", "P", "x", "-", "=Q", "\xa0x"]),
)


@settings(max_examples=60)
@given(games, st.lists(tokens, min_size=20, max_size=20))
def test_anything_that_looks_like_a_move(boards: Iterator[chess.Board], texts: list[str]) -> None:
    for board in boards:
        for text in texts:
            assert played(board, text) == read_by_chess(board, text), (board.fen(), text)


@pytest.mark.parametrize("fen", STARTS)
def test_all_squares_for_all_men(fen: str) -> None:
    board = chess.Board(fen)
    for board.turn in chess.COLORS:
        if board.was_into_check():
            continue
        for square in SQUARES:
            for text in (f"{man}{square}" for man in ("", "N", "B", "R", "Q", "K", "ax", "bx", "ex", "gx")):
                assert played(board, text) == read_by_chess(board, text), (board.fen(), text)


@pytest.mark.parametrize("token", ["1", "1.", "12...", "...", "$14", "!", "?!", "e.p."])
def test_what_is_no_move(token: str) -> None:
    assert san.step(token) is None


def test_en_passant_with_its_mark() -> None:
    board = chess.Board("4k3/8/8/3pP3/8/8/8/4K3 w - d6 0 1")
    for token in ("exd6e.p.", "exd6ep", "exd6e.p.+", "ed6", "e5xd6"):
        assert played(board, token) == chess.Move.from_uci("e5d6")


@pytest.mark.parametrize(
    ("token", "message"),
    [
        ("Nf4", "illegal move: Nf4"),
        ("Nd4", "illegal move: Nd4"),  # onto an own man
        ("O-O", "illegal move: O-O"),
        ("Nxb7", "illegal move: Nxb7"),
        ("--", "a null move is no move: --"),
        ("0000", "a null move is no move: 0000"),
        ("hello", "not a move: hello"),
        ("1-0", "not a move: 1-0"),
        ("\xfc" * 30, "not a move: " + "\\xfc" * 20 + "..."),
    ],
)
def test_what_is_wrong(token: str, message: str) -> None:
    step = san.step(token)
    assert step is not None
    with pytest.raises(BadInput) as caught:
        san.play(chess.Board(STARTS[-1]), step)
    assert str(caught.value) == message


def test_several_men_could_go() -> None:
    step = san.step("Nd2")
    assert step is not None
    with pytest.raises(BadInput, match="ambiguous move: Nd2"):
        san.play(chess.Board("4k3/8/8/8/8/1N3N2/8/4K3 w - - 0 1"), step)
    # If one of them is pinned, there is one.
    assert played(chess.Board("4k3/8/8/8/4r3/1N2N3/8/4K3 w - - 0 1"), "Nc5") is not None
    assert played(chess.Board("4k3/8/8/8/4r3/8/2N1N3/4K3 w - - 0 1"), "Nd4") == chess.Move.from_uci("c2d4")


def test_chess960() -> None:
    board = chess.Board("1k6/8/8/8/8/8/8/1K1R4 w D - 0 1", chess960=True)
    assert played(board, "O-O") == chess.Move.from_uci("b1d1")
