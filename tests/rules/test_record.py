"""The record along a game, against a plain reading of the rules."""

from typing import Any

import chess
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from tbgen.core import outcome, position
from tbgen.errors import BadInput
from tbgen.rules.record import Record, standing


def record_of(sans: str, fen: str | None = None, given: str | None = None) -> Record:
    board = chess.Board(fen) if fen else None
    record = Record(board, outcome.parse(given) if given else None)
    for san in sans.split():
        record.push(record.board.parse_san(san))
    return record


@st.composite
def games(draw: st.DrawFn) -> tuple[chess.Board, list[chess.Move]]:
    """A start position with few men and some moves from it, many of them quiet."""
    fen = draw(
        st.sampled_from(
            [
                chess.STARTING_FEN,
                "8/8/8/4k3/8/8/3PK3/8 w - - 0 1",
                "8/2r5/8/4k3/8/3B4/3PK3/8 b - - 7 30",
                "r3k2r/8/8/3pP3/8/8/8/R3K2R w KQkq d6 0 1",
            ]
        )
    )
    board = chess.Board(fen)
    moves = []
    for choice in draw(st.lists(st.integers(0, 1000), max_size=60)):
        legal = list(board.legal_moves)
        if not legal:
            break
        quiet = [move for move in legal if not board.is_zeroing(move)]
        among = quiet if quiet and choice % 4 else legal
        moves.append(among[choice // 4 % len(among)])
        board.push(moves[-1])
    return chess.Board(fen), moves


@settings(deadline=None, max_examples=150)
@given(games(), st.booleans())
def test_record_is_the_first_lowest_goal_since_the_last_reset(
    game: tuple[chess.Board, list[chess.Move]], whole_game: bool
) -> None:
    board, moves = game
    record = Record(board, whole_game=whole_game)
    goals = [position.goal(board)]
    since = 0
    for ply, move in enumerate(moves, start=1):
        reset = board.is_capture(move) or board.piece_type_at(move.from_square) == chess.PAWN
        board.push(move)
        goals.append(position.goal(board))
        if reset and not whole_game:
            since = ply
        best = min(range(since, ply + 1), key=lambda ply: outcome.level(goals[ply]))
        found = record.push(move)
        assert found == (ply, goals[best], best, goals[ply], reset)
        assert found.just_set == (best == ply)
    assert record.board.fen() == board.fen()
    assert Record.replayed(board, whole_game=whole_game).standings == record.standings
    for _ in moves:
        record.pop()
    assert record.ply == 0
    assert record.board.fen() == board.root().fen()


def test_the_start_position_counts() -> None:
    assert str(Record().standing) == "-G20.5"
    assert Record().standing.outcome < 0
    assert Record().standing.reset is False


def test_an_equal_goal_of_either_side_comes_too_late() -> None:
    record = record_of("Nf3 Nf6 Ng1 Ng8")  # 20 moves again and again
    assert str(record.standing) == "-G20.5"
    assert record.standing.set_at == 0
    assert [outcome.text(each.goal) for each in record.standings[1:3]] == ["G20.5", "-G22.5"]


def test_a_reset_starts_anew_with_its_own_position() -> None:
    record = record_of("Nf3 d5")
    assert str(record.standing) == "-G22.5"
    assert record.standing.set_at == 2
    assert record.standing.reset


def test_a_mate_is_the_lowest_of_all() -> None:
    record = record_of("f3 e5 g4 Qh4#")
    assert str(record.standing) == "-G0.0"
    assert record.outcome == outcome.held_by_black(0)


@pytest.mark.parametrize(("whole_game", "text"), [(False, "-G8.5"), (True, "G1.0")])
def test_a_capture_wipes_the_record_out_unless_the_whole_game_counts(whole_game: bool, text: str) -> None:
    record = Record(chess.Board("7k/5Q2/8/8/8/1K6/8/8 w - - 4 1"), whole_game=whole_game)
    record.push_all(map(chess.Move.from_uci, ("f7g7", "h8g7")))
    assert str(record.standing) == text


@pytest.mark.parametrize(
    ("fen", "given", "stands", "set_at"),
    [
        ("8/8/8/2K3k1/8/8/8/8 w - - 3 9", None, "-G8.5", 0),
        ("8/8/8/2K3k1/8/8/8/8 w - - 3 9", "G5.5", "G5.5", None),
        ("8/8/8/2K3k1/8/8/8/8 w - - 3 9", "-G5.5", "-G5.5", None),
        ("8/8/8/2K3k1/8/8/8/8 w - - 3 9", "G8.5", "G8.5", None),  # it came first
        ("8/8/8/2K3k1/8/8/8/8 w - - 3 9", "-G8.5", "-G8.5", 0),
        ("8/8/8/2K3k1/8/8/8/8 w - - 3 9", "G9.0", "-G8.5", 0),
        ("8/8/8/2K3k1/8/8/8/8 w - - 0 9", "G5.5", "-G8.5", 0),  # just reset
        ("7k/5Q2/6K1/8/8/8/8/8 b - - 9 9", "-G1.5", "G0.5", 0),
        ("7k/5Q2/6K1/8/8/8/8/8 b - - 9 9", "G0.5", "G0.5", 0),
    ],
)
def test_what_a_start_position_brings_along(fen: str, given: str | None, stands: str, set_at: int | None) -> None:
    found = standing(chess.Board(fen), outcome.parse(given) if given else None)
    assert (str(found), found.set_at) == (stands, set_at)
    assert outcome.text(found.goal) == outcome.text(position.goal(chess.Board(fen)))


def test_nothing_resets_a_brought_record_in_whole_game_mobility() -> None:
    board = chess.Board("8/8/8/2K3k1/8/8/8/8 w - - 0 9")
    assert str(standing(board, outcome.parse("G5.5"), whole_game=True)) == "G5.5"


@pytest.mark.parametrize("given", [outcome.parse("G0.0"), outcome.parse("-G0.5"), 0, 600, 3, 3.5, 500.0, True])
def test_impossible_records_are_refused(given: Any) -> None:
    with pytest.raises(BadInput):
        Record(chess.Board("8/8/8/2K3k1/8/8/8/8 w - - 3 9"), given)


def test_the_given_board_is_left_alone() -> None:
    board = chess.Board()
    Record(board).push(chess.Move.from_uci("e2e4"))
    assert board == chess.Board()


def test_nothing_to_take_back() -> None:
    with pytest.raises(BadInput, match="take back"):
        Record().pop()


@pytest.mark.parametrize("clock", [0, 9])
def test_a_given_record_may_be_a_text(clock: int) -> None:
    """After a reset it adds nothing, but has to be an outcome all the same."""
    board = chess.Board(f"8/8/8/4KBk1/8/8/8/8 b - - {clock} 30")
    assert Record(board, "G3.0").standings == Record(board, outcome.parse("G3.0")).standings
    wrong: Any
    for wrong in ("three", 3.5, 3):
        with pytest.raises(BadInput, match=r"^not an? (outcome|G-score): "):
            Record(board, wrong)
