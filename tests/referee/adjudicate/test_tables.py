"""Drawn games that tables decide."""

from pathlib import Path

import chess
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from tbgen.core import outcome
from tbgen.errors import BadInput, MissingTable
from tbgen.probe import open_tablebase
from tbgen.referee.adjudicate.decide import Basis, Reach
from tbgen.referee.adjudicate.finish import DRAWS, Finish, parse_kinds
from tbgen.referee.adjudicate.settings import make_settings
from tests.support.judged_games import BISHOP, game, judged, result

ALL = parse_kinds("all")


AGREED = game("30... Kh6 1/2-1/2", FEN=f"{BISHOP} G3.0", Termination="adjudication")


def test_tables_decide(small_tables: Path) -> None:
    settings = make_settings(tables=small_tables)
    assert result(AGREED, settings) == ("G1.5", "tablebase, DTG 1")
    found = judged(AGREED, settings).verdict
    assert found is not None
    assert found.finish is Finish.ADJUDICATION
    assert found.decision[:5] == (outcome.parse("G1.5"), Basis.TABLEBASE, Reach.ANSWERED, "KBvK", 1)
    # The record that stands.
    assert result(AGREED.replace(b" G3.0", b" G1.5"), settings) == ("G1.5", "stands, DTG 0")


def test_which_draws_tables_decide(small_tables: Path) -> None:
    repeated = AGREED.replace(b"adjudication", b"3-fold rep")
    assert result(repeated, make_settings(tables=small_tables)) == ("G3.0", "played")
    assert result(repeated, make_settings(tables=small_tables, decide=parse_kinds("repetition"))) == (
        "G1.5",
        "tablebase, DTG 1",
    )
    assert result(AGREED, make_settings(tables=small_tables, decide=parse_kinds("repetition"))) == ("G3.0", "played")
    assert result(AGREED, make_settings(tables=small_tables, decide=parse_kinds("none"))) == ("G3.0", "played")
    assert parse_kinds("all") == frozenset(DRAWS) == parse_kinds(",".join(map(str, DRAWS)))
    with pytest.raises(BadInput, match="no such kind of draw: 'mate'"):
        parse_kinds("adjudication,mate")


def test_as_played_apart_from_cursed_wins(small_tables: Path) -> None:
    """The wiki: as played, apart from cursed wins."""
    cursed = make_settings(tables=small_tables, decide=parse_kinds("cursed"))
    rook = game("1/2-1/2", FEN="8/8/8/3k4/8/8/8/KR6 w - - 90 60 -G4.5", Termination="adjudication")
    assert result(rook, cursed) == ("G0.0", "tablebase, DTG 29, 50-move rule may come first")
    assert result(rook, make_settings(tables=small_tables, decide=parse_kinds("none"))) == ("-G4.5", "played")
    ended = rook.replace(b" 90 60", b" 100 60").replace(b"adjudication", b"50-move rule")
    assert result(ended, cursed)[0] == "G0.0"
    assert result(ended, make_settings(tables=small_tables)) == ("-G4.5", "played")
    assert result(rook.replace(b"adjudication", b"3-fold repetition"), cursed) == ("-G4.5", "played")
    assert result(AGREED, cursed) == ("G3.0", "played")  # G1.5 by the table, no mate
    both = make_settings(tables=small_tables, decide=parse_kinds("adjudication,cursed"))
    assert result(AGREED, both)[0] == "G1.5"
    assert result(AGREED.replace(b"adjudication", b"agreement"), both)[0] == "G3.0"


def test_decisive_games_are_no_business_of_tables(small_tables: Path) -> None:
    won = AGREED.replace(b"1/2-1/2", b"1-0")
    assert result(won, make_settings(tables=small_tables, decide=ALL)) == ("G0.0", "awarded")
    stalemate = game("1/2-1/2", FEN="7k/5K2/6Q1/8/8/8/8/8 b - - 0 1", Termination="adjudication")
    assert result(stalemate, make_settings(tables=small_tables, decide=ALL)) == ("G0.5", "played")


@pytest.mark.parametrize("rules", ["r", "wg"])
@settings(max_examples=25)
@given(squares=st.permutations(range(64)), turn=st.booleans(), level=st.integers(2, 20), white=st.booleans())
def test_the_same_as_a_probe(
    small_tables: Path, rules: str, squares: list[int], turn: bool, level: int, white: bool
) -> None:
    board = chess.Board(None)
    for square, piece in zip(squares, "KkR", strict=False):
        board.set_piece_at(square, chess.Piece.from_symbol(piece))
    board.turn, board.halfmove_clock = turn, 20
    record = outcome.held_by_white(level) if white else outcome.held_by_black(level)
    if not board.is_valid() or not any(board.legal_moves):
        return
    with open_tablebase(small_tables, rules) as tablebase:
        expected = tablebase.probe(board, record)
    data = game("1/2-1/2", FEN=f"{board.fen()} {outcome.text(record)}", Termination="adjudication")
    found = judged(data, make_settings(tables=small_tables, whole_game=rules == "wg")).verdict
    assert found is not None
    said = found.decision
    assert (said.outcome, said.dtg, said.table) == (expected.outcome, expected.dtg, expected.material)


def test_out_of_reach(small_tables: Path) -> None:
    settings = make_settings(tables=small_tables, strict=True)
    for data in (
        game("1. e4 1/2-1/2"),
        game("1/2-1/2", FEN="4k3/8/8/8/8/8/8/R3K3 w Q - 0 1"),  # a right to castle
        game("1/2-1/2", FEN="4k3/8/8/8/8/8/nnr5/R3K3 w - - 0 1"),  # six men, of which nobody has all tables
    ):
        found = judged(data, settings).verdict
        assert found is not None
        assert (found.decision.basis, found.decision.reach) == (Basis.PLAYED, Reach.OUT_OF_REACH)


def test_a_table_that_is_missing(small_tables: Path) -> None:
    data = game("1/2-1/2", FEN="4k3/8/8/8/8/8/7r/R3K3 w - - 0 1")
    assert result(data, make_settings(tables=small_tables)) == ("-G12.5", "played")
    found = judged(data, make_settings(tables=small_tables)).verdict
    assert found is not None
    assert (found.decision.reach, found.decision.table) == (Reach.MISSING, "KRvKR")
    with pytest.raises(MissingTable, match=r"KRvKR.* is missing"):
        judged(data, make_settings(tables=small_tables, strict=True))
    assert judged(data, make_settings(tables=small_tables / "nowhere")).verdict == found
    assert judged(data, make_settings(tables=small_tables / "KQvK-set")).verdict == found, "whatever its directory is"
