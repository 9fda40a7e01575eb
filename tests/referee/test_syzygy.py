"""Syzygy tables as referees ask them. Where there are none, a book of answers stands in their place.

`TBGEN_SYZYGY=DIR` names a directory with KRvK, KBNvK and KBBvKN, which the last tests ask.
"""

import os
from pathlib import Path

import chess
import chess.syzygy
import pytest

from tbgen.cli.main import main
from tbgen.core import outcome
from tbgen.errors import BadInput
from tbgen.referee.adjudicate.settings import Settings
from tbgen.referee.syzygy import Syzygy
from tbgen.rules.pgn.split import units
from tbgen.rules.pgn.tags import TagSection
from tbgen.rules.rulesets import C, RuleSet, W
from tests.support.judged_games import game, result
from tests.support.matches import GOOD, fake, played

POSITION = "8/8/8/4k3/8/8/8/K5NN w - - {} 60"


@pytest.fixture
def answers(monkeypatch: pytest.MonkeyPatch) -> dict[str, int | None]:
    found: dict[str, int | None] = {"wdl": None, "dtz": None}
    monkeypatch.setattr(chess.syzygy.Tablebase, "add_directory", lambda self, directory: 1)
    monkeypatch.setattr(chess.syzygy.Tablebase, "get_wdl", lambda self, board: found["wdl"])
    monkeypatch.setattr(chess.syzygy.Tablebase, "get_dtz", lambda self, board: found["dtz"])
    return found


@pytest.mark.parametrize(
    ("wdl", "dtz", "clock", "rules", "expected"),
    [
        (2, 10, 0, W, "G0.0 syzygy, win"),
        (-2, -10, 0, W, "-G0.0 syzygy, win"),
        (1, 104, 0, W, "G0.0 syzygy, cursed win"),
        (-1, -104, 0, W, "-G0.0 syzygy, cursed win"),
        (2, 90, 50, W, "G0.0 syzygy, win"),
        (0, 0, 0, W, None),
        (None, None, 0, W, None),
        (2, 10, 0, C, "G0.0 syzygy, win"),
        (2, 39, 60, C, "G0.0 syzygy, win"),
        (2, 40, 60, C, None),
        (2, None, 60, C, None),
        (1, 104, 0, C, None),
    ],
)
def test_wins_are_what_syzygy_calls_won(
    answers: dict[str, int | None],
    tmp_path: Path,
    wdl: int | None,
    dtz: int | None,
    clock: int,
    rules: RuleSet,
    expected: str | None,
) -> None:
    answers.update(wdl=wdl, dtz=dtz)
    verdict = Syzygy([tmp_path]).verdict(chess.Board(POSITION.format(clock)), rules)
    told = None if verdict is None else f"{outcome.text(verdict.outcome)} {verdict}"
    assert told == expected


def test_up_to_so_many_men(answers: dict[str, int | None], tmp_path: Path) -> None:
    answers["wdl"] = 2
    board = chess.Board(POSITION.format(0))
    assert Syzygy([tmp_path], 4).verdict(board, W) is not None
    assert Syzygy([tmp_path], 3).verdict(board, W) is None
    assert Syzygy([tmp_path]).verdict(chess.Board("4k3/8/8/8/8/8/8/4K2R w K - 0 1"), W) is None


def test_a_directory_without_tables_is_refused(tmp_path: Path) -> None:
    for place in (tmp_path, tmp_path / "nowhere"):
        with pytest.raises(BadInput, match="no Syzygy tables in"):
            Syzygy([place])


def test_games_are_adjudicated_by_them(answers: dict[str, int | None], tmp_path: Path) -> None:
    drawn = game("60. Nf3+ 1/2-1/2", FEN=POSITION.format(3), Termination="adjudication")
    repeated = game("60. Nf3+ 1/2-1/2", FEN=POSITION.format(3), Termination="repetition")
    settings = Settings(syzygy=(tmp_path,))
    answers["wdl"] = -1
    assert result(drawn, settings) == ("G0.0", "syzygy, cursed win")
    assert result(repeated, settings)[1] == "played"
    answers["wdl"] = 0
    assert result(drawn, settings)[1] == "played"


@pytest.mark.parametrize(("men", "expected"), [("4", "syzygy, win"), ("3", "played")])
def test_from_the_command_line(answers: dict[str, int | None], tmp_path: Path, men: str, expected: str) -> None:
    answers["wdl"] = -2
    games, judged = tmp_path / "games.pgn", tmp_path / "judged.pgn"
    games.write_bytes(game("60. Nf3+ 1/2-1/2", FEN=POSITION.format(3), Termination="adjudication"))
    words = ["adjudicate", games, "-o", judged, "--syzygy", tmp_path, "--syzygy-men", men, "--jobs", "1", "-q"]
    assert main([str(word) for word in words]) == 0
    assert f'[RMobilityTermination "{expected}"]' in judged.read_text()


REAL = os.environ.get("TBGEN_SYZYGY", "")
CURSED = "8/2k4K/8/8/4B3/2n5/8/2B5 w - - {} 90"
"""A win in 113 plies."""
BLESSED = "8/8/8/K7/3n4/B7/8/1B2k3 b - - {} 90"
"""The same for the side that does not move."""
DRAWN = "4K3/2k5/8/7B/8/5n2/8/5B2 w - - {} 90"
ROOK = "8/8/8/4k3/8/8/8/K6R w - - {} 90"
needs_tables = pytest.mark.skipif(not REAL, reason="no Syzygy tables: TBGEN_SYZYGY=DIR names some")


@needs_tables
@pytest.mark.parametrize(
    ("position", "clock", "by_w", "by_c"),
    [
        (ROOK, 0, "G0.0 syzygy, win", "G0.0 syzygy, win"),
        (ROOK, 40, "G0.0 syzygy, win", "G0.0 syzygy, win"),
        (ROOK, 98, "G0.0 syzygy, win", None),
        (CURSED, 0, "G0.0 syzygy, cursed win", None),
        (CURSED, 30, "G0.0 syzygy, cursed win", None),
        (BLESSED, 0, "G0.0 syzygy, cursed win", None),
        (DRAWN, 0, None, None),
        ("8/8/8/4k3/8/8/8/K2RRRRR w - - {} 90", 0, None, None),
    ],
)
def test_real_tables(position: str, clock: int, by_w: str | None, by_c: str | None) -> None:
    board = chess.Board(position.format(clock))
    for rules, expected in ((W, by_w), (C, by_c)):
        verdict = Syzygy([Path(REAL)]).verdict(board, rules)
        assert (None if verdict is None else f"{outcome.text(verdict.outcome)} {verdict}") == expected


@needs_tables
def test_real_tables_decide_archived_games() -> None:
    settings = Settings(syzygy=(Path(REAL),))
    with chess.syzygy.open_tablebase(REAL) as tables:
        for position, expected in ((CURSED, "syzygy, cursed win"), (ROOK, "syzygy, win"), (DRAWN, "played")):
            board = chess.Board(position.format(7))
            drawn = game(f"90. {_keeping(board, tables)} 1/2-1/2", FEN=board.fen(), Termination="adjudication")
            assert result(drawn, settings)[1] == expected


def _keeping(board: chess.Board, tables: chess.syzygy.Tablebase) -> str:
    """A move that changes nothing of who wins."""
    before = tables.probe_wdl(board)
    for move in board.generate_legal_moves():
        after = board.copy()
        after.push(move)
        if not board.is_capture(move) and tables.probe_wdl(after) == -before:
            return board.san(move)
    raise AssertionError


@needs_tables
@pytest.mark.parametrize(
    ("position", "rules", "termination", "words"),
    [
        (ROOK, "W", "syzygy, win", "Syzygy tables: win for White"),
        (CURSED, "W", "syzygy, cursed win", "Syzygy tables: win, but for the 50-move rule, for White"),
        (DRAWN, "W", "played", "adjudication: move limit"),
    ],
)
def test_real_tables_end_games(
    capsys: pytest.CaptureFixture[str], tmp_path: Path, position: str, rules: str, termination: str, words: str
) -> None:
    book, pgn = tmp_path / "book.epd", tmp_path / "m.pgn"
    book.write_text(f"{position.format(0)}\n")
    played(
        capsys, *GOOD, *fake("Other"), "--each", "tc=60", "--syzygy", REAL, "--openings", str(book), "--max-moves", "1",
        "--rules-set", rules, "--games", "1", "--pgn", str(pgn),
    )  # fmt: skip
    with pgn.open("rb") as file:
        (unit,) = units(file)
    tags = TagSection(unit.data).headers
    assert (tags["RMobilityTermination"], tags["TerminationDetails"]) == (termination, words)
    assert tags["Termination"] == "adjudication"
    assert tags["RMobilityAdjudication"] == "Syzygy, 7 men; 1 moves"
