"""Syzygy tables as referees ask them. There are none here: a book of answers stands in their place."""

from pathlib import Path

import chess
import chess.syzygy
import pytest

from tbgen import outcome
from tbgen.errors import BadInput
from tbgen.referee.adjudicate.settings import Settings
from tbgen.referee.syzygy import Syzygy
from tbgen.rules.rulesets import C, RuleSet, W
from tests.support.judged_games import game, result

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
        (2, 40, 60, C, "G0.0 syzygy, win"),
        (2, 41, 60, C, None),
        (2, None, 60, C, None),
        (1, 104, 0, C, None),
    ],
)
def test_wins(
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


def test_no_tables(tmp_path: Path) -> None:
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
