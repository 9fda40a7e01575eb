"""Points: the table of the exponential scoring, every example of komi, and the score sheet."""

import pickle
from fractions import Fraction

import chess
import pytest
from hypothesis import given
from hypothesis import strategies as st

from tbgen.core import outcome
from tbgen.errors import BadInput
from tbgen.rules import scoresheet
from tbgen.rules.record import Record
from tbgen.rules.rulesets import SHEET_LEVEL
from tbgen.rules.scoring import (
    DRAW,
    LOSS,
    SCORINGS,
    WIN,
    Classical,
    Exponential,
    FullPoints,
    Harmonic,
    Komi,
    OverTheBoard,
    Scoring,
    Winner,
    WithKomi,
    classical_result,
    decimal,
    points_text,
    scoring,
)

outcomes = st.builds(outcome.goal, st.integers(0, 437), st.booleans())
komis = st.builds(Komi, st.integers(0, 60), st.booleans())
cutoffs = st.integers(0, 24)

EXPONENTIAL = {
    "G0.0": "1.000000",
    "G0.5": "0.750000",
    "G1.0": "0.625000",
    "G1.5": "0.562500",
    "G2.0": "0.531250",
    "G2.5": "0.515625",
    "G3.0": "0.507812",
    "G3.5": "0.503906",
    "G4.0": "0.501953",
    "G4.5": "0.500977",
    "G5.0": "0.500488",
    "G5.5": "0.500244",
    "G6.0": "0.500122",
    "G6.5": "0.500061",
    "G7.0": "0.500031",
    "G7.5": "0.500015",
    "G8.0": "0.500008",
    "G8.5": "0.500004",
    "G9.0": "0.500002",
    "G9.5": "0.500001",
    "G10.0": "0.500000",
    "G10.5": "0.500000",
}


def points(scheme: Scoring, result: str) -> Fraction:
    return scheme.points(outcome.parse(result))


@pytest.mark.parametrize("kind", SCORINGS.values())
def test_outcomes_as_text(kind: type[Scoring]) -> None:
    for result in ("G1.5", "-G8.0"):
        assert kind().points(result) == points(kind(), result)
    for wrong in (0, 1.5, "1.5", None):
        with pytest.raises(BadInput, match="not a"):
            kind().points(wrong)  # type: ignore[arg-type]


@pytest.mark.parametrize(("score", "expected"), EXPONENTIAL.items())
def test_exponential(score: str, expected: str) -> None:
    assert decimal(points(Exponential(), score), 6) == expected
    other = points(Exponential(), f"-{score}")
    assert points(Exponential(), score) + other == 1


def test_the_table_has_all_its_rows() -> None:
    assert len(EXPONENTIAL) == 22


@pytest.mark.parametrize(
    ("score", "expected"),
    [
        ("G0.0", Fraction(1)),
        ("G0.5", Fraction(3, 4)),
        ("G1.0", Fraction(2, 3)),
        ("-G1.0", Fraction(1, 3)),
        ("G8.5", Fraction(19, 36)),
        ("-G0.0", Fraction(0)),
    ],
)
def test_harmonic(score: str, expected: Fraction) -> None:
    assert points(Harmonic(), score) == expected


@pytest.mark.parametrize(
    ("scheme", "score", "expected"),
    [
        (Classical(), "G0.0", WIN),
        (Classical(), "-G0.0", LOSS),
        (Classical(), "G0.5", DRAW),
        (Classical(), "-G7.5", DRAW),
        (Winner(), "G5.5", WIN),
        (Winner(), "-G5.5", LOSS),
        (Winner(), "G6.0", DRAW),
        (Winner(), "-G12.0", DRAW),
        (Winner(cutoff=3), "G1.0", WIN),
        (Winner(cutoff=3), "G1.5", DRAW),
        (OverTheBoard(), "G3.5", WIN),
        (OverTheBoard(), "-G3.5", LOSS),
        (OverTheBoard(), "G4.0", DRAW),
        (FullPoints(), "G20.5", WIN),
        (FullPoints(), "-G0.5", LOSS),
    ],
)
def test_whole_points(scheme: Scoring, score: str, expected: Fraction) -> None:
    assert points(scheme, score) == expected


@pytest.mark.parametrize(
    ("komi", "wins", "draws", "loses"),
    [
        # What White wins, draws and loses at, with the cutoff at G6.0.
        ("G2.25", "G0.0 G0.5 G2.0", "", "G2.5 G5.5 G6.0 G9.0 -G0.0 -G2.0 -G2.5 -G6.0 -G12.5"),
        ("-G3.5", "-G4.0 -G6.0 -G9.0 G0.0 G3.0 G3.5 G6.0 G9.5", "-G3.5", "-G3.0 -G0.5 -G0.0"),
        ("G6.0", "G5.5 G0.0", "G6.0 G6.5 G20.0 -G6.0 -G8.5", "-G5.5 -G0.0"),
        ("-G6.0", "G5.5 G0.0", "G6.0 G6.5 G20.0 -G6.0 -G8.5", "-G5.5 -G0.0"),
        ("G6.25", "G0.0 G5.5 G6.0 G9.0 -G6.0 -G6.5 -G20.5", "", "-G5.5 -G0.0"),
        ("-G6.25", "G5.5 G0.0", "", "-G0.0 -G5.5 -G6.0 -G9.0 G6.0 G6.5 G20.5"),
        # The default, and a komi that only a mate can reach.
        ("G5.75", "G5.5 G0.0", "", "G6.0 G7.0 -G5.5 -G6.0 -G9.0"),
        ("G0.0", "", "G0.0", "G0.5 -G0.0 -G0.5 -G9.0"),
        ("G0.25", "G0.0", "", "G0.5 -G0.0"),
        ("G9.5", "G9.5 G10.0 G0.0 -G6.0 -G9.5", "", "-G5.5"),
    ],
)
def test_komi(komi: str, wins: str, draws: str, loses: str) -> None:
    scheme = WithKomi(komi=Komi.parse(komi))
    for scores, expected in ((wins, WIN), (draws, DRAW), (loses, LOSS)):
        for score in scores.split():
            assert points(scheme, score) == expected, score


def test_the_default_komi_is_whites_at_five_and_three_quarters() -> None:
    assert str(WithKomi().komi) == "G5.75"
    assert WithKomi() == scoring("komi")


def test_full_points_with_a_komi_know_no_dead_draw() -> None:
    scheme = FullPoints(komi=Komi.parse("G7.25"))
    assert points(scheme, "G7.0") == WIN
    assert points(scheme, "G7.5") == LOSS
    assert points(scheme, "-G9.0") == LOSS
    assert points(FullPoints(komi=Komi.parse("-G7.5")), "-G7.5") == DRAW


@given(outcomes, komis, cutoffs)
def test_a_komi_in_quarters_leaves_no_draws(result: int, komi: Komi, cutoff: int) -> None:
    found = WithKomi(komi=komi, cutoff=cutoff).points(result)
    assert found in (WIN, DRAW, LOSS)
    if komi.quarters % 2:
        assert found != DRAW


@given(outcomes, komis, cutoffs)
def test_colours_swapped_swap_the_points(result: int, komi: Komi, cutoff: int) -> None:
    for scheme in (Exponential(), Harmonic(), Classical(), Winner(cutoff=cutoff), FullPoints()):
        assert scheme.points(result) + scheme.points(outcome.flip(result)) == 1
    mirrored = Komi(komi.quarters, not komi.white)
    for kind in (WithKomi, FullPoints):
        one = kind(komi=komi, cutoff=cutoff).points(result)
        other = kind(komi=mirrored, cutoff=cutoff).points(outcome.flip(result))
        assert one + other == 1


@given(outcomes, outcomes, komis)
def test_a_better_outcome_is_never_worth_less(one: int, other: int, komi: Komi) -> None:
    low, high = sorted((one, other))
    for name in SCORINGS:
        scheme = scoring(name, komi=komi if name in ("komi", "full") else None)
        assert scheme.points(low) <= scheme.points(high)


@pytest.mark.parametrize(
    ("text", "written"),
    [
        ("G4.25", "G4.25"),
        ("-G5.75", "-G5.75"),
        ("mG5.75", "-G5.75"),
        ("g5", "G5.0"),
        (" G5.50 ", "G5.5"),
        ("-g0.0", "-G0.0"),
        ("\u2212G5.75", "-G5.75"),  # a minus sign as pages have it, taken as in a FEN
        ("G1000.75", "G1000.75"),  # cuteRMob: an integer with any number of digits
    ],
)
def test_komi_text(text: str, written: str) -> None:
    assert str(Komi.parse(text)) == written
    assert str(Komi.parse(written)) == written


@pytest.mark.parametrize("text", ["", "5.75", "G", "G5.3", "G5.", "--G5", "G\u0665.5"])
def test_no_komi(text: str) -> None:
    with pytest.raises(BadInput, match="not a komi"):
        Komi.parse(text)


@pytest.mark.parametrize(("cutoff", "white"), [("G219.0", 1), ("G1000.5", 1), ("G218.5", Fraction(1, 2))])
def test_a_cutoff_above_all_positions_leaves_no_draw(cutoff: str, white: Fraction) -> None:
    """cuteRMob: X in gX.0 or gX.5 is an integer with any number of digits."""
    assert points(scoring("winner", cutoff=cutoff), "G218.5") == white
    assert points(scoring("komi", cutoff=cutoff, komi="G1000.75"), "-G218.5") == (cutoff == "G218.5")


@given(komis)
def test_every_komi_there_and_back(komi: Komi) -> None:
    assert Komi.parse(str(komi)) == komi


@given(outcomes, st.integers(1, 8))
def test_rounded_points_still_add_up(result: int, digits: int) -> None:
    points = Exponential().points(result)
    assert Fraction(decimal(points, digits)) + Fraction(decimal(1 - points, digits)) == 1


def test_points_text() -> None:
    assert points_text(points(Exponential(), "-G1.5"), whole=False) == "0.4375 - 0.5625"
    assert points_text(WIN, whole=True) == "1-0"
    assert points_text(LOSS, whole=True) == "0-1"
    assert points_text(DRAW, whole=True) == "1/2-1/2"
    assert classical_result(outcome.parse("G0.0")) == "1-0"
    assert classical_result(outcome.parse("-G0.0")) == "0-1"
    assert classical_result(outcome.parse("-G0.5")) == "1/2-1/2"
    assert classical_result(None) == "*"


def test_scorings_by_name() -> None:
    assert scoring() == Exponential()
    assert scoring("RMobility Winner", cutoff="G4.5") == Winner(cutoff=9)
    assert scoring("over_the-Board") == OverTheBoard()
    assert scoring("komi", komi="-G3.5", cutoff=8) == WithKomi(komi=Komi(14, False), cutoff=8)
    with pytest.raises(BadInput, match="no such scoring"):
        scoring("linear")
    for name in ("winner", "rMobilityWinner", "RMobility Winner", "rmobility_winner"):
        assert scoring(name) == Winner()
    assert {scoring(name) for name in ("full", "Full Points", "full-points")} == {FullPoints()}
    assert {scoring(name) for name in ("otb", "OTB", "over the board")} == {OverTheBoard()}
    for name, kind in SCORINGS.items():
        assert scoring(kind.title) == scoring(name) == kind()
        assert pickle.loads(pickle.dumps(scoring(name))) == scoring(name)


# --- over the board ---

SHEET = "7k/8/8/8/8/1K6/6P1/5Q2 w - - 4 1"


def sheet_of(moves: str, fen: str = SHEET, *, whole_game: bool = False) -> tuple[str, Fraction]:
    """Plies and entries, lines between them, and the points."""
    record = Record(chess.Board(fen), whole_game=whole_game)
    for san in moves.split():
        record.push(record.board.parse_san(san))
    sheet = scoresheet.parts(record.standings, SHEET_LEVEL, whole_game=whole_game)
    assert scoresheet.points(sheet) == OverTheBoard().points(record.outcome)
    return " | ".join(" ".join(f"{entry.ply} {entry}" for entry in part) for part in sheet), scoresheet.points(sheet)


def test_an_empty_sheet_is_a_draw() -> None:
    assert sheet_of("Nf3 Nf6", fen=chess.STARTING_FEN) == ("", DRAW)


def test_entries_are_improvements_of_g35_or_lower() -> None:
    assert sheet_of("Qf6+ Kh7 Qf7+ Kh8") == ("1 G2.0", WIN)  # G2.0, and again, which is none


def test_a_reset_draws_a_line() -> None:
    assert sheet_of("Qf8+ Kh7 g4 Kg6 Qg8+")[0] == "1 G1.0 | 3 G1.5"
    assert sheet_of("Qg7+ Kxg7", fen="7k/5Q2/8/8/8/1K6/6P1/8 w - - 4 1")[1] == DRAW


def test_without_resets_no_line_is_drawn() -> None:
    fen = "7k/5Q2/8/8/8/1K6/6P1/8 w - - 4 1"
    entries, white = sheet_of("Qg7+ Kxg7", fen=fen, whole_game=True)
    assert "|" not in entries
    assert white == WIN


def test_the_side_that_suffered_the_last_entry_loses() -> None:
    fen = "8/8/8/8/8/2k5/1q6/K7 w - - 4 1"
    assert sheet_of("", fen=fen)[1] == LOSS
