"""FEN with the record in its seventh field, in and out, and what is refused."""

import contextlib

import chess
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from tbgen.core import outcome, position
from tbgen.errors import BadInput
from tbgen.rules.fen import LONGEST, format_fen, read_fen

KINGS = "8/8/8/2K3k1/8/8/8/8 w - -"  # -G8.5 by itself


@st.composite
def boards(draw: st.DrawFn) -> chess.Board:
    """A position of a random game, with any halfmove clock."""
    board = chess.Board.from_chess960_pos(518)
    for choice in draw(st.lists(st.integers(0, 1000), max_size=30)):
        moves = list(board.legal_moves)
        if not moves:
            break
        board.push(moves[choice % len(moves)])
    board = board.copy(stack=False)
    board.chess960 = False
    board.halfmove_clock = draw(st.integers(0, 150))
    board.fullmove_number = draw(st.integers(1, 6000))
    return board


records = st.builds(
    lambda level, white: outcome.goal(level, not white), st.integers(2, outcome.MAX_LEVEL), st.booleans()
)


@settings(deadline=None, max_examples=200)
@given(boards(), records, st.booleans())
def test_there_and_back(board: chess.Board, record: int, whole_game: bool) -> None:
    text = format_fen(board, record, whole_game=whole_game)
    again, found = read_fen(text, whole_game=whole_game)[:2]
    assert again.fen() == board.fen()
    assert found is not None
    assert format_fen(again, found, whole_game=whole_game) == text
    goal = position.goal(board)
    redundant = board.halfmove_clock == 0 and not whole_game
    may_count = board.halfmove_clock < 100 or outcome.level(goal) <= position.STALEMATE
    better = may_count and outcome.level(goal) < outcome.level(record)
    assert found == (goal if redundant or better else record)


@pytest.mark.parametrize(
    "pasted",
    [
        "8/8/8/4KBk1/8/8/8/8 b – – 12 40 −G3.5",
        "8/8/8/4KBk1/8/8/8/8\xa0b\u202f—\u2009—\xa012 40 –G3.5\n",
        "“8/8/8/4KBk1/8/8/8/8 b - - 12 40 -G3.5”",
        "'8/8/8/4KBk1/8/8/8/8 b - - 12 40\u200b -G3.5'",
    ],
)
def test_what_people_paste(pasted: str) -> None:
    plain = "8/8/8/4KBk1/8/8/8/8 b - - 12 40 -G3.5"
    assert read_fen(pasted) == read_fen(plain)


@settings(deadline=None, max_examples=50)
@given(boards())
def test_there_and_back_without_a_record(board: chess.Board) -> None:
    again, found = read_fen(format_fen(board))[:2]
    assert found is None
    assert again.fen() == board.fen()


@pytest.mark.parametrize(
    ("text", "record"),
    [
        # The two examples of cuteRMob's description.
        ("rnbqkbnr/pp2pppp/3p4/2p5/2P1P3/5N2/PP1P1PPP/RNBQKB1R b KQkq - 0 3 G28.5", "G28.5"),
        (
            "rnbqkbnr/1p2pppp/p2p4/2p5/2P1P3/2N2N2/PP1P1PPP/R1BQKB1R b KQkq - 1 4 -G26.5",
            "-G26.5",
        ),
        (f"{KINGS} 5 9 G5.5", "G5.5"),
        (f"{KINGS} 5 9 -G5.5", "-G5.5"),
        (f"{KINGS} 5 9 mG5.5", "-G5.5"),
        (f"{KINGS} 5 9 mg5.5", "-G5.5"),
        (f"{KINGS} 5 9 g5.5", "G5.5"),
        (f"{KINGS} 5 9 G5", "G5.0"),
        (f"  {KINGS}   5 9\tG5.5 \n", "G5.5"),
        (f"{KINGS} 5 9 G8.5", "G8.5"),  # equal, of the other side: it came first
        (f"{KINGS} 5 9 -G8.5", "-G8.5"),
        (f"{KINGS} 5 9 G9.0", "-G8.5"),  # redundant: the position's own is better
        (f"{KINGS} 0 9 G5.5", "-G8.5"),  # redundant: just reset
        ("7k/6Q1/6K1/8/8/8/8/8 b - - 9 9 -G1.5", "G0.0"),
    ],
)
def test_the_record_that_stands(text: str, record: str) -> None:
    _, found = read_fen(text)[:2]
    assert found is not None
    assert outcome.text(found) == record


@pytest.mark.parametrize(
    "text",
    [
        "8/8/8/2K3k1/8/8/8/8 w",
        KINGS,
        f"{KINGS} 0 1",
        "4k3/8/8/8/6pP/8/8/4K3 b - h3",
        "4k3/8/8/8/5pP1/8/8/4K3 b - g3",  # a square, not a score
    ],
)
def test_fields_may_be_missing(text: str) -> None:
    board, found = read_fen(text)[:2]
    assert found is None
    assert board.board_fen() == text.split(maxsplit=1)[0]


@pytest.mark.parametrize(
    ("fields", "whole_game", "dropped"),
    [
        ("0 40 G1.0", False, "G1.0"),
        ("0 40 G9.5", False, "G9.5"),
        ("0 40 G8.5", False, "G8.5"),  # another side's
        ("0 40 -G8.5", False, None),  # the position's own
        ("0 40", False, None),
        ("0 40 G1.0", True, None),
        ("1 40 G1.0", False, None),
        ("1 40 G9.5", False, None),  # redundant, whatever it is
    ],
)
def test_a_record_is_not_dropped_without_a_word(fields: str, whole_game: bool, dropped: str | None) -> None:
    found = read_fen(f"{KINGS} {fields}", whole_game=whole_game)
    assert (None if found.dropped is None else outcome.text(found.dropped)) == dropped
    assert (found.board, found.record) == read_fen(f"{KINGS} {fields}", whole_game=whole_game)[:2]
    assert (f"the record {dropped} is left out" in found.note) == (dropped is not None)


def test_castling_rights_by_file_are_chess960() -> None:
    board = read_fen("nrbkqrnb/pppppppp/8/8/8/8/PPPPPPPP/NRBKQRNB w FBfb - 0 1").board
    assert board.chess960
    assert board.clean_castling_rights().bit_count() == 4
    assert not read_fen(chess.STARTING_FEN).board.chess960


@pytest.mark.parametrize(
    ("text", "reason"),
    [
        ("", "empty"),
        (" \t ", "empty"),
        ("hello", "8 rows"),
        ("8/8/8/2K3k1/8/8/8/8", "side to move"),
        ("8/8/8/2K3k1/8/8/8 w - - 0 1", "8 rows"),
        ("8/8/8/2K3k1/8/8/8/9 w - - 0 1", "position part"),
        ("8/8/8/2K3k1/8/8/8/7 w - - 0 1", "position part"),
        ("8/8/8/2K3k1/8/8/8/8 x - - 0 1", "turn part"),
        ("8/8/8/2K3k1/8/8/8/8 w x - 0 1", "castling part"),
        ("8/8/8/2K3k1/8/8/8/8 w - e9 0 1", "en passant part"),
        ("8/8/8/2K3k1/8/8/8/8 w - e3 0 1", "en passant"),
        ("8/8/8/2K3k1/8/8/8/8 w KQ - 0 1", "castling rights"),
        ("8/8/8/2KR2k1/8/8/8/8 w - - 0 1", "not to move is in check"),
        ("8/8/8/2K5/8/8/8/8 w - - 0 1", "Black has no king"),
        ("8/8/8/6k1/8/8/8/8 w - - 0 1", "White has no king"),
        ("7P/8/8/2K3k1/8/8/8/8 w - - 0 1", "first or last rank"),
        (f"{KINGS} x 1", "halfmove clock"),
        (f"{KINGS} -1 1", "halfmove clock"),
        (f"{KINGS} 1_0 1", "halfmove clock"),
        (f"{KINGS} 0 x", "move number"),
        (f"{KINGS} 0 12345678", "move number"),
        (f"{KINGS} G5.5", "field 7 of a FEN, not 5"),
        (f"{KINGS} 5 mG5.5", "field 7 of a FEN, not 6"),
        (f"{KINGS} 5 9 G5.7", "not a G-score"),
        (f"{KINGS} 5 9 5.5", "not a G-score"),
        (f"{KINGS} 5 9 G999", "so many moves"),
        (f"{KINGS} 5 9 G0.5", "goes on after G0.5"),
        (f"{KINGS} 5 9 -G0.0", "goes on after -G0.0"),
        (f"{KINGS} 5 9 G5.5 G4.5", "at most 7 fields, not 8"),
        (f"{KINGS} 5 9\nG5.5", "no such characters"),
        (f"{KINGS} 5 9 G\u0665.5", "no such characters"),
        (f"{KINGS}\0", "no such characters"),
        ("8" * 100_000, "too long"),
        ("/" * LONGEST, "8 rows"),
    ],
)
def test_what_is_refused_and_why(text: str, reason: str) -> None:
    with pytest.raises(BadInput, match=reason) as caught:
        read_fen(text)
    message = str(caught.value)
    assert message.isascii()
    assert message.isprintable()
    assert len(message) < 2 * LONGEST


fields = st.one_of(
    st.text(max_size=12),
    st.text("KQRBNPkqrbnp12345678/", max_size=40),
    st.sampled_from(["w", "b", "-", "KQkq", "e3", "0", "1", "G5.5", "-G0.5", "8/8/8/2K3k1/8/8/8/8"]),
)


@settings(deadline=None, max_examples=400)
@given(st.one_of(st.text(max_size=250), st.lists(fields, max_size=9).map(" ".join)))
def test_hostile_texts_raise_nothing_else(text: str) -> None:
    with contextlib.suppress(BadInput):
        board = read_fen(text).board
        assert position.fault(board) is None
