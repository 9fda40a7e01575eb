"""Games that end before their end: by the engines' scores."""

import json
from pathlib import Path

import chess
import pytest
from chess.engine import Cp, InfoDict, Mate, PovScore, Score

from tbgen.cli.main import main
from tbgen.errors import BadInput
from tbgen.referee.match.adjudication import DrawRule, ResignRule, ScoreWatch, parse_draw, parse_resign
from tbgen.referee.match.table_judge import TableJudge
from tbgen.rules.ends import Game
from tbgen.rules.rulesets import W
from tests.support.matches import GOOD, fake

WHITE, BLACK = chess.WHITE, chess.BLACK


def told(score: int | Score | None) -> InfoDict:
    if score is None:
        return {}
    return {"score": PovScore(Cp(score) if isinstance(score, int) else score, chess.WHITE)}


def watched(resign: ResignRule | None, draw: DrawRule | None, *scores: int | Score | None) -> ScoreWatch:
    watch = ScoreWatch(resign, draw)
    for number, score in enumerate(scores):
        watch.add(BLACK if number % 2 else WHITE, told(score), reset=False)
    return watch


@pytest.mark.parametrize(
    ("rule", "scores", "loser"),
    [
        (ResignRule(2, 600), (-600, 0, -700), WHITE),
        (ResignRule(2, 600), (-599, 0, -700), None),
        (ResignRule(2, 600), (-600, 0, 0, 0, -600), None),
        (ResignRule(2, 600), (-600, 0, None, 0, -600), None),
        (ResignRule(2, 600), (9, Mate(-3), 9, Mate(-2)), BLACK),
        (ResignRule(2, 600), (9, Mate(3), 9, Mate(2)), None),
        (ResignRule(2, 600, True), (9, -700, 9, -700), None),
        (ResignRule(2, 600, True), (600, -700, 600, -700), BLACK),
        (None, (-9999,) * 9, None),
    ],
)
def test_resigning(rule: ResignRule | None, scores: tuple[int | Score | None, ...], loser: chess.Color | None) -> None:
    assert watched(rule, None, *scores).loser is loser


def test_tables_of_six_men_are_not_missed(small_tables: Path) -> None:
    judge = TableJudge(small_tables, W)
    assert judge.verdict(Game.from_fen("4k3/8/8/8/8/8/nnr5/R3K3 w - - 0 1")) is None
    assert not judge.missing
    assert judge.verdict(Game.from_fen("4k3/8/8/8/8/8/nr6/R3K3 w - - 0 1")) is None
    assert [*judge.missing.values()] == [1]
    judge.close()


@pytest.mark.parametrize(
    ("scores", "moves", "drawn"),
    [
        ((20, -20, 0, 3), 40, True),
        ((20, -20, 0, 3), 33, False),
        ((20, -20, 0), 40, False),
        ((20, -21, 0, 3), 40, False),
        ((20, None, 0, 3), 40, False),
        ((21, 20, -20, 0, 3), 40, True),
    ],
)
def test_draws(scores: tuple[int | None, ...], moves: int, drawn: bool) -> None:
    assert watched(None, DrawRule(34, 2, 20), *scores).is_draw(moves) is drawn


def test_a_capture_or_pawn_move_begins_the_count_again() -> None:
    watch = ScoreWatch(None, DrawRule(0, 1, 20))
    watch.add(WHITE, told(0), reset=False)
    watch.add(BLACK, told(0), reset=True)
    assert not watch.is_draw(9)
    watch.add(WHITE, told(0), reset=False)
    watch.add(BLACK, told(0), reset=False)
    assert watch.is_draw(9)


def test_rules_are_written_as_elsewhere() -> None:
    assert parse_resign(["movecount=3", "score=600"]) == ResignRule(3, 600)
    assert parse_resign(["movecount=3", "score=600", "twosided=true"]) == ResignRule(3, 600, True)
    assert parse_draw(["movenumber=34", "movecount=8", "score=20"]) == DrawRule(34, 8, 20)
    for words in ([], ["movecount=3"], ["score=x", "movecount=3"], ["score=5", "movecount=0"], ["moves=3"], ["score"]):
        with pytest.raises(BadInput):
            parse_resign(words)
        with pytest.raises(BadInput):
            parse_draw(words)


def test_a_rule_set_that_adjudicates_no_draws(capsys: pytest.CaptureFixture[str]) -> None:
    words = [*GOOD, *fake("B"), "--each", "tc=60", "--games", "1", "--max-moves", "3"]
    words += ["--draw", "movenumber=0", "movecount=1", "score=50"]
    for rules, ending in (("W", "draw rule: draw 50 for 1 moves from 0 on"), ("C", "adjudication: move limit")):
        assert main(["match", "--json", *words, "--rules-set", rules]) == 0
        events = [json.loads(line) for line in capsys.readouterr().out.splitlines()]
        assert [event["ending"] for event in events if event["event"] == "game"] == [ending]
        notes = [event["note"] for event in events if event["event"] == "note"]
        assert notes == (["--draw is ignored: rule set C adjudicates no draws"] if rules == "C" else [])
