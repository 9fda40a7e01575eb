"""What the options of `tbgen match` make of a match, before a game is played."""

from pathlib import Path
from types import SimpleNamespace

import pytest

from tbgen.cli.main import parser_of
from tbgen.cli.match import _plan
from tbgen.cli.match_show import Show
from tbgen.referee.match.run import Plan

OPENINGS = [f"8/8/8/4K1k1/8/8/8/{men} w - - 0 1" for men in ("Q7", "R7", "1R6", "2R5", "3R4")]


@pytest.fixture
def book(tmp_path: Path) -> Path:
    path = tmp_path / "book.epd"
    path.write_text("".join(f"{fen}\n" for fen in OPENINGS))
    return path


def plan(*words: str, engines: int = 3) -> Plan:
    named = [word for number in range(engines) for word in ("--engine", "cmd=cat", f"name=E{number}")]
    return _plan(parser_of("match").parse_args([*named, "--each", "depth=1", *words]))


def order(*words: str) -> list[str]:
    openings = plan(*words).openings
    return [openings.opening(number).fen for number in range(len(openings))]


def test_missing_tables_are_named_at_the_end(capsys: pytest.CaptureFixture[str]) -> None:
    match = SimpleNamespace(standings=SimpleNamespace(games=0))
    show = Show(match, None, json=False, quiet=True, every=0)  # type: ignore[arg-type]
    show._missing.update({f"K{number} is missing": number for number in range(1, 10)})
    show.end()
    *_, last, more = capsys.readouterr().err.splitlines()
    assert (last, more) == ("tbgen: K2 is missing (asked for 2 times)", "tbgen: and 1 other table")


def test_of_the_form() -> None:
    assert plan("--gauntlet").form == plan("--format", "gauntlet").form
    assert plan("--gauntlet", "--seeds", "2").form.seeds == 2
    assert (plan("--reverse").form.reverse, plan().form.reverse) == (True, False)
    assert (plan("--opening-per", "pair").form.each, plan().form.each) == (True, False)
    assert [plan(*words).form.games for words in ([], ["--no-swap"], ["--rounds", "3"], ["--games", "5"])] == [
        2,
        1,
        6,
        5,
    ]


def test_of_the_openings(book: Path) -> None:
    words = ["--openings", str(book), "--reuse"]
    assert order(*words) == OPENINGS
    assert order(*words, "--start", "3") == [*OPENINGS[2:], *OPENINGS[:2]]
    mixed = order(*words, "--order", "random", "--seed", "1")
    assert sorted(mixed) == sorted(OPENINGS)
    assert mixed == order(*words, "--order", "random", "--seed", "1")
    assert len({*map(tuple, (OPENINGS, mixed, order(*words, "--order", "random", "--seed", "2")))}) == 3
    assert plan("--variant", "chess960").openings.opening(0).board.chess960
    assert not plan().openings.opening(0).board.chess960
    assert plan("--openings", str(book), "--no-reuse").last_opening == len(OPENINGS) - 1
    assert plan(*words).last_opening is None


def test_of_the_conditions() -> None:
    conditions = plan("--syzygy-men", "5", "--max-moves", "40", "--margin", "0.5", "--patience", "9").setting.conditions
    assert (conditions.syzygy_men, conditions.longest, conditions.margin, conditions.patience) == (5, 40, 0.5, 9.0)
    for option, also_against_own in (("--komi", True), ("--default-komi", False)):
        conditions = plan("--scoring", "komi", option, "G3.25").setting.conditions
        assert conditions.own_komi is not also_against_own
        assert "quarters=13" in str(conditions.scoring)
    for words in ("rMobilityWinner", "RMobility Winner", "winner"):
        assert plan("--scoring", words).setting.conditions.scoring.title == "RMobility Winner"
    assert plan("--rules-set", "c legacy").setting.conditions.rules.legacy
    setting = plan("--event", "A", "--site", "B", "--wait", "2", "--pgn-more", "pv", "nps").setting
    assert (setting.event, setting.site, setting.wait, setting.comments) == ("A", "B", 2.0, ("pv", "nps"))
